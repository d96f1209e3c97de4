/*
 * atomics.h: CUDA's atomic functions (atomicAdd ...)
 *
 * Included by device.h. Most atomic operations of a kernel are on words that
 * need no record, and that nothing else can change meanwhile (struct
 * simgpu_own). Code in the kernel itself changes those, by plain instructions.
 * For the others it calls a function that records the access.
 */
#ifndef SIMGPU_ATOMICS_H
#define SIMGPU_ATOMICS_H

#include <stdint.h>
#include <string.h>

#include "simgpu/kernel.h"

namespace simgpu
{
/* ---- words of the kernel's own ------------------------------------------- */

/* Load or store a word without recording an access. */
template <class T> static __forceinline__ T load(const T &word)
{
    T value;
#if defined(__x86_64__)
    __asm__ volatile("mov\t%1, %0" : "=r"(value) : "m"(word));
#elif defined(__aarch64__)
    if (sizeof(T) == 4)
        __asm__ volatile("ldr\t%w0, %1" : "=r"(value) : "m"(word));
    else
        __asm__ volatile("ldr\t%0, %1" : "=r"(value) : "m"(word));
#else
    value = word;
#endif
    return value;
}
template <class T> static __forceinline__ void store(T &word, T value)
{
#if defined(__x86_64__)
    __asm__ volatile("mov\t%1, %0" : "=m"(word) : "r"(value) : "memory");
#elif defined(__aarch64__)
    if (sizeof(T) == 4)
        __asm__ volatile("str\t%w1, %0" : "=m"(word) : "r"(value) : "memory");
    else
        __asm__ volatile("str\t%1, %0" : "=m"(word) : "r"(value) : "memory");
#else
    word = value;
#endif
}

static __forceinline__ bool has(const simgpu_words &w, const void *p, size_t n)
{
    return (const char *)p >= load(w.begin) &&
           (const char *)p + n <= load(w.end);
}

/* True if plain instructions may change the n bytes at p. */
template <int exchanges>
static __forceinline__ bool is_own(const void *p, size_t n)
{
    const simgpu_own *const own = load(simgpu_live_own);
    if (!own || (uintptr_t)p % n)
        return false;
    return has(own->array, p, n) ||
           (has(own->words[exchanges], p, n) && !load(*load(own->wanted)));
}

/* Unsigned numbers with as many bytes as a word, by which one is changed. */
template <size_t nbytes> struct bits {
    typedef uint64_t __attribute__((may_alias)) type;
};
template <> struct bits<4> {
    typedef uint32_t __attribute__((may_alias)) type;
};

/* ---- all words ----------------------------------------------------------- */

/* A parameter whose type is that of the first argument: atomicAdd(&x, 1). */
template <class T> struct same {
    typedef T type;
};

/*
 * CUDA has each atomic function for some types of words. one_of<T, ...> has a
 * type, T, if T is listed.
 */
template <class T, class... LISTED> struct one_of {
};
template <class T, class... MORE> struct one_of<T, T, MORE...> {
    typedef T type;
};
template <class T, class FIRST, class... MORE>
struct one_of<T, FIRST, MORE...> : one_of<T, MORE...> {
};
typedef unsigned long long ull;
template <class T> struct added : one_of<T, int, unsigned, ull, float, double> {
}; // cuda_fp16.h has more
template <class T> struct subtracted : one_of<T, int, unsigned> {
};
template <class T> struct compared : one_of<T, int, unsigned, long long, ull> {
};
template <class T> struct counted : one_of<T, unsigned> {
};
template <class T, size_t nbytes = sizeof(T)>
struct exchanged : one_of<T, int, unsigned, ull, float> {
};
template <class T, size_t nbytes = sizeof(T)>
struct swapped : one_of<T, int, unsigned, ull, unsigned short> {
};
template <class T> struct exchanged<T, 16> : one_of<T, T> {
};
template <class T> struct swapped<T, 16> : one_of<T, T> {
};

/* An expression of a word's old value and an operand, as a
 * function for the runtime. */
template <class T, class CHANGE>
static inline T update_system(T *p, const T &v, CHANGE)
{
    struct bits {
        static uint64_t change(uint64_t old, const void *operand)
        {
            T value, next;
            __builtin_memcpy(&value, &old, sizeof value);
            next = CHANGE::apply(value, *(const T *)operand);
            uint64_t word = 0;
            __builtin_memcpy(&word, &next, sizeof next);
            return word;
        }
    };
    const uint64_t old = simgpu_sync_update(p, sizeof *p, bits::change, &v, 0);
    T value;
    __builtin_memcpy(&value, &old, sizeof value);
    return value;
}

/* Atomically: if (*p == *old) *p = *next; else *old = *p. Returns 1 if it was.
 * `alone`: it is, and no other thread can change it now. */
template <class T>
static __forceinline__ int replace(T *p, T *old, T *next, int alone)
{
    if (!alone)
        return __atomic_compare_exchange(p, old, next, false, __ATOMIC_SEQ_CST,
                                         __ATOMIC_SEQ_CST);
    __atomic_store(p, next, __ATOMIC_RELAXED);
    return 1;
}

/* The same as update(), of any words. */
template <class CHANGE, int exchanges, class T>
SIMGPU_QUIET T update_recorded(T *p, T v)
{
    const int alone = exchanges ? simgpu_atomic_store(p, sizeof *p)
                                : simgpu_atomic_access(p, sizeof *p);
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do {
        next = CHANGE::apply(old, v);
    } while (!replace(p, &old, &next, alone));
    if (memcmp(&old, &next, sizeof old) == 0)
        simgpu_atomic_unchanged(p, sizeof *p);
    return old;
}

/* Atomically: old = *p; *p = CHANGE of old and v. Returns old. `exchanges`: it
 * ignores old. */
template <class CHANGE, int exchanges, class T>
static __forceinline__ T update(T *p, T v)
{
    typedef typename bits<sizeof(T)>::type word;
    if (sizeof(T) != sizeof(word) || !is_own<exchanges>(p, sizeof(T)))
        return update_recorded<CHANGE, exchanges>(p, v);
    const word was = load(*(const word *)p);
    word becomes = 0;
    T old, next;
    __builtin_memcpy((void *)&old, &was, sizeof(T));
    next = CHANGE::apply(old, v);
    __builtin_memcpy(&becomes, &next, sizeof(T));
    store(*(word *)p, becomes);
    if (was == becomes)
        simgpu_atomic_unchanged(p, sizeof *p);
    return old;
}
} // namespace simgpu

