#include "core/stream/flag.h"

#include <sched.h>  /* sched_yield */
#include <stdlib.h> /* qsort */
#include <string.h> /* memcpy */

#include "core/control.h"
#include "core/heap/heap.h"

enum { KEPT = 4, KEPT_LONG = 64, NAP_NS = 1000000 };

static _Atomic uint32_t never; /* futex that is never woken */

struct flag_write {
    struct flag_source by;
    uint32_t value[2];
};

struct flag_entry { /* a word's, in a heap's shadow; all 0: never written */
    _Atomic uint32_t count; /* futex: number of writes */
    _Atomic uint32_t lock;  /* guards the other members and the word */
    uint32_t nwrites;       /* ever recorded; the next at nwrites % KEPT */
    uint32_t any;           /* the latest write's value is unknown */
    struct flag_write write[KEPT];
    uint32_t tag;                   /* belongs to the heap */
    uint32_t history;               /* index from 1 in the histories; 0: none */
    uint32_t after[KEPT_LONG / 32]; /* bit i: write i found what the one before
                                       it had left: nothing came between */
};
_Static_assert(sizeof(struct flag_entry) == 4 * HEAP_SHADOW, "one for 4 bytes");
_Static_assert(offsetof(struct flag_entry, tag) == HEAP_SHADOW_TAG, "tag");

/* The few words that are written more often than an entry can record
 * are counters. Each gets a history, in HEAP_COMMON bytes of the heap,
 * while there are any left. */
struct flag_histories {
    _Atomic uint32_t n;
    struct flag_write write[][KEPT_LONG];
};
static const uint32_t NHISTORIES =
    (HEAP_COMMON - sizeof(struct flag_histories)) /
    sizeof(struct flag_write[KEPT_LONG]);

/* Held for a few instructions only, so a waiting thread just yields. */
static void lock(struct flag_entry *e)
{
    uint32_t is_free = 0;
    while (e && !atomic_compare_exchange_weak(&e->lock, &is_free, 1)) {
        is_free = 0;
        sched_yield();
    }
}

static void unlock(struct flag_entry *e)
{
    if (e)
        atomic_store(&e->lock, 0);
}

static uint64_t get(const void *raw, unsigned nbytes)
{
    switch (nbytes) {
    case 1: return atomic_load((const _Atomic uint8_t *)raw);
    case 2: return atomic_load((const _Atomic uint16_t *)raw);
    case 4: return atomic_load((const _Atomic uint32_t *)raw);
    default: return atomic_load((const _Atomic uint64_t *)raw);
    }
}

/* Replace *old by value. If the host's own atomics, which take no lock, have
 * changed the word since, set *old to its value and return 0. */
static int replace(void *raw, unsigned nbytes, uint64_t *old, uint64_t value)
{
    if (nbytes == 8)
        return atomic_compare_exchange_strong((_Atomic uint64_t *)raw, old,
                                              value);
    uint32_t word = (uint32_t)*old;
    const int done = atomic_compare_exchange_strong((_Atomic uint32_t *)raw,
                                                    &word, (uint32_t)value);
    *old = word;
    return done;
}

static uint64_t identity(uint64_t old, const void *operand)
{
    (void)old;
    return *(const uint64_t *)operand;
}

/* ---- recorded writes, latest first --------------------------------------- */

/* The array that records a word's writes, and its length. */
static struct flag_write *kept(const void *p, struct flag_entry *e, uint32_t *n)
{
    struct flag_histories *const all = heap_common(p);
    *n = e->history ? KEPT_LONG : KEPT;
    return e->history ? all->write[e->history - 1] : e->write;
}

/* Start a history for a word that will have more writes than
 * its entry can record. */
static void begin_history(const void *p, struct flag_entry *e)
{
    struct flag_histories *const all = heap_common(p);
    if (atomic_load(&all->n) >= NHISTORIES)
        return;
    const uint32_t i = atomic_fetch_add(&all->n, 1);
    if (i >= NHISTORIES)
        return;
    memcpy(all->write[i], e->write, sizeof e->write);
    e->history = i + 1;
}

