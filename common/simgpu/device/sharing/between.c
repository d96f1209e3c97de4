#include "device/sharing/between.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memset */

#include "core/heap/heap.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/heap/host_memory.h"
#include "core/report.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "device/sharing/finding.h"
#include "device/sharing/ordering.h"
#include "device/sharing/race.h"
#include "simgpu/kernel.h"

enum {
    MOST_LAUNCHES = 3,       /* launches of a kernel that are checked */
    MOST_ACCESSES = 1 << 20, /* in a launch */
    MOST_CELLS = 1 << 17,
    MOST_KERNELS = 1024,
    LEAST_CELLS = 1 << 10,
    WORD = 4
};

struct mark { /* an access */
    struct ordering_stamp by;
    uint8_t how, bytes; /* bytes: those in the word, a bit each */
    uint32_t block;     /* its number in the grid, from 1; 0: none */
    uint32_t time;      /* synchronisations of the kernel before it */
    uint32_t site;      /* the line, for an atomic operation; 0: see pc */
    const void *pc;
};

struct cell {
    uintptr_t word; /* address / WORD; 0: the cell is not used */
    uint32_t was;   /* before the write */
    struct mark write, atomic, read[2];
};

struct finding { /* two accesses to a word, of which one writes it */
    const char *p;
    uint32_t was;
    struct mark first, second;
};

static __thread struct between {
    const struct launch *launch;
    struct cell *cell;
    size_t ncells, cap, naccesses;
    uint32_t time;   /* number of synchronisations so far */
    uint32_t *told;  /* when each block made its past known */
    uint32_t block;  /* the running block */
    uint32_t looked; /* when it looked; 0: never */
    struct {
        uint32_t told, looked;
    } thread[ORDERING_THREADS]; /* the running block's */
    struct finding write;       /* the second access is a write: of what? */
    int has_risen, has_fallen;
    int block_scope; /* the atomic operation is one of the block alone */
} my;

__thread int between_is_on;

/* ---- reports ------------------------------------------------------------- */

static const char *thread_text(const struct mark *m, char *out, size_t nbytes)
{
    const struct simgpu_uint3 g = simgpu_grid_dim;
    const uint32_t b = m->block - 1;
    char thread[48];
    snprintf(out, nbytes, "thread %s of block (%u,%u,%u)",
             finding_thread(m->by.thread, thread, sizeof thread), b % g.x,
             b / g.x % g.y, b / g.x / g.y);
    return out;
}

static uint32_t site_of(const struct mark *m)
{
    return m->site ? m->site : simgpu_site(m->pc);
}

/* Describe the memory at p: an allocation, or a variable of the GPU. */
static const char *memory_text(const char *p, const void *pc, char *out,
                               size_t nbytes)
{
    struct host_memory m;
    if (space_slot(p) >= 0) {
        simgpu_heap_describe(p, out, nbytes);
        return out;
    }
    host_memory_find(p, my.launch->frame, pc, &m);
    snprintf(out, nbytes, "byte %zu of %s", (size_t)(p - m.begin),
             m.name[0] ? m.name : "a variable of the GPU");
    return out;
}

static void report(const struct finding *f)
{
    char text[1024], what[256], launch[128], where[2][128], who[2][96];
    const uint32_t site[2] = {site_of(&f->first), site_of(&f->second)};
    if (!finding_is_new(site[0], site[1]))
        return;
    snprintf(
        text, sizeof text,
        "race in global memory in kernel %s, launched at %s\n  %s:\n"
        "  %s %s at %s\n  %s %s at %s\n  %s",
        my.launch->kernel->name,
        simgpu_site_text(my.launch->site, launch, sizeof launch),
        memory_text(f->p, f->second.pc, what, sizeof what),
        thread_text(&f->first, who[0], sizeof who[0]),
        finding_verb(f->first.how),
        simgpu_site_text(site[0], where[0], sizeof where[0]),
        thread_text(&f->second, who[1], sizeof who[1]),
        finding_verb(f->second.how),
        simgpu_site_text(site[1], where[1], sizeof where[1]),
        (f->first.how & f->second.how & FINDING_ATOMIC)
            ? "One of them has block scope: to other blocks it is no atomic "
              "operation. Use\n  atomicAdd() or the like, without _block."
        : f->first.block == f->second.block
            ? "Nothing orders the two threads. Call __syncthreads() between "
              "the accesses,\n  or update the word by atomicAdd() or the like."
            : "Blocks run at the same time, in any order. Update the word by "
              "atomicAdd() or\n  the like, write to another array, or end the "
              "kernel between the two.");
    finding_note(my.launch, site[1], text);
}

