/* thrust/iterator/transform_iterator.h: f applied to each element */
#ifndef SIMGPU_THRUST_TRANSFORM_ITERATOR_H
#define SIMGPU_THRUST_TRANSFORM_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
namespace detail
{
struct use_default {
};
template <class A, class B>
using default_to =
    std::conditional_t<std::is_same<A, use_default>::value, B, A>;
template <class F, class It>
using result_of_each =
    decltype(std::declval<F &>()(*std::declval<const It &>()));
} // namespace detail
using detail::use_default;

template <class F, class It, class Reference = use_default,
          class Value = use_default>
class transform_iterator
    : public detail::facade<
          transform_iterator<F, It, Reference, Value>,
          detail::default_to<Value,
                             std::decay_t<detail::default_to<
                                 Reference, detail::result_of_each<F, It>>>>,
          detail::default_to<Reference, detail::result_of_each<F, It>>>
{
    It it;
    mutable F f;

  public:
    enum { system = detail::system_of<It>::value };
    transform_iterator() = default;
    transform_iterator(It it, F f) : it(it), f(f) {}
    explicit transform_iterator(It it) : it(it), f() {}
    const It &base() const
    {
        return it;
    }
    F functor() const
    {
        return f;
    }
    typename transform_iterator::reference dereference() const
    {
        return f(*it);
    }
    void advance(ptrdiff_t by)
    {
        it += by;
    }
    ptrdiff_t distance_to(const transform_iterator &other) const
    {
        return other.it - it;
    }
};
template <class F, class It>
transform_iterator<F, It> make_transform_iterator(It it, F f)
{
    return transform_iterator<F, It>(it, f);
}

namespace detail
{
template <class F, class It, class R, class V>
auto bare(const transform_iterator<F, It, R, V> &t)
{
    return transform_iterator<F, bare_type<It>, R, V>(bare(t.base()),
                                                      t.functor());
}
} // namespace detail
} // namespace thrust
#endif
