#include "device/sharing/race.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "device/block.h" /* WARP */
#include "device/sharing/behind.h"
#include "device/sharing/distant.h"
#include "device/sharing/finding.h"
#include "device/sharing/meeting.h"
#include "device/sharing/ordering.h"
#include "simgpu/kernel.h"

enum { WORD_SHIFT = 2, MAX_WAS = 16 };

struct mark { /* an access */
    struct ordering_stamp by;
    uint8_t how;
    uint32_t site;  /* the line, for an atomic operation; 0: see pc */
    const void *pc; /* the instruction */
};

struct cell {
    struct mark write, read[2];
    uint32_t exempt; /* == simgpu's own word in the block with this epoch */
};

struct race_cells {
    size_t n;
    unsigned shift; /* a cell has 1 << shift bytes */
    struct cell cell[];
};

struct finding { /* two accesses, or one that reads what was not written */
    struct shared_array *array; /* NULL: none */
    const char *p;
    size_t nbytes;
    struct mark first, second;
};

enum { RECENT = 4 };

static __thread struct race {
    struct ordering *order;
    struct shared_array *recent[RECENT]; /* arrays of words */
    unsigned nrecent;
    const struct launch *launch; /* NULL: off */
    struct finding unwritten;    /* read, and not written so far */
    struct finding twice;        /* written twice: the same value? */
    char was[MAX_WAS];           /* the first value */
} my;

int race_is_on(void)
{
    return my.launch != NULL;
}

int race_applies(const struct launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2] == 1 &&
           (simgpu_check_is_on() || kernels_are_listed());
}

/* ---- reports ------------------------------------------------------------- */

static uint32_t site_of(const struct mark *m)
{
    return m->site ? m->site : simgpu_site(m->pc);
}

static void report_unwritten(const struct finding *f)
{
    const struct simgpu_uint3 b = simgpu_block_idx;
    char text[512], what[128], launch[128], where[128], thread[48];
    const uint32_t site = site_of(&f->first);
    if (!finding_is_new(site, 0))
        return;
    snprintf(text, sizeof text,
             "uninitialised read of shared memory in kernel %s, launched at "
             "%s:\n  thread %s of block (%u,%u,%u) %s %s at %s\n"
             "  No thread of the block has written there, and shared memory "
             "isn't cleared\n  when a block starts. Write it first.",
             my.launch->kernel->name,
             simgpu_site_text(my.launch->site, launch, sizeof launch),
             finding_thread(f->first.by.thread, thread, sizeof thread), b.x,
             b.y, b.z, finding_verb(f->first.how),
             arrays_text(f->array, f->p, f->nbytes, what, sizeof what),
             simgpu_site_text(site, where, sizeof where));
    finding_note(my.launch, site, text);
}

static void report_race(const struct finding *f)
{
    const struct simgpu_uint3 b = simgpu_block_idx;
    char text[512], what[128], launch[128], where[2][128], thread[2][48];
    const uint32_t site[2] = {site_of(&f->first), site_of(&f->second)};
    const int is_warp = f->first.by.thread / WARP == f->second.by.thread / WARP;
    if (!finding_is_new(site[0], site[1]))
        return;
    snprintf(
        text, sizeof text,
        "race in shared memory in kernel %s, launched at %s, block (%u,%u,%u)\n"
        "  %s:\n  thread %s %s at %s\n  thread %s %s at %s\n"
        "  No barrier is between. %s",
        my.launch->kernel->name,
        simgpu_site_text(my.launch->site, launch, sizeof launch), b.x, b.y, b.z,
        arrays_text(f->array, f->p, f->nbytes, what, sizeof what),
        finding_thread(f->first.by.thread, thread[0], sizeof thread[0]),
        finding_verb(f->first.how),
        simgpu_site_text(site[0], where[0], sizeof where[0]),
        finding_thread(f->second.by.thread, thread[1], sizeof thread[1]),
        finding_verb(f->second.how),
        simgpu_site_text(site[1], where[1], sizeof where[1]),
        is_warp ? "A warp's threads don't run in lockstep: call\n  "
                  "__syncwarp() or __syncthreads()."
                : "Call __syncthreads().");
    finding_note(my.launch, site[1], text);
}

/* A word was written twice. It is a race if the value has changed. */
static void settle_twice(void)
{
    struct finding *const f = &my.twice;
    if (f->array && memcmp(f->p, my.was, f->nbytes) != 0)
        report_race(f);
    f->array = NULL;
}

static void settle_unwritten(void)
{
    if (my.unwritten.array)
        report_unwritten(&my.unwritten);
    my.unwritten.array = NULL;
}

/* ---- blocks -------------------------------------------------------------- */

struct race *race_begin(const struct launch *l)
{
    my.launch = l;
    my.order = ordering_begin(l->block[0] * l->block[1] * l->block[2]);
    meeting_begin(l);
    memset(my.recent, 0, sizeof my.recent);
    return &my;
}

void race_end(void)
{
    settle_twice();
    settle_unwritten();
    my.launch = NULL;
}

