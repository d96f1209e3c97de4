/*
 * multimem.h: PTX's multimem instructions (simnvcc/ptx_multimem.h)
 *
 * A register R has one element of type T, or as many as fit (f16x2). The switch
 * reads or writes each memory, in the order of ranks; between the switch and
 * the kernel's GPU the bytes move once. Types narrower than 32 bits are summed
 * in float and rounded once.
 */
#ifndef SIMGPU_MULTIMEM_H
#define SIMGPU_MULTIMEM_H

#include <stdint.h>
#include <string.h>
#include <type_traits>

#include "kernel.h"
#include "multicast.h"

namespace simgpu
{
struct multimem_add {
    template <class T> static T of(T a, T b)
    {
        return a + b;
    }
};
struct multimem_min {
    template <class T> static T of(T a, T b)
    {
        return b < a ? b : a;
    }
};
struct multimem_max {
    template <class T> static T of(T a, T b)
    {
        return a < b ? b : a;
    }
};
struct multimem_and {
    template <class T> static T of(T a, T b)
    {
        return a & b;
    }
};
struct multimem_or {
    template <class T> static T of(T a, T b)
    {
        return a | b;
    }
};
struct multimem_xor {
    template <class T> static T of(T a, T b)
    {
        return a ^ b;
    }
};

/* The type in which T is computed. */
template <class T, bool narrow = sizeof(T) < 4> struct multimem_wide {
    typedef T type;
};
template <class T> struct multimem_wide<T, true> {
    typedef float type;
};

/* Combine the elements of n registers. */
template <class T, class OP, class R>
static inline R multimem_combine(const R *part, int n)
{
    typedef typename multimem_wide<T>::type wide;
    constexpr int count = sizeof(R) / sizeof(T);
    T element[count];
    R all;
    for (int i = 0; i < count; i++) {
        memcpy(element, &part[0], sizeof(R));
        wide w = (wide)element[i];
        for (int r = 1; r < n; r++) {
            memcpy(element, &part[r], sizeof(R));
            w = OP::of(w, (wide)element[i]);
        }
        memcpy(element, i ? &all : &part[0], sizeof(R));
        element[i] = (T)w;
        memcpy(&all, element, sizeof(R));
    }
    return all;
}

/* N registers at an address. */
template <class T, class OP, int N, class R>
static inline void multimem_load(uintptr_t address, R *out)
{
    R all[SIMGPU_MULTICAST_MAX * N], part[SIMGPU_MULTICAST_MAX];
    const int n =
        simgpu_multicast_load((const void *)address, N * sizeof(R), all);
    if (n < 1)
        __builtin_unreachable(); // there is at least one memory
    for (int i = 0; i < N; i++) {
        for (int r = 0; r < n; r++)
            part[r] = all[r * N + i];
        out[i] = multimem_combine<T, OP>(part, n);
    }
}

/* ld_reduce: 1, 2, 4 or 8 registers and the address. */
template <class T, class OP, class R, class A>
static inline void multimem_ld_reduce(R &a, A address)
{
    multimem_load<T, OP, 1>((uintptr_t)address, &a);
}
template <class T, class OP, class R, class A>
static inline void multimem_ld_reduce(R &a, R &b, A address)
{
    R out[2];
    multimem_load<T, OP, 2>((uintptr_t)address, out);
    a = out[0];
    b = out[1];
}
template <class T, class OP, class R, class A>
static inline void multimem_ld_reduce(R &a, R &b, R &c, R &d, A address)
{
    R out[4];
    multimem_load<T, OP, 4>((uintptr_t)address, out);
    a = out[0];
    b = out[1];
    c = out[2];
    d = out[3];
}
template <class T, class OP, class R, class A>
static inline void multimem_ld_reduce(R &a, R &b, R &c, R &d, R &e, R &f, R &g,
                                      R &h, A address)
{
    multimem_ld_reduce<T, OP>(a, b, c, d, address);
    multimem_ld_reduce<T, OP>(e, f, g, h, (uintptr_t)address + 4 * sizeof(R));
}

template <class T, size_t nbytes> static constexpr bool multimem_is_word()
{
    return nbytes <= 8 && std::is_integral<T>::value;
}

/* st: the address and the registers. order is -1, or that of a strong store.
 * Other threads can wait for integers only; any other type is data. */
template <class T, int order, class A, class R, class... REST>
static inline void multimem_st(A address, R first, REST... rest)
{
    const R all[] = {first, (R)rest...};
    if (order < 0 || (order == 0 && !multimem_is_word<T, sizeof all>())) {
        simgpu_multicast_store((const void *)address, sizeof all, all);
        return;
    }
    char *place[SIMGPU_MULTICAST_MAX];
    const int n =
        simgpu_multicast_find((const void *)address, sizeof all, place);
    for (int r = 0; r < n; r++)
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
            uint64_t word = 0;
            memcpy(&word, &all[i], sizeof(R));
            simgpu_sync_store((R *)place[r] + i, sizeof(R), word, order);
        }
}

template <class T, class OP, class R>
static inline uint64_t multimem_change(uint64_t old, const void *operand)
{
    R part[2];
    memcpy(&part[0], &old, sizeof(R));
    memcpy(&part[1], operand, sizeof(R));
    const R now = multimem_combine<T, OP>(part, 2);
    uint64_t word = 0;
    memcpy(&word, &now, sizeof(R));
    return word;
}

/* red: the address and the registers, each of 4 or 8 bytes. */
template <class T, class OP, int order, class A, class R, class... REST>
static inline void multimem_red(A address, R first, REST... rest)
{
    const R all[] = {first, (R)rest...};
    char *place[SIMGPU_MULTICAST_MAX];
    static_assert(sizeof(R) == 4 || sizeof(R) == 8,
                  "multimem.red of registers of 4 or 8 bytes");
    const int n =
        simgpu_multicast_find((const void *)address, sizeof all, place);
    for (int r = 0; r < n; r++)
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
            simgpu_multicast_update();
            simgpu_sync_update((R *)place[r] + i, sizeof(R),
                               multimem_change<T, OP, R>, &all[i], order);
        }
}
} // namespace simgpu

#endif
