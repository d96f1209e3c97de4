/* thrust/functional.h: function objects, and placeholders for lambdas */
#ifndef SIMGPU_THRUST_FUNCTIONAL_H
#define SIMGPU_THRUST_FUNCTIONAL_H

#include <functional>
#include <tuple>

#include "cuda/functional"

namespace thrust
{
using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;
template <class T = void> using maximum = ::cuda::maximum<T>;
template <class T = void> using minimum = ::cuda::minimum<T>;

template <class T = void> struct identity {
    const T &operator()(const T &x) const
    {
        return x;
    }
};
template <> struct identity<void> {
    template <class T> T &&operator()(T &&x) const
    {
        return std::forward<T>(x);
    }
};
template <class T> struct square {
    T operator()(const T &x) const
    {
        return x * x;
    }
};
template <class A, class B = A> struct project1st {
    A operator()(const A &a, const B &) const
    {
        return a;
    }
};
template <class A, class B = A> struct project2nd {
    B operator()(const A &, const B &b) const
    {
        return b;
    }
};
/* For programs written for Thrust before 3.0. */
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};

template <class F> struct unary_negate {
    F f;
    template <class A> bool operator()(const A &a) const
    {
        return !f(a);
    }
};
template <class F> struct binary_negate {
    F f;
    template <class A, class B> bool operator()(const A &a, const B &b) const
    {
        return !f(a, b);
    }
};
template <class F> unary_negate<F> not1(F f)
{
    return {f};
}
template <class F> binary_negate<F> not2(F f)
{
    return {f};
}
template <class F> unary_negate<F> not_fn(F f)
{
    return {f};
}

/* ---- placeholders: _1 + 2 * _2 ------------------------------------------- */

namespace detail
{
/* An expression with placeholders: f(arguments...). */
template <class F> struct expression {
    F f;
    template <class... A> auto operator()(const A &...a) const
    {
        return f(std::tuple<const A &...>(a...));
    }
};
template <size_t I> struct argument {
    template <class Tuple> auto operator()(const Tuple &t) const
    {
        return std::get<I>(t);
    }
};
/* The value of f for the arguments t, where f is an
 * expression or a constant. */
template <class F, class Tuple>
auto value_of(const expression<F> &e, const Tuple &t)
{
    return e.f(t);
}
template <class T, class Tuple> T value_of(const T &value, const Tuple &)
{
    return value;
}
template <class Op, class A, class B> struct applied {
    A a;
    B b;
    template <class Tuple> auto operator()(const Tuple &t) const
    {
        return Op()(value_of(a, t), value_of(b, t));
    }
};
template <class A> struct is_expression : std::false_type {
};
template <class F> struct is_expression<expression<F>> : std::true_type {
};
template <class A, class B>
using if_expression =
    std::enable_if_t<is_expression<A>::value || is_expression<B>::value>;
template <class Op, class A, class B>
expression<applied<Op, A, B>> apply_to(A a, B b)
{
    return {{a, b}};
}

#define SIMGPU_PLACE(op, name)                                                 \
    template <class A, class B, class = if_expression<A, B>>                   \
    auto operator op(A a, B b)                                                 \
    {                                                                          \
        return apply_to<std::name<>>(a, b);                                    \
    }
SIMGPU_PLACE(+, plus)
SIMGPU_PLACE(-, minus)
SIMGPU_PLACE(*, multiplies)
SIMGPU_PLACE(/, divides)
SIMGPU_PLACE(%, modulus)
SIMGPU_PLACE(==, equal_to)
SIMGPU_PLACE(!=, not_equal_to)
SIMGPU_PLACE(<, less)
SIMGPU_PLACE(<=, less_equal)
SIMGPU_PLACE(>, greater)
SIMGPU_PLACE(>=, greater_equal)
SIMGPU_PLACE(&&, logical_and)
SIMGPU_PLACE(||, logical_or)
SIMGPU_PLACE(&, bit_and)
SIMGPU_PLACE(|, bit_or)
SIMGPU_PLACE(^, bit_xor)
#undef SIMGPU_PLACE
template <class F> auto operator-(expression<F> e)
{
    return apply_to<std::minus<>>(0, e);
}
template <class F> auto operator!(expression<F> e)
{
    return apply_to<std::equal_to<>>(e, false);
}
} // namespace detail

namespace placeholders
{
static const detail::expression<detail::argument<0>> _1;
static const detail::expression<detail::argument<1>> _2;
static const detail::expression<detail::argument<2>> _3;
static const detail::expression<detail::argument<3>> _4;
} // namespace placeholders
} // namespace thrust
#endif
