/*
 * system.h: where Thrust's algorithms run
 *
 * The first argument of every algorithm is a *place*: with host_place it loops
 * in the calling thread; with device_place it launches kernels on a stream, or
 * loops if device code calls it. The place follows from the caller's policy, or
 * else from the iterators, of which those for device memory take precedence
 * over the host's.
 */
#ifndef SIMGPU_THRUST_SYSTEM_H
#define SIMGPU_THRUST_SYSTEM_H

#include <iterator>
#include <type_traits>

#include "simgpu/parallel.h"
#include "thrust/detail/standard.h"
#include "thrust/system_error.h"

namespace thrust
{
namespace detail
{
static inline void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        throw system_error(error, what);
}

/* Device memory for temporary results, freed at the end of its scope. */
template <class T> struct temporary {
    T *p;
    cudaStream_t stream;
    temporary(cudaStream_t stream, size_t n) : p(nullptr), stream(stream)
    {
        if (n)
            must(cudaMallocAsync((void **)&p, n * sizeof(T), stream),
                 "temporary memory");
    }
    temporary(const temporary &) = delete;
    ~temporary()
    {
        if (p)
            (void)cudaFreeAsync(p, stream);
    }
};

struct host_place {
    template <class F> void each(size_t n, F f) const
    {
        for (size_t i = 0; i < n; i++)
            f(i);
    }
    template <class F> void once(F f) const
    {
        f();
    }
    /* Calls f() and returns its result. */
    template <class F> auto ask(F f) const
    {
        return f();
    }
};

struct device_place {
    cudaStream_t stream = cudaStreamLegacy;
    bool waits = true;

    void wait() const
    {
        if (waits && simgpu::in_host_code())
            must(cudaStreamSynchronize(stream), "a kernel");
    }
    template <class F> void each(size_t n, F f) const
    {
        must(simgpu::for_items(stream, n, f), "launch");
        wait();
    }
    template <class F> void once(F f) const
    {
        must(simgpu::run_once(stream, f), "launch");
        wait();
    }
    template <class F> auto ask(F f) const
    {
        typedef decltype(f()) result;
        if (!simgpu::in_host_code())
            return f();
        temporary<result> to(stream, 1);
        result *const p = to.p;
        must(simgpu::run_once(stream, [=]() mutable { new (p) result(f()); }),
             "launch");
        return fetch(p);
    }
    /* Read a value that a kernel on the stream has written. */
    template <class T> T fetch(const T *from) const
    {
        alignas(T) char bytes[sizeof(T)];
        must(cudaMemcpyAsync(bytes, from, sizeof(T), cudaMemcpyDeviceToHost,
                             stream),
             "copying a result");
        must(cudaStreamSynchronize(stream), "a kernel");
        return *(T *)(void *)bytes;
    }
};

/* ---- which system an iterator belongs to --------------------------------- */

enum system_number { ANY_SYSTEM, HOST_SYSTEM, DEVICE_SYSTEM };

/* A Thrust iterator has a member `system`; other iterators are the host's. What
 * isn't an iterator has no system. */
template <class A, class = void> struct is_iterator : std::false_type {
};
template <class It>
struct is_iterator<
    It, decltype((void)typename std::iterator_traits<It>::iterator_category())>
    : std::true_type {
};
template <class It, class = void> struct system_of {
    static constexpr int value =
        is_iterator<It>::value ? HOST_SYSTEM : ANY_SYSTEM;
};
template <class It>
struct system_of<It, std::enable_if_t<((int)It::system >= 0)>> {
    static constexpr int value = (int)It::system;
};

template <class A> constexpr int highest_system()
{
    return system_of<std::decay_t<A>>::value;
}
template <class A, class B, class... More> constexpr int highest_system()
{
    return highest_system<A>() > highest_system<B, More...>()
               ? highest_system<A>()
               : highest_system<B, More...>();
}

/* ---- policies ------------------------------------------------------------ */

struct is_policy {
};
} // namespace detail

template <class Derived> struct execution_policy : detail::is_policy {
};

namespace detail
{
struct host_policy : execution_policy<host_policy> {
    host_place place() const
    {
        return host_place();
    }
};
struct device_policy : execution_policy<device_policy> {
    device_place at;
    device_place place() const
    {
        return at;
    }
    /* Selects a stream. */
    device_policy on(cudaStream_t stream) const
    {
        device_policy p = *this;
        p.at.stream = stream;
        return p;
    }
    /* Temporary memory is simgpu's, even if the program passes an allocator. */
    template <class Allocator> device_policy operator()(Allocator &&) const
    {
        return *this;
    }
};
static inline device_policy without_wait()
{
    device_policy p;
    p.at.waits = false;
    return p;
}

template <class A>
using if_policy =
    std::enable_if_t<std::is_base_of<is_policy, std::decay_t<A>>::value>;
template <class A>
using unless_policy =
    std::enable_if_t<!std::is_base_of<is_policy, std::decay_t<A>>::value>;

/* Iterators without memory, such as counting ones, count as a device's. */
template <int> struct place_of_system {
    typedef device_place type;
};
template <> struct place_of_system<HOST_SYSTEM> {
    typedef host_place type;
};
/* Where an algorithm with these arguments runs. */
template <class... A>
using place_for = typename place_of_system<highest_system<A...>()>::type;
} // namespace detail

/*
 * Define a function `name` with and without a policy in front.
 * detail::name##_at gets the place and the arguments.
 */
#define SIMGPU_THRUST(name)                                                    \
    template <class P, class... A, class = detail::if_policy<P>>               \
    decltype(auto) name(P &&policy, A &&...a)                                  \
    {                                                                          \
        return detail::name##_at(policy.place(), a...);                        \
    }                                                                          \
    template <class A, class... B, class = detail::unless_policy<A>,           \
              class = void>                                                    \
    decltype(auto) name(A &&a, B &&...b)                                       \
    {                                                                          \
        return detail::name##_at(detail::place_for<A, B...>(), a, b...);       \
    }
} // namespace thrust
#endif
