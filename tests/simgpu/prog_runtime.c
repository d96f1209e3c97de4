/* Rules of the CUDA runtime, in one process with several devices. */
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rule.h"

/* A PCI address in each form that CUDA documents. */
static void check_addresses(void)
{
    static const char *const forms[] = {"%04x:%02x:%02x.0", "%x:%X:%x"};
    char text[32];
    struct cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 1);
    for (int i = 0; i < 2; i++) {
        int found = -1;
        snprintf(text, sizeof text, forms[i], p.pciDomainID, p.pciBusID,
                 p.pciDeviceID);
        RULE(cudaDeviceGetByPCIBusId(&found, text) == cudaSuccess && found == 1,
             "a device is found by its PCI address, in any case");
    }
    int found = -1;
    snprintf(text, sizeof text, "%02x:%02x.0", p.pciBusID, p.pciDeviceID);
    RULE(p.pciDomainID != 0 ||
             (cudaDeviceGetByPCIBusId(&found, text) == cudaSuccess &&
              found == 1),
         "and without its domain, if that is 0");
    RULE(cudaDeviceGetByPCIBusId(&found, "ffff:ff:1f.0") ==
             cudaErrorInvalidDevice,
         "an address that no device has is an error");
    cudaGetLastError();
}

static void check_devices(void)
{
    int n = 0, can = -1, value = 0;
    struct cudaDeviceProp p;
    RULE(cudaGetDeviceCount(&n) == cudaSuccess && n >= 2, "several devices");
    RULE(cudaSetDevice(n) == cudaErrorInvalidDevice,
         "a device that doesn't exist can't be set");
    RULE(cudaGetLastError() == cudaErrorInvalidDevice,
         "a failure is remembered");
    RULE(cudaGetLastError() == cudaSuccess, "and forgotten once it was read");
    RULE(cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.warpSize == 32 &&
             p.totalGlobalMem > 0 && p.name[0],
         "a device has a name, memory and warps of 32");
    RULE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) ==
                 cudaSuccess &&
             value == p.multiProcessorCount,
         "an attribute agrees with the properties");
    RULE(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can == 1,
         "NVLink peers can access each other");
    RULE(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess, "access is enabled");
    RULE(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled,
         "enabling it twice is an error");
    RULE(cudaDeviceDisablePeerAccess(1) == cudaSuccess, "it is disabled");
    RULE(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled,
         "disabling it twice is an error");
    cudaGetLastError();
}

static void check_memory(void)
{
    int *d, h[4] = {1, 2, 3, 4}, back[4] = {0};
    size_t before, after, total;
    struct cudaPointerAttributes a;
    cudaMemGetInfo(&before, &total);
    RULE(cudaMalloc((void **)&d, sizeof h) == cudaSuccess && d, "cudaMalloc");
    cudaMemGetInfo(&after, &total);
    RULE(after < before, "memory in use is counted");
    RULE(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice) == cudaSuccess &&
             cudaMemcpy(back, d, sizeof h, cudaMemcpyDeviceToHost) ==
                 cudaSuccess &&
             memcmp(h, back, sizeof h) == 0,
         "bytes go to the device and back");
    RULE(cudaMemcpy(d, h, sizeof h + 4, cudaMemcpyHostToDevice) ==
             cudaErrorInvalidValue,
         "a copy past the end of an allocation is refused");
    RULE(cudaPointerGetAttributes(&a, d) == cudaSuccess &&
             a.type == cudaMemoryTypeDevice && a.device == 0,
         "a device pointer is known as one");
    RULE(cudaPointerGetAttributes(&a, h) == cudaSuccess &&
             a.type == cudaMemoryTypeUnregistered,
         "ordinary memory is unregistered");
    RULE(cudaFree(d) == cudaSuccess, "cudaFree");
    RULE(cudaFree(d) == cudaErrorInvalidValue, "freeing twice is an error");
    RULE(cudaFree(NULL) == cudaSuccess, "freeing NULL is not");
    cudaMemGetInfo(&after, &total);
    RULE(after == before, "freed memory is free again");
    RULE(cudaMalloc((void **)&d, (size_t)1 << 50) == cudaErrorMemoryAllocation,
         "there is an end to memory");
    cudaGetLastError();
}

