/* cub/device/device_histogram.cuh: counting samples in bins */
#ifndef SIMGPU_CUB_DEVICE_HISTOGRAM_CUH
#define SIMGPU_CUB_DEVICE_HISTOGRAM_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
struct DeviceHistogram {
    /* levels - 1 bins of equal width between lower and upper. */
    template <class In, class Counter, class Level, class N>
    static cudaError_t
    HistogramEven(void *temp, size_t &nbytes, In in, Counter *bins, int levels,
                  Level lower, Level upper, N n, cudaStream_t stream = nullptr)
    {
        Counter *const one[1] = {bins};
        const int nlevels[1] = {levels};
        const Level low[1] = {lower}, high[1] = {upper};
        return MultiHistogramEven<1, 1>(temp, nbytes, in, one, nlevels, low,
                                        high, n, stream);
    }
    /* Bin i ranges from levels[i] to below levels[i + 1]. */
    template <class In, class Counter, class Level, class N>
    static cudaError_t HistogramRange(void *temp, size_t &nbytes, In in,
                                      Counter *bins, int nlevels,
                                      const Level *levels, N n,
                                      cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=] {
            clear(bins, nlevels - 1);
            for (size_t i = 0; i < (size_t)n; i++)
                for (int b = 0; b + 1 < nlevels; b++)
                    if (!(in[i] < levels[b]) && in[i] < levels[b + 1])
                        bins[b]++;
        });
    }
    /* Count the first ACTIVE of CHANNELS interleaved samples, for n pixels. */
    template <int CHANNELS, int ACTIVE, class In, class Counter, class Level,
              class N>
    static cudaError_t
    MultiHistogramEven(void *temp, size_t &nbytes, In in,
                       Counter *const bins[ACTIVE], const int nlevels[ACTIVE],
                       const Level lower[ACTIVE], const Level upper[ACTIVE],
                       N n, cudaStream_t stream = nullptr)
    {
        cudaError_t error;
        if (detail::only_asks(temp, nbytes, 0, &error))
            return error;
        for (int c = 0; c < ACTIVE && !error; c++) {
            Counter *const to = bins[c];
            const int nbins = nlevels[c] - 1;
            const Level low = lower[c], high = upper[c];
            error = simgpu::run_once(stream, [=] {
                clear(to, nbins);
                for (size_t i = 0; i < (size_t)n; i++)
                    count(to, nbins, in[i * CHANNELS + c], low, high);
            });
        }
        return error;
    }

  private:
    template <class Counter> static void clear(Counter *bins, int nbins)
    {
        for (int b = 0; b < nbins; b++)
            bins[b] = 0;
    }
    template <class Counter, class T, class Level>
    static void count(Counter *bins, int nbins, T x, Level low, Level high)
    {
        if (x < low || !(x < high))
            return;
        const int b =
            std::is_integral<Level>::value
                ? (int)((::int64_t)(x - low) * nbins / (::int64_t)(high - low))
                : (int)((x - low) * nbins / (high - low));
        bins[b < nbins ? b : nbins - 1]++;
    }
};
} // namespace cub
#endif
