/*
 * atomics.c: std::atomic and the __atomic builtins, as the compiler calls them
 *
 * In instrumented code every atomic operation calls one of the functions below.
 * On a device thread, words of 4 and 8 bytes of global memory are handled by
 * sync.c, which derives the order of kernels from them; a load lets the other
 * threads run first, so a thread can spin on it. All other atomics are plain
 * ones, sequentially consistent.
 */
#include <stdint.h>

#include "core/heap/heap_space.h" /* space_slot */
#include "device/access.h"
#include "device/idle.h"
#include "device/sharing/behind.h"
#include "simgpu/kernel.h"

/* Map the compiler's memory orders (relaxed, consume, acquire, release, both,
 * all) to those of sync.c. */
static int order_of(int order)
{
    static const int of[] = {0,
                             SIMGPU_ACQUIRE,
                             SIMGPU_ACQUIRE,
                             SIMGPU_RELEASE,
                             SIMGPU_ACQUIRE | SIMGPU_RELEASE,
                             SIMGPU_ACQUIRE | SIMGPU_RELEASE};
    return of[(order & 7) > 5 ? 5 : order & 7];
}

static int is_word(const volatile void *p, unsigned nbytes)
{
    return !simgpu_outside && (nbytes == 4 || nbytes == 8) &&
           space_slot((const void *)p) >= 0;
}

static void touch(const volatile void *p, unsigned nbytes)
{
    if (!simgpu_outside)
        simgpu_atomic_access(p, nbytes);
}

/* Check a load or a store of a word in shared memory. */
static void touch_shared(const volatile void *p, unsigned nbytes,
                         enum access_use use, const void *pc)
{
    if (!simgpu_outside && (nbytes == 4 || nbytes == 8) && simgpu_is_shared(p))
        access_touch(p, nbytes, use, pc);
}

/* Let the block's other threads run before a device thread reads a word that
 * one of them may set. */
static void look(const volatile void *p, unsigned nbytes, const void *pc)
{
    if (simgpu_outside)
        return;
    idle_yield(p, nbytes, pc);
    behind_look();
}

struct exchange { /* an operand of sync.c's update functions */
    uint64_t expected, desired;
};

static uint64_t exchange_if(uint64_t old, const void *operand)
{
    const struct exchange *const x = operand;
    return old == x->expected ? x->desired : old;
}

#define CHANGE(name, T, expression)                                            \
    static uint64_t name(uint64_t word, const void *operand)                   \
    {                                                                          \
        const T old = (T)word, v = (T) * (const uint64_t *)operand;            \
        return (uint64_t)(T)(expression);                                      \
    }
