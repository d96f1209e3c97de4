/* cub/thread/thread_search.cuh: searches in one thread */
#ifndef SIMGPU_CUB_THREAD_SEARCH_CUH
#define SIMGPU_CUB_THREAD_SEARCH_CUH

#include "cub/util_type.cuh"

namespace cub
{
/* The point at which the merge path crosses a diagonal: how many items of a (x)
 * and of b (y) are among the first `diagonal` merged items, with those of a
 * before equal ones of b. */
template <class A, class B, class N, class Coordinate>
void MergePathSearch(N diagonal, A a, B b, N na, N nb, Coordinate &at)
{
    N low = diagonal > nb ? diagonal - nb : 0;
    N high = diagonal < na ? diagonal : na;
    while (low < high) {
        const N middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - middle - 1])
            low = middle + 1;
        else
            high = middle;
    }
    at.x = low < na ? low : na;
    at.y = diagonal - low;
}

/* The index of the first of n sorted items that is not less than x, or that is
 * greater than x. */
template <class It, class N, class T> N LowerBound(It first, N n, T x)
{
    N at = 0;
    while (n > 0) {
        const N half = n / 2;
        const bool behind = first[at + half] < x;
        at = behind ? at + half + 1 : at;
        n = behind ? n - half - 1 : half;
    }
    return at;
}
template <class It, class N, class T> N UpperBound(It first, N n, T x)
{
    N at = 0;
    while (n > 0) {
        const N half = n / 2;
        const bool behind = !(x < first[at + half]);
        at = behind ? at + half + 1 : at;
        n = behind ? n - half - 1 : half;
    }
    return at;
}
} // namespace cub
#endif
