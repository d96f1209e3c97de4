# A kernel launched by its address, by cudaLaunchKernelEx, with an occupancy
# that was asked for, and as a cooperative grid.
sed -i '/^static __global__ void axpy/,/^}/d; /^ncclResult_t first_axpy/,/^}/d' cuda.cu
cat >> cuda.cu <<'C'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <typename T> using pointer = T *__restrict__;
enum class part : unsigned { low, high };
static __global__ void __launch_bounds__(128) part_of(float a, pointer<const float> x, pointer<float> y, size_t count, part p)
{
    const cg::grid_group grid = cg::this_grid();
    const size_t middle = count / 2, end = p == part::low ? middle : count;
    for (size_t i = grid.thread_rank() + (p == part::low ? 0 : middle); i < end; i += grid.size())
        y[i] = fmaf(a, x[i], y[i]);
}
__global__ void both(float a, const float *x, float *y, size_t count);
__global__ void both(float a, const float *x, float *y, size_t count)
{
    const cg::grid_group grid = cg::this_grid();
    if (grid.thread_rank() == 0 && count)
        y[0] = a * x[0] + y[0];
    grid.sync();
    for (size_t i = 1 + grid.thread_rank(); i < count; i += grid.size())
        y[i] = a * x[i] + y[i];
}

ncclResult_t first_axpy(float a, const float *x, float *y, size_t count, cudaStream_t stream)
{
    int blocks = 0, threads = 0, each = 0, can = 0;
    part p = part::low;
    void *args[] = {&a, &x, &y, &count, &p};
    cudaFuncAttributes attributes;
    LAB_TRY_CUDA(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, part_of, 0, 128));
    LAB_TRY_CUDA(cudaFuncGetAttributes(&attributes, part_of));
    LAB_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, both, 64, 0));
    LAB_TRY_CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (can && each > 0)
        return cudaLaunchCooperativeKernel((void *)both, dim3((unsigned)((count + 63) / 64)), dim3(64), args, 0, stream) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
    LAB_TRY_CUDA(cudaLaunchKernel((const void *)part_of, dim3((unsigned)((count / 2 + 31) / 32)), dim3((unsigned)(threads < 32 ? threads : 32)), args, 0, stream));
    cudaLaunchConfig_t c = {};
    c.gridDim = (unsigned)((count + 31) / 32);
    c.blockDim = dim3{32, 1, 1};
    c.stream = stream;
    LAB_TRY_CUDA(cudaLaunchKernelEx(&c, part_of, a, x, y, count, part::high));
    return ncclSuccess;
}
C
