#include "device/sync.h"

#include <stdlib.h> /* calloc */

#include "base/map.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/report.h"
#include "core/site.h"
#include "core/stream/flag.h"
#include "device/access.h"
#include "device/idle.h"
#include "device/parts.h"
#include "device/sharing/behind.h"
#include "device/sharing/between.h"
#include "device/sharing/race.h"
#include "simgpu/kernel.h"
#include "simgpu/nccl_window.h" /* simgpu_sync_peek */

enum { MAX_PEEKS = 64 };

static __thread struct state { /* belongs to the kernel that this worker runs */
    struct parts parts;
    int fenced;          /* the kernel has called __threadfence_system() */
    struct seen pending; /* reads without acquire order, until a fence */
    struct map polled;   /* words that were read: see note_look() */
    uint64_t news;       /* number of reads that found a new value */
} * state;

static __thread struct state *all; /* allocated for a worker's first kernel */

void sync_begin(struct op *op)
{
    if (!all && !(all = calloc(1, sizeof *all)))
        simgpu_report_fault(NULL, "out of host memory for a kernel");
    state = all;
    parts_begin(&state->parts, op);
    state->fenced = 0;
    state->pending.n = 0;
    map_release(&state->polled);
}

void sync_end(void)
{
    parts_end(&state->parts);
    state = NULL;
}

void *sync_shared(void)
{
    return state;
}

void sync_adopt(void *shared)
{
    state = shared;
    behind_of = state ? &state->parts.blocks : NULL;
}

int simgpu_is_global(const volatile void *p)
{
    return space_slot((const void *)p) >= 0;
}

/* ---- parts --------------------------------------------------------------- */

static void acquire(const void *p, struct flag_source by)
{
    parts_acquire(&state->parts, p, by);
}

/* Call fn for the writer of a word that was read, or for all its writers if
 * they commute. */
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
        fn(parts_name(p, writer[i]), writer[i]);
}

struct graph_point sync_here(void)
{
    return parts_release(&state->parts, NULL).part;
}

struct graph_point sync_aside(const char *name, unsigned peer,
                              const struct graph_point *after, size_t n,
                              uint64_t latency_ps, unsigned *slot)
{
    sync_commit();
    return parts_aside(&state->parts, name, peer, after, n, latency_ps, slot);
}

void sync_follow(struct graph_point aside)
{
    const struct flag_source by = {.part = aside, .is_aside = 1};
    acquire(parts_name(NULL, by), by);
}

static uint64_t grown(uint64_t old, const void *operand)
{
    return old + *(const uint64_t *)operand;
}

void sync_grow(void *word, uint64_t n, struct graph_point by,
               uint64_t latency_ps)
{
    struct flag_source was;
    flag_update(
        word, 8, grown, &n,
        (struct flag_source){.part = by,
                             .flight_ps = (uint32_t)latency_ps,
                             .is_aside = !parts_are_own(&state->parts, by),
                             .commutes = 1},
        &was);
    state->news++;
}

struct op *sync_op(void)
{
    return state->parts.op;
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

/* Record a read of a polled word, once per word. A new word or value counts as
 * activity; that of a change in the highest bit alone does not, and a polling
 * thread may sleep a millisecond longer. */
static void note_look(const struct poll *q)
{
    const uint64_t found = q->value << 1 | 1; // 0: not read before
    uint64_t *const known = map_at(&state->polled, (uintptr_t)q->p);
    if (!known)
        simgpu_report_fault(NULL, "out of host memory for a kernel");
    if (*known == found)
        return;
    if (!*known)
        access_touch(q->p, q->nbytes, ACCESS_POLL, q->pc);
    *known = found;
    state->news++;
}

static void keep_pending(const void *p, struct flag_source by)
{
    struct seen *const s = &state->pending;
    unsigned i = seen_find(s, p);
    if (i == MAX_SEEN)
        i = 0; // too many without a fence: drop one
    s->p[i] = p;
    s->by[i] = by;
    if (i == s->n)
        s->n++;
}

void sync_commit(void)
{
    struct poll *const q = state ? poll_pending() : NULL;
    if (!q || !q->p)
        return;
    // the program itself has read the word
    if (q->is_volatile)
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
    if (!q->p) // waits for another thread of its block
        return 1;
    read_word(q);
    return !q->met || q->met(q->value, q->target);
}

/* Let the thread read the word again, or for the first time, after all other
 * threads have run. */
static struct poll *look(struct poll what)
{
    struct poll *const q = poll_current();
    if (q->p != what.p)
        sync_commit();
    *q = what;
    poll_yield();
    read_word(q);
    behind_look();
    note_look(q);
    if (race_is_on())
        race_touch_global();
    if (between_is_on)
        between_look();
    return q;
}

/* ---- calls from device code ---------------------------------------------- */

/* The caller in the program: a library between the program and the runtime
 * announces it before each call (core/site.h). */
static const void *caller(const void *address)
{
    const void *const said = simgpu_site_caller;
    simgpu_site_caller = NULL;
    return said ? said : address;
}

/* Have access.c look at a word outside the heaps, if a kernel touches it. */
static void check_outside(const volatile void *p, unsigned nbytes,
                          enum access_use use, const void *pc)
{
    if (state)
        access_touch(p, nbytes, use, pc);
}

/* The same for an atomic or volatile read. In shared memory it does not race
 * with an atomic operation. */
static void check_outside_read(const volatile void *p, unsigned nbytes,
                               const void *pc)
{
    const int follows = nbytes == 4 || nbytes == 8;
    check_outside(p, nbytes,
                  follows && simgpu_is_shared(p) ? ACCESS_POLL : ACCESS_READ,
                  pc);
}

uint64_t simgpu_sync_load(const volatile void *p, unsigned nbytes, int order)
{
    const void *const pc = caller(__builtin_return_address(0));
    struct flag_source by;
    if (!is_global(p)) {
        check_outside_read(p, nbytes, pc);
        return simgpu_flag_read((const void *)p, nbytes, &by);
    }
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
    if (!is_global(p) || ++poll_current()->peeks == MAX_PEEKS)
        return simgpu_sync_load(p, nbytes, order);
    sync_commit();
    read_word(&q);
    behind_look();
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

/* Wait until the condition holds, on behalf of the call at pc. */
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

/* End the current part if the write has release order or follows a fence. */
static struct flag_source end_for(int order, const void *p)
{
    return order & SIMGPU_RELEASE || state->fenced
               ? parts_release(&state->parts, p)
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
    } else {
        check_outside(p, nbytes,
                      simgpu_is_shared(p) ? ACCESS_SIGNAL : ACCESS_WRITE, pc);
    }
    simgpu_flag_write((void *)p, nbytes, value, by);
}

/* How an update accesses its word; call it before the update. */
static enum access_use use_of(int order)
{
    const struct poll *const last = poll_current();
    return order & SIMGPU_COMPARES && last->p && last->failed ? ACCESS_RETRY
                                                              : ACCESS_ATOMIC;
}

uint64_t simgpu_sync_update(volatile void *p, unsigned nbytes,
                            uint64_t (*change)(uint64_t old,
                                               const void *operand),
                            const void *operand, int order)
{
    void *const word = (void *)p;
    const void *const pc = caller(__builtin_return_address(0));
    struct flag_source by = {0}, was;
    if (!is_global(p)) {
        check_outside(p, nbytes, ACCESS_ATOMIC, pc);
        return flag_update(word, nbytes, change, operand, by, &was);
    }
    access_touch(p, nbytes, use_of(order), pc);
    // an acquire of this write must also follow the write it replaces
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
    // the value stayed: a lock that is taken, or a load in disguise
    if (change(old, operand) == old)
        look((struct poll){.p = word,
                           .nbytes = nbytes,
                           .acquires = order & SIMGPU_ACQUIRE,
                           .failed = order & SIMGPU_COMPARES,
                           .pc = pc});
    else if (order & SIMGPU_ACQUIRE)
        acquire(word, was);
    else
        keep_pending(word, was);
    state->news++;
    return old;
}

static void order_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    behind_look();
    if (state)
        access_fence();
}

