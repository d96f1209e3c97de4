/*
 * collectives.h: reductions, scans and copies for groups; part of
 * cooperative_groups.h
 */
#ifndef SIMGPU_COLLECTIVES_H
#define SIMGPU_COLLECTIVES_H

#include <type_traits> /* std::enable_if */

namespace cooperative_groups
{
template <class T> struct plus {
    T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <class T> struct less {
    T operator()(T a, T b) const
    {
        return a < b ? a : b;
    }
};
template <class T> struct greater {
    T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <class T> struct bit_and {
    T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <class T> struct bit_or {
    T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <class T> struct bit_xor {
    T operator()(T a, T b) const
    {
        return a ^ b;
    }
};

template <class G, class T, class F>
static inline T reduce(const G &g, T v, F f)
{
    const unsigned n = (unsigned)g.num_threads();
    T all[32] = {};
    for (unsigned i = 0; i < n; i++)
        all[i] = g.shfl(v, i);
    for (unsigned step = 1; step < n; step *= 2) // as a tree
        for (unsigned i = 0; i + step < n; i += 2 * step)
            all[i] = f(all[i], all[i + step]);
    return all[0];
}

template <unsigned SIZE, class PARENT, class T, class F>
static inline typename std::enable_if<(SIZE > 32), T>::type
reduce(const thread_block_tile<SIZE, PARENT> &g, T v, F f)
{
    return g.simgpu_gather(v, [&f](T *all) {
        for (unsigned step = 1; step < SIZE; step *= 2)
            for (unsigned i = 0; i + step < SIZE; i += 2 * step)
                all[i] = f(all[i], all[i + step]);
        for (unsigned i = 1; i < SIZE; i++)
            all[i] = all[0];
    });
}

template <class G, class T, class F>
static inline T inclusive_scan(const G &g, T v, F f)
{
    const unsigned me = (unsigned)g.thread_rank();
    for (unsigned step = 1; step < (unsigned)g.num_threads(); step *= 2) {
        const T from = g.shfl_up(v, step);
        if (me >= step)
            v = f(from, v);
    }
    return v;
}
template <unsigned SIZE, class PARENT, class T, class F>
static inline typename std::enable_if<(SIZE > 32), T>::type
inclusive_scan(const thread_block_tile<SIZE, PARENT> &g, T v, F f)
{
    return g.simgpu_gather(v, [&f](T *all) {
        for (unsigned i = 1; i < SIZE; i++)
            all[i] = f(all[i - 1], all[i]);
    });
}
template <class G, class T> static inline T inclusive_scan(const G &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
template <class G, class T, class F>
static inline T exclusive_scan(const G &g, T v, F f)
{
    const T mine = inclusive_scan(g, v, f), before = g.shfl_up(mine, 1);
    return g.thread_rank() ? before : T();
}
template <unsigned SIZE, class PARENT, class T, class F>
static inline typename std::enable_if<(SIZE > 32), T>::type
exclusive_scan(const thread_block_tile<SIZE, PARENT> &g, T v, F f)
{
    return g.simgpu_gather(v, [&f](T *all) {
        T sum = all[0];
        all[0] = T();
        for (unsigned i = 1; i < SIZE; i++) {
            const T own = all[i];
            all[i] = sum;
            sum = f(sum, own);
        }
    });
}
template <class G, class T> static inline T exclusive_scan(const G &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}

/* ---- updating memory: cuda::atomic, atomic_ref, or a pointer ------------- */

namespace details
{
/* to = f(to, v): by the operation that `to` has, or by compare and exchange. */
template <class A, class T> static inline T update(A &to, T v, plus<T>)
{
    return to.fetch_add(v);
}
template <class A, class T, class F> static inline T update(A &to, T v, F f)
{
    T old = to.load();
    while (!to.compare_exchange_weak(old, f(old, v)))
        ;
    return old;
}
} // namespace details

/* One thread adds the group's value to memory, or stores it there. */
template <class G, class A, class T, class F>
static inline void reduce_update_async(const G &g, A &&to, T v, F f)
{
    const T sum = reduce(g, v, f);
    if (g.thread_rank() == 0)
        details::update(to, sum, f);
}
template <class G, class A, class T, class F>
static inline void reduce_store_async(const G &g, A &&to, T v, F f)
{
    const T sum = reduce(g, v, f);
    if (g.thread_rank() == 0)
        to.store(sum);
}
template <class G, class T, class F>
static inline void reduce_store_async(const G &g, T *to, T v, F f)
{
    const T sum = reduce(g, v, f);
    if (g.thread_rank() == 0)
        *to = sum;
}

/* A scan that starts with the value in memory, and adds
 * the group's value to it. */
template <class G, class A, class T, class F>
static inline T inclusive_scan_update(const G &g, A &&to, T v, F f)
{
    const unsigned last = (unsigned)g.num_threads() - 1;
    const T mine = inclusive_scan(g, v, f);
    T old = T();
    if (g.thread_rank() == last)
        old = details::update(to, mine, f);
    return f(g.shfl(old, last), mine);
}
template <class G, class A, class T, class F>
static inline T exclusive_scan_update(const G &g, A &&to, T v, F f)
{
    const unsigned last = (unsigned)g.num_threads() - 1;
    const T sum = inclusive_scan(g, v, f), mine = exclusive_scan(g, v, f);
    T old = T();
    if (g.thread_rank() == last)
        old = details::update(to, sum, f);
    old = g.shfl(old, last);
    return g.thread_rank() ? f(old, mine) : old;
}
template <class G, class A, class T>
static inline T inclusive_scan_update(const G &g, A &&to, T v)
{
    return inclusive_scan_update(g, to, v, plus<T>());
}
template <class G, class A, class T>
static inline T exclusive_scan_update(const G &g, A &&to, T v)
{
    return exclusive_scan_update(g, to, v, plus<T>());
}

/* The threads of a group copy together. */
template <class G>
static inline void simgpu_copy_now(const G &g, void *to, const void *from,
                                   size_t nbytes)
{
    const size_t n = (size_t)g.num_threads();
    size_t i = (size_t)g.thread_rank();
    if (((uintptr_t)to | (uintptr_t)from | nbytes) % 4 == 0) {
        for (; i < nbytes / 4; i += n)
            ((unsigned *)to)[i] = ((const unsigned *)from)[i];
        return;
    }
    for (; i < nbytes; i += n)
        ((char *)to)[i] = ((const char *)from)[i];
}

/* To shared memory, by words, the copy is done when wait() is called, which
 * ends with the group's barrier. Other copies are not asynchronous. */
template <class G>
static inline void memcpy_async(const G &g, void *to, const void *from,
                                size_t nbytes)
{
    if (((uintptr_t)to | (uintptr_t)from | nbytes) % 4 || !simgpu_is_shared(to))
        return simgpu_copy_now(g, to, from, nbytes);
    for (size_t i = (size_t)g.thread_rank(); i < nbytes / 4;
         i += (size_t)g.num_threads()) {
        const unsigned value = ((const unsigned *)from)[i];
        simgpu_copy_later((unsigned *)to + i, &value, sizeof value);
    }
    simgpu_copies_commit();
}
template <class G, class T, class U>
static inline void memcpy_async(const G &g, T *to, size_t nto, const U *from,
                                size_t nfrom)
{
    const size_t n = nto * sizeof(T), m = nfrom * sizeof(U);
    memcpy_async(g, (void *)to, (const void *)from, n < m ? n : m);
}
template <class G> static inline void wait(const G &g)
{
    simgpu_copies_wait(0);
    g.sync();
}
template <unsigned N, class G> static inline void wait_prior(const G &g)
{
    simgpu_copies_wait(N);
    g.sync();
}

} // namespace cooperative_groups

#endif
