/*
 * facade.h: a random-access iterator made from three functions
 *
 * Derived has dereference(), advance(n) and distance_to(other).
 */
#ifndef SIMGPU_THRUST_FACADE_H
#define SIMGPU_THRUST_FACADE_H

#include <cstddef>
#include <iterator>

#include "thrust/detail/system.h"
#include "thrust/distance.h"

namespace thrust
{
namespace detail
{
template <class Derived, class Value, class Reference> struct facade {
    typedef Value value_type;
    typedef Reference reference;
    typedef ptrdiff_t difference_type;
    typedef std::remove_reference_t<Reference> *pointer;
    typedef std::random_access_iterator_tag iterator_category;

    const Derived &self() const
    {
        return static_cast<const Derived &>(*this);
    }
    Derived &self()
    {
        return static_cast<Derived &>(*this);
    }
    Reference operator*() const
    {
        return self().dereference();
    }
    Reference operator[](ptrdiff_t n) const
    {
        return *(self() + n);
    }
    Derived &operator+=(ptrdiff_t n)
    {
        self().advance(n);
        return self();
    }
    Derived &operator-=(ptrdiff_t n)
    {
        return *this += -n;
    }
    Derived &operator++()
    {
        return *this += 1;
    }
    Derived &operator--()
    {
        return *this += -1;
    }
    Derived operator++(int)
    {
        Derived old = self();
        ++*this;
        return old;
    }
    Derived operator--(int)
    {
        Derived old = self();
        --*this;
        return old;
    }
    friend Derived operator+(Derived it, ptrdiff_t n)
    {
        it.advance(n);
        return it;
    }
    friend Derived operator+(ptrdiff_t n, Derived it)
    {
        it.advance(n);
        return it;
    }
    friend Derived operator-(Derived it, ptrdiff_t n)
    {
        it.advance(-n);
        return it;
    }
    friend ptrdiff_t operator-(const Derived &a, const Derived &b)
    {
        return b.distance_to(a);
    }
#define SIMGPU_COMPARE(op)                                                     \
    friend bool operator op(const Derived &a, const Derived &b)                \
    {                                                                          \
        return b.distance_to(a) op 0;                                          \
    }
    SIMGPU_COMPARE(==)
    SIMGPU_COMPARE(!=)
    SIMGPU_COMPARE(<)
    SIMGPU_COMPARE(<=)
    SIMGPU_COMPARE(>)
    SIMGPU_COMPARE(>=)
#undef SIMGPU_COMPARE
};

/* The form of an iterator that kernels get: device
 * pointers become plain ones. */
template <class It> It bare(It it)
{
    return it;
}
template <class It>
using bare_type = decltype(bare(std::declval<std::decay_t<It>>()));
} // namespace detail

template <class It>
using iterator_value_t = typename std::iterator_traits<It>::value_type;
template <class It>
using iterator_difference_t =
    typename std::iterator_traits<It>::difference_type;
template <class It> struct iterator_difference {
    typedef iterator_difference_t<It> type;
};
template <class It>
using iterator_reference_t = typename std::iterator_traits<It>::reference;
using std::iterator_traits;
using std::swap; // for pointers
} // namespace thrust
#endif