#define CHANGES(n, T)                                                          \
    CHANGE(to_exchange##n, T, ((void)old, v))                                  \
    CHANGE(to_add##n, T, old + v)                                              \
    CHANGE(to_sub##n, T, old - v)                                              \
    CHANGE(to_and##n, T, old &v)                                               \
    CHANGE(to_or##n, T, old | v)                                               \
    CHANGE(to_xor##n, T, old ^ v)                                              \
    CHANGE(to_nand##n, T, ~(old & v))
CHANGES(32, uint32_t)
CHANGES(64, uint64_t)

/* clang-format off */
#define UPDATE_WORD(n, T, name, change, builtin)                               \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int order);                \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int order)                 \
    {                                                                          \
        const uint64_t operand = (uint64_t)v;                                  \
        if (is_word(p, sizeof v))                                              \
            return (T)simgpu_sync_update(p, sizeof v, change, &operand,        \
                                         order_of(order));                     \
        return builtin(p, v, __ATOMIC_SEQ_CST);                                \
    }
#define UPDATE(n, T, name, change, builtin)                                    \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int order);                \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int order)                 \
    {                                                                          \
        (void)order;                                                           \
        touch(p, sizeof v);                                                    \
        return builtin(p, v, __ATOMIC_SEQ_CST);                                \
    }
/* clang-format on */

#define UPDATES(KIND, n, T)                                                    \
    KIND(n, T, exchange, to_exchange##n, __atomic_exchange_n)                  \
    KIND(n, T, fetch_add, to_add##n, __atomic_fetch_add)                       \
    KIND(n, T, fetch_sub, to_sub##n, __atomic_fetch_sub)                       \
    KIND(n, T, fetch_and, to_and##n, __atomic_fetch_and)                       \
    KIND(n, T, fetch_or, to_or##n, __atomic_fetch_or)                          \
    KIND(n, T, fetch_xor, to_xor##n, __atomic_fetch_xor)                       \
    KIND(n, T, fetch_nand, to_nand##n, __atomic_fetch_nand)
UPDATES(UPDATE, 8, uint8_t)
UPDATES(UPDATE, 16, uint16_t)
UPDATES(UPDATE_WORD, 32, uint32_t)
UPDATES(UPDATE_WORD, 64, uint64_t)

#define LOAD_STORE(n, T)                                                       \
    T __tsan_atomic##n##_load(const volatile T *p, int order);                 \
    T __tsan_atomic##n##_load(const volatile T *p, int order)                  \
    {                                                                          \
        if (is_word(p, sizeof *p))                                             \
            return (T)simgpu_sync_load(p, sizeof *p, order_of(order));         \
        look(p, sizeof *p, __builtin_return_address(0));                       \
        touch_shared(p, sizeof *p, ACCESS_POLL, __builtin_return_address(0));  \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                           \
    }                                                                          \
    void __tsan_atomic##n##_store(volatile T *p, T v, int order);              \
    void __tsan_atomic##n##_store(volatile T *p, T v, int order)               \
    {                                                                          \
        if (is_word(p, sizeof v))                                              \
            simgpu_sync_store(p, sizeof v, (uint64_t)v, order_of(order));      \
        else {                                                                 \
            touch_shared(p, sizeof v, ACCESS_SIGNAL,                           \
                         __builtin_return_address(0));                         \
            __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                          \
        }                                                                      \
    }
LOAD_STORE(8, uint8_t)
LOAD_STORE(16, uint16_t)
LOAD_STORE(32, uint32_t)
LOAD_STORE(64, uint64_t)

/* Returns 1 if *p was *expected; otherwise sets *expected to *p. */
#define COMPARE(n, T)                                                          \
    static int compare##n(volatile T *p, T *expected, T desired, int order)    \
    {                                                                          \
        if (!is_word(p, sizeof desired)) {                                     \
            touch(p, sizeof desired);                                          \
            const int done = __atomic_compare_exchange_n(                      \
                p, expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
            if (!done)                                                         \
                look(p, sizeof desired, __builtin_return_address(0));          \
            return done;                                                       \
        }                                                                      \
        const struct exchange x = {(uint64_t)*expected, (uint64_t)desired};    \
        const T old =                                                          \
            (T)simgpu_sync_update(p, sizeof desired, exchange_if, &x,          \
                                  order_of(order) | SIMGPU_COMPARES);          \
        const int done = old == *expected;                                     \
        *expected = old;                                                       \
        return done;                                                           \
    }                                                                          \
    int __tsan_atomic##n##_compare_exchange_strong(                            \
        volatile T *p, T *expected, T desired, int order, int failed);         \
    int __tsan_atomic##n##_compare_exchange_strong(                            \
        volatile T *p, T *expected, T desired, int order, int failed)          \
    {                                                                          \
        (void)failed;                                                          \
        return compare##n(p, expected, desired, order);                        \
    }                                                                          \
    int __tsan_atomic##n##_compare_exchange_weak(                              \
        volatile T *p, T *expected, T desired, int order, int failed);         \
    int __tsan_atomic##n##_compare_exchange_weak(                              \
        volatile T *p, T *expected, T desired, int order, int failed)          \
    {                                                                          \
        (void)failed;                                                          \
        return compare##n(p, expected, desired, order);                        \
    }                                                                          \
    T __tsan_atomic##n##_compare_exchange_val(                                 \
        volatile T *p, T expected, T desired, int order, int failed);          \
    T __tsan_atomic##n##_compare_exchange_val(                                 \
        volatile T *p, T expected, T desired, int order, int failed)           \
    {                                                                          \
        (void)failed;                                                          \
        (void)compare##n(p, &expected, desired, order);                        \
        return expected;                                                       \
    }
COMPARE(8, uint8_t)
COMPARE(16, uint16_t)
COMPARE(32, uint32_t)
COMPARE(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    behind_look();
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