/* The running thread may be in a loop that waits for the word at p, or without
 * one for any: it calls the instruction at pc, which found the word unchanged.
 */
static void look_again(const volatile void *p, unsigned nbytes, const void *pc)
{
    if (state && idle_is_due(idle_again(p, nbytes, pc)))
        idle_yield(p, nbytes, pc);
    behind_look();
}

void simgpu_fence(void)
{
    order_fence();
    look_again(NULL, 0, __builtin_return_address(0));
}

void simgpu_fence_block(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    look_again(NULL, 0, __builtin_return_address(0));
}

void simgpu_reloaded(const volatile void *p, unsigned nbytes)
{
    look_again(p, nbytes, __builtin_return_address(0));
}

void simgpu_fence_system(void)
{
    order_fence();
    if (!state)
        return;
    sync_commit();
    struct seen *const s = &state->pending;
    for (unsigned i = 0; i < s->n; i++)
        acquire(s->p[i], s->by[i]);
    s->n = 0;
    state->fenced = 1;
    look_again(NULL, 0, __builtin_return_address(0));
}

void simgpu_nanosleep(unsigned ns)
{
    (void)ns;
    look_again(NULL, 0, __builtin_return_address(0));
}

void simgpu_atomic_unchanged(const volatile void *p, unsigned nbytes)
{
    const void *const pc = __builtin_return_address(0);
    if (!is_global(p) || (nbytes != 4 && nbytes != 8))
        look_again(p, nbytes, pc);
    else if (idle_is_due(idle_again(p, nbytes, pc)))
        look((struct poll){.p = (const void *)p,
                           .nbytes = nbytes,
                           .pc = pc,
                           .site = idle_site(pc)});
}

/* True if the thread has done nothing since its poll of the word, which has
 * not changed, and need not yield again yet. */
static int is_just_seen(const void *p, unsigned nbytes, const void *pc)
{
    const struct poll *const q = poll_pending();
    return q && q->is_volatile && q->p == p && q->nbytes == nbytes &&
           q->pc == pc && !idle_is_due(idle_again(p, nbytes, pc));
}

void sync_volatile_read(const void *p, unsigned nbytes, const void *pc)
{
    if (is_global(p) && (nbytes == 4 || nbytes == 8)) {
        if (!is_just_seen(p, nbytes, pc))
            look((struct poll){
                .p = p, .nbytes = nbytes, .is_volatile = 1, .pc = pc});
        return;
    }
    const unsigned n = state ? idle_again(p, nbytes, pc) : 0;
    if (!is_global(p))
        check_outside_read(p, nbytes, pc);
    else if (n == 0)
        access_touch(p, nbytes, ACCESS_SIGNAL, pc);
    if (idle_is_due(n))
        idle_yield(p, nbytes, pc);
    behind_look();
}

void sync_volatile_write(void *p, unsigned nbytes, const void *pc)
{
    if (!is_global(p)) {
        check_outside(p, nbytes, ACCESS_WRITE, pc);
        return;
    }
    access_touch(p, nbytes, ACCESS_SIGNAL, pc);
    flag_announce(p, end_for(0, p));
}
