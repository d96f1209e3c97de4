/*
 * ptx_memory.h: instructions of inline PTX that touch memory or other threads
 *
 * Accesses are C++'s, so they are recorded and checked like any other.
 * An asynchronous copy (cp.async) is done when the thread waits for it.
 */
#ifndef SIMGPU_PTX_MEMORY_H
#define SIMGPU_PTX_MEMORY_H

namespace simgpu
{
namespace ptx
{
/* ---- addresses ----------------------------------------------------------- */

template <class T> static inline T *at(uint64_t p, int64_t offset)
{
    return (T *)(uintptr_t)(p + (uint64_t)offset);
}

/* Shared memory has 32-bit addresses: the lower halves of simgpu's, which are
 * all close to the dynamic shared memory. */
template <class T> static inline T *shared_at(uint64_t p, int64_t offset)
{
    return (T *)((char *)__cvta_shared_to_generic(p) + offset);
}

/* ---- loads and stores ---------------------------------------------------- */

template <class T, class... TAGS> static __forceinline__ T do_ld(const T *p)
{
    if (has<t_volatile, TAGS...>())
        return *(const volatile T *)p;
    if (has<t_acquire, TAGS...>() || has<t_relaxed, TAGS...>()) {
        T value;
        __atomic_load((T *)p, &value,
                      has<t_acquire, TAGS...>() ? __ATOMIC_ACQUIRE
                                                : __ATOMIC_RELAXED);
        return value;
    }
    return *p;
}
template <class T> static __forceinline__ T do_ldu(const T *p)
{
    return *p;
}
template <class T, class... TAGS>
static __forceinline__ void do_st(T *p, T value)
{
    if (has<t_volatile, TAGS...>())
        *(volatile T *)p = value;
    else if (has<t_release, TAGS...>())
        __atomic_store(p, &value, __ATOMIC_RELEASE);
    else if (has<t_relaxed, TAGS...>())
        __atomic_store(p, &value, __ATOMIC_RELAXED);
    else
        *p = value;
}
template <class... TAGS> static inline void do_prefetch(const char *) {}
template <class... TAGS> static inline void do_prefetchu(const char *) {}

/* ---- atomics ------------------------------------------------------------- */

/* With an order, as in C++; without one, CUDA's function for the scope. */
template <class... TAGS> static constexpr bool is_ordered()
{
    return has<t_acquire, TAGS...>() || has<t_release, TAGS...>() ||
           has<t_acq_rel, TAGS...>();
}
template <class... TAGS> static constexpr int order_of()
{
    return has<t_acq_rel, TAGS...>()   ? __ATOMIC_ACQ_REL
           : has<t_acquire, TAGS...>() ? __ATOMIC_ACQUIRE
                                       : __ATOMIC_RELEASE;
}

#define SIMGPU_PTX_BITS(name, op)                                              \
    template <class T, bool = is_integer<T>()> struct name {                   \
        static T apply(T a, T b)                                               \
        {                                                                      \
            return (T)(a op b);                                                \
        }                                                                      \
    };                                                                         \
    template <class T> struct name<T, false> {                                 \
        static T apply(T a, T)                                                 \
        {                                                                      \
            return a;                                                          \
        }                                                                      \
    };
SIMGPU_PTX_BITS(bit_and, &)
SIMGPU_PTX_BITS(bit_or, |)
SIMGPU_PTX_BITS(bit_xor, ^)
#undef SIMGPU_PTX_BITS

/* The operation's result for an old value. */
template <class T, class... TAGS> static inline T operate(T old, T v)
{
    if (has<t_add, TAGS...>())
        return wrap_add(old, v);
    if (has<t_min, TAGS...>())
        return v < old ? v : old;
    if (has<t_max, TAGS...>())
        return old < v ? v : old;
    if (has<t_inc, TAGS...>())
        return old >= v ? (T)0 : (T)(old + 1);
    if (has<t_dec, TAGS...>())
        return old == 0 || old > v ? v : (T)(old - 1);
    if (has<t_and, TAGS...>())
        return bit_and<T>::apply(old, v);
    if (has<t_or, TAGS...>())
        return bit_or<T>::apply(old, v);
    if (has<t_xor, TAGS...>())
        return bit_xor<T>::apply(old, v);
    return v; // exch
}

template <class T, class... TAGS> static __forceinline__ T ordered(T *p, T v)
{
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        next = operate<T, TAGS...>(old, v);
    while (!__atomic_compare_exchange(p, &old, &next, false,
                                      order_of<TAGS...>(), __ATOMIC_RELAXED));
    return old;
}

template <class T, class... TAGS> struct change_of {
    static T apply(T old, T v)
    {
        return operate<T, TAGS...>(old, v);
    }
};

template <class T, class... TAGS> SIMGPU_QUIET T unordered(T *p, T v)
{
    if (has<t_sys, TAGS...>() && (sizeof *p == 4 || sizeof *p == 8))
        return update_system<T>(p, v, change_of<T, TAGS...>());
    T old, next;
    const int alone = has<t_exch, TAGS...>()
                          ? simgpu_atomic_store(p, sizeof *p)
                          : simgpu_atomic_access(p, sizeof *p);
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        next = operate<T, TAGS...>(old, v);
    while (!replace(p, &old, &next, alone));
    if (memcmp(&old, &next, sizeof old) == 0)
        simgpu_atomic_unchanged(p, sizeof *p);
    return old;
}

/* Only words have atomics at system scope (device.h). */
template <class T, bool WORD> struct system_cas {
    static T of(T *p, T compare, T v)
    {
        return swap_system(p, compare, v);
    }
};
template <class T> struct system_cas<T, false> {
    static T of(T *p, T compare, T v)
    {
        return swap(p, compare, v);
    }
};

template <class T, class... TAGS> static __forceinline__ T do_atom(T *p, T v)
{
    return is_ordered<TAGS...>() ? ordered<T, TAGS...>(p, v)
                                 : unordered<T, TAGS...>(p, v);
}
template <class T, class... TAGS>
static __forceinline__ T do_atom(T *p, T compare, T v)
{
    if (is_ordered<TAGS...>()) {
        __atomic_compare_exchange(p, &compare, &v, false, order_of<TAGS...>(),
                                  __ATOMIC_RELAXED);
        return compare;
    }
    return has<t_sys, TAGS...>()
               ? system_cas<T, (sizeof(T) >= 4)>::of(p, compare, v)
               : swap(p, compare, v);
}
template <class T, class... TAGS> static __forceinline__ void do_red(T *p, T v)
{
    do_atom<T, TAGS...>(p, v);
}

template <class... TAGS> static inline void do_fence()
{
    if (has<t_sys, TAGS...>())
        __threadfence_system();
    else
        __threadfence();
}
template <class... TAGS> static inline void do_membar()
{
    do_fence<TAGS...>();
}
template <class... TAGS> static inline void do_fence_proxy() {}
template <class... TAGS> static inline void do_fence_mbarrier_init() {}

/* ---- copies -------------------------------------------------------------- */

/* Copy nbytes to shared memory, of which `have` are read and the rest are 0. */
template <class... TAGS>
static __forceinline__ void do_cp_async(char *to, const char *from,
                                        uint32_t nbytes,
                                        uint32_t have = UINT32_MAX)
{
    const uint32_t n = have < nbytes ? have : nbytes;
    alignas(16) char value[SIMGPU_COPY_MOST] = {};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        *(uint32_t *)(value + i) = *(const uint32_t *)(from + i);
    for (; i < n; i++)
        value[i] = from[i];
    simgpu_copy_later(to, value, nbytes);
}
template <class... TAGS> static inline void do_cp_async_commit_group()
{
    simgpu_copies_commit();
}
template <class... TAGS> static inline void do_cp_async_wait_group(uint32_t n)
{
    simgpu_copies_wait((int)n);
}
template <class... TAGS> static inline void do_cp_async_wait_all()
{
    simgpu_copies_wait(-1);
}

/* ---- mbarrier: a word in shared memory ----------------------------------- */

struct mbarrier { /* not atomic: the threads of a block take turns */
    uint32_t phase : 1, expected : 31;
    uint32_t left;

