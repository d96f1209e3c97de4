/* thrust/iterator/constant_iterator.h: a value, repeated */
#ifndef SIMGPU_THRUST_CONSTANT_ITERATOR_H
#define SIMGPU_THRUST_CONSTANT_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
template <class T, class Difference = void, class System = void>
class constant_iterator
    : public detail::facade<constant_iterator<T, Difference, System>, T, T>
{
    T v = T();
    ptrdiff_t at = 0;

  public:
    enum { system = detail::ANY_SYSTEM };
    constant_iterator() = default;
    constant_iterator(T v, ptrdiff_t at = 0) : v(v), at(at) {}
    const T &value() const
    {
        return v;
    }
    T dereference() const
    {
        return v;
    }
    void advance(ptrdiff_t by)
    {
        at += by;
    }
    ptrdiff_t distance_to(const constant_iterator &other) const
    {
        return other.at - at;
    }
};
template <class T>
constant_iterator<T> make_constant_iterator(T v, ptrdiff_t at = 0)
{
    return constant_iterator<T>(v, at);
}
} // namespace thrust
#endif
