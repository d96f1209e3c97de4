/* Rules between the devices of a process: "Stream and Event Behavior" and "Peer
 * Device Memory Access" in CUDA's programming guide, and the error codes of the
 * headers' functions. `prog_between peer` launches a kernel that reaches a peer
 * without access, which ends it. */
#include <cuda_runtime.h>

#include <pthread.h>
#include <string.h>

#include "rule.h"

enum { N = 1000, NBYTES = N * (int)sizeof(int) };

struct side { /* what belongs to a device */
    cudaStream_t stream;
    cudaEvent_t event;
    int *data;
};

static struct side make(int device)
{
    struct side s;
    cudaSetDevice(device);
    cudaStreamCreate(&s.stream);
    cudaEventCreate(&s.event);
    cudaMalloc(&s.data, NBYTES);
    cudaMemset(s.data, 0, NBYTES);
    cudaEventRecord(s.event, s.stream);
    cudaDeviceSynchronize();
    return s;
}

__global__ void set(int *x, int n, int value)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = value;
}

static cudaError_t launch(int *x, cudaStream_t stream)
{
    cudaGetLastError();
    set<<<4, 256, 0, stream>>>(x, N, 1);
    return cudaGetLastError();
}

static int first_of(const int *x)
{
    int value = -1;
    cudaMemcpy(&value, x, sizeof value, cudaMemcpyDefault);
    return value;
}

/* Device 0 is current. */
static void check_streams_and_events(const struct side *own,
                                     const struct side *far)
{
    float ms;
    RULE(cudaEventRecord(own->event, far->stream) ==
             cudaErrorInvalidResourceHandle,
         "an event is not recorded in another device's stream");
    RULE(cudaEventRecord(far->event, 0) == cudaErrorInvalidResourceHandle,
         "nor is another device's event in a default stream");
    RULE(cudaEventRecord(far->event, far->stream) == cudaSuccess,
         "an event of the stream's device is, for any current device");
    RULE(launch(far->data, far->stream) == cudaErrorInvalidResourceHandle,
         "a kernel is not launched into another device's stream");
    RULE(first_of(far->data) == 0, "and does not run");
    RULE(launch(own->data, own->stream) == cudaSuccess,
         "a kernel is launched into a stream of the current device");
    cudaStreamSynchronize(own->stream);
    RULE(cudaEventSynchronize(far->event) == cudaSuccess &&
             cudaEventQuery(far->event) == cudaSuccess,
         "the host waits for an event of any device");
    RULE(cudaEventElapsedTime(&ms, own->event, far->event) ==
             cudaErrorInvalidResourceHandle,
         "no time passes between events of two devices");
    RULE(cudaEventElapsedTime(&ms, far->event, far->event) == cudaSuccess,
         "events of one device have a time, for any current device");
    RULE(cudaStreamWaitEvent(own->stream, far->event, 0) == cudaSuccess &&
             cudaStreamWaitEvent(far->stream, own->event, 0) == cudaSuccess,
         "a stream waits for an event of any device");
    RULE(cudaStreamSynchronize(far->stream) == cudaSuccess &&
             cudaStreamQuery(far->stream) == cudaSuccess,
         "the host waits for a stream of any device");
    cudaGetLastError();
}

static void check_memory(const struct side *own, const struct side *far)
{
    int *p = NULL, mine[N] = {5};
    RULE(cudaMemcpyAsync(far->data, mine, NBYTES, cudaMemcpyHostToDevice,
                         far->stream) == cudaSuccess,
         "a copy goes into a stream of any device");
    RULE(cudaMemcpyAsync(own->data, far->data, NBYTES, cudaMemcpyDefault,
                         far->stream) == cudaSuccess,
         "a copy of two devices, too");
    cudaStreamSynchronize(far->stream);
    RULE(first_of(own->data) == 5, "and it copies");
    RULE(cudaMemsetAsync(far->data, 0, NBYTES, far->stream) == cudaSuccess,
         "a fill goes into a stream of any device");
    cudaStreamSynchronize(far->stream);
    cudaSetDevice(1);
    cudaMalloc(&p, NBYTES);
    cudaSetDevice(0);
    RULE(cudaFree(p) == cudaSuccess, "any device frees memory");
}

static void check_peers(void)
{
    RULE(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled,
         "access that is not enabled is not disabled");
    RULE(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess &&
             cudaDeviceEnablePeerAccess(1, 0) ==
                 cudaErrorPeerAccessAlreadyEnabled,
         "access is enabled once");
    RULE(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue,
         "enabling has no flags");
    RULE(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported,
         "a device is no peer of its own");
    RULE(cudaDeviceEnablePeerAccess(1000, 0) == cudaErrorInvalidDevice,
         "a peer exists");
    cudaSetDevice(1);
    RULE(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled,
         "access has one direction");
    cudaSetDevice(0);
    RULE(cudaDeviceDisablePeerAccess(1) == cudaSuccess, "it is disabled");
    cudaGetLastError();
}

static void check_handles(const struct side *own)
{
    cudaIpcMemHandle_t handle;
    int *managed, *pooled, *there;
    cudaMallocManaged(&managed, NBYTES);
    cudaMallocAsync(&pooled, NBYTES, own->stream);
    cudaStreamSynchronize(own->stream);
    RULE(cudaIpcGetMemHandle(&handle, managed) == cudaErrorInvalidValue,
         "managed memory has no handle");
    RULE(cudaIpcGetMemHandle(&handle, pooled) == cudaErrorInvalidValue,
         "memory of a pool has no handle");
    RULE(cudaIpcGetMemHandle(&handle, own->data) == cudaSuccess,
         "memory of cudaMalloc has one");
    RULE(cudaIpcOpenMemHandle((void **)&there, handle,
                              cudaIpcMemLazyEnablePeerAccess) ==
             cudaErrorDeviceUninitialized,
         "a process does not open its own handle");
    cudaFree(managed);
    cudaFreeAsync(pooled, own->stream);
    cudaStreamSynchronize(own->stream);
    cudaGetLastError();
}

static void *other_thread(void *device)
{
    int *const at = (int *)device;
    cudaGetDevice(at);
    cudaSetDevice(1);
    return NULL;
}

static void check_threads(void)
{
    pthread_t thread;
    int there = -1, here = -1;
    cudaSetDevice(1);
    pthread_create(&thread, NULL, other_thread, &there);
    pthread_join(thread, NULL);
    RULE(there == 0, "a thread begins with device 0");
    cudaSetDevice(0);
    pthread_create(&thread, NULL, other_thread, &there);
    pthread_join(thread, NULL);
    cudaGetDevice(&here);
    RULE(here == 0, "a thread sets its own device only");
}

static int reach_a_peer(void)
{
    const struct side far = make(1);
    cudaSetDevice(0);
    launch(far.data, 0);
    return cudaDeviceSynchronize() == cudaSuccess;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "peer") == 0)
        return reach_a_peer();
    const struct side far = make(1), own = make(0);
    check_streams_and_events(&own, &far);
    check_memory(&own, &far);
    check_peers();
    check_handles(&own);
    check_threads();
    cudaFree(own.data);
    cudaFree(far.data);
    return rule_status();
}