static uint32_t mask_of(const struct mark *a, const struct mark *b)
{
    const unsigned both = a->bytes & b->bytes;
    uint32_t mask = 0;
    for (unsigned i = 0; i < WORD; i++)
        mask |= both >> i & 1 ? UINT32_C(0xff) << 8 * i : 0;
    return mask;
}

/* Report a conflict about bytes that changed from `was` to what they are. A
 * flag is not reported before it has been both raised and lowered. */
static void judge(const struct finding *f)
{
    uint32_t is, mask = mask_of(&f->first, &f->second);
    memcpy(&is, (const void *)((uintptr_t)f->p / WORD * WORD), sizeof is);
    const uint32_t was = f->was & mask;
    is &= mask;
    const uint32_t one = UINT32_C(0x01010101) & mask & (mask ^ mask << 8);
    if (was == is)
        return;
    if (!(was == 0 && is == one) && !(was == one && is == 0)) {
        report(f);
        return;
    }
    *(is ? &my.has_risen : &my.has_fallen) = 1;
    if (my.has_risen && my.has_fallen)
        report(f);
}

static void settle(void)
{
    if (my.write.p)
        judge(&my.write);
    my.write.p = NULL;
}

/* ---- kernels ------------------------------------------------------------- */

/* True in the first launches of a kernel. */
static int is_early(const struct simgpu_kernel *k)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        const struct simgpu_kernel *kernel;
        int nlaunches;
    } seen[MOST_KERNELS];
    unsigned i = (unsigned)((uintptr_t)k >> 4) % MOST_KERNELS;
    int is_early = 0;
    pthread_mutex_lock(&lock);
    if (!seen[i].kernel)
        seen[i].kernel = k;
    if (seen[i].kernel == k)
        is_early = seen[i].nlaunches++ < MOST_LAUNCHES;
    pthread_mutex_unlock(&lock);
    return is_early;
}

void between_begin(const struct launch *l)
{
    const uint64_t nblocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (!simgpu_check_is_on() || !race_applies(l) || l->cooperative ||
        nblocks > MOST_CELLS * UINT64_C(64) || !is_early(l->kernel))
        return;
    my = (struct between){.launch = l, .cap = LEAST_CELLS};
    my.cell = calloc(my.cap, sizeof *my.cell);
    my.told = calloc(nblocks + 1, sizeof *my.told);
    between_is_on = my.cell && my.told;
}

void between_stop(void)
{
    between_is_on = 0;
}

void between_end(void)
{
    if (between_is_on)
        settle();
    between_is_on = 0;
    free(my.cell);
    free(my.told);
    my.cell = NULL;
    my.told = NULL;
}

/* ---- cells --------------------------------------------------------------- */

static struct cell *place_of(struct cell *cell, size_t cap, uintptr_t word)
{
    size_t i = (size_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);
    while (cell[i].word && cell[i].word != word)
        i = (i + 1) & (cap - 1);
    return &cell[i];
}

static int grow(void)
{
    const size_t cap = 2 * my.cap;
    struct cell *const more =
        cap <= 2 * MOST_CELLS ? calloc(cap, sizeof *more) : NULL;
    if (!more)
        return -1;
    for (size_t i = 0; i < my.cap; i++)
        if (my.cell[i].word)
            *place_of(more, cap, my.cell[i].word) = my.cell[i];
    free(my.cell);
    my.cell = more;
    my.cap = cap;
    return 0;
}

/* The cell of a word, or NULL if there are too many. */
static struct cell *cell_of(uintptr_t word)
{
    struct cell *c = place_of(my.cell, my.cap, word);
    if (c->word)
        return c;
    if (2 * my.ncells >= my.cap) {
        if (grow() != 0)
            return NULL;
        c = place_of(my.cell, my.cap, word);
    }
    my.ncells++;
    c->word = word;
    return c;
}

/* ---- accesses ------------------------------------------------------------ */

/* The running block's number. When another block begins, its threads have not
 * synchronised yet. */
static uint32_t running_block(void)
{
    const struct simgpu_uint3 g = simgpu_grid_dim, b = simgpu_block_idx;
    const uint32_t block = 1 + b.x + g.x * (b.y + g.y * b.z);
    if (block != my.block) {
        memset(my.thread, 0, sizeof my.thread);
        my.looked = 0;
    }
    return my.block = block;
}

/* True if the thread of access m has since made its past known, and the running
 * one has looked. */
static int is_excused(const struct mark *m, const struct mark *now)
{
    if (m->block != now->block)
        return my.told[m->block] > m->time && my.looked > m->time;
    return my.thread[m->by.thread].told > m->time &&
           my.thread[now->by.thread].looked > m->time;
}