/* ---- cells --------------------------------------------------------------- */

static struct race_cells *cells_for(size_t nbytes, unsigned shift)
{
    // one more, because an array may begin within a word
    const size_t n = (nbytes >> shift) + 2;
    struct race_cells *const c =
        simgpu_need(calloc(1, sizeof *c + n * sizeof *c->cell),
                    "the check of shared memory");
    c->n = n;
    c->shift = shift;
    return c;
}

/* The number of p's cell, counted from the word in which the array begins. */
static size_t place_of(const struct shared_array *a, const char *p,
                       unsigned shift)
{
    const uintptr_t word = (uintptr_t)a->begin >> WORD_SHIFT << WORD_SHIFT;
    return ((uintptr_t)p - word) >> shift;
}

/* Give the array cells, which are words until a part of a word is touched. */
static struct race_cells *cells_of(struct shared_array *a, const char *p,
                                   size_t nbytes)
{
    const int is_word = ((uintptr_t)p | nbytes) % (1 << WORD_SHIFT) == 0;
    struct race_cells *c = a->cells;
    const size_t need = place_of(a, a->end - 1, c ? c->shift : WORD_SHIFT) + 1;
    if (!c || need > c->n) { // the dynamic array may be longer than before
        race_free(c);
        c = a->cells = cells_for((size_t)(a->end - a->begin) + 4, WORD_SHIFT);
    }
    if (is_word || c->shift == 0)
        return c;
    struct race_cells *const bytes =
        cells_for((size_t)(a->end - a->begin) + 4, 0);
    for (size_t i = 0; i < bytes->n; i++)
        bytes->cell[i] =
            c->cell[(i >> WORD_SHIFT) < c->n ? i >> WORD_SHIFT : 0];
    free(c);
    return a->cells = bytes;
}

void race_free(struct race_cells *c)
{
    free(c);
}

/* ---- accesses ------------------------------------------------------------ */

static int conflicts(const struct mark *m, int how)
{
    return m->by.epoch && !ordering_before(m->by) && ordering_is_here(m->by) &&
           !(m->how & how & FINDING_ATOMIC);
}

static void found(const struct finding *f)
{
    const int both = f->first.how & f->second.how;
    if (my.unwritten.array && my.unwritten.p < f->p + f->nbytes &&
        f->p < my.unwritten.p + my.unwritten.nbytes)
        my.unwritten.array = NULL;
    if (!(both & FINDING_WRITES) || (f->second.how & FINDING_READS) ||
        f->nbytes > MAX_WAS) {
        report_race(f);
        return;
    }
    my.twice = *f;
    memcpy(my.was, f->p, f->nbytes);
}

/* Keep a read in the cell: for the one that it is ordered behind, or in a free
 * place, or so that both are of different warps. */
static void keep_read(struct cell *c, const struct mark *m)
{
    const unsigned warp = m->by.thread / WARP;
    for (int i = 0; i < 2; i++)
        if (!c->read[i].by.epoch || !ordering_is_here(c->read[i].by) ||
            ordering_before(c->read[i].by)) {
            c->read[i] = *m;
            return;
        }
    if (c->read[0].by.thread / WARP == c->read[1].by.thread / WARP &&
        c->read[0].by.thread / WARP != warp)
        c->read[1] = *m;
}

/* Returns 1 if it has found a race. */
static int check_cell(struct cell *c, struct finding *f)
{
    const int how = f->second.how;
    const struct mark *with = NULL;
    if (conflicts(&c->write, how))
        with = &c->write;
    for (int i = 0; i < 2 && (how & FINDING_WRITES) && !with; i++)
        if (conflicts(&c->read[i], how))
            with = &c->read[i];
    if (!with)
        return 0;
    f->first = *with;
    found(f);
    return 1;
}

/* ---- accesses in general ------------------------------------------------- */

static void note_unwritten(const struct finding *f)
{
    if (my.unwritten.array)
        return;
    my.unwritten = *f;
    my.unwritten.first = f->second;
}

static int how_of(enum touch_kind kind)
{
    switch (kind) {
    case TOUCH_READ:
    case TOUCH_REDUCED: return FINDING_READS;
    case TOUCH_WRITE:
    case TOUCH_SPREAD: return FINDING_WRITES;
    case TOUCH_EXCHANGE:
    case TOUCH_SIGNAL: return FINDING_WRITES | FINDING_ATOMIC;
    case TOUCH_POLL: return FINDING_READS | FINDING_ATOMIC;
    default: return FINDING_READS | FINDING_WRITES | FINDING_ATOMIC;
    }
}

static void touch_cell(struct cell *c, struct finding *f, int *is_found)
{
    const int how = f->second.how;
    if (ordering_is_here((struct ordering_stamp){.epoch = c->exempt}))
        return;
    if (!*is_found)
        *is_found = check_cell(c, f);
    if ((how & FINDING_READS) && !*is_found &&
        !(c->write.by.epoch && ordering_is_here(c->write.by)))
        note_unwritten(f);
    if (how & FINDING_WRITES)
        c->write = f->second;
    else
        keep_read(c, &f->second);
}

