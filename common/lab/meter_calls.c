/*
 * meter_calls.c: notes failed CUDA calls, for programs that don't check them
 */
#include <cuda_runtime_api.h>

#include "lab/meter.h"

static cudaError_t checked(cudaError_t err, const char *call,
                           const void *address)
{
    if (err != cudaSuccess)
        meter_note(call, cudaGetErrorString(err), "", address);
    return err;
}

#define WRAP(name, params, args)                                               \
    cudaError_t __real_##name params __attribute__((weak));                    \
    cudaError_t __wrap_##name params;                                          \
    cudaError_t __wrap_##name params                                           \
    {                                                                          \
        return checked(__real_##name args, #name,                              \
                       __builtin_return_address(0));                           \
    }

WRAP(cudaMemcpy,
     (void *to, const void *from, size_t nbytes, enum cudaMemcpyKind kind),
     (to, from, nbytes, kind))
WRAP(cudaMemcpyAsync,
     (void *to, const void *from, size_t nbytes, enum cudaMemcpyKind kind,
      cudaStream_t stream),
     (to, from, nbytes, kind, stream))
WRAP(cudaMemcpyPeerAsync,
     (void *to, int to_device, const void *from, int from_device, size_t nbytes,
      cudaStream_t stream),
     (to, to_device, from, from_device, nbytes, stream))
static _Thread_local const void *set_device;

const void *meter_set_device(void)
{
    return set_device;
}

cudaError_t __real_cudaSetDevice(int device) __attribute__((weak));
cudaError_t __wrap_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device)
{
    const cudaError_t err = __real_cudaSetDevice(device);
    if (err == cudaSuccess)
        set_device = __builtin_return_address(0);
    return checked(err, "cudaSetDevice", __builtin_return_address(0));
}

WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WRAP(cudaStreamWaitEvent,
     (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags))