static void check_pinned(void)
{
    int *p = NULL, plain[16];
    struct cudaPointerAttributes a;
    RULE(cudaMallocHost((void **)&p, 64) == cudaSuccess, "cudaMallocHost");
    p[3] = 7; // accessible to the host
    RULE(cudaPointerGetAttributes(&a, p) == cudaSuccess &&
             a.type == cudaMemoryTypeHost,
         "pinned memory is host memory");
    RULE(cudaFreeHost(p) == cudaSuccess, "cudaFreeHost");
    RULE(cudaHostRegister(plain, sizeof plain, 0) == cudaSuccess,
         "ordinary memory can be registered");
    RULE(cudaHostRegister(plain, sizeof plain, 0) ==
             cudaErrorHostMemoryAlreadyRegistered,
         "registering it twice is an error");
    RULE(cudaHostUnregister(plain) == cudaSuccess, "it is unregistered");
    RULE(cudaHostUnregister(plain) == cudaErrorHostMemoryNotRegistered,
         "unregistering it twice is an error");
    cudaGetLastError();
}

static volatile int may_end = 1; /* what sets a flag */

static void set_flag(void *flag)
{
    usleep(20000);
    while (!may_end)
        usleep(1000);
    *(volatile int *)flag = 1;
}

static void try_call(void *result)
{
    void *p;
    *(cudaError_t *)result = cudaMalloc(&p, 4);
}

static void check_streams(void)
{
    cudaStream_t a, b, free_one;
    cudaEvent_t e;
    volatile int flag = 0, seen = -1;
    cudaError_t inside = cudaSuccess;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    RULE(cudaEventQuery(e) == cudaSuccess, "an unrecorded event has passed");
    RULE(cudaStreamWaitEvent(a, e, 0) == cudaSuccess &&
             cudaStreamSynchronize(a) == cudaSuccess,
         "waiting for an unrecorded event is no wait");

    may_end = 0;
    cudaLaunchHostFunc(a, set_flag, (void *)&flag);
    RULE(cudaStreamQuery(a) == cudaErrorNotReady, "a busy stream isn't ready");
    may_end = 1;
    RULE(cudaStreamQuery(free_one) == cudaSuccess, "an idle one is");
    cudaGetLastError();
    RULE(cudaStreamSynchronize(a) == cudaSuccess && flag == 1,
         "a synchronised stream has done its work");

    flag = 0;
    cudaLaunchHostFunc(a, set_flag, (void *)&flag);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    cudaStreamSynchronize(b);
    RULE(flag == 1, "a stream that waits for an event follows it");

    flag = 0;
    cudaLaunchHostFunc(a, set_flag, (void *)&flag);
    cudaStreamSynchronize(0);
    RULE(flag == 1, "the default stream follows blocking streams");

    flag = 0;
    cudaLaunchHostFunc(0, set_flag, (void *)&flag);
    cudaLaunchHostFunc(a, try_call, &inside);
    cudaStreamSynchronize(a);
    RULE(flag == 1, "blocking streams follow the default stream");
    RULE(inside == cudaErrorNotPermitted,
         "a host function may not call the runtime");

    flag = 0;
    may_end = 0;
    cudaLaunchHostFunc(a, set_flag, (void *)&flag);
    seen = flag;
    may_end = 1;
    cudaDeviceSynchronize();
    RULE(seen == 0 && flag == 1, "cudaDeviceSynchronize waits for all streams");
    RULE(cudaStreamDestroy(a) == cudaSuccess, "a stream is destroyed");
    RULE(cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle,
         "and is no stream any more");
    cudaGetLastError();
    cudaStreamDestroy(b);
    cudaStreamDestroy(free_one);
    cudaEventDestroy(e);
}

