/* select.h: algorithms that keep some of the elements */
#ifndef SIMGPU_THRUST_SELECT_H
#define SIMGPU_THRUST_SELECT_H

#include <algorithm>

#include "thrust/detail/map.h"
#include "thrust/pair.h"

namespace thrust
{
namespace detail
{
/* Keep the elements with keep(i), in order; may work in place. */
template <class Place, class In, class Out, class Keep>
Out keep_if(const Place &place, In first, ptrdiff_t n, Out out, Keep keep)
{
    const auto from = bare(first);
    const auto to = bare(out);
    return out + place.ask([=]() mutable {
        ptrdiff_t kept = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            if (keep((size_t)i)) {
                *(to + kept) = *(from + i);
                kept++;
            }
        return kept;
    });
}

template <class Place, class In, class Out, class Predicate>
Out copy_if_at(const Place &place, In first, In last, Out out, Predicate p)
{
    return keep_if(place, first, last - first, out, keeps(first, p));
}
template <class Place, class In, class Stencil, class Out, class Predicate>
Out copy_if_at(const Place &place, In first, In last, Stencil s, Out out,
               Predicate p)
{
    return keep_if(place, first, last - first, out, keeps(s, p));
}
template <class Place, class It, class Predicate>
It remove_if_at(const Place &place, It first, It last, Predicate p)
{
    return keep_if(place, first, last - first, first, keeps(first, not_fn(p)));
}
template <class Place, class It, class Stencil, class Predicate>
It remove_if_at(const Place &place, It first, It last, Stencil s, Predicate p)
{
    return keep_if(place, first, last - first, first, keeps(s, not_fn(p)));
}
template <class Place, class In, class Out, class Predicate>
Out remove_copy_if_at(const Place &place, In first, In last, Out out,
                      Predicate p)
{
    return keep_if(place, first, last - first, out, keeps(first, not_fn(p)));
}
template <class Place, class In, class Stencil, class Out, class Predicate>
Out remove_copy_if_at(const Place &place, In first, In last, Stencil s, Out out,
                      Predicate p)
{
    return keep_if(place, first, last - first, out, keeps(s, not_fn(p)));
}
template <class Place, class It, class T>
It remove_at(const Place &place, It first, It last, const T &value)
{
    return remove_if_at(place, first, last,
                        equals<iterator_value_t<It>>(value));
}
template <class Place, class In, class Out, class T>
Out remove_copy_at(const Place &place, In first, In last, Out out,
                   const T &value)
{
    return remove_copy_if_at(place, first, last, out,
                             equals<iterator_value_t<In>>(value));
}

/* Keep the first of each run of equal keys, with its value. */
template <class Place, class K, class V, class KOut, class VOut, class Equal>
ptrdiff_t keep_runs(const Place &place, K first, ptrdiff_t n, V values,
                    KOut kout, VOut vout, Equal same)
{
    const auto keys = bare(first);
    const auto from = bare(values);
    const auto kto = bare(kout);
    const auto vto = bare(vout);
    return place.ask([=]() mutable {
        ptrdiff_t run = 0;
        for (ptrdiff_t i = 0; i < n; run++) {
            const iterator_value_t<K> key = *(keys + i);
            *(kto + run) = key;
            *(vto + run) = *(from + i);
            while (++i < n && same(key, *(keys + i)))
                ;
        }
        return run;
    });
}
struct no_output { /* stands for the output of values that keys don't have */
    template <class I> no_output operator+(I) const
    {
        return *this;
    }
    no_output operator*() const
    {
        return *this;
    }
};
template <class Place, class In, class Out, class Equal = std::equal_to<>>
Out unique_copy_at(const Place &place, In first, In last, Out out,
                   Equal same = Equal())
{
    return out + keep_runs(place, first, last - first, no_output(), out,
                           no_output(), same);
}
template <class Place, class It, class Equal = std::equal_to<>>
It unique_at(const Place &place, It first, It last, Equal same = Equal())
{
    return unique_copy_at(place, first, last, first, same);
}
template <class Place, class K, class V, class KOut, class VOut,
          class Equal = std::equal_to<>>
pair<KOut, VOut> unique_by_key_copy_at(const Place &place, K first, K last,
                                       V values, KOut kout, VOut vout,
                                       Equal same = Equal())
{
    const ptrdiff_t n =
        keep_runs(place, first, last - first, values, kout, vout, same);
    return pair<KOut, VOut>(kout + n, vout + n);
}
template <class Place, class K, class V, class Equal = std::equal_to<>>
pair<K, V> unique_by_key_at(const Place &place, K first, K last, V values,
                            Equal same = Equal())
{
    return unique_by_key_copy_at(place, first, last, values, first, values,
                                 same);
}

/* Move elements with keep(i) to `yes` and the others to `no`, both in order. */
template <class Place, class In, class Yes, class No, class Keep>
pair<Yes, No> divide(const Place &place, In first, ptrdiff_t n, Yes yes, No no,
                     Keep keep)
{
    const auto from = bare(first);
    const auto y = bare(yes);
    const auto o = bare(no);
    const ptrdiff_t kept = place.ask([=]() mutable {
        ptrdiff_t count = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            if (keep((size_t)i)) {
                *(y + count) = *(from + i);
                count++;
            } else {
                *(o + (i - count)) = *(from + i);
            }
        return count;
    });
    return pair<Yes, No>(yes + kept, no + (n - kept));
}
template <class Place, class In, class Yes, class No, class Predicate>
pair<Yes, No> partition_copy_at(const Place &place, In first, In last, Yes yes,
                                No no, Predicate p)
{
    return divide(place, first, last - first, yes, no, keeps(first, p));
}
template <class It, class Predicate>
It stable_partition_at(const host_place &, It first, It last, Predicate p)
{
    return std::stable_partition(first, last, p);
}
template <class It, class Predicate>
It stable_partition_at(const device_place &place, It first, It last,
                       Predicate p)
{
    const ptrdiff_t n = last - first;
    temporary<iterator_value_t<It>> no(place.stream, (size_t)n);
    const auto ends = divide(place, first, n, first, no.p, keeps(first, p));
    copy_items(place, no.p, (size_t)(ends.second - no.p), ends.first);
    return ends.first;
}
template <class Place, class It, class Predicate>
It partition_at(const Place &place, It first, It last, Predicate p)
{
    return stable_partition_at(place, first, last, p);
}
} // namespace detail

SIMGPU_THRUST(copy_if)
SIMGPU_THRUST(remove)
SIMGPU_THRUST(remove_if)
SIMGPU_THRUST(remove_copy)
SIMGPU_THRUST(remove_copy_if)
SIMGPU_THRUST(unique)
SIMGPU_THRUST(unique_copy)
SIMGPU_THRUST(unique_by_key)
SIMGPU_THRUST(unique_by_key_copy)
SIMGPU_THRUST(partition)
SIMGPU_THRUST(partition_copy)
SIMGPU_THRUST(stable_partition)
} // namespace thrust
#endif
