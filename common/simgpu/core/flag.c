#include "core/flag.h"

#include <sched.h> /* sched_yield */

#include "core/heap.h"
#include "core/page.h"

struct flag_entry { /* of a word, in a heap's shadow; zeros: never written */
    _Atomic uint32_t count; /* futex: writes */
    _Atomic uint32_t lock;  /* over everything else, and the word */
    struct graph_point by;
    uint32_t unused;
    uint64_t value; /* as written */
};
_Static_assert(sizeof(struct flag_entry) == 4 * FLAG_SHADOW, "one for 4 bytes");

/* Held for a few instructions, so whoever waits for it just lets others run. */
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
    return nbytes == 4 ? atomic_load((const _Atomic uint32_t *)raw)
                       : atomic_load((const _Atomic uint64_t *)raw);
}

static void put(void *raw, unsigned nbytes, uint64_t value)
{
    if (nbytes == 4)
        atomic_store((_Atomic uint32_t *)raw, (uint32_t)value);
    else
        atomic_store((_Atomic uint64_t *)raw, value);
}

static uint64_t identity(uint64_t old, const void *operand)
{
    (void)old;
    return *(const uint64_t *)operand;
}

uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct graph_point by,
                     struct graph_point *was)
{
    void *const raw = heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    *was = (struct graph_point){0};
    lock(e);
    const uint64_t old = get(raw, nbytes), value = change(old, operand);
    put(raw, nbytes, value);
    if (e) {
        if (e->value == old)
            *was = e->by;
        e->by = by;
        e->value = value;
    }
    unlock(e);
    if (e) {
        atomic_fetch_add(&e->count, 1);
        proc_wake(&e->count);
    }
    return old;
}

void flag_write(void *p, unsigned nbytes, uint64_t value, struct graph_point by)
{
    struct graph_point was;
    flag_update(p, nbytes, identity, &value, by, &was);
}

uint64_t flag_read(const void *p, unsigned nbytes, struct graph_point *by)
{
    const void *const raw = heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    *by = (struct graph_point){0};
    lock(e);
    const uint64_t value = get(raw, nbytes);
    if (e && e->value == value)
        *by = e->by;
    unlock(e);
    return value;
}

void flag_wait(const void *p, int (*met)(void *arg), void *arg,
               const struct wait_note *note)
{
    struct flag_entry *const e = heap_shadow(p);
    _Atomic uint32_t none = 0;
    page_hungry(+1);
    proc_wait_until(e ? &e->count : &none, met, arg, note);
    page_hungry(-1);
}