/*
 * Atomically: old = *p; *p = expression of old and v. At system scope, words of
 * 4 and 8 bytes may order kernels (device/sync.h).
 */
#define SIMGPU_ATOMIC(name, expression, exchanges, types)                      \
    namespace simgpu                                                           \
    {                                                                          \
    template <class T> struct name##_change {                                  \
        static __forceinline__ T apply(T old, T v)                             \
        {                                                                      \
            (void)old;                                                         \
            return expression;                                                 \
        }                                                                      \
    };                                                                         \
    }                                                                          \
    template <class T>                                                         \
    static __forceinline__ T name(T *p, typename simgpu::types<T>::type v)     \
    {                                                                          \
        return simgpu::update<simgpu::name##_change<T>, exchanges>(p, v);      \
    }                                                                          \
    template <class T>                                                         \
    static inline T name##_block(T *p, typename simgpu::types<T>::type v)      \
    {                                                                          \
        simgpu_block_scope(1);                                                 \
        const T old = name(p, v);                                              \
        simgpu_block_scope(0);                                                 \
        return old;                                                            \
    }                                                                          \
    template <class T>                                                         \
    SIMGPU_QUIET T name##_system(T *p, typename simgpu::types<T>::type v)      \
    {                                                                          \
        return sizeof *p == 4 || sizeof *p == 8                                \
                   ? simgpu::update_system<T>(p, v,                            \
                                              simgpu::name##_change<T>())      \
                   : name(p, v);                                               \
    }
SIMGPU_ATOMIC(atomicAdd, (T)(old + v), 0, added)
SIMGPU_ATOMIC(atomicSub, (T)(old - v), 0, subtracted)
SIMGPU_ATOMIC(atomicExch, v, 1, exchanged)
SIMGPU_ATOMIC(atomicMin, v < old ? v : old, 0, compared)
SIMGPU_ATOMIC(atomicMax, old < v ? v : old, 0, compared)
SIMGPU_ATOMIC(atomicAnd, (T)(old &v), 0, compared)
SIMGPU_ATOMIC(atomicOr, (T)(old | v), 0, compared)
SIMGPU_ATOMIC(atomicXor, (T)(old ^ v), 0, compared)
SIMGPU_ATOMIC(atomicInc, old >= v ? 0 : old + 1, 0, counted)
SIMGPU_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1, 0, counted)
#undef SIMGPU_ATOMIC

/* Compare and swap words of any type; PTX has more than CUDA. */
namespace simgpu
{
template <class T> SIMGPU_QUIET T swap(T *p, T compare, T v)
{
    simgpu_atomic_access(p, sizeof *p);
    if (!__atomic_compare_exchange(p, &compare, &v, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
        simgpu_atomic_unchanged(p, sizeof *p);
    return compare;
}

template <class T> SIMGPU_QUIET T swap_system(T *p, T compare, T v)
{
    struct pair {
        T compare, v;
    } const operand = {compare, v};
    struct bits {
        static uint64_t change(uint64_t old, const void *operand)
        {
            const pair *const o = (const pair *)operand;
            uint64_t word = 0;
            if (memcmp(&old, &o->compare, sizeof o->compare) != 0)
                return old;
            __builtin_memcpy(&word, &o->v, sizeof o->v);
            return word;
        }
    };
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word of 4 or 8 bytes");
    const uint64_t old = simgpu_sync_update(p, sizeof *p, bits::change,
                                            &operand, SIMGPU_COMPARES);
    __builtin_memcpy(&compare, &old, sizeof compare);
    return compare;
}
} // namespace simgpu

#define SIMGPU_CAS(name, function)                                             \
    template <class T>                                                         \
    static __forceinline__ T name(T *p,                                        \
                                  typename simgpu::swapped<T>::type compare,   \
                                  typename simgpu::swapped<T>::type v)         \
    {                                                                          \
        return simgpu::function<T>(p, compare, v);                             \
    }
SIMGPU_CAS(atomicCAS, swap)
SIMGPU_CAS(atomicCAS_block, swap)
SIMGPU_CAS(atomicCAS_system, swap_system)
#undef SIMGPU_CAS

/* Vectors are updated one number at a time. */
static inline float2 atomicAdd(float2 *p, float2 v)
{
    return make_float2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}
static inline float4 atomicAdd(float4 *p, float4 v)
{
    return make_float4(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y),
                       atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w));
}

#endif
