/* map.h: algorithms with a thread for each element */
#ifndef SIMGPU_THRUST_MAP_H
#define SIMGPU_THRUST_MAP_H

#include "thrust/detail/move.h"
#include "thrust/execution_policy.h"
#include "thrust/functional.h"
#include "thrust/iterator/reverse_iterator.h"

namespace thrust
{
namespace detail
{
template <class Place, class It, class N, class F>
It for_each_n_at(const Place &place, It first, N n, F f)
{
    const auto at = bare(first);
    place.each((size_t)n, [=](size_t i) mutable { f(*(at + i)); });
    return first + n;
}
template <class Place, class It, class F>
It for_each_at(const Place &place, It first, It last, F f)
{
    return for_each_n_at(place, first, last - first, f);
}

/* out[i] = f(in[i]) where keep(i) holds. */
template <class Place, class In, class Out, class F, class Keep>
Out map_if(const Place &place, In first, ptrdiff_t n, Out out, F f, Keep keep)
{
    const auto in = bare(first);
    const auto to = bare(out);
    place.each((size_t)n, [=](size_t i) mutable {
        if (keep(i))
            *(to + i) = f(*(in + i));
    });
    return out + n;
}
struct always {
    bool operator()(size_t) const
    {
        return true;
    }
};
template <class Stencil, class Predicate> auto keeps(Stencil s, Predicate p)
{
    const auto at = bare(s);
    return [=](size_t i) mutable { return (bool)p(*(at + i)); };
}

template <class Place, class In, class Out, class F>
Out transform_at(const Place &place, In first, In last, Out out, F f)
{
    return map_if(place, first, last - first, out, f, always());
}
template <class Place, class A, class B, class Out, class F>
Out transform_at(const Place &place, A first, A last, B second, Out out, F f)
{
    const auto a = bare(first);
    const auto b = bare(second);
    const auto to = bare(out);
    place.each((size_t)(last - first),
               [=](size_t i) mutable { *(to + i) = f(*(a + i), *(b + i)); });
    return out + (last - first);
}
template <class Place, class In, class Out, class F, class Predicate>
Out transform_if_at(const Place &place, In first, In last, Out out, F f,
                    Predicate p)
{
    return map_if(place, first, last - first, out, f, keeps(first, p));
}
template <class Place, class In, class Stencil, class Out, class F,
          class Predicate>
Out transform_if_at(const Place &place, In first, In last, Stencil s, Out out,
                    F f, Predicate p)
{
    return map_if(place, first, last - first, out, f, keeps(s, p));
}

template <class Place, class It, class N, class T>
It fill_n_at(const Place &place, It first, N n, const T &value)
{
    const auto at = bare(first);
    place.each((size_t)n, [=](size_t i) { *(at + i) = value; });
    return first + n;
}
template <class Place, class It, class T>
void fill_at(const Place &place, It first, It last, const T &value)
{
    fill_n_at(place, first, last - first, value);
}
template <class Place, class It, class T>
void uninitialized_fill_at(const Place &place, It first, It last,
                           const T &value)
{
    fill_n_at(place, first, last - first, value);
}

template <class Place, class It, class F>
void tabulate_at(const Place &place, It first, It last, F f)
{
    const auto at = bare(first);
    place.each((size_t)(last - first), [=](size_t i) mutable {
        *(at + i) = f((iterator_difference_t<It>)i);
    });
}
template <class Place, class It, class T>
void sequence_at(const Place &place, It first, It last, T init, T step)
{
    tabulate_at(place, first, last,
                [=](ptrdiff_t i) { return (T)(init + step * (T)i); });
}
template <class Place, class It, class T>
void sequence_at(const Place &place, It first, It last, T init)
{
    sequence_at(place, first, last, init, T(1));
}
template <class Place, class It>
void sequence_at(const Place &place, It first, It last)
{
    sequence_at(place, first, last, iterator_value_t<It>(0));
}
template <class Place, class It, class N, class F>
It generate_n_at(const Place &place, It first, N n, F f)
{
    const auto at = bare(first);
    place.each((size_t)n, [=](size_t i) mutable { *(at + i) = f(); });
    return first + n;
}
template <class It, class N, class F>
It generate_n_at(const host_place &, It first, N n, F f)
{
    for (N i = 0; i < n; i++)
        *(first + i) = f();
    return first + n;
}
template <class Place, class It, class F>
void generate_at(const Place &place, It first, It last, F f)
{
    generate_n_at(place, first, last - first, f);
}

template <class Place, class It, class Predicate, class T>
void replace_if_at(const Place &place, It first, It last, Predicate p,
                   const T &with)
{
    const auto at = bare(first);
    place.each((size_t)(last - first), [=](size_t i) mutable {
        if (p(*(at + i)))
            *(at + i) = with;
    });
}
template <class T> auto equals(const T &value)
{
    return [=](const T &x) { return x == value; };
}
template <class Place, class It, class T>
void replace_at(const Place &place, It first, It last, const T &old,
                const T &with)
{
    replace_if_at(place, first, last, equals<iterator_value_t<It>>(old), with);
}
template <class Place, class In, class Out, class Predicate, class T>
Out replace_copy_if_at(const Place &place, In first, In last, Out out,
                       Predicate p, const T &with)
{
    typedef iterator_value_t<In> value;
    return transform_at(place, first, last, out, [=](const value &x) mutable {
        return p(x) ? (value)with : x;
    });
}
template <class Place, class In, class Out, class T>
Out replace_copy_at(const Place &place, In first, In last, Out out,
                    const T &old, const T &with)
{
    return replace_copy_if_at(place, first, last, out,
                              equals<iterator_value_t<In>>(old), with);
}

template <class Place, class Map, class In, class Out>
Out gather_at(const Place &place, Map first, Map last, In in, Out out)
{
    const auto from = bare(in);
    return transform_at(place, first, last, out,
                        [=](const iterator_value_t<Map> &i) {
                            return (iterator_value_t<In>)*(from + i);
                        });
}
template <class Place, class Map, class Stencil, class In, class Out,
          class Predicate = identity<>>
Out gather_if_at(const Place &place, Map first, Map last, Stencil s, In in,
                 Out out, Predicate p = Predicate())
{
    const auto from = bare(in);
    return map_if(
        place, first, last - first, out,
        [=](const iterator_value_t<Map> &i) {
            return (iterator_value_t<In>)*(from + i);
        },
        keeps(s, p));
}
template <class Place, class In, class Map, class Keep, class Out>
void scatter_where(const Place &place, In first, ptrdiff_t n, Map map, Out out,
                   Keep keep)
{
    const auto in = bare(first);
    const auto where = bare(map);
    const auto to = bare(out);
    place.each((size_t)n, [=](size_t i) mutable {
        if (keep(i))
            *(to + *(where + i)) = *(in + i);
    });
}
template <class Place, class In, class Map, class Out>
void scatter_at(const Place &place, In first, In last, Map map, Out out)
{
    scatter_where(place, first, last - first, map, out, always());
}
template <class Place, class In, class Map, class Stencil, class Out,
          class Predicate = identity<>>
void scatter_if_at(const Place &place, In first, In last, Map map, Stencil s,
                   Out out, Predicate p = Predicate())
{
    scatter_where(place, first, last - first, map, out, keeps(s, p));
}

template <class Place, class A, class B>
B swap_ranges_at(const Place &place, A first, A last, B second)
{
    const auto a = bare(first);
    const auto b = bare(second);
    place.each((size_t)(last - first), [=](size_t i) {
        const iterator_value_t<A> old = *(a + i);
        *(a + i) = *(b + i);
        *(b + i) = old;
    });
    return second + (last - first);
}
template <class Place, class It>
void reverse_at(const Place &place, It first, It last)
{
    const ptrdiff_t n = last - first;
    swap_ranges_at(place, first, first + n / 2,
                   thrust::reverse_iterator<It>(last));
}
template <class Place, class In, class Out>
Out reverse_copy_at(const Place &place, In first, In last, Out out)
{
    return transform_at(place, thrust::reverse_iterator<In>(last),
                        thrust::reverse_iterator<In>(first), out, identity<>());
}
template <class Place, class In, class N, class Out>
Out uninitialized_copy_n_at(const Place &place, In first, N n, Out out)
{
    copy_items(place, first, (size_t)n, out);
    return out + n;
}
} // namespace detail

SIMGPU_THRUST(for_each)
SIMGPU_THRUST(for_each_n)
SIMGPU_THRUST(transform)
SIMGPU_THRUST(transform_if)
SIMGPU_THRUST(fill)
SIMGPU_THRUST(fill_n)
SIMGPU_THRUST(uninitialized_fill)
SIMGPU_THRUST(uninitialized_copy_n)
SIMGPU_THRUST(tabulate)
SIMGPU_THRUST(sequence)
SIMGPU_THRUST(generate)
SIMGPU_THRUST(generate_n)
SIMGPU_THRUST(replace)
SIMGPU_THRUST(replace_if)
SIMGPU_THRUST(replace_copy)
SIMGPU_THRUST(replace_copy_if)
SIMGPU_THRUST(gather)
SIMGPU_THRUST(gather_if)
SIMGPU_THRUST(scatter)
SIMGPU_THRUST(scatter_if)
SIMGPU_THRUST(swap_ranges)
SIMGPU_THRUST(reverse)
SIMGPU_THRUST(reverse_copy)

/* Without a policy, also between host and device. */
template <class In, class Out> Out copy(In first, In last, Out out)
{
    return detail::move_items(first, last, out);
}
template <class P, class In, class Out, class = detail::if_policy<P>>
Out copy(const P &policy, In first, In last, Out out)
{
    const auto n = std::distance(first, last);
    detail::copy_items(policy.place(), first, (size_t)n, out);
    return out + n;
}
template <class In, class N, class Out> Out copy_n(In first, N n, Out out)
{
    return detail::move_items(first, std::next(first, n), out);
}
template <class P, class In, class N, class Out, class = detail::if_policy<P>>
Out copy_n(const P &policy, In first, N n, Out out)
{
    return thrust::copy(policy, first, std::next(first, n), out);
}
template <class In, class Out>
Out uninitialized_copy(In first, In last, Out out)
{
    return detail::move_items(first, last, out);
}
template <class P, class In, class Out, class = detail::if_policy<P>>
Out uninitialized_copy(const P &policy, In first, In last, Out out)
{
    return thrust::copy(policy, first, last, out);
}
} // namespace thrust
#endif
