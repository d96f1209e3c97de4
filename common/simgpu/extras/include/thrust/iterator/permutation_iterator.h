/* thrust/iterator/permutation_iterator.h: elements selected by indices */
#ifndef SIMGPU_THRUST_PERMUTATION_ITERATOR_H
#define SIMGPU_THRUST_PERMUTATION_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
template <class It, class Index>
class permutation_iterator
    : public detail::facade<permutation_iterator<It, Index>,
                            iterator_value_t<It>, iterator_reference_t<It>>
{
    It it;
    Index index;

  public:
    enum { system = detail::highest_system<It, Index>() };
    permutation_iterator() = default;
    permutation_iterator(It it, Index index) : it(it), index(index) {}
    const It &elements() const
    {
        return it;
    }
    const Index &base() const
    {
        return index;
    }
    iterator_reference_t<It> dereference() const
    {
        return it[(ptrdiff_t)*index];
    }
    void advance(ptrdiff_t by)
    {
        index += by;
    }
    ptrdiff_t distance_to(const permutation_iterator &other) const
    {
        return other.index - index;
    }
};
template <class It, class Index>
permutation_iterator<It, Index> make_permutation_iterator(It it, Index index)
{
    return permutation_iterator<It, Index>(it, index);
}

namespace detail
{
template <class It, class Index>
auto bare(const permutation_iterator<It, Index> &p)
{
    return permutation_iterator<bare_type<It>, bare_type<Index>>(
        bare(p.elements()), bare(p.base()));
}
} // namespace detail
} // namespace thrust
#endif
