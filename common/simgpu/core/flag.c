#include "core/flag.h"

#include <sched.h> /* sched_yield */

#include "core/control.h"
#include "core/heap.h"

enum { KEPT = 4, NAP_NS = 1000000 };

static _Atomic uint32_t never; /* a futex that is never woken */

struct flag_entry { /* of a word, in a heap's shadow; zeros: never written */
    _Atomic uint32_t count; /* futex: writes */
    _Atomic uint32_t lock;  /* guards the other members and the word */
    uint32_t nwrites; /* recorded in write[], the next at nwrites % KEPT */
    uint32_t any;     /* the value of the latest one is unknown */
    struct {
        struct flag_source by;
        uint32_t value[2];
    } write[KEPT];
    uint32_t unused[4];
};
_Static_assert(sizeof(struct flag_entry) == 4 * HEAP_SHADOW, "one for 4 bytes");
_Static_assert(offsetof(struct flag_entry, unused) == HEAP_SHADOW_TAG,
               "the heap's");

/* Held for a few instructions, so waiting just yields. */
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

/* ---- writes, latest first ------------------------------------------------ */

static void remember(struct flag_entry *e, uint64_t value,
                     struct flag_source by, int any)
{
    const uint32_t i = e->nwrites++ % KEPT;
    e->write[i].by = by;
    e->write[i].value[0] = (uint32_t)value;
    e->write[i].value[1] = (uint32_t)(value >> 32);
    e->any = (uint32_t)any;
}

/* The value and writer of the write `age` before the latest; 0 if forgotten. */
static int recall(const struct flag_entry *e, uint32_t age, uint64_t *value,
                  struct flag_source *by)
{
    if (age >= KEPT || age >= e->nwrites)
        return 0;
    const uint32_t i = (e->nwrites - 1 - age) % KEPT;
    *by = e->write[i].by;
    *value = e->write[i].value[0] | (uint64_t)e->write[i].value[1] << 32;
    return 1;
}

/* The writer of the word's current value. */
static struct flag_source source(const struct flag_entry *e, uint64_t value)
{
    struct flag_source by;
    uint64_t written;
    if (e && recall(e, 0, &written, &by) && (e->any || written == value))
        return by;
    return (struct flag_source){0};
}

/* ---- words --------------------------------------------------------------- */

uint64_t flag_update(void *p, unsigned nbytes, flag_change *change,
                     const void *operand, struct flag_source by,
                     struct flag_source *was)
{
    void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    const uint64_t old = get(raw, nbytes), value = change(old, operand);
    *was = source(e, old);
    put(raw, nbytes, value);
    if (e &&
        (value != old || by.part.index)) // a failed exchange writes nothing
        remember(e, value, by, 0);
    unlock(e);
    if (e && value != old) {
        atomic_fetch_add(&e->count, 1);
        simgpu_wake(&e->count);
    }
    return old;
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
    if (e)
        remember(e, 0, by, 1);
    unlock(e);
}

uint64_t simgpu_flag_read(const void *p, unsigned nbytes,
                          struct flag_source *by)
{
    const void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    lock(e);
    const uint64_t value = get(raw, nbytes);
    *by = source(e, value);
    unlock(e);
    return value;
}

uint64_t simgpu_flag_check(const void *p, unsigned nbytes, flag_condition *met,
                           uint64_t target, struct flag_source *by)
{
    const void *const raw = simgpu_heap_raw(p);
    struct flag_entry *const e = heap_shadow(p);
    struct flag_source earlier;
    uint64_t written;
    lock(e);
    const uint64_t value = get(raw, nbytes);
    *by = source(e, value);
    if (by->part.index && !e->any)
        for (uint32_t age = 1; recall(e, age, &written, &earlier) &&
                               met(written, target) && earlier.part.index;
             age++)
            *by = earlier;
    unlock(e);
    return value;
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
