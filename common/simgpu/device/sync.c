#include "device/sync.h"

#include <stdlib.h> /* calloc */

#include "core/flag.h"
#include "core/heap.h"
#include "core/heap_space.h" /* space_slot */
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"
#include "device/access.h"
#include "simgpu/kernel.h"
#include "simgpu/nccl_window.h" /* simgpu_sync_peek */

enum { MAX_AFTER = 1024, MAX_POLLED = 256, MAX_PEEKS = 64 };

struct polled { /* a word that was read, and its value */
    const void *p;
    uint64_t value;
};

/* The writers of the words seen, one entry per word. */
struct seen {
    const void *p[MAX_AFTER];
    struct flag_source by[MAX_AFTER];
    unsigned n;
};

static __thread struct state { /* of the kernel that this worker runs */
    struct op *op;
    int new_part;     /* its next access begins a part */
    int is_aside;     /* its latest part is one aside */
    uint32_t part;    /* its latest part that is none */
    uint32_t nasides; /* parts aside so far, */
    uint32_t *aside;  /* and their numbers */
    uint32_t cap_asides;
    int fenced;          /* it has called __threadfence_system() */
    struct seen after;   /* what the next part follows */
    struct seen known;   /* what it or an earlier part follows */
    struct seen pending; /* seen without acquire order, until a fence */
    struct polled polled[MAX_POLLED];
    unsigned npolled;
    uint64_t news; /* reads that found a new value */
} * state;

static __thread struct state *all; /* made for a worker's first kernel */

void sync_begin(struct op *op)
{
    if (!all && !(all = calloc(1, sizeof *all)))
        simgpu_report_fault(NULL, "out of host memory for a kernel");
    state = all;
    state->op = op;
    state->new_part = state->fenced = state->is_aside = 0;
    state->part = state->nasides = 0;
    state->after.n = state->known.n = state->pending.n = state->npolled = 0;
}

void *sync_shared(void)
{
    return state;
}

void sync_adopt(void *shared)
{
    state = shared;
}

int simgpu_is_global(const volatile void *p)
{
    return space_slot((const void *)p) >= 0;
}

/* ---- parts --------------------------------------------------------------- */

/* Begin the part that is due, unless it would be empty. */
static void begin_part(void)
{
    struct graph_point after[MAX_AFTER];
    uint64_t latency_ps = 0;
    const struct seen *const s = &state->after;
    if (!state->new_part || (!s->n && !state->is_aside && !access_any()))
        return;
    for (unsigned i = 0; i < s->n; i++) {
        after[i] = s->by[i].part;
        if (s->by[i].flight_ps > latency_ps)
            latency_ps = s->by[i].flight_ps;
    }
    state->part = simgpu_op_part(state->op, after, s->n, latency_ps);
    state->after.n = 0;
    state->new_part = state->is_aside = 0;
}

static void flush(void)
{
    begin_part();
    access_flush(state->op);
}

/* The latency of a word between this kernel's device and its memory. */
static uint64_t flight_ps(const void *p)
{
    struct heap_block b;
    struct topo_path path;
    const int32_t here =
        simgpu_proc_place(simgpu_stream_device(state->op->stream));
    if (!p || simgpu_heap_find(p, &b) != 0 || b.place == here ||
        topo_path(simgpu_proc()->topo, here, b.place, 1, &path) != 0)
        return 0;
    return path.latency_ps;
}

/* End the current part with a write to p; returns its name. */
static struct flag_source release(const void *p)
{
    if (!state->is_aside || state->after.n || access_touched())
        flush();
    state->new_part = 1;
    return (struct flag_source){
        .part = {simgpu_proc()->rank, state->op->node.index, state->part},
        .flight_ps = (uint32_t)flight_ps(p)};
}

/* The word of a name that name_of() gave it, or of its own address. */
static const void *word_of(const void *name)
{
    return (const void *)((uintptr_t)name & ((UINT64_C(1) << 48) - 1));
}

/* Note that this kernel follows a write of the word at p. True if it did
 * before: another of its threads has looked. */
static int note_known(const void *p, struct graph_point part)
{
    struct seen *const s = &state->known;
    unsigned i = 0;
    while (i < s->n && s->p[i] != p)
        i++;
    if (i == MAX_AFTER)
        i = 0; // too many words: forget one
    const struct graph_point was = s->by[i].part;
    const int same = i < s->n && s->p[i] == p && was.rank == part.rank &&
                     was.index == part.index && was.part == part.part;
    s->p[i] = p;
    s->by[i].part = part;
    s->n += i == s->n;
    return same;
}

