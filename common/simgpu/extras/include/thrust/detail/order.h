/* order.h: sorting, and algorithms on sorted elements */
#ifndef SIMGPU_THRUST_ORDER_H
#define SIMGPU_THRUST_ORDER_H

#include <algorithm>
#include <vector>

#include "thrust/detail/move.h"
#include "thrust/execution_policy.h"
#include "thrust/functional.h"
#include "thrust/pair.h"

namespace thrust
{
namespace detail
{
/* Numbers in memory, in their natural order, are sorted digit by digit. */
template <class K, class Less> struct digits {
    enum { SORTS = 0, DOWN = 0 };
};
#define SIMGPU_DIGITS(less, down)                                              \
    template <class K> struct digits<K *, less> {                              \
        enum { SORTS = std::is_arithmetic<K>::value && sizeof(K) <= 8 };       \
        static constexpr bool DOWN = down;                                     \
    };
SIMGPU_DIGITS(std::less<K>, false)
SIMGPU_DIGITS(std::less<>, false)
SIMGPU_DIGITS(std::greater<K>, true)
SIMGPU_DIGITS(std::greater<>, true)
#undef SIMGPU_DIGITS

template <class Key, class Value, class A, class B, class Less>
cudaError_t sort_items(cudaStream_t stream, A a, B b, size_t n, Less less,
                       std::false_type)
{
    return simgpu::merge_sort<Key, Value>(stream, a, b, n, less);
}
template <class Key, class Value, class A, class B, class Less>
cudaError_t sort_items(cudaStream_t stream, A a, B b, size_t n, Less,
                       std::true_type)
{
    return simgpu::radix_sort<Key>(stream, a, a, b, n, 0, 8 * (int)sizeof(Key),
                                   digits<Key *, Less>::DOWN);
}

template <class K, class V, class Less>
void sort_pairs_at(const device_place &place, K keys, V values, size_t n,
                   Less less)
{
    typedef iterator_value_t<K> key;
    typedef iterator_value_t<V> value;
    temporary<key> k(place.stream, n);
    temporary<value> v(place.stream, n);
    const simgpu::items<bare_type<K>, bare_type<V>> a = {bare(keys),
                                                         bare(values)};
    const simgpu::items<key *, value *> b = {k.p, v.p};
    must(sort_items<key, value>(
             place.stream, a, b, n, less,
             std::integral_constant<bool, digits<bare_type<K>, Less>::SORTS>()),
         "sort");
    place.wait();
}
template <class K, class Less>
void sort_keys_at(const device_place &place, K keys, size_t n, Less less)
{
    typedef iterator_value_t<K> key;
    temporary<key> k(place.stream, n);
    const simgpu::items<bare_type<K>, simgpu::no_values> a = {bare(keys), {}};
    const simgpu::items<key *, simgpu::no_values> b = {k.p, {}};
    must(sort_items<key, simgpu::no_value>(
             place.stream, a, b, n, less,
             std::integral_constant<bool, digits<bare_type<K>, Less>::SORTS>()),
         "sort");
    place.wait();
}
template <class K, class Less>
void sort_keys_at(const host_place &, K keys, size_t n, Less less)
{
    std::vector<iterator_value_t<K>> all(keys, keys + n);
    std::stable_sort(all.begin(), all.end(), less);
    std::copy(all.begin(), all.end(), keys);
}
template <class K, class V, class Less>
void sort_pairs_at(const host_place &, K keys, V values, size_t n, Less less)
{
    typedef pair<iterator_value_t<K>, iterator_value_t<V>> both;
    std::vector<both> all;
    for (size_t i = 0; i < n; i++)
        all.push_back(both(keys[i], values[i]));
    std::stable_sort(all.begin(), all.end(), [&](const both &a, const both &b) {
        return less(a.first, b.first);
    });
    for (size_t i = 0; i < n; i++) {
        keys[i] = all[i].first;
        values[i] = all[i].second;
    }
}

/* Device code has no temporary memory, so it sorts by
 * insertion in its own thread. */
template <class K, class Value, class V, class Less>
void sort_here(K keys, V values, size_t n, Less less)
{
    simgpu::sort_tile<iterator_value_t<K>, Value>(
        simgpu::items<K, V>{keys, values}, 0, n, less);
}
template <class Place, class K, class Less = std::less<iterator_value_t<K>>>
void stable_sort_at(const Place &place, K first, K last, Less less = Less())
{
    const size_t n = (size_t)(last - first);
    if (simgpu::in_host_code())
        sort_keys_at(place, first, n, less);
    else
        sort_here<bare_type<K>, simgpu::no_value>(bare(first),
                                                  simgpu::no_values(), n, less);
}
template <class Place, class K, class V,
          class Less = std::less<iterator_value_t<K>>>
void stable_sort_by_key_at(const Place &place, K first, K last, V values,
                           Less less = Less())
{
    const size_t n = (size_t)(last - first);
    if (simgpu::in_host_code())
        sort_pairs_at(place, first, values, n, less);
    else
        sort_here<bare_type<K>, iterator_value_t<V>>(bare(first), bare(values),
                                                     n, less);
}
template <class Place, class... A> void sort_at(const Place &place, A... a)
{
    stable_sort_at(place, a...);
}
template <class Place, class... A>
void sort_by_key_at(const Place &place, A... a)
{
    stable_sort_by_key_at(place, a...);
}

/* ---- algorithms on sorted elements --------------------------------------- */

/* The number of the n elements that are less than the value;
 * upper: less or equal. */
template <class It, class T, class Less>
ptrdiff_t position(It at, ptrdiff_t n, const T &value, Less less, bool upper)
{
    ptrdiff_t low = 0, high = n;
    while (low < high) {
        const ptrdiff_t mid = low + (high - low) / 2;
        if (upper ? !less(value, *(at + mid)) : (bool)less(*(at + mid), value))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
template <class Place, class It, class T, class Less>
It bound(const Place &place, It first, It last, const T &value, Less less,
         bool upper)
{
    const auto at = bare(first);
    const ptrdiff_t n = last - first;
    return first + place.ask([=]() mutable {
        return position(at, n, value, less, upper);
    });
}
/* The same for each of the values. */
template <class Place, class It, class V, class Out, class Less, class Result>
Out bounds(const Place &place, It first, It last, V vfirst, V vlast, Out out,
           Less less, Result result)
{
    const auto at = bare(first);
    const auto values = bare(vfirst);
    const auto to = bare(out);
    const ptrdiff_t n = last - first;
    place.each((size_t)(vlast - vfirst), [=](size_t i) mutable {
        const iterator_value_t<V> value = *(values + i);
        *(to + i) = result(at, n, value, less);
    });
    return out + (vlast - vfirst);
}
#define SIMGPU_BOUND(name, upper)                                              \
    template <class Place, class It, class T, class Less = std::less<>>        \
    It name##_at(const Place &place, It first, It last, const T &value,        \
                 Less less = Less())                                           \
    {                                                                          \
        return bound(place, first, last, value, less, upper);                  \
    }                                                                          \
    template <class Place, class It, class V, class Out,                       \
              class Less = std::less<>>                                        \
    Out name##_at(const Place &place, It first, It last, V vfirst, V vlast,    \
                  Out out, Less less = Less())                                 \
    {                                                                          \
        return bounds(place, first, last, vfirst, vlast, out, less,            \
                      [](auto at, ptrdiff_t n, const auto &value, auto l) {    \
                          return position(at, n, value, l, upper);             \
                      });                                                      \
    }
SIMGPU_BOUND(lower_bound, false)
SIMGPU_BOUND(upper_bound, true)
#undef SIMGPU_BOUND

template <class Place, class It, class T, class Less = std::less<>>
bool binary_search_at(const Place &place, It first, It last, const T &value,
                      Less less = Less())
{
    const auto at = bare(first);
    const ptrdiff_t n = last - first;
    return place.ask([=]() mutable {
        return position(at, n, value, less, false) !=
               position(at, n, value, less, true);
    });
}
template <class Place, class It, class V, class Out, class Less = std::less<>>
Out binary_search_at(const Place &place, It first, It last, V vfirst, V vlast,
                     Out out, Less less = Less())
{
    return bounds(place, first, last, vfirst, vlast, out, less,
                  [](auto at, ptrdiff_t n, const auto &value, auto l) {
                      return position(at, n, value, l, false) !=
                             position(at, n, value, l, true);
                  });
}
template <class Place, class It, class T, class Less = std::less<>>
pair<It, It> equal_range_at(const Place &place, It first, It last,
                            const T &value, Less less = Less())
{
    return pair<It, It>(bound(place, first, last, value, less, false),
                        bound(place, first, last, value, less, true));
}

/* Walk through two sorted ranges. An element is in the first only,
 * in the second only, or in both (then the first's is taken); the
 * flags say which are kept. */
template <class Place, class A, class B, class Out, class Less>
Out combine(const Place &place, A afirst, A alast, B bfirst, B blast, Out out,
            Less less, bool only_a, bool only_b, bool both)
{
    const auto a = bare(afirst);
    const auto b = bare(bfirst);
    const auto to = bare(out);
    const ptrdiff_t na = alast - afirst, nb = blast - bfirst;
    return out + place.ask([=]() mutable {
        ptrdiff_t i = 0, k = 0, n = 0;
        while (i < na || k < nb)
            if (k == nb || (i < na && less(*(a + i), *(b + k)))) {
                if (only_a)
                    *(to + n++) = *(a + i);
                i++;
            } else if (i == na || less(*(b + k), *(a + i))) {
                if (only_b)
                    *(to + n++) = *(b + k);
                k++;
            } else {
                if (both)
                    *(to + n++) = *(a + i);
                i++;
                k++;
            }
        return n;
    });
}
#define SIMGPU_COMBINE(name, only_a, only_b, both)                             \
    template <class Place, class A, class B, class Out,                        \
              class Less = std::less<>>                                        \
    Out name##_at(const Place &place, A afirst, A alast, B bfirst, B blast,    \
                  Out out, Less less = Less())                                 \
    {                                                                          \
        return combine(place, afirst, alast, bfirst, blast, out, less, only_a, \
                       only_b, both);                                          \
    }
SIMGPU_COMBINE(set_union, true, true, true)
SIMGPU_COMBINE(set_intersection, false, false, true)
SIMGPU_COMBINE(set_difference, true, false, false)
SIMGPU_COMBINE(set_symmetric_difference, true, true, false)
#undef SIMGPU_COMBINE

template <class Place, class A, class B, class Out, class Less = std::less<>>
Out merge_at(const Place &place, A afirst, A alast, B bfirst, B blast, Out out,
             Less less = Less())
{
    const auto a = bare(afirst);
    const auto b = bare(bfirst);
    const auto to = bare(out);
    const ptrdiff_t na = alast - afirst, nb = blast - bfirst;
    place.once([=]() mutable {
        ptrdiff_t i = 0, k = 0;
        while (i < na || k < nb)
            if (k == nb || (i < na && !less(*(b + k), *(a + i)))) {
                *(to + (i + k)) = *(a + i);
                i++;
            } else {
                *(to + (i + k)) = *(b + k);
                k++;
            }
    });
    return out + (na + nb);
}
} // namespace detail

SIMGPU_THRUST(sort)
SIMGPU_THRUST(stable_sort)
SIMGPU_THRUST(sort_by_key)
SIMGPU_THRUST(stable_sort_by_key)
SIMGPU_THRUST(lower_bound)
SIMGPU_THRUST(upper_bound)
SIMGPU_THRUST(binary_search)
SIMGPU_THRUST(equal_range)
SIMGPU_THRUST(merge)
SIMGPU_THRUST(set_union)
SIMGPU_THRUST(set_intersection)
SIMGPU_THRUST(set_difference)
SIMGPU_THRUST(set_symmetric_difference)
} // namespace thrust
#endif
