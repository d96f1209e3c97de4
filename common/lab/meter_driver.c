/*
 * meter_driver.c: counting the memory of the driver's allocators
 *
 * Every program contains these wrappers, but only programs that call the driver
 * are linked with its library. So the wrappers look its functions up by name.
 */
#include <cuda.h>
#include <dlfcn.h> /* dlsym */

#include "lab/meter.h"

/* The driver's function with this name; NULL if there is no driver. */
static void *find(const char *name)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? dlsym(driver, name) : NULL;
}

static void took(CUdeviceptr at, size_t nbytes)
{
    meter_took((void *)(uintptr_t)at, nbytes);
}

#define WRAP(name, params)                                                     \
    typedef CUresult name##_fn params;                                         \
    name##_fn __wrap_##name;                                                   \
    CUresult __wrap_##name params

#define REAL(name) ((name##_fn *)find(#name))

WRAP(cuMemAlloc_v2, (CUdeviceptr * at, size_t nbytes))
{
    const CUresult err = REAL(cuMemAlloc_v2)(at, nbytes);
    if (err == CUDA_SUCCESS)
        took(*at, nbytes);
    return err;
}

WRAP(cuMemAllocManaged, (CUdeviceptr * at, size_t nbytes, unsigned int flags))
{
    const CUresult err = REAL(cuMemAllocManaged)(at, nbytes, flags);
    if (err == CUDA_SUCCESS)
        took(*at, nbytes);
    return err;
}

WRAP(cuMemAllocPitch_v2, (CUdeviceptr * at, size_t *pitch, size_t width,
                          size_t height, unsigned int element))
{
    const CUresult err =
        REAL(cuMemAllocPitch_v2)(at, pitch, width, height, element);
    if (err == CUDA_SUCCESS)
        took(*at, *pitch * height);
    return err;
}

WRAP(cuMemAllocAsync, (CUdeviceptr * at, size_t nbytes, CUstream stream))
{
    const CUresult err = REAL(cuMemAllocAsync)(at, nbytes, stream);
    if (err == CUDA_SUCCESS)
        took(*at, nbytes);
    return err;
}

WRAP(cuMemFree_v2, (CUdeviceptr at))
{
    meter_gave((void *)(uintptr_t)at);
    return REAL(cuMemFree_v2)(at);
}

WRAP(cuMemFreeAsync, (CUdeviceptr at, CUstream stream))
{
    meter_gave((void *)(uintptr_t)at);
    return REAL(cuMemFreeAsync)(at, stream);
}
