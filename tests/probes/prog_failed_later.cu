/*
 * A kernel's failure is known to the host once it has waited for the kernel, or
 * for what follows it, and not before: no call's result is a race. A device
 * does not recover, so each probe has its own.
 */
#include <unistd.h>

#include "probe.h"

__global__ void fail(void)
{
    __trap();
}

__global__ void nothing(void) {}

#define FAILS(call) CHECK((call) == cudaErrorLaunchFailure)

/* A stream of a device that is current from now on; the thread's last error is
 * that of the probe before. */
static cudaStream_t stream_of(int device)
{
    cudaStream_t s = NULL;
    OK(cudaSetDevice(device));
    cudaGetLastError();
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

/* Time for a kernel to run without a wait for it. */
static void let_it_run(void)
{
    usleep(20000);
}

PROBE(no_call_meets_it_by_chance)
{
    const cudaStream_t s = stream_of(1), other = stream_of(1);
    void *p = NULL;
    fail<<<1, 1, 0, s>>>();
    let_it_run();
    nothing<<<1, 1, 0, s>>>();
    OK(cudaGetLastError());
    OK(cudaMalloc(&p, 64));
    nothing<<<1, 1, 0, other>>>();
    OK(cudaStreamSynchronize(other));
    OK(cudaFreeAsync(p, s));
    FAILS(cudaStreamSynchronize(s));
    FAILS(cudaMalloc(&p, 64));
    OK(cudaSetDevice(0));
}

PROBE(it_reaches_what_follows)
{
    const cudaStream_t s = stream_of(2), other = stream_of(2);
    cudaEvent_t before = NULL, after = NULL;
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cudaEventRecord(before, s));
    fail<<<1, 1, 0, s>>>();
    OK(cudaEventRecord(after, s));
    let_it_run();
    OK(cudaEventSynchronize(before));
    OK(cudaStreamWaitEvent(other, after));
    FAILS(cudaStreamSynchronize(other));
    OK(cudaSetDevice(0));
}

PROBE(other_devices_go_on)
{
    cudaEvent_t e = NULL;
    const cudaStream_t s = stream_of(3);
    OK(cudaEventCreate(&e));
    fail<<<1, 1, 0, s>>>();
    OK(cudaEventRecord(e, s));
    const cudaStream_t other = stream_of(4);
    OK(cudaStreamWaitEvent(other, e));
    OK(cudaStreamSynchronize(other));
    OK(cudaSetDevice(3));
    FAILS(cudaEventSynchronize(e));
    OK(cudaSetDevice(0));
}

PROBE(a_query_finds_it)
{
    const cudaStream_t s = stream_of(5);
    cudaError_t err;
    fail<<<1, 1, 0, s>>>();
    while ((err = cudaStreamQuery(s)) == cudaErrorNotReady)
        ;
    FAILS(err);
    OK(cudaSetDevice(0));
}

#ifdef __CUDACC_RDC__ // compiled with -rdc=true
__global__ void fail_in_child(void)
{
    fail<<<1, 1>>>();
}

PROBE(a_child_fails_its_parent)
{
    const cudaStream_t s = stream_of(6);
    fail_in_child<<<1, 1, 0, s>>>();
    let_it_run();
    OK(cudaPeekAtLastError());
    FAILS(cudaStreamSynchronize(s));
    OK(cudaSetDevice(0));
}
#endif

/* In the body of a graph's condition. */
PROBE(a_body_fails_its_graph)
{
    const cudaStream_t s = stream_of(7);
    cudaGraph_t g, body;
    cudaGraphExec_t exec;
    cudaGraphNode_t condition, node;
    cudaGraphConditionalHandle h;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 1;
    OK(cudaGraphAddNode(&condition, g, NULL, NULL, 0, &p));
    body = p.conditional.phGraph_out[0];
    cudaGraphNodeParams k = {};
    k.type = cudaGraphNodeTypeKernel;
    k.kernel.func = (void *)fail;
    k.kernel.gridDim = k.kernel.blockDim = dim3(1);
    OK(cudaGraphAddNode(&node, body, NULL, NULL, 0, &k));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, s));
    let_it_run();
    OK(cudaPeekAtLastError());
    FAILS(cudaStreamSynchronize(s));
    OK(cudaSetDevice(0));
}