static int conflicts(const struct mark *m, const struct mark *now)
{
    if (!m->block || !(m->bytes & now->bytes))
        return 0;
    return (m->block != now->block || !ordering_before(m->by)) &&
           !is_excused(m, now);
}

/* True for two atomic operations of different blocks, one of block scope. */
static int is_torn(const struct mark *m, const struct mark *now)
{
    return (m->how & now->how & FINDING_ATOMIC) && m->block != now->block &&
           ((m->how | now->how) & FINDING_BLOCK);
}

/* The access that this one conflicts with, or NULL. An atomic operation
 * does not conflict with a read. */
static const struct mark *rival(const struct cell *c, const struct mark *now)
{
    if (conflicts(&c->write, now))
        return &c->write;
    if (conflicts(&c->atomic, now) &&
        (now->how == FINDING_WRITES || is_torn(&c->atomic, now)))
        return &c->atomic;
    for (int i = 0; i < 2 && now->how == FINDING_WRITES; i++)
        if (conflicts(&c->read[i], now))
            return &c->read[i];
    return NULL;
}

static int is_same_thread(const struct mark *a, const struct mark *b)
{
    return a->block == b->block && a->by.thread == b->by.thread;
}

static void keep(struct cell *c, const struct mark *now, uint32_t value)
{
    if (now->how & FINDING_ATOMIC) {
        c->atomic = *now;
        return;
    }
    if (now->how == FINDING_WRITES) {
        if (!is_same_thread(&c->write, now))
            c->was = value;
        c->write = *now;
        return;
    }
    if (!is_same_thread(&c->read[0], now))
        c->read[1] = c->read[0];
    c->read[0] = *now;
}

static void touch_word(struct cell *c, const struct mark *now)
{
    const char *const p = (const char *)(c->word * WORD);
    const struct mark *const with = rival(c, now);
    uint32_t value;
    memcpy(&value, p, sizeof value);
    if (with) {
        const struct finding f = {p + __builtin_ctz(now->bytes),
                                  now->how & FINDING_WRITES ? value : c->was,
                                  *with, *now};
        if (now->how & FINDING_WRITES)
            my.write = f;
        else
            judge(&f);
    }
    keep(c, now, value);
}

static int how_of(enum touch_kind kind)
{
    switch (kind) {
    case TOUCH_READ: return FINDING_READS;
    case TOUCH_WRITE: return FINDING_WRITES;
    case TOUCH_ATOMIC:
    case TOUCH_EXCHANGE:
    case TOUCH_SYSTEM:
    case TOUCH_RETRY: return FINDING_WRITES | FINDING_ATOMIC;
    default: return 0;
    }
}

/* A fence that only the running block's threads notice. */
static void fence_in_block(void)
{
    running_block();
    const unsigned thread = ordering_now().thread;
    my.thread[thread].looked = my.thread[thread].told = ++my.time;
}

void between_block_scope(int is_on)
{
    my.block_scope = is_on;
}

void between_touch(const char *p, size_t nbytes, enum touch_kind kind,
                   const void *pc)
{
    int how = how_of(kind);
    if (how & FINDING_ATOMIC && my.block_scope)
        how |= FINDING_BLOCK;
    struct mark now = {.by = ordering_now(),
                       .how = (uint8_t)how,
                       .block = running_block(),
                       .time = my.time,
                       .site = how & FINDING_ATOMIC ? finding_site_of_atomic(pc)
                                                    : 0,
                       .pc = pc};
    settle();
    if (++my.naccesses > MOST_ACCESSES) {
        between_stop();
        return;
    }
    for (uintptr_t at = (uintptr_t)p, end = at + nbytes; how && at < end;) {
        const uintptr_t word = at / WORD, next = (word + 1) * WORD;
        const unsigned n = (unsigned)((next < end ? next : end) - at);
        struct cell *const c = cell_of(word);
        if (!c) {
            between_stop();
            return;
        }
        now.bytes = (uint8_t)(((1U << n) - 1) << at % WORD);
        touch_word(c, &now);
        at = next;
    }
    if (how & FINDING_BLOCK)
        fence_in_block();
    else if (how & FINDING_ATOMIC)
        between_fence();
    else if (!how)
        between_look();
}

void between_look(void)
{
    running_block();
    my.looked = my.thread[ordering_now().thread].looked = ++my.time;
}

void between_fence(void)
{
    between_look();
    my.told[my.block] = my.thread[ordering_now().thread].told = my.time;
}
