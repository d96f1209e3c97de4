// Graphs, pools and managed memory, in one process. Each case is a short
// program; the fix is under `if (fixed)`.
#include <cuda_runtime.h>

#include <stdlib.h>

#include "case.h"
#include "kernels.cuh"

// Non-blocking streams, events and device buffers, all written to.
static cudaStream_t s1, s2;
static cudaEvent_t fork_event, join_event;
static float *d1, *d2, *h1;

static void setup(void)
{
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join_event, cudaEventDisableTiming);
    cudaMalloc(&d1, BYTES);
    cudaMalloc(&d2, BYTES);
    cudaMemset(d1, 0, BYTES);
    cudaMemset(d2, 0, BYTES);
    cudaDeviceSynchronize();
    h1 = (float *)calloc(N, sizeof *h1);
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    cudaFree(d1);
    cudaFree(d2);
}

// ---- capture ----------------------------------------------------------------

static void begin(void)
{
    cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal);
}

static cudaGraphExec_t end(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamEndCapture(s1, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
}

static void fork_off(void)
{
    cudaEventRecord(fork_event, s1);
    cudaStreamWaitEvent(s2, fork_event, 0);
}

static void join(void)
{
    cudaEventRecord(join_event, s2);
    cudaStreamWaitEvent(s1, join_event, 0);
}

static void run(cudaGraphExec_t exec, cudaStream_t s)
{
    cudaGraphLaunch(exec, s);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
}

static void branches_of_a_capture(int fixed)
{
    begin();
    fork_off();
    FIRST FILL(d1, s1);
    SECOND SCALE(d2, d1, fixed ? s1 : s2);
    join();
    run(end(), s1);
}

static void fork_before_the_write(int fixed)
{
    begin();
    if (!fixed)
        fork_off();
    FIRST FILL(d1, s1);
    if (fixed)
        fork_off();
    SECOND SCALE(d2, d1, s2);
    join();
    run(end(), s1);
}

static void join_before_the_read(int fixed)
{
    begin();
    fork_off();
    if (!fixed)
        join();
    FIRST FILL(d1, s2);
    if (!fixed) // the first join was too early, the second too late
        cudaEventRecord(join_event, s2);
    if (fixed)
        join();
    SECOND SCALE(d2, d1, s1);
    if (!fixed)
        cudaStreamWaitEvent(s1, join_event, 0);
    run(end(), s1);
}

static void copy_beside_a_kernel(int fixed)
{
    begin();
    fork_off();
    FIRST FILL(d1, s1);
    if (fixed)
        fork_off();
    SECOND cudaMemcpyAsync(d2, d1, BYTES, cudaMemcpyDeviceToDevice, s2);
    join();
    run(end(), s1);
}

// ---- launches ---------------------------------------------------------------

static cudaGraphExec_t filling(float *x)
{
    begin();
    FIRST FILL(x, s1);
    return end();
}

static void launch_beside_a_kernel(int fixed)
{
    cudaGraphExec_t exec = filling(d1);
    cudaGraphLaunch(exec, s1);
    SECOND SCALE(d2, d1, fixed ? s1 : s2);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
}

static void two_graphs_on_two_streams(int fixed)
{
    cudaGraphExec_t a = filling(d1);
    begin();
    SECOND SCALE(d2, d1, s1);
    cudaGraphExec_t b = end();
    cudaGraphLaunch(a, s1);
    cudaGraphLaunch(b, fixed ? s1 : s2);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(a);
    cudaGraphExecDestroy(b);
}

static void host_reads_before_the_end(int fixed)
{
    begin();
    FIRST cudaMemcpyAsync(h1, d1, BYTES, cudaMemcpyDeviceToHost, s1);
    cudaGraphExec_t exec = end();
    cudaGraphLaunch(exec, s1);
    if (fixed)
        cudaStreamSynchronize(s1);
    SECOND cudaMemcpy(d2, h1, BYTES, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
}

// ---- nodes ------------------------------------------------------------------

static cudaGraphNode_t add_fill(cudaGraph_t g, const cudaGraphNode_t *after,
                                float *x)
{
    cudaGraphNode_t node;
    int n = N;
    float value = 1;
    void *args[] = {&x, &n, &value};
    cudaKernelNodeParams k = {};
    k.func = (void *)fill;
    k.gridDim = dim3(4);
    k.blockDim = dim3(256);
    k.kernelParams = args;
    FIRST cudaGraphAddKernelNode(&node, g, after, after != NULL, &k);
    return node;
}

static void run_nodes(cudaGraph_t g)
{
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, g, 0);
    cudaGraphDestroy(g);
    run(exec, s1);
}

static void edge_forgotten(int fixed)
{
    cudaGraph_t g;
    cudaGraphNode_t copy;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t first = add_fill(g, NULL, d1);
    SECOND cudaGraphAddMemcpyNode1D(&copy, g, &first, fixed, d2, d1, BYTES,
                                    cudaMemcpyDeviceToDevice);
    run_nodes(g);
}

static void edge_removed(int fixed)
{
    cudaGraph_t g;
    cudaGraphNode_t copy;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t first = add_fill(g, NULL, d1);
    SECOND cudaGraphAddMemcpyNode1D(&copy, g, &first, 1, d2, d1, BYTES,
                                    cudaMemcpyDeviceToDevice);
    if (!fixed)
        cudaGraphRemoveDependencies(g, &first, &copy, NULL, 1);
    run_nodes(g);
}

static void memset_beside_a_kernel(int fixed)
{
    cudaGraph_t g;
    cudaGraphNode_t clear;
    cudaMemsetParams m = {};
    m.dst = d1;
    m.elementSize = 4;
    m.width = N;
    m.height = 1;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t first = add_fill(g, NULL, d1);
    SECOND cudaGraphAddMemsetNode(&clear, g, &first, fixed, &m);
    run_nodes(g);
}

static void child_beside_its_input(int fixed)
{
    cudaGraph_t g, child;
    cudaGraphNode_t copy, node;
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    cudaGraphNode_t first = add_fill(g, NULL, d1);
    SECOND cudaGraphAddMemcpyNode1D(&copy, child, NULL, 0, d2, d1, BYTES,
                                    cudaMemcpyDeviceToDevice);
    cudaGraphAddChildGraphNode(&node, g, &first, fixed, child);
    cudaGraphDestroy(child);
    run_nodes(g);
}

// ---- pools and managed memory -----------------------------------------------

static float *from_pool(cudaStream_t s)
{
    cudaMemPool_t pool;
    float *p;
    cudaDeviceGetDefaultMemPool(&pool, 0);
    FIRST cudaMallocFromPoolAsync(&p, BYTES, pool, s);
    return p;
}

static void used_before_it_is_allocated(int fixed)
{
    float *p = from_pool(s1);
    SECOND FILL(p, fixed ? s1 : s2);
    cudaDeviceSynchronize();
    cudaFreeAsync(p, s1);
}

static void freed_beside_a_copy(int fixed)
{
    float *p = from_pool(s1);
    FILL(p, s1);
    fork_off();
    FIRST cudaMemcpyAsync(d1, p, BYTES, cudaMemcpyDeviceToDevice, s2);
    if (fixed)
        join();
    SECOND cudaFreeAsync(p, s1);
}

static void managed_on_two_streams(int fixed)
{
    float *m;
    cudaMallocManaged(&m, BYTES);
    FIRST FILL(m, s1);
    if (fixed)
        fork_off();
    SECOND SCALE(d2, m, s2);
    cudaDeviceSynchronize();
    cudaFree(m);
}

static void prefetched_on_another_stream(int fixed)
{
    float *m;
    struct cudaMemLocation gpu = {};
    gpu.type = cudaMemLocationTypeDevice;
    cudaMallocManaged(&m, BYTES);
    FIRST FILL(m, s1);
    cudaMemPrefetchAsync(m, BYTES, gpu, 0, s2); // orders nothing
    SECOND SCALE(d2, m, fixed ? s1 : s2);
    cudaDeviceSynchronize();
    cudaFree(m);
}

// ---- local variables --------------------------------------------------------

static void capture_from(const float *p)
{
    FIRST cudaMemcpyAsync(d1, p, sizeof *p, cudaMemcpyHostToDevice, s1);
}

static void capture_to(float *p)
{
    FIRST cudaMemcpyAsync(p, d1, sizeof *p, cudaMemcpyDeviceToHost, s1);
}

static void capture_local(int writes)
{
    float x = 1;
    if (writes)
        capture_to(&x);
    else
        capture_from(&x);
}

static void (*volatile capture)(int) = capture_local; // not inlined

// A copy whose variable is gone when the graph runs.
static void with_local(int writes, int fixed)
{
    float x = 1;
    begin();
    if (!fixed)
        capture(writes);
    else if (writes)
        capture_to(&x);
    else
        capture_from(&x);
    const cudaGraphExec_t exec = end();
    SECOND cudaGraphLaunch(exec, s1);
    cudaStreamSynchronize(s1);
    cudaGraphExecDestroy(exec);
}

static void source_is_gone(int fixed)
{
    with_local(0, fixed);
}

static void target_is_gone(int fixed)
{
    with_local(1, fixed);
}

static const struct hazard_case cases[] = {
    {"branches-of-a-capture", 0, "race", branches_of_a_capture},
    {"fork-before-the-write", 0, "race", fork_before_the_write},
    {"join-before-the-read", 0, "race", join_before_the_read},
    {"copy-beside-a-kernel", 0, "race", copy_beside_a_kernel},
    {"launch-beside-a-kernel", 0, "race", launch_beside_a_kernel},
    {"two-graphs-on-two-streams", 0, "race", two_graphs_on_two_streams},
    {"host-reads-before-the-end", 0, "race", host_reads_before_the_end},
    {"edge-forgotten", 0, "race", edge_forgotten},
    {"edge-removed", 0, "race", edge_removed},
    {"memset-beside-a-kernel", 0, "race", memset_beside_a_kernel},
    {"child-beside-its-input", 0, "race", child_beside_its_input},
    {"used-before-it-is-allocated", 0, "lifetime", used_before_it_is_allocated},
    {"freed-beside-a-copy", 0, "lifetime", freed_beside_a_copy},
    {"managed-on-two-streams", 0, "race", managed_on_two_streams},
    {"prefetched-on-another-stream", 0, "race", prefetched_on_another_stream},
    {"source-is-gone", 0, "reads~a~local~variable", source_is_gone},
    {"target-is-gone", 0, "writes~a~local~variable", target_is_gone},
};

int main(int argc, char **argv)
{
    if (argc > 2)
        setup();
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (argc > 2)
        teardown();
    return status;
}