    uint64_t arrive(uint32_t n)
    {
        simgpu_meet(this, sizeof *this);
        const uint64_t token = phase;
        left -= n;
        if (left == 0) {
            left = expected;
            phase ^= 1;
        }
        return token;
    }
};
static_assert(sizeof(mbarrier) == 8, "an mbarrier is a word of 64 bits");

template <class T, class... TAGS>
SIMGPU_QUIET void do_mbarrier_init(uint64_t *b, uint32_t n)
{
    *(mbarrier *)(void *)b = {0, n, n};
}
template <class T, class... TAGS>
static inline void do_mbarrier_inval(uint64_t *)
{
}
template <class T, class... TAGS>
SIMGPU_QUIET uint64_t do_mbarrier_arrive(uint64_t *b, uint32_t n = 1)
{
    return ((mbarrier *)(void *)b)->arrive(n);
}
template <class T, class... TAGS>
SIMGPU_QUIET uint64_t do_mbarrier_arrive_noComplete(uint64_t *b, uint32_t n)
{
    return ((mbarrier *)(void *)b)->arrive(n);
}
template <class T, class... TAGS>
SIMGPU_QUIET uint64_t do_mbarrier_arrive_drop(uint64_t *b, uint32_t n = 1)
{
    mbarrier *const m = (mbarrier *)(void *)b;
    m->expected -= n;
    return m->arrive(n);
}
/* Earlier copies are complete. With noinc this is one of the arrivals that the
 * barrier expects; otherwise the barrier expects one more. */
template <class T, class... TAGS>
SIMGPU_QUIET void do_cp_async_mbarrier_arrive(uint64_t *b)
{
    simgpu_copies_wait(-1);
    if (has<t_noinc, TAGS...>())
        ((mbarrier *)(void *)b)->arrive(1);
}
/* True if the phase of the token, or with that parity, is over. */
template <class T, class... TAGS>
SIMGPU_QUIET bool do_mbarrier_test_wait(uint64_t *b, uint64_t token)
{
    const mbarrier *const m = (const mbarrier *)(const void *)b;
    if (m->phase == (token & 1))
        simgpu_yield();
    simgpu_meet(b, sizeof *b);
    return m->phase != (token & 1);
}
template <class T, class... TAGS>
SIMGPU_QUIET bool do_mbarrier_try_wait(uint64_t *b, uint64_t token,
                                       uint32_t = 0)
{
    return do_mbarrier_test_wait<T, TAGS...>(b, token);
}

/* ---- threads ------------------------------------------------------------- */

template <class... TAGS> static inline void do_bar(uint32_t id, uint32_t = 0)
{
    if (has<t_warp, TAGS...>())
        __syncwarp(id);
    else
        __syncthreads();
}
template <class... TAGS>
static inline void do_barrier(uint32_t id, uint32_t n = 0)
{
    do_bar<TAGS...>(id, n);
}

/* c is segment mask << 8 | last lane of the segment. */
template <class T, class... TAGS>
static inline T do_shfl(T value, uint32_t b, uint32_t c, uint32_t mask,
                        bool &inside)
{
    const int me = lane(), segment = (int)(c >> 8 & 31), last = (int)(c & 31);
    const int first = me & segment, by = (int)(b & 31);
    const int limit = first | (last & ~segment);
    const int from = has<t_up, TAGS...>()     ? me - by
                     : has<t_down, TAGS...>() ? me + by
                     : has<t_bfly, TAGS...>() ? me ^ by
                                              : first | (by & ~segment);
    inside = has<t_up, TAGS...>() ? from >= limit : from <= limit;
    return shuffle(mask, value, inside ? from : me);
}
template <class T, class... TAGS>
static inline T do_vote(bool p, uint32_t mask = 0xffffffffu)
{
    const unsigned yes = simgpu_ballot(p, mask);
    if (has<t_ballot, TAGS...>())
        return (T)yes;
    if (has<t_any, TAGS...>())
        return (T)(yes != 0);
    const unsigned no = simgpu_ballot(!p, mask);
    return (T)(no == 0 || (has<t_uni, TAGS...>() && yes == 0));
}
template <class T, class... TAGS>
static inline uint32_t do_match(T value, uint32_t mask, bool &same)
{
    int all = 0;
    if (has<t_any, TAGS...>())
        return __match_any_sync(mask, value);
    const uint32_t lanes = __match_all_sync(mask, value, &all);
    same = all != 0;
    return lanes;
}
template <class T, class... TAGS>
static inline T do_redux(T value, uint32_t mask)
{
    return reduce(mask, value, operate<T, TAGS...>);
}
template <class T> static __forceinline__ T do_activemask()
{
    return simgpu_converged();
}
template <class T> static inline void do_nanosleep(uint32_t ns)
{
    __nanosleep(ns);
}
template <class... TAGS> static inline void do_exit()
{
    simgpu_exit();
}
template <class... TAGS> static inline void do_trap()
{
    __trap();
}
template <class... TAGS> static inline void do_barrier_cluster_arrive()
{
    simgpu_cluster_arrive();
}
template <class... TAGS> static inline void do_barrier_cluster_wait()
{
    simgpu_cluster_wait();
}
template <class... TAGS> static inline void do_brkpt() {}
template <class... TAGS> static inline void do_griddepcontrol() {}

/* ---- special registers --------------------------------------------------- */

#define SIMGPU_PTX_REGISTER(T, name, value)                                    \
    static inline T name()                                                     \
    {                                                                          \
        return (T)(value);                                                     \
    }
SIMGPU_PTX_REGISTER(uint32_t, laneid, lane())
SIMGPU_PTX_REGISTER(
    uint32_t, warpid,
    (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32)
SIMGPU_PTX_REGISTER(uint32_t, nwarpid, 64)
SIMGPU_PTX_REGISTER(uint32_t, smid, simgpu_smid())
SIMGPU_PTX_REGISTER(uint32_t, nsmid, 132)
SIMGPU_PTX_REGISTER(uint64_t, gridid, 0)
SIMGPU_PTX_REGISTER(uint32_t, clock, simgpu_clock())
SIMGPU_PTX_REGISTER(uint32_t, clock_hi, simgpu_clock() >> 32)
SIMGPU_PTX_REGISTER(uint64_t, clock64, simgpu_clock())
SIMGPU_PTX_REGISTER(uint64_t, globaltimer, simgpu_clock())
SIMGPU_PTX_REGISTER(uint32_t, globaltimer_lo, simgpu_clock())
SIMGPU_PTX_REGISTER(uint32_t, globaltimer_hi, simgpu_clock() >> 32)
SIMGPU_PTX_REGISTER(uint32_t, lanemask_eq, UINT32_C(1) << lane())
SIMGPU_PTX_REGISTER(uint32_t, lanemask_lt, (UINT32_C(1) << lane()) - 1)
SIMGPU_PTX_REGISTER(uint32_t, lanemask_le, (UINT32_C(2) << lane()) - 1)
SIMGPU_PTX_REGISTER(uint32_t, lanemask_gt, ~((UINT32_C(2) << lane()) - 1))
SIMGPU_PTX_REGISTER(uint32_t, lanemask_ge, ~((UINT32_C(1) << lane()) - 1))
SIMGPU_PTX_REGISTER(uint32_t, tid_x, threadIdx.x)
SIMGPU_PTX_REGISTER(uint32_t, tid_y, threadIdx.y)
SIMGPU_PTX_REGISTER(uint32_t, tid_z, threadIdx.z)
SIMGPU_PTX_REGISTER(uint32_t, ntid_x, blockDim.x)
SIMGPU_PTX_REGISTER(uint32_t, ntid_y, blockDim.y)
SIMGPU_PTX_REGISTER(uint32_t, ntid_z, blockDim.z)
SIMGPU_PTX_REGISTER(uint32_t, ctaid_x, blockIdx.x)
SIMGPU_PTX_REGISTER(uint32_t, ctaid_y, blockIdx.y)
SIMGPU_PTX_REGISTER(uint32_t, ctaid_z, blockIdx.z)
SIMGPU_PTX_REGISTER(uint32_t, nctaid_x, gridDim.x)
SIMGPU_PTX_REGISTER(uint32_t, nctaid_y, gridDim.y)
SIMGPU_PTX_REGISTER(uint32_t, nctaid_z, gridDim.z)
#undef SIMGPU_PTX_REGISTER

} // namespace ptx
} // namespace simgpu

#endif
