/*
 * pointer.h: pointers to device memory
 *
 * Dereferencing one in host code copies the element; device code accesses the
 * element in place.
 */
#ifndef SIMGPU_THRUST_POINTER_H
#define SIMGPU_THRUST_POINTER_H

#include <iosfwd>

#include "thrust/detail/facade.h"

namespace thrust
{
template <class T> class device_reference;

namespace detail
{
template <class T> struct element_of {
    typedef device_reference<T> reference;
    static reference at(T *p)
    {
        return reference(p);
    }
};
template <> struct element_of<void> { // has no element
    typedef char reference;
    static reference at(void *)
    {
        return 0;
    }
};
} // namespace detail

template <class T>
class device_ptr
    : public detail::facade<device_ptr<T>, std::remove_cv_t<T>,
                            typename detail::element_of<T>::reference>
{
    T *p = nullptr;

  public:
    enum { system = detail::DEVICE_SYSTEM };
    typedef T element_type;

    device_ptr() = default;
    device_ptr(std::nullptr_t) {}
    explicit device_ptr(T *p) : p(p) {}
    template <class U,
              class = std::enable_if_t<std::is_convertible<U *, T *>::value>>
    device_ptr(const device_ptr<U> &other) : p(other.get())
    {
    }
    T *get() const
    {
        return p;
    }
    explicit operator bool() const
    {
        return p != nullptr;
    }
    typename detail::element_of<T>::reference dereference() const
    {
        return detail::element_of<T>::at(p);
    }
    void advance(ptrdiff_t n)
    {
        p += n;
    }
    ptrdiff_t distance_to(const device_ptr &other) const
    {
        return other.p - p;
    }
    template <class U>
    friend ptrdiff_t operator-(const device_ptr &a, const device_ptr<U> &b)
    {
        return a.p - b.get();
    }
    template <class U>
    friend bool operator!=(const device_ptr &a, const device_ptr<U> &b)
    {
        return a.p != b.get();
    }
    template <class U>
    friend bool operator==(const device_ptr &a, const device_ptr<U> &b)
    {
        return a.p == b.get();
    }
};

template <class T> class device_reference
{
    T *p;
    typedef std::remove_cv_t<T> value;

    value load() const
    {
        if (!simgpu::in_host_code())
            return *p;
        alignas(value) char bytes[sizeof(value)];
        detail::must(
            cudaMemcpy(bytes, (const void *)p, sizeof(T), cudaMemcpyDefault),
            "reading an element");
        return *(value *)(void *)bytes;
    }
    void store(const value &v) const
    {
        if (!simgpu::in_host_code())
            *p = v;
        else
            detail::must(cudaMemcpy((void *)p, (const void *)&v, sizeof(T),
                                    cudaMemcpyDefault),
                         "writing an element");
    }

  public:
    typedef value value_type;
    typedef device_ptr<T> pointer;

    explicit device_reference(T *p) : p(p) {}
    explicit device_reference(const device_ptr<T> &p) : p(p.get()) {}
    device_reference(const device_reference &) = default;
    operator value() const
    {
        return load();
    }
    device_ptr<T> operator&() const
    {
        return device_ptr<T>(p);
    }
    const device_reference &operator=(const value &v) const
    {
        store(v);
        return *this;
    }
    const device_reference &operator=(const device_reference &other) const
    {
        store(other.load());
        return *this;
    }
    template <class U>
    const device_reference &operator=(const device_reference<U> &other) const
    {
        store((value)(typename device_reference<U>::value_type)other);
        return *this;
    }
#define SIMGPU_UPDATE(op)                                                      \
    const device_reference &operator op##=(const value &v) const               \
    {                                                                          \
        store(load() op v);                                                    \
        return *this;                                                          \
    }
    SIMGPU_UPDATE(+)
    SIMGPU_UPDATE(-)
    SIMGPU_UPDATE(*)
    SIMGPU_UPDATE(/)
    SIMGPU_UPDATE(%)
    SIMGPU_UPDATE(&)
    SIMGPU_UPDATE(|)
    SIMGPU_UPDATE(^)
    SIMGPU_UPDATE(<<)
    SIMGPU_UPDATE(>>)
#undef SIMGPU_UPDATE
    const device_reference &operator++() const
    {
        store(load() + 1);
        return *this;
    }
    const device_reference &operator--() const
    {
        store(load() - 1);
        return *this;
    }
    value operator++(int) const
    {
        const value old = load();
        store(old + 1);
        return old;
    }
    value operator--(int) const
    {
        const value old = load();
        store(old - 1);
        return old;
    }
    friend void swap(const device_reference &a, const device_reference &b)
    {
        const value old = a.load();
        a = b;
        b = old;
    }
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits> &
    operator<<(std::basic_ostream<Char, Traits> &to, const device_reference &r)
    {
        return to << r.load();
    }
};

template <class T> T *raw_pointer_cast(T *p)
{
    return p;
}
template <class T> T *raw_pointer_cast(const device_ptr<T> &p)
{
    return p.get();
}
template <class T> T &raw_reference_cast(const device_reference<T> &r)
{
    return *(&r).get();
}
template <class T> T &raw_reference_cast(T &r)
{
    return r;
}
template <class T> device_ptr<T> device_pointer_cast(T *p)
{
    return device_ptr<T>(p);
}
template <class T> device_ptr<T> device_pointer_cast(const device_ptr<T> &p)
{
    return p;
}

namespace detail
{
template <class T> T *bare(const device_ptr<T> &p)
{
    return p.get();
}
} // namespace detail
} // namespace thrust
#endif