/* Get the value and writer of the write `age` before the latest. Returns 0 if
 * it is forgotten. */
static int recall(const void *p, struct flag_entry *e, uint32_t age,
                  uint64_t *value, struct flag_source *by)
{
    uint32_t n;
    const struct flag_write *const write = kept(p, e, &n);
    if (age >= n || age >= e->nwrites)
        return 0;
    const struct flag_write *const w = &write[(e->nwrites - 1 - age) % n];
    *by = w->by;
    *value = w->value[0] | (uint64_t)w->value[1] << 32;
    return 1;
}

/* Record that a word's value changes from `old` to `value`. Memsets, copies and
 * plain stores are not recorded; they are noticed because `old` differs from
 * what the latest recorded write stored. */
static void remember(const void *p, struct flag_entry *e, uint64_t old,
                     uint64_t value, struct flag_source by, int any)
{
    struct flag_source before;
    uint64_t left;
    uint32_t n;
    const int after = recall(p, e, 0, &left, &before) && left == old;
    if (e->nwrites == KEPT)
        begin_history(p, e);
    struct flag_write *const write = kept(p, e, &n);
    const uint32_t at = e->nwrites++ % n, bit = 1u << at % 32;
    write[at] =
        (struct flag_write){by, {(uint32_t)value, (uint32_t)(value >> 32)}};
    e->after[at / 32] =
        after ? e->after[at / 32] | bit : e->after[at / 32] & ~bit;
    e->any = (uint32_t)any;
}

/* True if the write `age` before the latest, which must be recorded, directly
 * followed the one before it. */
static int is_after(const void *p, struct flag_entry *e, uint32_t age)
{
    uint32_t n;
    kept(p, e, &n);
    const uint32_t at = (e->nwrites - 1 - age) % n;
    return e->after[at / 32] >> at % 32 & 1;
}

/* The writer of the word's current value. */
static struct flag_source source(const void *p, struct flag_entry *e,
                                 uint64_t value)
{
    struct flag_source by;
    uint64_t written;
    if (e && recall(p, e, 0, &written, &by) && (e->any || written == value))
        return by;
    return (struct flag_source){0};
}

/* ---- words --------------------------------------------------------------- */

static int same_part(struct graph_point a, struct graph_point b)
{
    return a.rank == b.rank && a.index == b.index && a.part == b.part;
}

/* Change a word. If expected isn't NULL, only if *expected wrote it last. */
static int update(void *p, unsigned nbytes, flag_change *change,
                  const void *operand, struct flag_source by,
                  const struct graph_point *expected, struct flag_source *was,
                  uint64_t *old)
{
    void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    uint64_t value;
    *old = get(raw, nbytes);
    do {
        *was = source(p, e, *old);
        if (expected && !same_part(*expected, was->part)) {
            unlock(e);
            return 0;
        }
        value = change(*old, operand);
    } while (!replace(raw, nbytes, old, value));
    if (e &&
        (value != *old || by.part.index)) // a failed exchange writes nothing
        remember(p, e, *old, value, by, 0);
    unlock(e);
    if (e && value != *old) {
        atomic_fetch_add(&e->count, 1);
        simgpu_wake(&e->count);
    }
    return 1;
}

uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct flag_source by,
                     struct flag_source *was)
{
    uint64_t old;
    update(p, nbytes, change, operand, by, NULL, was, &old);
    return old;
}

int flag_update_after(void *p, unsigned nbytes, flag_change *change,
                      const void *operand, struct flag_source by,
                      struct flag_source *was, uint64_t *old)
{
    const struct graph_point expected = was->part;
    return update(p, nbytes, change, operand, by, &expected, was, old);
}

void simgpu_flag_write(void *p, unsigned nbytes, uint64_t value,
                       struct flag_source by)
{
    struct flag_source was;
    flag_update(p, nbytes, identity, &value, by, &was);
}

