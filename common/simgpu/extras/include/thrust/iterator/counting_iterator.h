/* thrust/iterator/counting_iterator.h: n, n + 1, ... */
#ifndef SIMGPU_THRUST_COUNTING_ITERATOR_H
#define SIMGPU_THRUST_COUNTING_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
template <class T, class System = void, class Traversal = void,
          class Difference = void>
class counting_iterator
    : public detail::facade<counting_iterator<T, System, Traversal, Difference>,
                            T, T>
{
    T n = T();

  public:
    enum { system = detail::ANY_SYSTEM };
    counting_iterator() = default;
    explicit counting_iterator(T n) : n(n) {}
    const T &base() const
    {
        return n;
    }
    T dereference() const
    {
        return n;
    }
    void advance(ptrdiff_t by)
    {
        n = (T)(n + by);
    }
    ptrdiff_t distance_to(const counting_iterator &other) const
    {
        return (ptrdiff_t)(other.n - n);
    }
};
template <class T> counting_iterator<T> make_counting_iterator(T n)
{
    return counting_iterator<T>(n);
}
} // namespace thrust
#endif
