/*
 * cub/iterator/iterators.cuh: CUB's iterators, on Thrust's
 */
#ifndef SIMGPU_CUB_ITERATORS_CUH
#define SIMGPU_CUB_ITERATORS_CUH

#include "cub/util_type.cuh"
#include "thrust/iterator/constant_iterator.h"
#include "thrust/iterator/counting_iterator.h"
#include "thrust/iterator/discard_iterator.h"
#include "thrust/iterator/transform_iterator.h"

namespace cub
{
enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
enum CacheStoreModifier {
    STORE_DEFAULT,
    STORE_WB,
    STORE_CG,
    STORE_CS,
    STORE_WT,
    STORE_VOLATILE
};
template <CacheLoadModifier, class It> detail::value_t<It> ThreadLoad(It from)
{
    return *from;
}
template <CacheStoreModifier, class It, class T> void ThreadStore(It to, T x)
{
    *to = x;
}

template <class T, class Offset = ptrdiff_t>
using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Offset = ptrdiff_t>
using ConstantInputIterator = thrust::constant_iterator<T>;
template <class Offset = ptrdiff_t>
using DiscardOutputIterator = thrust::discard_iterator<>;

template <class Value, class F, class It, class Offset = ptrdiff_t>
struct TransformInputIterator
    : thrust::transform_iterator<F, It, Value, Value> {
    TransformInputIterator(It it, F f)
        : thrust::transform_iterator<F, It, Value, Value>(it, f)
    {
    }
};

/* simgpu models no caches, so this is a pointer. */
template <CacheLoadModifier, class T, class Offset = ptrdiff_t>
using CacheModifiedInputIterator = const T *;

/* Pairs of i and item i. */
template <class It, class Offset = ptrdiff_t, class Value = detail::value_t<It>>
class ArgIndexInputIterator
    : public thrust::detail::facade<ArgIndexInputIterator<It, Offset, Value>,
                                    KeyValuePair<Offset, Value>,
                                    KeyValuePair<Offset, Value>>
{
    It it;
    Offset at = 0;

  public:
    explicit ArgIndexInputIterator(It it, Offset at = 0) : it(it), at(at) {}
    KeyValuePair<Offset, Value> dereference() const
    {
        return KeyValuePair<Offset, Value>(at, (Value)it[at]);
    }
    void advance(ptrdiff_t by)
    {
        at = (Offset)(at + by);
    }
    ptrdiff_t distance_to(const ArgIndexInputIterator &other) const
    {
        return (ptrdiff_t)(other.at - at);
    }
};
} // namespace cub
#endif
