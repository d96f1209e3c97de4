/* Memory that is created without addresses, and mapped to reserved ones. */
#include <cuda.h>
#include <unistd.h>

#include "probe.h"

#define DRV(call) CHECK((call) == CUDA_SUCCESS)

static CUmemAllocationProp on_device(int device)
{
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = device;
    return p;
}

static size_t granularity()
{
    const CUmemAllocationProp p = on_device(0);
    size_t n = 0;
    OK(cudaFree(0)); // the driver is initialised
    DRV(cuMemGetAllocationGranularity(&n, &p,
                                      CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    return n;
}

static void let(CUdeviceptr p, size_t nbytes, int device)
{
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRV(cuMemSetAccess(p, nbytes, &access, 1));
}

__global__ void fill(int *p, size_t n, int value)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i * 4096] = value + (int)i; // one of each 16 KiB
}

static void fill_all(CUdeviceptr p, size_t nbytes, int value)
{
    const size_t n = nbytes / sizeof(int) / 4096;
    fill<<<(unsigned)(n + 127) / 128, 128>>>((int *)p, n, value);
    OK(cudaDeviceSynchronize());
}

static int first_int(CUdeviceptr p)
{
    int x = -1;
    OK(cudaMemcpy(&x, (void *)p, sizeof x, cudaMemcpyDeviceToHost));
    return x;
}

/* Two pieces, mapped side by side, are one range for kernels and copies. */
PROBE(memory_grows_in_place)
{
    const size_t n = granularity();
    const CUmemAllocationProp prop = on_device(0);
    CUmemGenericAllocationHandle a, b;
    CUdeviceptr p;
    DRV(cuMemAddressReserve(&p, 4 * n, 0, 0, 0));
    CHECK(p % n == 0);
    DRV(cuMemCreate(&a, n, &prop, 0));
    DRV(cuMemMap(p, n, 0, a, 0));
    let(p, n, 0);
    fill_all(p, n, 100);
    DRV(cuMemCreate(&b, 2 * n, &prop, 0));
    DRV(cuMemMap(p + n, 2 * n, 0, b, 0));
    let(p + n, 2 * n, 0);
    CHECK(first_int(p) == 100); // what was there stays
    fill_all(p, 3 * n, 7);
    char *const h = (char *)malloc(3 * n);
    OK(cudaMemset((char *)p + n - 4, 1, 8)); // across the border
    OK(cudaMemcpy(h, (void *)p, 3 * n, cudaMemcpyDeviceToHost));
    CHECK(*(int *)h == 7 && *(int *)(h + n - 4) == 0x01010101);
    CHECK(*(int *)(h + n) == 0x01010101);
    CHECK(*(int *)(h + 2 * n) == 7 + (int)(2 * n / 16384));
    free(h);
    DRV(cuMemUnmap(p, 3 * n));
    DRV(cuMemRelease(a));
    DRV(cuMemRelease(b));
    DRV(cuMemAddressFree(p, 4 * n));
}

/* A larger reservation gets the same memory: the bytes need no copy. */
PROBE(memory_moves_without_a_copy)
{
    const size_t n = granularity();
    const CUmemAllocationProp prop = on_device(0);
    CUmemGenericAllocationHandle a, same;
    CUdeviceptr p, q;
    DRV(cuMemCreate(&a, n, &prop, 0));
    DRV(cuMemAddressReserve(&p, n, 0, 0, 0));
    DRV(cuMemAddressReserve(&q, 2 * n, 0, 0, 0));
    DRV(cuMemMap(p, n, 0, a, 0));
    let(p, n, 0);
    fill_all(p, n, 40);
    DRV(cuMemMap(q, n, 0, a, 0)); // at both
    let(q, n, 0);
    CHECK(first_int(q) == 40);
    fill_all(q, n, 50);
    CHECK(first_int(p) == 50);
    DRV(cuMemUnmap(p, n));
    DRV(cuMemAddressFree(p, n));
    DRV(cuMemRelease(a)); // its mapping keeps it
    CHECK(first_int(q) == 50);
    DRV(cuMemRetainAllocationHandle(&same, (void *)q));
    CUmemAllocationProp got;
    DRV(cuMemGetAllocationPropertiesFromHandle(&got, same));
    CHECK(got.location.id == 0 && got.type == CU_MEM_ALLOCATION_TYPE_PINNED);
    DRV(cuMemUnmap(q, n));
    DRV(cuMemMap(q + n, n, 0, same, 0));
    let(q + n, n, 0);
    CHECK(first_int(q + n) == 50);
    DRV(cuMemUnmap(q + n, n));
    DRV(cuMemRelease(same));
    DRV(cuMemAddressFree(q, 2 * n));
}