static void check_events(void)
{
    cudaEvent_t a, b, untimed;
    float ms = -1;
    volatile int flag = 0;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    RULE(cudaEventElapsedTime(&ms, a, b) == cudaErrorInvalidResourceHandle,
         "unrecorded events have no time between them");
    cudaEventRecord(a, 0);
    may_end = 0;
    cudaLaunchHostFunc(0, set_flag, (void *)&flag);
    cudaEventRecord(b, 0);
    cudaEventRecord(untimed, 0);
    RULE(cudaEventElapsedTime(&ms, a, b) == cudaErrorNotReady,
         "nor have events that haven't passed");
    may_end = 1;
    RULE(cudaEventSynchronize(b) == cudaSuccess && flag == 1,
         "a synchronised event has passed");
    RULE(cudaEventElapsedTime(&ms, a, b) == cudaSuccess && ms >= 0,
         "then there is a time between them");
    cudaStreamSynchronize(0);
    RULE(cudaEventElapsedTime(&ms, a, untimed) ==
             cudaErrorInvalidResourceHandle,
         "an event without timing has none");
    cudaGetLastError();
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    cudaEventDestroy(untimed);
}

static void check_copies(void)
{
    enum { N = 1 << 16 };
    char *d, *peer, *h = malloc(N), *back = malloc(N);
    cudaStream_t s;
    for (int i = 0; i < N; i++)
        h[i] = (char)(i * 31);
    cudaSetDevice(1);
    cudaMalloc((void **)&peer, N);
    cudaSetDevice(0);
    cudaMalloc((void **)&d, N);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemcpy(d, h, N, cudaMemcpyHostToDevice);
    memset(h, 0, N); // a pageable source is free when the call returns
    cudaMemcpyPeerAsync(peer, 1, d, 0, N, 0);
    cudaMemcpy(back, peer, N, cudaMemcpyDefault);
    int same = 1;
    for (int i = 0; i < N; i++)
        same &= back[i] == (char)(i * 31);
    RULE(same, "a copy goes from device to device and back to the host");
    RULE(cudaMemcpyPeerAsync(peer, 0, d, 0, N, s) == cudaErrorInvalidValue,
         "a peer copy names the right devices");
    cudaMemsetAsync(d, 5, N, s);
    cudaMemcpy2DAsync(back, 8, d, 16, 4, 10, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    RULE(back[0] == 5 && back[3] == 5 && back[8] == 5 && back[4] != 5,
         "a pitched copy leaves what is between rows");
    RULE(cudaMemcpy(h, d, N, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
         "a copy's direction fits its pointers");
    cudaGetLastError();
    cudaFree(d);
    cudaFree(peer);
    cudaStreamDestroy(s);
    free(h);
    free(back);
}

/* Copies of pageable memory that don't wait use it as drivers do. */
static void check_pageable(void)
{
    enum { N = 100 };
    int *d, *pinned, back[N], table[2][N] = {{0}};
    cudaStream_t s;
    cudaMalloc((void **)&d, N * sizeof *d);
    cudaMallocHost((void **)&pinned, sizeof *pinned);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (int i = 0; i < N; i++)
        cudaMemcpyAsync(d + i, &i, sizeof i, cudaMemcpyHostToDevice, s);
    cudaMemcpyAsync(back, d, sizeof back, cudaMemcpyDeviceToHost, s);
    int same = 1;
    for (int i = 0; i < N; i++)
        same &= back[i] == i;
    RULE(same, "a loop variable may be copied, and its next value too");
    cudaMemsetAsync(d, 1, N * sizeof *d, s);
    cudaMemcpy2DAsync(table, sizeof table[0], d, 4, 4, 2,
                      cudaMemcpyDeviceToHost, s);
    RULE(table[0][0] == 0x01010101 && table[1][0] == 0x01010101 &&
             table[0][1] == 0,
         "rows to pageable memory are there when the call returns");
    *pinned = 7;
    struct cudaMemcpyAttributes during = {
        .srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall};
    const size_t nbytes = sizeof *pinned;
    size_t first = 0;
    const void *const src = pinned;
    void *const dst = d;
    cudaMemcpyBatchAsync(&dst, &src, &nbytes, 1, &during, &first, 1, s);
    *pinned = 8;
    cudaMemcpyAsync(back, d, nbytes, cudaMemcpyDeviceToHost, s);
    RULE(back[0] == 7, "a batch reads its sources during the call, if asked");
    cudaMemset(pinned, 0, nbytes);
    RULE(*pinned == 0, "a fill of pinned memory is complete");
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFreeHost(pinned);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    check_devices();
    check_addresses();
    check_memory();
    check_pinned();
    check_streams();
    check_events();
    check_copies();
    check_pageable();
    return rule_status();
}
