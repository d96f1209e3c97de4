/* cub/block/block_histogram.cuh: counting a block's items in bins */
#ifndef SIMGPU_CUB_BLOCK_HISTOGRAM_CUH
#define SIMGPU_CUB_BLOCK_HISTOGRAM_CUH

#include "cub/block/block_discontinuity.cuh"
#include "cub/block/block_radix_sort.cuh"

namespace cub
{
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int I, int BINS,
          BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1,
          int = 0>
class BlockHistogram
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
    };
    BlockHistogram() {}
    explicit BlockHistogram(TempStorage &) {}
    template <class Counter> void InitHistogram(Counter (&bins)[BINS])
    {
        for (int i = detail::thread_number(); i < BINS; i += N)
            bins[i] = 0;
    }
    template <class Counter>
    void Composite(T (&items)[I], Counter (&bins)[BINS])
    {
        for (int i = 0; i < I; i++)
            atomicAdd(&bins[items[i]], (Counter)1);
    }
    template <class Counter>
    void Histogram(T (&items)[I], Counter (&bins)[BINS])
    {
        InitHistogram(bins);
        __syncthreads();
        Composite(items, bins);
    }
};
} // namespace cub
#endif
