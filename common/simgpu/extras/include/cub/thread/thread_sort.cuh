/* cub/thread/thread_sort.cuh: sorting a thread's items */
#ifndef SIMGPU_CUB_THREAD_SORT_CUH
#define SIMGPU_CUB_THREAD_SORT_CUH

#include "cub/util_type.cuh"

namespace cub
{
/* Value is NullType for keys without values. */
template <class Key, class Value, class Less, int I>
void StableOddEvenSort(Key (&keys)[I], Value (&values)[I], Less less)
{
    for (int i = 1; i < I; i++)
        for (int at = i; at > 0 && less(keys[at], keys[at - 1]); at--) {
            std::swap(keys[at], keys[at - 1]);
            std::swap(values[at], values[at - 1]);
        }
}
} // namespace cub
#endif
