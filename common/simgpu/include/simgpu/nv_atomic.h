/*
 * nv_atomic.h: atomic functions that nvcc has had built in since CUDA 12.8
 *
 * Arithmetic functions come in pairs: __nv_atomic_fetch_add() returns the old
 * value, __nv_atomic_add() nothing. Order and scope mean the same as in
 * <cuda/atomic>.
 */
#ifndef SIMGPU_NV_ATOMIC_H
#define SIMGPU_NV_ATOMIC_H

enum { /* with the compiler's numbers */
       __NV_ATOMIC_RELAXED,
       __NV_ATOMIC_CONSUME,
       __NV_ATOMIC_ACQUIRE,
       __NV_ATOMIC_RELEASE,
       __NV_ATOMIC_ACQ_REL,
       __NV_ATOMIC_SEQ_CST
};

enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

/* Each function works on the word at a pointer of its type and takes the value
 * as an argument of that type. */
#define SIMGPU_NV_VALUE typename simgpu::same<T>::type
#define SIMGPU_NV_SCOPE int = __NV_THREAD_SCOPE_SYSTEM

template <class T>
static inline void __nv_atomic_load(const volatile T *p, T *value, int order,
                                    SIMGPU_NV_SCOPE)
{
    __atomic_load(p, value, order);
}
template <class T>
static inline T __nv_atomic_load_n(const volatile T *p, int order,
                                   SIMGPU_NV_SCOPE)
{
    T value;
    __atomic_load(p, &value, order);
    return value;
}
template <class T>
static inline void __nv_atomic_store(volatile T *p, T *value, int order,
                                     SIMGPU_NV_SCOPE)
{
    __atomic_store(p, value, order);
}
template <class T>
static inline void __nv_atomic_store_n(volatile T *p, SIMGPU_NV_VALUE value,
                                       int order, SIMGPU_NV_SCOPE)
{
    __atomic_store(p, &value, order);
}
template <class T>
static inline void __nv_atomic_exchange(volatile T *p, T *value, T *old,
                                        int order, SIMGPU_NV_SCOPE)
{
    __atomic_exchange(p, value, old, order);
}
template <class T>
static inline T __nv_atomic_exchange_n(volatile T *p, SIMGPU_NV_VALUE value,
                                       int order, SIMGPU_NV_SCOPE)
{
    T old;
    __atomic_exchange(p, &value, &old, order);
    return old;
}
template <class T>
static inline bool __nv_atomic_compare_exchange(volatile T *p, T *expected,
                                                T *value, bool weak, int order,
                                                int failure, SIMGPU_NV_SCOPE)
{
    return __atomic_compare_exchange(p, expected, value, weak, order, failure);
}
template <class T>
static inline bool __nv_atomic_compare_exchange_n(volatile T *p, T *expected,
                                                  SIMGPU_NV_VALUE value,
                                                  bool weak, int order,
                                                  int failure, SIMGPU_NV_SCOPE)
{
    return __atomic_compare_exchange(p, expected, &value, weak, order, failure);
}

#define SIMGPU_NV_ATOMIC(name, expression)                                     \
    template <class T>                                                         \
    static inline T __nv_atomic_fetch_##name(volatile T *p, SIMGPU_NV_VALUE v, \
                                             int order, SIMGPU_NV_SCOPE)       \
    {                                                                          \
        T old, next;                                                           \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                              \
        do {                                                                   \
            next = (T)(expression);                                            \
        } while (!__atomic_compare_exchange(p, &old, &next, false, order,      \
                                            __ATOMIC_RELAXED));                \
        return old;                                                            \
    }                                                                          \
    template <class T>                                                         \
    static inline void __nv_atomic_##name(volatile T *p, SIMGPU_NV_VALUE v,    \
                                          int order, SIMGPU_NV_SCOPE)          \
    {                                                                          \
        (void)__nv_atomic_fetch_##name(p, v, order);                           \
    }
SIMGPU_NV_ATOMIC(add, old + v)
SIMGPU_NV_ATOMIC(sub, old - v)
SIMGPU_NV_ATOMIC(and, old &v)
SIMGPU_NV_ATOMIC(or, old | v)
SIMGPU_NV_ATOMIC(xor, old ^ v)
SIMGPU_NV_ATOMIC(min, v < old ? v : old)
SIMGPU_NV_ATOMIC(max, old < v ? v : old)
#undef SIMGPU_NV_ATOMIC
#undef SIMGPU_NV_VALUE
#undef SIMGPU_NV_SCOPE

static inline void
__nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    (void)order;
    if (scope == __NV_THREAD_SCOPE_SYSTEM)
        simgpu_fence_system();
    else if (scope >= __NV_THREAD_SCOPE_CLUSTER)
        simgpu_fence();
    else
        __threadfence_block();
}

#endif
