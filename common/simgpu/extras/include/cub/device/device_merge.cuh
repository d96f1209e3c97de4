/* cub/device/device_merge.cuh: merging two sorted arrays */
#ifndef SIMGPU_CUB_DEVICE_MERGE_CUH
#define SIMGPU_CUB_DEVICE_MERGE_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
/* Each item finds its position: after the smaller items of the other array, and
 * an item of a before equal ones of b. */
struct DeviceMerge {
    template <class A, class NA, class B, class NB, class Out,
              class Less = std::less<>>
    static cudaError_t MergeKeys(void *temp, size_t &nbytes, A a, NA na, B b,
                                 NB nb, Out out, Less less = Less(),
                                 cudaStream_t stream = nullptr)
    {
        return merge(temp, nbytes, a, (size_t)na, b, (size_t)nb, less, stream,
                     [=](size_t to, bool in_a, size_t i) mutable {
                         if (in_a)
                             out[to] = a[i];
                         else
                             out[to] = b[i];
                     });
    }
    template <class A, class VA, class NA, class B, class VB, class NB,
              class Out, class VOut, class Less = std::less<>>
    static cudaError_t MergePairs(void *temp, size_t &nbytes, A a, VA va, NA na,
                                  B b, VB vb, NB nb, Out out, VOut vout,
                                  Less less = Less(),
                                  cudaStream_t stream = nullptr)
    {
        return merge(temp, nbytes, a, (size_t)na, b, (size_t)nb, less, stream,
                     [=](size_t to, bool in_a, size_t i) mutable {
                         if (in_a) {
                             out[to] = a[i];
                             vout[to] = va[i];
                         } else {
                             out[to] = b[i];
                             vout[to] = vb[i];
                         }
                     });
    }

  private:
    /* The index of the first of n items for which is_behind() holds. */
    template <class F> static size_t find(size_t n, F is_behind)
    {
        size_t low = 0;
        while (low < n) {
            const size_t middle = low + (n - low) / 2;
            if (is_behind(middle))
                n = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    template <class A, class B, class Less, class Put>
    static cudaError_t merge(void *temp, size_t &nbytes, A a, size_t na, B b,
                             size_t nb, Less less, cudaStream_t stream, Put put)
    {
        return detail::each(
            temp, nbytes, na + nb, stream, [=](size_t i) mutable {
                if (i < na)
                    put(i + find(nb,
                                 [&](size_t j) { return !less(b[j], a[i]); }),
                        true, i);
                else
                    put(i - na +
                            find(na,
                                 [&](size_t j) {
                                     return less(b[i - na], a[j]);
                                 }),
                        false, i - na);
            });
    }
};
} // namespace cub
#endif
