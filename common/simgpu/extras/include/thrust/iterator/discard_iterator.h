/* thrust/iterator/discard_iterator.h: drops what is written to it */
#ifndef SIMGPU_THRUST_DISCARD_ITERATOR_H
#define SIMGPU_THRUST_DISCARD_ITERATOR_H

#include "thrust/detail/facade.h"

namespace thrust
{
namespace detail
{
struct discarded {
    template <class T> const discarded &operator=(T &&) const
    {
        return *this;
    }
};
} // namespace detail

template <class System = void>
class discard_iterator
    : public detail::facade<discard_iterator<System>, detail::discarded,
                            detail::discarded>
{
    ptrdiff_t at;

  public:
    enum { system = detail::ANY_SYSTEM };
    discard_iterator(ptrdiff_t at = 0) : at(at) {}
    detail::discarded dereference() const
    {
        return detail::discarded();
    }
    void advance(ptrdiff_t by)
    {
        at += by;
    }
    ptrdiff_t distance_to(const discard_iterator &other) const
    {
        return other.at - at;
    }
};
inline discard_iterator<> make_discard_iterator(ptrdiff_t at = 0)
{
    return discard_iterator<>(at);
}
} // namespace thrust
#endif