/* True if it is a part of the running kernel, which follows it anyway. */
static int is_own(struct graph_point p)
{
    if (p.rank != simgpu_proc()->rank || p.index != state->op->node.index)
        return 0;
    uint32_t i = state->nasides;
    while (i > 0 && state->aside[i - 1] > p.part)
        i--;
    return i == 0 || state->aside[i - 1] != p.part;
}

/* Order what follows after the part that wrote the word at p. */
static void acquire(const void *p, struct flag_source by)
{
    if (by.part.index == 0 || is_own(by.part) || note_known(p, by.part))
        return;
    if (access_any())
        flush();
    by.flight_ps += (uint32_t)flight_ps(word_of(p));
    struct seen *const s = &state->after;
    unsigned i = 0;
    while (i < s->n && s->p[i] != p)
        i++;
    if (i == MAX_AFTER) { // more words than fit: give them a part
        state->new_part = 1;
        begin_part();
        i = 0;
    }
    s->p[i] = p;
    s->by[i] = by;
    if (i == s->n)
        s->n++;
    state->new_part = 1;
}

/* A name for one of several writers of a word, in struct seen; and the word.
 * That of a part aside is no address of a heap (core/heap_space.h). */
static const void *name_of(const void *p, struct flag_source by)
{
    const uintptr_t rank = by.part.rank & 0xff;
    const uintptr_t index = by.part.index;
    if (by.is_aside)
        return (const void *)(rank << 48 | (index & 0xfffff) << 20 |
                              (by.part.part & 0xfffff));
    return (const void *)((uintptr_t)p | ((rank << 7 | (index & 0x7f)) + 1)
                                             << 48);
}

/* Give fn the writer of a word that was read: all of them, if they commute. */
static void each_writer(const void *p, unsigned nbytes, flag_condition *met,
                        uint64_t target, struct flag_source by,
                        void (*fn)(const void *p, struct flag_source by))
{
    struct flag_source writer[FLAG_WRITERS];
    if (!by.commutes) {
        fn(p, by);
        return;
    }
    const unsigned n = flag_writers(p, nbytes, met, target, writer);
    for (unsigned i = 0; i < n; i++)
        fn(name_of(p, writer[i]), writer[i]);
}

void sync_end(void)
{
    state->new_part |= state->is_aside; // the last part is the kernel's own
    begin_part();
    state = NULL;
}

/* ---- parts aside --------------------------------------------------------- */

static void note_aside(uint32_t part)
{
    if (state->nasides == state->cap_asides) {
        state->cap_asides = state->cap_asides ? 2 * state->cap_asides : 64;
        state->aside =
            realloc(state->aside, state->cap_asides * sizeof *state->aside);
        if (!state->aside)
            simgpu_report_fault(NULL, "out of host memory for a kernel's puts");
    }
    state->aside[state->nasides++] = part;
}

struct graph_point sync_here(void)
{
    return release(NULL).part;
}

struct graph_point sync_aside(const char *name, const struct graph_point *after,
                              size_t n, uint64_t latency_ps, unsigned *slot)
{
    struct graph_point all[SYNC_AFTER + 1];
    sync_commit();
    all[0] = sync_here();
    for (size_t i = 0; i < n && i < SYNC_AFTER; i++)
        all[i + 1] = after[i];
    *slot = state->nasides % OP_ASIDES;
    const uint32_t part =
        simgpu_op_aside(state->op, *slot, name, all, n + 1, latency_ps);
    note_aside(part);
    state->is_aside = state->new_part = 1;
    return (struct graph_point){simgpu_proc()->rank, state->op->node.index,
                                part};
}

void sync_follow(struct graph_point aside)
{
    const struct flag_source by = {.part = aside, .is_aside = 1};
    acquire(name_of(NULL, by), by);
}

static uint64_t grown(uint64_t old, const void *operand)
{
    return old + *(const uint64_t *)operand;
}

void sync_grow(void *word, uint64_t n, struct graph_point by,
               uint64_t latency_ps)
{
    struct flag_source was;
    flag_update(word, 8, grown, &n,
                (struct flag_source){.part = by,
                                     .flight_ps = (uint32_t)latency_ps,
                                     .is_aside = !is_own(by),
                                     .commutes = 1},
                &was);
    state->news++;
}

