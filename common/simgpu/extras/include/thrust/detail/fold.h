/* fold.h: algorithms whose result is a value or a position */
#ifndef SIMGPU_THRUST_FOLD_H
#define SIMGPU_THRUST_FOLD_H

#include "thrust/detail/move.h"
#include "thrust/execution_policy.h"
#include "thrust/functional.h"
#include "thrust/iterator/transform_iterator.h"
#include "thrust/iterator/zip_iterator.h"

namespace thrust
{
namespace detail
{
template <class It, class T, class Op>
T reduce_at(const host_place &, It first, It last, T init, Op op)
{
    for (; first != last; ++first)
        init = op(init, *first);
    return init;
}
template <class It, class T, class Op>
T reduce_at(const device_place &place, It first, It last, T init, Op op)
{
    if (!simgpu::in_host_code())
        return reduce_at(host_place(), first, last, init, op);
    const size_t n = (size_t)(last - first);
    temporary<T> sums(place.stream, 1 + simgpu::reduce_partials(n));
    must(simgpu::reduce_items<T>(place.stream, sums.p + 1, bare(first), n,
                                 sums.p, init, op),
         "reduce");
    return place.fetch(sums.p);
}
template <class Place, class It, class T>
T reduce_at(const Place &place, It first, It last, T init)
{
    return reduce_at(place, first, last, init, std::plus<>());
}
template <class Place, class It>
iterator_value_t<It> reduce_at(const Place &place, It first, It last)
{
    return reduce_at(place, first, last, iterator_value_t<It>());
}
template <class Place, class It, class F, class T, class Op>
T transform_reduce_at(const Place &place, It first, It last, F f, T init, Op op)
{
    return reduce_at(place, make_transform_iterator(first, f),
                     make_transform_iterator(last, f), init, op);
}

template <class Place, class A, class B, class T, class Plus, class Times>
T inner_product_at(const Place &place, A first, A last, B second, T init,
                   Plus plus, Times times)
{
    const auto pairs = make_zip_iterator(first, second);
    return transform_reduce_at(
        place, pairs, pairs + (last - first),
        [=](const auto &t) mutable {
            return (T)times(std::get<0>(t), std::get<1>(t));
        },
        init, plus);
}
template <class Place, class A, class B, class T>
T inner_product_at(const Place &place, A first, A last, B second, T init)
{
    return inner_product_at(place, first, last, second, init, std::plus<>(),
                            std::multiplies<>());
}

template <class Place, class It, class Predicate>
ptrdiff_t count_if_at(const Place &place, It first, It last, Predicate p)
{
    return transform_reduce_at(
        place, first, last,
        [=](const iterator_value_t<It> &x) mutable {
            return (ptrdiff_t)(p(x) ? 1 : 0);
        },
        (ptrdiff_t)0, std::plus<ptrdiff_t>());
}
template <class Place, class It, class T>
ptrdiff_t count_at(const Place &place, It first, It last, const T &value)
{
    return count_if_at(place, first, last, [=](const iterator_value_t<It> &x) {
        return x == value;
    });
}

/* The position of the first element for which p holds, or last. */
template <class Place, class It, class Predicate>
It find_if_at(const Place &place, It first, It last, Predicate p)
{
    const auto at = bare(first);
    const ptrdiff_t n = last - first;
    return first + place.ask([=]() mutable {
        ptrdiff_t i = 0;
        while (i < n && !p(*(at + i)))
            i++;
        return i;
    });
}
template <class Place, class It, class Predicate>
It find_if_not_at(const Place &place, It first, It last, Predicate p)
{
    return find_if_at(place, first, last, not_fn(p));
}
template <class Place, class It, class T>
It find_at(const Place &place, It first, It last, const T &value)
{
    return find_if_at(place, first, last, [=](const iterator_value_t<It> &x) {
        return x == value;
    });
}
template <class Place, class It, class Predicate>
bool any_of_at(const Place &place, It first, It last, Predicate p)
{
    return find_if_at(place, first, last, p) != last;
}
template <class Place, class It, class Predicate>
bool none_of_at(const Place &place, It first, It last, Predicate p)
{
    return !any_of_at(place, first, last, p);
}
template <class Place, class It, class Predicate>
bool all_of_at(const Place &place, It first, It last, Predicate p)
{
    return none_of_at(place, first, last, not_fn(p));
}

/* The first smallest and the first largest element, unlike
 * std::minmax_element. */
template <class Place, class It, class Less>
pair<It, It> extrema(const Place &place, It first, It last, Less less)
{
    const auto at = bare(first);
    const ptrdiff_t n = last - first;
    const pair<ptrdiff_t, ptrdiff_t> where = place.ask([=]() mutable {
        pair<ptrdiff_t, ptrdiff_t> best(0, 0);
        for (ptrdiff_t i = 1; i < n; i++) {
            if (less(*(at + i), *(at + best.first)))
                best.first = i;
            if (less(*(at + best.second), *(at + i)))
                best.second = i;
        }
        return best;
    });
    return pair<It, It>(first + where.first, first + where.second);
}
template <class Place, class It, class Less = std::less<>>
It min_element_at(const Place &place, It first, It last, Less less = Less())
{
    return extrema(place, first, last, less).first;
}
template <class Place, class It, class Less = std::less<>>
It max_element_at(const Place &place, It first, It last, Less less = Less())
{
    return extrema(place, first, last, less).second;
}
template <class Place, class It, class Less = std::less<>>
pair<It, It> minmax_element_at(const Place &place, It first, It last,
                               Less less = Less())
{
    return extrema(place, first, last, less);
}

template <class Place, class A, class B, class Equal = std::equal_to<>>
pair<A, B> mismatch_at(const Place &place, A first, A last, B second,
                       Equal same = Equal())
{
    const auto pairs = make_zip_iterator(first, second);
    const ptrdiff_t n =
        find_if_at(place, pairs, pairs + (last - first),
                   [=](const auto &t) mutable {
                       return !same(std::get<0>(t), std::get<1>(t));
                   }) -
        pairs;
    return pair<A, B>(first + n, second + n);
}
template <class Place, class A, class B, class Equal = std::equal_to<>>
bool equal_at(const Place &place, A first, A last, B second,
              Equal same = Equal())
{
    return mismatch_at(place, first, last, second, same).first == last;
}
template <class Place, class It, class Less = std::less<>>
It is_sorted_until_at(const Place &place, It first, It last, Less less = Less())
{
    if (first == last)
        return last;
    return mismatch_at(place, first + 1, last, first,
                       [=](const auto &b, const auto &a) mutable {
                           return !less(b, a);
                       })
        .first;
}
template <class Place, class It, class Less = std::less<>>
bool is_sorted_at(const Place &place, It first, It last, Less less = Less())
{
    return is_sorted_until_at(place, first, last, less) == last;
}
} // namespace detail

SIMGPU_THRUST(reduce)
SIMGPU_THRUST(transform_reduce)
SIMGPU_THRUST(inner_product)
SIMGPU_THRUST(count)
SIMGPU_THRUST(count_if)
SIMGPU_THRUST(find)
SIMGPU_THRUST(find_if)
SIMGPU_THRUST(find_if_not)
SIMGPU_THRUST(any_of)
SIMGPU_THRUST(none_of)
SIMGPU_THRUST(all_of)
SIMGPU_THRUST(min_element)
SIMGPU_THRUST(max_element)
SIMGPU_THRUST(minmax_element)
SIMGPU_THRUST(mismatch)
SIMGPU_THRUST(equal)
SIMGPU_THRUST(is_sorted)
SIMGPU_THRUST(is_sorted_until)
} // namespace thrust
#endif
