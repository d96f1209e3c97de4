/*
 * extension.c: buffers and collective launches of nvshmem/extension.h
 */
#include "core/site.h"
#include "nvshmem/request.h"
#include "nvshmem/world.h"

/* Kernels reach all memory of their device here. */
int nvshmemx_buffer_register(void *addr, size_t length)
{
    (void)length;
    return addr ? 0 : -1;
}

int nvshmemx_buffer_unregister(void *addr)
{
    return addr ? 0 : -1;
}

void nvshmemx_buffer_unregister_all(void) {}

int nvshmemx_collective_launch_query_gridsize(const void *func, dim3 blockDims,
                                              void **args, size_t sharedMem,
                                              int *gridsize)
{
    int device, nsm, blocks;
    (void)args;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount, device) !=
            cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, func, (int)(blockDims.x * blockDims.y * blockDims.z),
            sharedMem) != cudaSuccess)
        return -1;
    *gridsize = nsm * blocks;
    return 0;
}

int nvshmemx_collective_launch(const void *func, dim3 gridDims, dim3 blockDims,
                               void **args, size_t sharedMem,
                               cudaStream_t stream)
{
    const struct request r = CALLED("nvshmemx_collective_launch");
    world_for(&r);
    if (gridDims.x == 0 && gridDims.y == 0 && gridDims.z == 0) {
        int n;
        if (nvshmemx_collective_launch_query_gridsize(func, blockDims, args,
                                                      sharedMem, &n) != 0)
            return -1;
        gridDims = (dim3){(unsigned)n, 1, 1};
    }
    simgpu_site_caller = r.pc; // the operation has the kernel's name
    const cudaError_t err = cudaLaunchCooperativeKernel(
        func, gridDims, blockDims, args, sharedMem, stream);
    request_called();
    return err == cudaSuccess ? 0 : -1;
}