struct op *sync_op(void)
{
    return state->op;
}

/* ---- words --------------------------------------------------------------- */

static int is_global(const volatile void *p)
{
    return state && space_slot((const void *)p) >= 0;
}

uint64_t sync_activity(void)
{
    return access_count() + state->news;
}

/* Record a read of a polled word, once per word. A new value is activity. */
static void note_look(const struct poll *q)
{
    unsigned i = 0;
    while (i < state->npolled && state->polled[i].p != q->p)
        i++;
    if (i == MAX_POLLED)
        return;
    struct polled *const known = &state->polled[i];
    if (i == state->npolled) {
        state->npolled++;
        access_touch(q->p, q->nbytes, ACCESS_POLL, q->pc);
    } else if (known->value == q->value) {
        return;
    }
    *known = (struct polled){q->p, q->value};
    state->news++;
}

static void keep_pending(const void *p, struct flag_source by)
{
    struct seen *const s = &state->pending;
    unsigned i = 0;
    while (i < s->n && s->p[i] != p)
        i++;
    if (i == MAX_AFTER)
        i = 0; // too many without a fence: drop one
    s->p[i] = p;
    s->by[i] = by;
    if (i == s->n)
        s->n++;
}

void sync_commit(void)
{
    struct poll *const q = state ? run_poll() : NULL;
    if (!q || !q->p)
        return;
    if (q->is_volatile) // the program's own reads are not seen
        simgpu_flag_read(q->p, q->nbytes, &q->by);
    const struct poll seen = *q;
    q->p = NULL;
    each_writer(seen.p, seen.nbytes, seen.met, seen.target, seen.by,
                seen.acquires ? acquire : keep_pending);
}

static void read_word(struct poll *q)
{
    q->value =
        q->met ? simgpu_flag_check(q->p, q->nbytes, q->met, q->target, &q->by)
               : simgpu_flag_read(q->p, q->nbytes, &q->by);
}

int sync_holds(struct poll *q)
{
    if (!q->p) // it waits for another thread of its block
        return 1;
    read_word(q);
    return !q->met || q->met(q->value, q->target);
}

/* The thread looks at the word, again or for the first time, after all others
 * have had their turn. */
static struct poll *look(struct poll what)
{
    struct poll *const q = run_poll();
    if (q->p != what.p)
        sync_commit();
    *q = what;
    run_yield();
    read_word(q);
    note_look(q);
    return q;
}

/* ---- what device code calls ---------------------------------------------- */

/* Where the program calls: a library between it and the runtime says so before
 * each call (core/site.h). */
static const void *caller(const void *address)
{
    const void *const said = simgpu_site_caller;
    simgpu_site_caller = NULL;
    return said ? said : address;
}

uint64_t simgpu_sync_load(const volatile void *p, unsigned nbytes, int order)
{
    const void *const pc = caller(__builtin_return_address(0));
    struct flag_source by;
    if (!is_global(p))
        return simgpu_flag_read((const void *)p, nbytes, &by);
    return look((struct poll){.p = (const void *)p,
                              .nbytes = nbytes,
                              .acquires = order & SIMGPU_ACQUIRE,
                              .pc = pc})
        ->value;
}

uint64_t simgpu_sync_peek(const volatile void *p, unsigned nbytes, int order)
{
    struct poll q = {.p = (const void *)p,
                     .nbytes = nbytes,
                     .pc = caller(__builtin_return_address(0))};
    if (!is_global(p) || ++run_poll()->peeks == MAX_PEEKS)
        return simgpu_sync_load(p, nbytes, order);
    sync_commit();
    read_word(&q);
    note_look(&q);
    if (order & SIMGPU_ACQUIRE)
        each_writer(q.p, nbytes, NULL, 0, q.by, acquire);
    return q.value;
}

static int met_equal(uint64_t value, uint64_t target)
{
    return value == target;
}

static int met_reached(uint64_t value, uint64_t target)
{
    return value >= target;
}

/* Wait until the condition holds, for the call at pc. */
static void look_until(const volatile void *p, unsigned nbytes,
                       flag_condition *met, uint64_t target, const void *pc)
{
    struct poll *q;
    do
        q = look((struct poll){.p = (const void *)p,
                               .nbytes = nbytes,
                               .acquires = 1,
                               .pc = pc,
                               .met = met,
                               .target = target});
    while (!met(q->value, target));
    if (!is_global(p))
        q->p = NULL;
}