/* Memory of several devices, one range that all of them use. */
PROBE(devices_share_a_range)
{
    const size_t n = granularity();
    CUmemGenericAllocationHandle h[2];
    CUdeviceptr p;
    int ndevices = 0, reaches = 0;
    OK(cudaGetDeviceCount(&ndevices));
    if (ndevices > 1)
        OK(cudaDeviceCanAccessPeer(&reaches, 0, 1));
    const int other = reaches ? 1 : 0;
    DRV(cuMemAddressReserve(&p, 2 * n, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        const CUmemAllocationProp prop = on_device(i ? other : 0);
        DRV(cuMemCreate(&h[i], n, &prop, 0));
        DRV(cuMemMap(p + i * n, n, 0, h[i], 0));
        DRV(cuMemRelease(h[i]));
    }
    let(p, 2 * n, 0);
    let(p, 2 * n, other);
    fill_all(p, 2 * n, 5);
    OK(cudaSetDevice(other));
    fill_all(p, n, 9);
    CHECK(first_int(p + n) == 5 + (int)(n / 16384));
    OK(cudaSetDevice(0));
    CHECK(first_int(p) == 9);
    CUmemLocation where = {CU_MEM_LOCATION_TYPE_DEVICE, other};
    unsigned long long flags = 0;
    DRV(cuMemGetAccess(&flags, &where, p));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    DRV(cuMemUnmap(p, n));
    DRV(cuMemUnmap(p + n, n));
    DRV(cuMemAddressFree(p, 2 * n));
}

PROBE(a_descriptor_names_memory)
{
    const size_t n = granularity();
    CUmemAllocationProp prop = on_device(0);
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle a, b;
    CUdeviceptr p;
    int fd = -1;
    DRV(cuMemCreate(&a, n, &prop, 0));
    DRV(cuMemExportToShareableHandle(
        &fd, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DRV(cuMemImportFromShareableHandle(
        &b, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    DRV(cuMemAddressReserve(&p, 3 * n, 0, 0, 0));
    DRV(cuMemMap(p, n, 0, a, 0));
    DRV(cuMemMap(p + 2 * n, n, 0, b, 0));
    let(p, n, 0);
    let(p + 2 * n, n, 0);
    fill_all(p, n, 77);
    CHECK(first_int(p + 2 * n) == 77);
    DRV(cuMemUnmap(p, n));
    DRV(cuMemUnmap(p + 2 * n, n));
    DRV(cuMemAddressFree(p, 3 * n));
    DRV(cuMemRelease(b));
    DRV(cuMemRelease(a));
}

PROBE(a_device_says_that_it_maps_memory)
{
    int yes = 0;
    OK(cudaFree(0));
    DRV(cuDeviceGetAttribute(
        &yes, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    CHECK(yes == 1);
    DRV(cuDeviceGetAttribute(
        &yes, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
        0));
    CHECK(yes == 1);
    CHECK(cuDeviceGetAttribute(
              &yes, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
              1000) == CUDA_ERROR_INVALID_DEVICE);
}

PROBE(mistakes_are_errors)
{
    const size_t n = granularity();
    const CUmemAllocationProp prop = on_device(0);
    CUmemGenericAllocationHandle a;
    CUdeviceptr p;
    CHECK(cuMemCreate(&a, n + 1, &prop, 0) == CUDA_ERROR_INVALID_VALUE);
    DRV(cuMemCreate(&a, n, &prop, 0));
    DRV(cuMemAddressReserve(&p, 2 * n, 0, 0, 0));
    CHECK(cuMemMap(p + n / 2, n, 0, a, 0) == CUDA_ERROR_INVALID_VALUE);
    DRV(cuMemMap(p, n, 0, a, 0));
    CHECK(cuMemMap(p, n, 0, a, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaFree((void *)p) == cudaErrorInvalidValue);
    cudaGetLastError();
    DRV(cuMemUnmap(p, n));
    DRV(cuMemUnmap(p, n)); // nothing
    CHECK(cuMemUnmap(p + 2 * n, n) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAddressFree(p, n) == CUDA_ERROR_INVALID_VALUE);
    DRV(cuMemAddressFree(p, 2 * n));
    DRV(cuMemRelease(a));
}
