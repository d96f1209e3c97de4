/* universal.h: pointers to managed memory, for host and device */
#ifndef SIMGPU_THRUST_UNIVERSAL_H
#define SIMGPU_THRUST_UNIVERSAL_H

#include "thrust/detail/facade.h"

namespace thrust
{
template <class T>
class universal_ptr
    : public detail::facade<universal_ptr<T>, std::remove_cv_t<T>, T &>
{
    T *p = nullptr;

  public:
    enum { system = detail::DEVICE_SYSTEM };
    typedef T element_type;

    universal_ptr() = default;
    explicit universal_ptr(T *p) : p(p) {}
    template <class U,
              class = std::enable_if_t<std::is_convertible<U *, T *>::value>>
    universal_ptr(const universal_ptr<U> &other) : p(other.get())
    {
    }
    T *get() const
    {
        return p;
    }
    T *operator->() const
    {
        return p;
    }
    T &dereference() const
    {
        return *p;
    }
    void advance(ptrdiff_t n)
    {
        p += n;
    }
    ptrdiff_t distance_to(const universal_ptr &other) const
    {
        return other.p - p;
    }
};
template <class T> T *raw_pointer_cast(const universal_ptr<T> &p)
{
    return p.get();
}

namespace detail
{
template <class T> T *bare(const universal_ptr<T> &p)
{
    return p.get();
}
} // namespace detail
} // namespace thrust
#endif