void flag_announce(void *p, struct flag_source by)
{
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    // the word may have 8 bytes, of which this reads 4; `any` disables the
    // comparison
    if (e)
        remember(p, e, get(simgpu_heap_raw(p), sizeof(uint32_t)), 0, by, 1);
    unlock(e);
}

uint64_t simgpu_flag_read(const void *p, unsigned nbytes,
                          struct flag_source *by)
{
    const void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    const uint64_t value = get(raw, nbytes);
    *by = source(p, e, value);
    unlock(e);
    return value;
}

/* The age of the write that made the condition hold, as far back as writes are
 * recorded. *by is the latest writer's, and becomes that write's. */
static uint32_t age_of(const void *p, struct flag_entry *e, flag_condition *met,
                       uint64_t target, struct flag_source *by)
{
    struct flag_source earlier;
    uint64_t written;
    uint32_t age = 0;
    while (by->part.index && !e->any && met && is_after(p, e, age) &&
           recall(p, e, age + 1, &written, &earlier) && met(written, target) &&
           earlier.part.index) {
        *by = earlier;
        age++;
    }
    return age;
}

uint64_t simgpu_flag_check(const void *p, unsigned nbytes, flag_condition *met,
                           uint64_t target, struct flag_source *by)
{
    const void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    const uint64_t value = get(raw, nbytes);
    *by = source(p, e, value);
    age_of(p, e, met, target, by);
    unlock(e);
    return value;
}

static int by_part(const void *a, const void *b)
{
    const struct graph_point x = ((const struct flag_source *)a)->part;
    const struct graph_point y = ((const struct flag_source *)b)->part;
    return x.rank != y.rank     ? (x.rank < y.rank ? -1 : 1)
           : x.index != y.index ? (x.index < y.index ? -1 : 1)
                                : (x.part > y.part) - (x.part < y.part);
}

/* Keep only the latest part of each operation, which follows its other parts,
 * and all parts aside. Returns the number kept. */
static unsigned latest_parts(struct flag_source *w, unsigned n)
{
    unsigned kept = 0;
    qsort(w, n, sizeof *w, by_part);
    for (unsigned i = 0; i < n; i++)
        if (i + 1 == n || w[i].is_aside ||
            w[i].part.rank != w[i + 1].part.rank ||
            w[i].part.index != w[i + 1].part.index)
            w[kept++] = w[i];
    return kept;
}

unsigned flag_writers(const void *p, unsigned nbytes, flag_condition *met,
                      uint64_t target, struct flag_source writer[FLAG_WRITERS])
{
    struct flag_entry *const e = heap_shadow(p);
    unsigned n = 0;
    if (!e)
        return 0;
    lock(e);
    struct flag_source by = source(p, e, get(simgpu_heap_raw(p), nbytes));
    uint32_t age = age_of(p, e, met, target, &by);
    uint64_t written;
    do
        writer[n++] = by;
    while (n < FLAG_WRITERS && by.commutes && is_after(p, e, age) &&
           recall(p, e, ++age, &written, &by));
    unlock(e);
    return latest_parts(writer, n);
}

void flag_nap(const void *p, unsigned nbytes, uint64_t value)
{
    struct flag_entry *const e = p ? heap_shadow(p) : NULL;
    const uint32_t seen = e ? atomic_load(&e->count) : 0;
    if (e && get(simgpu_heap_raw(p), nbytes) != value)
        return;
    simgpu_wait_for(e ? &e->count : &never, seen, NAP_NS, NULL);
}

void simgpu_flag_wait(const void *p, int (*met)(void *arg), void *arg,
                      const struct wait_note *note)
{
    struct flag_entry *const e = heap_shadow(p);
    _Atomic uint32_t none = 0;
    control_flag_waits(+1);
    wait_until(e ? &e->count : &none, met, arg, note);
    control_flag_waits(-1);
}