void race_touch(struct shared_array *a, const char *p, size_t nbytes,
                enum touch_kind kind, const void *pc)
{
    const int how = how_of(kind);
    struct race_cells *const cells = cells_of(a, p, nbytes);
    struct finding f = {
        a, p, nbytes, {{0}, 0, 0, NULL}, {ordering_now(), (uint8_t)how, 0, pc}};
    int is_found = 0;
    settle_twice();
    if (my.unwritten.array && f.second.by.epoch > my.unwritten.first.by.epoch)
        settle_unwritten();
    if (how & FINDING_ATOMIC)
        f.second.site = finding_site_of_atomic(pc);
    const size_t end = place_of(a, p + nbytes - 1, cells->shift);
    for (size_t i = place_of(a, p, cells->shift); i <= end; i++)
        touch_cell(&cells->cell[i], &f, &is_found);
    if (cells->shift == WORD_SHIFT)
        my.recent[my.nrecent++ % RECENT] = a;
    if (!(how & FINDING_ATOMIC))
        return;
    if (how & FINDING_WRITES)
        ordering_pass(p);
    else
        ordering_acquire(p);
}

/* ---- most accesses ------------------------------------------------------- */

/* The cell of a word in an array that was touched recently, or NULL. */
static inline struct cell *recent_cell(const struct race *r, const char *p)
{
    for (int i = 0; i < RECENT; i++) {
        const struct shared_array *const a = r->recent[i];
        if (a && p >= a->begin && p + (1 << WORD_SHIFT) <= a->end &&
            a->cells->shift == WORD_SHIFT)
            return &a->cells->cell[place_of(a, p, WORD_SHIFT)];
    }
    return NULL;
}

/* True if there was no such access in this epoch but the thread's own, and
 * `how`'s, with which it doesn't conflict. */
static inline int is_over(const struct mark *m, uint32_t epoch, unsigned thread,
                          int how)
{
    return m->by.epoch < epoch || m->by.thread == thread ||
           (m->how & how & FINDING_ATOMIC);
}

static inline int read_quickly(const struct race *r, struct cell *c,
                               const struct mark *m)
{
    const uint32_t epoch = m->by.epoch;
    if (c->write.by.epoch < r->order->first ||
        !is_over(&c->write, epoch, m->by.thread, FINDING_READS))
        return 0;
    for (int i = 0; i < 2; i++)
        if (is_over(&c->read[i], epoch, m->by.thread, FINDING_READS)) {
            c->read[i] = *m;
            return 1;
        }
    if (c->read[0].by.thread / WARP == c->read[1].by.thread / WARP &&
        c->read[0].by.thread / WARP != m->by.thread / WARP)
        c->read[1] = *m;
    return 1;
}

int race_touch_quickly(struct race *r, const char *p, size_t nbytes,
                       enum touch_kind kind, const void *pc)
{
    const struct block *const b = block_live;
    const unsigned *const n = r->launch->block;
    const struct simgpu_uint3 t = *b->thread_idx;
    const unsigned thread = t.x + n[0] * (t.y + n[1] * t.z);
    const struct ordering_thread *const at = &r->order->thread[thread];
    const int how = how_of(kind);
    struct mark m = {
        {at->epoch, at->clock, (uint16_t)thread}, (uint8_t)how, 0, pc};
    if (nbytes != 1 << WORD_SHIFT || (uintptr_t)p % (1 << WORD_SHIFT) ||
        kind > TOUCH_EXCHANGE || r->twice.array || r->unwritten.array)
        return 0;
    struct cell *const c = recent_cell(r, p);
    if (!c || c->exempt >= r->order->first)
        return 0;
    if (kind == TOUCH_READ)
        return read_quickly(r, c, &m);
    if (!is_over(&c->write, m.by.epoch, thread, how) ||
        !is_over(&c->read[0], m.by.epoch, thread, how) ||
        !is_over(&c->read[1], m.by.epoch, thread, how) ||
        ((how & FINDING_READS) && c->write.by.epoch < r->order->first))
        return 0;
    if (how & FINDING_ATOMIC) {
        m.site = finding_site_of_atomic(pc);
        ordering_pass(p);
    }
    c->write = m;
    return 1;
}

void race_touch_global(void)
{
    ordering_pass(NULL);
}

void simgpu_meet(const void *object, size_t nbytes)
{
    behind_look();
    if (!my.launch) {
        distant_excuse();
        return;
    }
    struct shared_array *const a = arrays_find(my.launch, object);
    const struct ordering_stamp now = ordering_now();
    if (a && (const char *)object + nbytes <= a->end) {
        struct race_cells *const cells = cells_of(a, object, nbytes);
        const size_t end =
            place_of(a, (const char *)object + nbytes - 1, cells->shift);
        for (size_t i = place_of(a, object, cells->shift); i <= end; i++)
            cells->cell[i].exempt = now.epoch;
    }
    ordering_pass(object);
}

void race_forget(void)
{
    arrays_forget();
    ordering_forget();
}
