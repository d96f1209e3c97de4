/* cub/util_math.cuh: quotients, midpoints, and items per thread */
#ifndef SIMGPU_CUB_UTIL_MATH_CUH
#define SIMGPU_CUB_UTIL_MATH_CUH

#include <limits>

#include "cub/util_type.cuh"
#include "cuda/cmath"

namespace cub
{
/* n / d, rounded up. */
template <class N, class D>
constexpr auto DivideAndRoundUp(N n, D d) -> decltype(n / d)
{
    return n / d + (n % d != 0);
}
template <class T> constexpr T MidPoint(T begin, T end)
{
    return begin + (end - begin) / 2;
}

/* How many items of another size a thread handles instead of n items of 4 or 8
 * bytes; at least one. */
constexpr int Nominal4BItemsToItemsCombined(int n, int nbytes)
{
    return CUB_MIN(n, CUB_MAX(1, n * 8 / nbytes));
}
template <class T> constexpr int Nominal4BItemsToItems(int n)
{
    return CUB_MIN(n, CUB_MAX(1, n * 4 / (int)sizeof(T)));
}
template <class T> constexpr int Nominal8BItemsToItems(int n)
{
    return sizeof(T) <= 8 ? n
                          : CUB_MIN(n, CUB_MAX(1, (n * 8 + (int)sizeof(T) - 1) /
                                                      (int)sizeof(T)));
}

namespace detail
{
template <class T>
using is_integral_or_enum =
    std::integral_constant<bool, std::is_integral<T>::value ||
                                     std::is_enum<T>::value>;

/* a + b, or the largest T if that overflows. */
template <class T> T safe_add_bound_to_max(T a, T b)
{
    const T most = std::numeric_limits<T>::max();
    return b < most - a ? a + b : most;
}
} // namespace detail
} // namespace cub
#endif
