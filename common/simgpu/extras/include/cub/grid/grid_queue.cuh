/* cub/grid/grid_queue.cuh: counters by which blocks claim items */
#ifndef SIMGPU_CUB_GRID_QUEUE_CUH
#define SIMGPU_CUB_GRID_QUEUE_CUH

#include "cub/util_debug.cuh"
#include "cub/util_type.cuh"

namespace cub
{
/* The counters occupy AllocationSize() bytes of device memory. Host code sets
 * them on a stream, kernels advance them. */
template <class N> class GridQueue
{
    enum { FILL, DRAIN };
    N *counters = nullptr;

    cudaError_t set(int counter, N value, cudaStream_t stream)
    {
        if (!simgpu_is_outside()) {
            counters[counter] = value;
            return cudaSuccess;
        }
        return CubDebug(cudaMemcpyAsync(counters + counter, &value,
                                        sizeof value, cudaMemcpyHostToDevice,
                                        stream));
    }

  public:
    static size_t AllocationSize()
    {
        return 2 * sizeof(N);
    }
    GridQueue() {}
    explicit GridQueue(void *memory) : counters((N *)memory) {}
    cudaError_t FillAndResetDrain(N n, cudaStream_t stream = nullptr)
    {
        const cudaError_t error = set(FILL, n, stream);
        return error ? error : ResetDrain(stream);
    }
    cudaError_t ResetDrain(cudaStream_t stream = nullptr)
    {
        return set(DRAIN, 0, stream);
    }
    cudaError_t ResetFill(cudaStream_t stream = nullptr)
    {
        return set(FILL, 0, stream);
    }
    cudaError_t FillSize(N &n, cudaStream_t stream = nullptr)
    {
        if (!simgpu_is_outside()) {
            n = counters[FILL];
            return cudaSuccess;
        }
        return CubDebug(cudaMemcpyAsync(&n, counters + FILL, sizeof n,
                                        cudaMemcpyDeviceToHost, stream));
    }
    /* Claim n items for this block. Returns the index of the first. */
    N Drain(N n)
    {
        return atomicAdd(counters + DRAIN, n);
    }
    N Fill(N n)
    {
        return atomicAdd(counters + FILL, n);
    }
};
} // namespace cub
#endif
