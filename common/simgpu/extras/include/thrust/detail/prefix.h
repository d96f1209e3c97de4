/* prefix.h: scans, differences, and algorithms on runs of equal keys */
#ifndef SIMGPU_THRUST_PREFIX_H
#define SIMGPU_THRUST_PREFIX_H

#include "thrust/detail/move.h"
#include "thrust/execution_policy.h"
#include "thrust/functional.h"
#include "thrust/iterator/transform_iterator.h"
#include "thrust/pair.h"

namespace thrust
{
namespace detail
{
template <class Place, class In, class Out, class Op = std::plus<>>
std::enable_if_t<!std::is_arithmetic<Op>::value, Out>
inclusive_scan_at(const Place &place, In first, In last, Out out, Op op = Op())
{
    const auto from = bare(first);
    const auto to = bare(out);
    const size_t n = (size_t)(last - first);
    place.once(
        [=] { simgpu::scan_inclusive<iterator_value_t<In>>(from, n, to, op); });
    return out + (last - first);
}
template <class Place, class In, class Out, class T, class Op>
Out inclusive_scan_at(const Place &place, In first, In last, Out out, T init,
                      Op op)
{
    const auto from = bare(first);
    const auto to = bare(out);
    const size_t n = (size_t)(last - first);
    place.once([=] { simgpu::scan_inclusive_from(from, n, to, init, op); });
    return out + (last - first);
}
template <class Place, class In, class Out, class T, class Op = std::plus<>>
Out exclusive_scan_at(const Place &place, In first, In last, Out out, T init,
                      Op op = Op())
{
    const auto from = bare(first);
    const auto to = bare(out);
    const size_t n = (size_t)(last - first);
    place.once([=] { simgpu::scan_exclusive(from, n, to, init, op); });
    return out + (last - first);
}
template <class Place, class In, class Out>
Out exclusive_scan_at(const Place &place, In first, In last, Out out)
{
    return exclusive_scan_at(place, first, last, out, iterator_value_t<In>(0));
}
template <class Place, class In, class Out, class F, class Op>
Out transform_inclusive_scan_at(const Place &place, In first, In last, Out out,
                                F f, Op op)
{
    return inclusive_scan_at(place, make_transform_iterator(first, f),
                             make_transform_iterator(last, f), out, op);
}
template <class Place, class In, class Out, class F, class T, class Op>
Out transform_exclusive_scan_at(const Place &place, In first, In last, Out out,
                                F f, T init, Op op)
{
    return exclusive_scan_at(place, make_transform_iterator(first, f),
                             make_transform_iterator(last, f), out, init, op);
}

template <class Place, class In, class Out, class Op = std::minus<>>
Out adjacent_difference_at(const Place &place, In first, In last, Out out,
                           Op op = Op())
{
    const auto from = bare(first);
    const auto to = bare(out);
    const ptrdiff_t n = last - first;
    place.once([=]() mutable {
        if (n == 0)
            return;
        iterator_value_t<In> before = *from;
        *to = before;
        for (ptrdiff_t i = 1; i < n; i++) {
            const iterator_value_t<In> now = *(from + i);
            *(to + i) = op(now, before);
            before = now;
        }
    });
    return out + n;
}

/* ---- runs of equal keys -------------------------------------------------- */

template <class Place, class K, class V, class KOut, class VOut,
          class Equal = std::equal_to<>, class Op = std::plus<>>
pair<KOut, VOut> reduce_by_key_at(const Place &place, K first, K last, V values,
                                  KOut kout, VOut vout, Equal same = Equal(),
                                  Op op = Op())
{
    const auto keys = bare(first);
    const auto from = bare(values);
    const auto kto = bare(kout);
    const auto vto = bare(vout);
    const ptrdiff_t n = last - first;
    const ptrdiff_t runs = place.ask([=]() mutable {
        ptrdiff_t run = 0;
        for (ptrdiff_t i = 0; i < n; run++) {
            const iterator_value_t<K> key = *(keys + i);
            iterator_value_t<V> sum = *(from + i);
            while (++i < n && same(key, *(keys + i)))
                sum = op(sum, *(from + i));
            *(kto + run) = key;
            *(vto + run) = sum;
        }
        return run;
    });
    return pair<KOut, VOut>(kout + runs, vout + runs);
}

template <class Place, class K, class V, class Out,
          class Equal = std::equal_to<>, class Op = std::plus<>>
Out inclusive_scan_by_key_at(const Place &place, K first, K last, V values,
                             Out out, Equal same = Equal(), Op op = Op())
{
    const auto keys = bare(first);
    const auto from = bare(values);
    const auto to = bare(out);
    const ptrdiff_t n = last - first;
    place.once([=]() mutable {
        for (ptrdiff_t i = 0; i < n;) {
            const ptrdiff_t begin = i;
            iterator_value_t<V> sum = *(from + i);
            *(to + i) = sum;
            while (++i < n && same(*(keys + begin), *(keys + i))) {
                sum = op(sum, *(from + i));
                *(to + i) = sum;
            }
        }
    });
    return out + n;
}
template <class Place, class K, class V, class Out, class T,
          class Equal = std::equal_to<>, class Op = std::plus<>>
Out exclusive_scan_by_key_at(const Place &place, K first, K last, V values,
                             Out out, T init, Equal same = Equal(),
                             Op op = Op())
{
    const auto keys = bare(first);
    const auto from = bare(values);
    const auto to = bare(out);
    const ptrdiff_t n = last - first;
    place.once([=]() mutable {
        for (ptrdiff_t i = 0; i < n;) {
            const ptrdiff_t begin = i;
            T sum = init;
            do {
                const T next = op(sum, *(from + i));
                *(to + i) = sum;
                sum = next;
            } while (++i < n && same(*(keys + begin), *(keys + i)));
        }
    });
    return out + n;
}
template <class Place, class K, class V, class Out>
Out exclusive_scan_by_key_at(const Place &place, K first, K last, V values,
                             Out out)
{
    return exclusive_scan_by_key_at(place, first, last, values, out,
                                    iterator_value_t<V>(0));
}
} // namespace detail

SIMGPU_THRUST(inclusive_scan)
SIMGPU_THRUST(exclusive_scan)
SIMGPU_THRUST(transform_inclusive_scan)
SIMGPU_THRUST(transform_exclusive_scan)
SIMGPU_THRUST(adjacent_difference)
SIMGPU_THRUST(reduce_by_key)
SIMGPU_THRUST(inclusive_scan_by_key)
SIMGPU_THRUST(exclusive_scan_by_key)
} // namespace thrust
#endif
