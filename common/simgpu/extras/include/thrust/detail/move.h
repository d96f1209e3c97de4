/*
 * move.h: copies within and between host and device
 *
 * Between host and device, bytes are copied as by cudaMemcpy. A range that
 * isn't a plain array on one side goes through an array there.
 */
#ifndef SIMGPU_THRUST_MOVE_H
#define SIMGPU_THRUST_MOVE_H

#include <memory>
#include <vector>

#include "thrust/detail/pointer.h"
#include "thrust/detail/universal.h"

namespace thrust
{
namespace detail
{
/* The address of a contiguous iterator's elements. */
template <class T> T *address_of(T *p)
{
    return p;
}
template <class T> T *address_of(const device_ptr<T> &p)
{
    return p.get();
}
template <class T> T *address_of(const universal_ptr<T> &p)
{
    return p.get();
}
template <class T, class V>
T *address_of(const __gnu_cxx::__normal_iterator<T *, V> &it)
{
    return it.base();
}
struct not_contiguous {
};
template <class It> not_contiguous address_of(const It &, ...)
{
    return not_contiguous();
}
template <class It>
using address_type = decltype(address_of(std::declval<const It &>()));

/* True if elements at From can be copied to To as bytes. */
template <class From, class To>
using same_bytes = std::integral_constant<
    bool, std::is_pointer<address_type<From>>::value &&
              std::is_pointer<address_type<To>>::value &&
              std::is_same<std::remove_const_t<
                               std::remove_pointer_t<address_type<From>>>,
                           std::remove_pointer_t<address_type<To>>>::value>;

static inline void copy_bytes(const device_place &place, void *to,
                              const void *from, size_t nbytes)
{
    if (nbytes)
        must(cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDefault, place.stream),
             "a copy");
    must(cudaStreamSynchronize(place.stream), "a copy");
}

/* Copy n elements by a kernel, or a loop. */
template <class Place, class It, class To>
void copy_items(const Place &place, It first, size_t n, To to)
{
    const auto from = bare(first);
    const auto into = bare(to);
    place.each(n, [=](size_t i) { *(into + i) = *(from + i); });
}

/* From host to device: elements of different types go through arrays. */
template <class It, class To>
void host_to_device(It first, size_t n, To to, std::false_type)
{
    typedef iterator_value_t<It> value;
    const device_place place;
    const std::unique_ptr<value[]> host(new value[n]);
    for (size_t i = 0; i < n; i++, ++first)
        host[i] = *first;
    temporary<value> there(place.stream, n);
    copy_bytes(place, there.p, host.get(), n * sizeof(value));
    copy_items(place, there.p, n, to);
}
template <class It, class To>
void device_to_host(It first, size_t n, To to, std::false_type)
{
    typedef iterator_value_t<It> value;
    const device_place place;
    const std::unique_ptr<value[]> host(new value[n]);
    temporary<value> here(place.stream, n);
    copy_items(place, first, n, here.p);
    copy_bytes(place, host.get(), here.p, n * sizeof(value));
    for (size_t i = 0; i < n; i++, ++to)
        *to = host[i];
}
template <class It, class To> void as_bytes(It first, size_t n, To to)
{
    copy_bytes(device_place(), address_of(to), address_of(first),
               n * sizeof(iterator_value_t<It>));
}
template <class It, class To>
void host_to_device(It first, size_t n, To to, std::true_type)
{
    as_bytes(first, n, to);
}
template <class It, class To>
void device_to_host(It first, size_t n, To to, std::true_type)
{
    as_bytes(first, n, to);
}

/* Copy [first, last) to `to`, on either side. */
enum way { LOOP, INTO_DEVICE, OUT_OF_DEVICE, KERNEL };
template <way> struct mover {
    template <class It, class To> static void go(It first, size_t n, To to)
    {
        for (size_t i = 0; i < n; i++, ++first, ++to)
            *to = *first;
    }
};
template <> struct mover<INTO_DEVICE> {
    template <class It, class To> static void go(It first, size_t n, To to)
    {
        host_to_device(first, n, to, same_bytes<It, To>());
    }
};
template <> struct mover<OUT_OF_DEVICE> {
    template <class It, class To> static void go(It first, size_t n, To to)
    {
        device_to_host(first, n, to, same_bytes<It, To>());
    }
};
template <> struct mover<KERNEL> {
    template <class It, class To> static void go(It first, size_t n, To to)
    {
        copy_items(device_place(), first, n, to);
    }
};
constexpr way way_between(int from, int to)
{
    return from == HOST_SYSTEM && to == DEVICE_SYSTEM     ? INTO_DEVICE
           : from == DEVICE_SYSTEM && to == HOST_SYSTEM   ? OUT_OF_DEVICE
           : from == DEVICE_SYSTEM || to == DEVICE_SYSTEM ? KERNEL
                                                          : LOOP;
}
template <class It, class To> To move_items(It first, It last, To to)
{
    const auto n = std::distance(first, last);
    mover<way_between(system_of<It>::value, system_of<To>::value)>::go(
        first, (size_t)n, to);
    std::advance(to, n);
    return to;
}
} // namespace detail
} // namespace thrust
#endif
