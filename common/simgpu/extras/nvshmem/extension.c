/*
 * extension.c: buffers and collective launches of nvshmem/extension.h
 */
#include "core/site.h"
#include "extras/nvshmem/request.h"
#include "extras/nvshmem/world.h"

/* Does nothing: kernels can already reach all memory of their device. */
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
    const struct shmem_request r = CALLED("nvshmemx_collective_launch");
    world_for(&r);
    if (gridDims.x == 0 && gridDims.y == 0 && gridDims.z == 0) {
        int n;
        if (nvshmemx_collective_launch_query_gridsize(func, blockDims, args,
                                                      sharedMem, &n) != 0)
            return -1;
        gridDims = (dim3){(unsigned)n, 1, 1};
    }
    simgpu_site_caller = r.pc; // record the operation under the kernel's name
    const cudaError_t err = cudaLaunchCooperativeKernel(
        func, gridDims, blockDims, args, sharedMem, stream);
    request_called();
    return err == cudaSuccess ? 0 : -1;
}

int nvshmemx_collective_launch_attr(
    const nvshmemx_collective_launch_attr_t *attr, const void *func,
    void **args)
{
    const struct shmem_request r = CALLED("nvshmemx_collective_launch_attr");
    enum { MAX_ATTRIBUTES = 32 };
    cudaLaunchAttribute all[MAX_ATTRIBUTES + 1];
    int says = 0;
    world_for(&r);
    if (!attr || attr->cuda_config.numAttrs > MAX_ATTRIBUTES)
        return -1;
    cudaLaunchConfig_t c = attr->cuda_config;
    for (unsigned i = 0; i < c.numAttrs; i++) {
        all[i] = c.attrs[i];
        says |= c.attrs[i].id == cudaLaunchAttributeCooperative;
    }
    if (!says)
        all[c.numAttrs++] = (cudaLaunchAttribute){
            .id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    c.attrs = all;
    simgpu_site_caller = r.pc;
    const cudaError_t err = cudaLaunchKernelExC(&c, func, args);
    request_called();
    return err == cudaSuccess ? 0 : -1;
}