void simgpu_sync_wait(const volatile void *p, unsigned nbytes, uint64_t value,
                      int equal)
{
    look_until(p, nbytes, equal ? met_equal : met_reached, value,
               caller(__builtin_return_address(0)));
}

void simgpu_sync_until(const volatile void *p, unsigned nbytes,
                       int (*met)(uint64_t value, uint64_t target),
                       uint64_t target)
{
    look_until(p, nbytes, met, target, caller(__builtin_return_address(0)));
}

/* The part that a write ends: with release order, or after a fence. */
static struct flag_source end_for(int order, const void *p)
{
    return order & SIMGPU_RELEASE || state->fenced ? release(p)
                                                   : (struct flag_source){0};
}

void simgpu_sync_store(volatile void *p, unsigned nbytes, uint64_t value,
                       int order)
{
    const void *const pc = caller(__builtin_return_address(0));
    struct flag_source by = {0};
    if (is_global(p)) {
        access_touch(p, nbytes, ACCESS_SIGNAL, pc);
        by = end_for(order, (void *)p);
    }
    simgpu_flag_write((void *)p, nbytes, value, by);
}

uint64_t simgpu_sync_update(volatile void *p, unsigned nbytes,
                            uint64_t (*change)(uint64_t old,
                                               const void *operand),
                            const void *operand, int order)
{
    void *const word = (void *)p;
    const void *const pc = caller(__builtin_return_address(0));
    struct flag_source by = {0}, was;
    if (!is_global(p))
        return flag_update(word, nbytes, change, operand, by, &was);
    access_touch(p, nbytes, ACCESS_ATOMIC, pc);
    // an acquire of this write also follows the write that it replaces
    const int releases = order & SIMGPU_RELEASE || state->fenced;
    uint64_t old;
    if (order & SIMGPU_COMMUTES) {
        by = end_for(order, word);
        by.commutes = 1;
        state->news++;
        return flag_update(word, nbytes, change, operand, by, &was);
    }
    simgpu_flag_read(word, nbytes, &was);
    do {
        if (releases || (order & SIMGPU_ACQUIRE && was.commutes))
            each_writer(word, nbytes, NULL, 0, was, acquire);
        by = end_for(order, word);
    } while (releases &&
             !flag_update_after(word, nbytes, change, operand, by, &was, &old));
    if (!releases)
        old = flag_update(word, nbytes, change, operand, by, &was);
    if (change(old, operand) == old) // a lock that is taken, a load in disguise
        look((struct poll){.p = word,
                           .nbytes = nbytes,
                           .acquires = order & SIMGPU_ACQUIRE,
                           .pc = pc});
    else if (order & SIMGPU_ACQUIRE)
        acquire(word, was);
    else
        keep_pending(word, was);
    state->news++;
    return old;
}

void simgpu_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (state)
        access_fence();
}

void simgpu_fence_system(void)
{
    simgpu_fence();
    if (!state)
        return;
    sync_commit();
    struct seen *const s = &state->pending;
    for (unsigned i = 0; i < s->n; i++)
        acquire(s->p[i], s->by[i]);
    s->n = 0;
    state->fenced = 1;
}

void simgpu_nanosleep(unsigned ns)
{
    (void)ns; // a thread that polls yields anyway
}

void simgpu_atomic_unchanged(const volatile void *p, unsigned nbytes)
{
    if (!is_global(p) || (nbytes != 4 && nbytes != 8))
        return;
    struct poll *const q = run_poll();
    const int again = q->unchanged == p; // once may have any reason
    q->unchanged = (const void *)p;
    if (again)
        look((struct poll){.p = (const void *)p,
                           .nbytes = nbytes,
                           .unchanged = (const void *)p,
                           .pc = __builtin_return_address(0)});
}

void sync_volatile_read(const void *p, unsigned nbytes, const void *pc)
{
    if (!is_global(p))
        return;
    if (nbytes == 4 || nbytes == 8)
        look((struct poll){
            .p = p, .nbytes = nbytes, .is_volatile = 1, .pc = pc});
    else
        access_touch(p, nbytes, ACCESS_SIGNAL, pc);
}

void sync_volatile_write(void *p, unsigned nbytes, const void *pc)
{
    if (!is_global(p))
        return;
    access_touch(p, nbytes, ACCESS_SIGNAL, pc);
    flag_announce(p, end_for(0, p));
}
