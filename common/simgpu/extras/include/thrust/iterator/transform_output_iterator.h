/* thrust/iterator/transform_output_iterator.h: f applied to what is written */
#ifndef SIMGPU_THRUST_TRANSFORM_OUTPUT_ITERATOR_H
#define SIMGPU_THRUST_TRANSFORM_OUTPUT_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
namespace detail
{
template <class F, class It> struct transformed {
    It it;
    F f;
    template <class T> const transformed &operator=(const T &x) const
    {
        *it = f(x);
        return *this;
    }
};
} // namespace detail

template <class F, class It>
class transform_output_iterator
    : public detail::facade<transform_output_iterator<F, It>,
                            detail::transformed<F, It>,
                            detail::transformed<F, It>>
{
    It it;
    F f;

  public:
    enum { system = detail::system_of<It>::value };
    transform_output_iterator(It it, F f) : it(it), f(f) {}
    const It &base() const
    {
        return it;
    }
    F functor() const
    {
        return f;
    }
    detail::transformed<F, It> dereference() const
    {
        return {it, f};
    }
    void advance(ptrdiff_t by)
    {
        it += by;
    }
    ptrdiff_t distance_to(const transform_output_iterator &other) const
    {
        return other.it - it;
    }
};
template <class F, class It>
transform_output_iterator<F, It> make_transform_output_iterator(It it, F f)
{
    return transform_output_iterator<F, It>(it, f);
}

namespace detail
{
template <class F, class It>
auto bare(const transform_output_iterator<F, It> &t)
{
    return transform_output_iterator<F, bare_type<It>>(bare(t.base()),
                                                       t.functor());
}
} // namespace detail
} // namespace thrust
#endif
