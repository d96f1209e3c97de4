/* thrust/iterator/reverse_iterator.h: a range from its end to its start */
#ifndef SIMGPU_THRUST_REVERSE_ITERATOR_H
#define SIMGPU_THRUST_REVERSE_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
template <class It>
class reverse_iterator
    : public detail::facade<reverse_iterator<It>, iterator_value_t<It>,
                            iterator_reference_t<It>>
{
    It it; // one past the element

  public:
    enum { system = detail::system_of<It>::value };
    reverse_iterator() = default;
    explicit reverse_iterator(It it) : it(it) {}
    const It &base() const
    {
        return it;
    }
    iterator_reference_t<It> dereference() const
    {
        return *(it - 1);
    }
    void advance(ptrdiff_t by)
    {
        it -= by;
    }
    ptrdiff_t distance_to(const reverse_iterator &other) const
    {
        return it - other.it;
    }
};
template <class It> reverse_iterator<It> make_reverse_iterator(It it)
{
    return reverse_iterator<It>(it);
}

namespace detail
{
template <class It> auto bare(const reverse_iterator<It> &r)
{
    return reverse_iterator<bare_type<It>>(bare(r.base()));
}
} // namespace detail
} // namespace thrust
#endif
