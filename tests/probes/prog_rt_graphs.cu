/* Graphs: capture, construction, instantiation, update, launch. */
#include <stdint.h>
#include <unistd.h>

#include "probe.h"

#define IS(call, error) CHECK((call) == (error))

#ifdef __SIMNVCC__
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

__global__ void add(int *p, int n, int v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += v;
}

__global__ void count_down(int *left, int *rounds,
                           cudaGraphConditionalHandle handle)
{
    ++*rounds;
    cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, unsigned value)
{
    cudaGraphSetConditional(handle, value);
}

static void count_call(void *data)
{
    ++*(int *)data;
}

struct stream {
    cudaStream_t s;
    stream()
    {
        OK(cudaStreamCreate(&s));
    }
    ~stream()
    {
        OK(cudaStreamDestroy(s));
    }
    operator cudaStream_t()
    {
        return s;
    }
};

struct event {
    cudaEvent_t e;
    event()
    {
        OK(cudaEventCreate(&e));
    }
    ~event()
    {
        OK(cudaEventDestroy(e));
    }
    operator cudaEvent_t()
    {
        return e;
    }
};

/* Instantiate, launch n times, wait, and destroy both. */
static void run(cudaGraph_t graph, cudaStream_t s, int n = 1)
{
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < n; i++)
        OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

PROBE(capture_fork_and_join)
{
    array<int> a(1024);
    stream s, t;
    event fork, join;
    cudaGraph_t graph;
    int calls = 0;
    size_t nnodes = 0, nedges = 0;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(a.d, 0, 4096, s));
    add<<<4, 256, 0, s>>>(a.d, 1024, 2);
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 256, 0, t>>>(a.d + 512, 256, 5);
    add<<<1, 256, 0, s>>>(a.d, 256, 7);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaLaunchHostFunc(s, count_call, &calls));
    OK(cudaMemcpyAsync(a.h, a.d, 4096, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &graph));
    CHECK(calls == 0); // nothing has run
    OK(cudaGraphGetNodes(graph, NULL, &nnodes));
    OK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &nedges));
    CHECK(nnodes == 6 && nedges == 6);
    cudaGraphNode_t from[8], to[8]; // those beyond the last are none
    memset(from, 1, sizeof from);
    memset(to, 1, sizeof to);
    nedges = 8;
    OK(cudaGraphGetEdges(graph, from, to, NULL, &nedges));
    CHECK(nedges == 6 && from[5] && to[5] && !from[6] && !to[6] && !from[7] &&
          !to[7]);
    run(graph, s, 3);
    CHECK(calls == 3 && a.h[0] == 9 && a.h[300] == 2 && a.h[600] == 7);
}

/* A stream that is joined may be destroyed before the capture ends. */
PROBE(capture_outlives_a_joined_stream)
{
    array<int> a(256);
    stream s;
    event fork, join;
    cudaGraph_t graph;
    for (int joined = 0; joined < 2; joined++) {
        cudaStream_t t;
        OK(cudaStreamCreate(&t));
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
        OK(cudaMemsetAsync(a.d, 0, 1024, s));
        OK(cudaEventRecord(fork, s));
        OK(cudaStreamWaitEvent(t, fork, 0));
        add<<<1, 256, 0, t>>>(a.d, 256, 5);
        if (joined) {
            OK(cudaEventRecord(join, t));
            OK(cudaStreamWaitEvent(s, join, 0));
        }
        OK(cudaStreamDestroy(t));
        CHECK((cudaStreamEndCapture(s, &graph) == cudaSuccess) == joined);
        cudaGetLastError();
    }
    run(graph, s);
    CHECK(a.get()[0] == 5 && a.h[255] == 5);
}

PROBE(capture_status_and_errors)
{
    array<int> a(4);
    stream s, t;
    event e;
    cudaGraph_t graph;
    enum cudaStreamCaptureStatus status;
    void *p;
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusNone);
    IS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
       cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    IS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal),
       cudaErrorIllegalState);
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    IS(cudaMalloc(&p, 4), cudaErrorStreamCaptureUnsupported);
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    CHECK(graph == NULL);
    // waits, the legacy stream, other streams' work
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    IS(cudaMemsetAsync(a.d, 0, 4, 0), cudaErrorStreamCaptureImplicit);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaEventRecord(e, t));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamWaitEvent(s, e, 0), cudaErrorStreamCaptureIsolation);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    // the host, and what it waits for
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&p, 4));
    OK(cudaEventRecord(e, s));
    IS(cudaEventSynchronize(e), cudaErrorCapturedEvent);
    IS(cudaEventQuery(e), cudaErrorInvalidValue); // the capture is invalid
    CHECK(cudaStreamWaitEvent(t, e, 0) != cudaSuccess);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    // a fork that does not come back
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, t>>>(a.d, 1, 1);
    IS(cudaStreamEndCapture(t, &graph), cudaErrorStreamCaptureUnmatched);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(t, e, 0));
    add<<<1, 1, 0, t>>>(a.d, 1, 1);
    IS(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);
    OK(cudaFree(p));
    cudaGetLastError();
}

PROBE(capture_into_a_graph_and_info)
{
    array<int> a(1);
    stream s;
    cudaGraph_t graph, same = NULL, found;
    cudaGraphNode_t first;
    const cudaGraphNode_t *deps;
    size_t ndeps = 9;
    unsigned long long id = 0;
    enum cudaStreamCaptureStatus status;
    cudaMemsetParams fill = {};
    fill.dst = a.d;
    fill.elementSize = 4;
    fill.width = fill.height = 1;
    fill.value = 40;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&first, graph, NULL, 0, &fill));
    OK(cudaStreamBeginCaptureToGraph(s, graph, &first, NULL, 1,
                                     cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(s, &status, &id, &found, &deps, NULL, &ndeps));
    CHECK(status == cudaStreamCaptureStatusActive && id && found == graph);
    CHECK(ndeps == 1 && deps[0] == first);
    add<<<1, 1, 0, s>>>(a.d, 1, 2);
    OK(cudaStreamEndCapture(s, &same));
    CHECK(same == graph);
    OK(cudaStreamBeginCaptureToGraph(s, graph, NULL, NULL, 0,
                                     cudaStreamCaptureModeGlobal));
    OK(cudaStreamEndCapture(s, NULL)); // it is known
    run(graph, s);
    CHECK(a.get()[0] == 42);
}

PROBE(thread_mode_is_exchanged)
{
    array<int> a(1);
    stream s;
    cudaGraph_t graph;
    void *p;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeGlobal);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMalloc(&p, 4)); // this thread may
    add<<<1, 1, 0, s>>>(a.d, 1, 1);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeRelaxed);
    OK(cudaFree(p));
    run(graph, s, 2);
    CHECK(a.get()[0] == 2);
}

static cudaKernelNodeParams kernel_params(void **args, int nblocks)
{
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = dim3(nblocks);
    k.blockDim = dim3(64);
    k.kernelParams = args;
    return k;
}

PROBE(nodes_with_parameters)
{
    array<int> a(64), b(64);
    stream s;
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel, copy, host, empty;
    int *p = a.d, n = 64, v = 5, calls = 0;
    void *args[] = {&p, &n, &v};
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams m = {};
    m.dst = a.d;
    m.value = 0x01;
    m.elementSize = 1;
    m.width = 256;
    m.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &m));
    cudaKernelNodeParams k = kernel_params(args, 1), got;
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &k));
    v = 1000; // the node has a copy
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, b.d, a.d, 256,
                                cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddEmptyNode(&empty, graph, &copy, 1));
    cudaHostNodeParams h = {count_call, &calls};
    OK(cudaGraphAddHostNode(&host, graph, &empty, 1, &h));
    OK(cudaGraphKernelNodeGetParams(kernel, &got));
    CHECK(got.func == (void *)add && got.blockDim.x == 64);
    CHECK(*(int *)got.kernelParams[2] == 5);
    enum cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(copy, &type));
    CHECK(type == cudaGraphNodeTypeMemcpy);
    cudaGraphNode_t roots[4], around[4];
    size_t nroots = 4, naround = 4;
    OK(cudaGraphGetRootNodes(graph, roots, &nroots));
    CHECK(nroots == 1 && roots[0] == fill);
    OK(cudaGraphNodeGetDependencies(copy, around, NULL, &naround));
    CHECK(naround == 1 && around[0] == kernel);
    naround = 4;
    OK(cudaGraphNodeGetDependentNodes(copy, around, NULL, &naround));
    CHECK(naround == 1 && around[0] == empty);
    m.value = 0;
    OK(cudaGraphMemsetNodeSetParams(fill, &m));
    run(graph, s);
    CHECK(calls == 1 && b.get()[63] == 5);
}

PROBE(any_node_by_one_function)
{
    array<int> a(2);
    stream s;
    event e;
    cudaGraph_t graph, child;
    cudaGraphNode_t fill, last, inner;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeMemset;
    p.memset.dst = a.d;
    p.memset.value = 7;
    p.memset.elementSize = 4;
    p.memset.width = 2;
    p.memset.height = 1;
    OK(cudaGraphAddNode(&fill, graph, NULL, NULL, 0, &p));
    int *ptr = a.d, n = 1, v = 3;
    void *args[] = {&ptr, &n, &v};
    cudaGraphNodeParams k = {};
    k.type = cudaGraphNodeTypeKernel;
    k.kernel.func = (void *)add;
    k.kernel.gridDim = k.kernel.blockDim = dim3(1);
    k.kernel.kernelParams = args;
    OK(cudaGraphAddNode(&inner, child, NULL, NULL, 0, &k));
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeGraph;
    c.graph.graph = child;
    OK(cudaGraphAddNode(&last, graph, &fill, NULL, 1, &c));
    cudaGraph_t embedded;
    OK(cudaGraphChildGraphNodeGetGraph(last, &embedded));
    CHECK(embedded != child);
    cudaGraphNodeParams r = {};
    r.type = cudaGraphNodeTypeEventRecord;
    r.eventRecord.event = e;
    OK(cudaGraphAddNode(&last, graph, &last, NULL, 1, &r));
    OK(cudaGraphDestroy(child));
    run(graph, s);
    OK(cudaEventSynchronize(e));
    CHECK(a.get()[0] == 10 && a.h[1] == 7);
}

PROBE(wrong_graphs_are_refused)
{
    array<int> a(1);
    cudaGraph_t graph;
    cudaGraphNode_t x, y;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&x, graph, NULL, 0));
    OK(cudaGraphAddEmptyNode(&y, graph, &x, 1));
    IS(cudaGraphAddDependencies(graph, &x, &y, NULL, 1),
       cudaErrorInvalidValue); // twice
    OK(cudaGraphAddDependencies(graph, &y, &x, NULL, 1));
    IS(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue); // a cycle
    OK(cudaGraphRemoveDependencies(graph, &y, &x, NULL, 1));
    OK(cudaGraphDestroyNode(y));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    IS(cudaGraphLaunch(NULL, 0), cudaErrorInvalidValue);
    cudaKernelNodeParams k = {};
    k.func = (void *)&graph; // no kernel
    k.gridDim = k.blockDim = dim3(1);
    CHECK(cudaGraphAddKernelNode(&y, graph, NULL, 0, &k) != cudaSuccess);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    cudaGetLastError();
}

PROBE(clone_and_find)
{
    array<int> a(1);
    stream s;
    cudaGraph_t graph, clone;
    cudaGraphNode_t node, twin;
    int *p = a.d, n = 1, v = 1;
    void *args[] = {&p, &n, &v};
    OK(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams k = kernel_params(args, 1);
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&twin, node, clone));
    CHECK(twin != node);
    v = 20;
    OK(cudaGraphKernelNodeSetParams(twin, &k));
    run(graph, s);
    run(clone, s);
    CHECK(a.get()[0] == 21);
}

PROBE(an_executable_graph_is_updated)
{
    array<int> a(1);
    stream s;
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, second;
    int *p = a.d, n = 1, v = 1;
    void *args[] = {&p, &n, &v};
    cudaGraphExecUpdateResultInfo info;
    cudaKernelNodeParams k = kernel_params(args, 1);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    v = 10;
    OK(cudaGraphExecKernelNodeSetParams(exec, node, &k));
    OK(cudaGraphLaunch(exec, s));
    v = 100;
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddKernelNode(&second, other, NULL, 0, &k));
    OK(cudaGraphExecUpdate(exec, other, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(exec, s));
    unsigned enabled = 9;
    OK(cudaGraphNodeSetEnabled(exec, node, 0));
    OK(cudaGraphNodeGetEnabled(exec, node, &enabled));
    CHECK(enabled == 0);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphNodeSetEnabled(exec, node, 1));
    OK(cudaStreamSynchronize(s));
    CHECK(a.get()[0] == 111);
    OK(cudaGraphAddKernelNode(&second, other, &second, 1, &k));
    IS(cudaGraphExecUpdate(exec, other, &info),
       cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(other));
    cudaGetLastError();
}

PROBE(a_loop_ends_when_its_condition_does)
{
    array<int> a(2);
    stream s;
    cudaGraph_t graph, body;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t loop;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1,
                                        cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    OK(cudaGraphAddNode(&loop, graph, NULL, NULL, 0, &p));
    OK(cudaStreamBeginCaptureToGraph(s, p.conditional.phGraph_out[0], NULL,
                                     NULL, 0, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, s>>>(a.d, a.d + 1, handle);
    OK(cudaStreamEndCapture(s, &body));
    a.h[0] = 10;
    a.put();
    run(graph, s);
    CHECK(a.get()[0] == 0 && a.h[1] == 10);
}

PROBE(a_condition_chooses_a_body)
{
    for (unsigned value = 0; value < 4; value++) {
        array<int> a(3);
        stream s;
        cudaGraph_t graph, body;
        cudaGraphConditionalHandle handle;
        cudaGraphNode_t first, node;
        OK(cudaGraphCreate(&graph, 0));
        OK(cudaGraphConditionalHandleCreate(&handle, graph));
        void *args[] = {&handle, &value};
        cudaKernelNodeParams k = {};
        k.func = (void *)choose;
        k.gridDim = k.blockDim = dim3(1);
        k.kernelParams = args;
        OK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &k));
        cudaGraphNodeParams p = {};
        p.type = cudaGraphNodeTypeConditional;
        p.conditional.handle = handle;
        p.conditional.type = cudaGraphCondTypeSwitch;
        p.conditional.size = 3;
        OK(cudaGraphAddNode(&node, graph, &first, NULL, 1, &p));
        for (int i = 0; i < 3; i++) {
            OK(cudaStreamBeginCaptureToGraph(s, p.conditional.phGraph_out[i],
                                             NULL, NULL, 0,
                                             cudaStreamCaptureModeGlobal));
            add<<<1, 1, 0, s>>>(a.d + i, 1, 1);
            OK(cudaStreamEndCapture(s, &body));
        }
        run(graph, s, 2);
        a.get();
        for (unsigned i = 0; i < 3; i++)
            CHECK(a.h[i] == (i == value ? 2 : 0));
    }
}

static uint64_t graph_bytes(int device, cudaGraphMemAttributeType what)
{
    uint64_t n = 77;
    OK(cudaDeviceGetGraphMemAttribute(device, what, &n));
    return n;
}

PROBE(memory_of_a_graph)
{
    array<int> a(1024);
    stream s;
    cudaGraph_t graph;
    int *m;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync((void **)&m, 4096, s));
    OK(cudaMemsetAsync(m, 0, 4096, s));
    add<<<4, 256, 0, s>>>(m, 1024, 3);
    OK(cudaMemcpyAsync(a.d, m, 4096, cudaMemcpyDeviceToDevice, s));
    OK(cudaFreeAsync(m, s));
    OK(cudaStreamEndCapture(s, &graph));
    run(graph, s, 2);
    CHECK(a.get()[1023] == 3);
    // allocated by a node, freed by the program
    cudaGraphNode_t alloc;
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = 4096;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &p));
    CHECK(p.dptr != NULL);
    run(graph, s);
    add<<<1, 1, 0, s>>>((int *)p.dptr, 1, 1);
    const uint64_t used = graph_bytes(0, cudaGraphMemAttrUsedMemCurrent);
    const uint64_t reserved =
        graph_bytes(0, cudaGraphMemAttrReservedMemCurrent);
    CHECK(!simulated || (used == 4096 && reserved == 4096)); // in whole pages
    CHECK(reserved >= used);
    int devices = 0;
    OK(cudaGetDeviceCount(&devices));
    for (int i = 1; i < devices; i++)
        CHECK(graph_bytes(i, cudaGraphMemAttrReservedMemCurrent) == 0);
    OK(cudaFreeAsync(p.dptr, s));
    OK(cudaStreamSynchronize(s));
    CHECK(!simulated || graph_bytes(0, cudaGraphMemAttrUsedMemCurrent) == 0);
    OK(cudaDeviceGraphMemTrim(0));
}

/* Three nodes in a chain, or the last two behind the first. */
static cudaGraph_t three_fills(int *p, int chain)
{
    cudaGraph_t graph;
    cudaGraphNode_t n[3];
    cudaMemsetParams m = {};
    m.elementSize = 4;
    m.width = m.height = 1;
    OK(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++) {
        m.dst = p + i;
        OK(cudaGraphAddMemsetNode(&n[i], graph, chain ? &n[i - (i > 0)] : n,
                                  i > 0, &m));
    }
    return graph;
}

PROBE(an_update_keeps_the_edges)
{
    array<int> a(3);
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t graph = three_fills(a.d, 1), same = three_fills(a.d, 1),
                other = three_fills(a.d, 0);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphExecUpdate(exec, same, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    IS(cudaGraphExecUpdate(exec, other, &info),
       cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(same));
    OK(cudaGraphDestroy(other));
    cudaGetLastError();
}

/* The nodes may have been added in another order. */
PROBE(an_update_pairs_nodes_by_edges)
{
    array<int> a(3);
    cudaGraphExec_t exec;
    cudaGraph_t graph = three_fills(a.d, 1), other;
    cudaGraphNode_t n[3];
    cudaGraphExecUpdateResultInfo info;
    cudaMemsetParams m = {};
    m.elementSize = 4;
    m.width = m.height = 1;
    OK(cudaGraphCreate(&other, 0));
    for (int i = 2; i >= 0; i--) {
        m.dst = a.d + i;
        m.value = i + 7;
        OK(cudaGraphAddMemsetNode(&n[i], other, NULL, 0, &m));
    }
    OK(cudaGraphAddDependencies(other, n, n + 1, NULL, 2));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphExecUpdate(exec, other, &info));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    a.get();
    CHECK(a.h[0] == 7 && a.h[1] == 8 && a.h[2] == 9);
    OK(cudaGraphRemoveDependencies(other, n + 1, n + 2, NULL, 1));
    OK(cudaGraphAddDependencies(other, n, n + 2, NULL, 1));
    IS(cudaGraphExecUpdate(exec, other, &info),
       cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(other));
    cudaGetLastError();
}

PROBE(edges_from_kernels_have_ports)
{
    array<int> a(1);
    cudaGraph_t graph;
    cudaGraphNode_t k[3], e, got[2];
    int *p = a.d, n = 1, v = 1;
    void *args[] = {&p, &n, &v};
    cudaKernelNodeParams params = kernel_params(args, 1);
    cudaGraphEdgeData data = {}, found[2];
    size_t ngot = 2;
    OK(cudaGraphCreate(&graph, 0));
    for (cudaGraphNode_t &node : k)
        OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    OK(cudaGraphAddEmptyNode(&e, graph, NULL, 0));
    data.from_port = cudaGraphKernelNodePortProgrammatic;
    data.type = cudaGraphDependencyTypeProgrammatic;
    IS(cudaGraphAddDependencies(graph, &e, k, &data, 1), cudaErrorInvalidValue);
    IS(cudaGraphAddDependencies(graph, k, &e, &data, 1), cudaErrorInvalidValue);
    OK(cudaGraphAddDependencies(graph, k, k + 2, &data, 1));
    data.to_port = 1;
    IS(cudaGraphAddDependencies(graph, k + 1, k + 2, &data, 1),
       cudaErrorInvalidValue);
    OK(cudaGraphAddDependencies(graph, k + 1, k + 2, NULL, 1));
    OK(cudaGraphNodeGetDependencies(k[2], got, found, &ngot));
    CHECK(ngot == 2 && got[0] == k[0] && found[0].from_port == 1 &&
          found[0].type == 1 && got[1] == k[1] && !found[1].from_port);
    OK(cudaGraphDestroy(graph));
    cudaGetLastError();
}

PROBE(device_code_launches_no_host_nodes)
{
    int calls = 0;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    const cudaHostNodeParams h = {count_call, &calls};
    cudaGraphInstantiateParams p = {};
    p.flags = cudaGraphInstantiateFlagDeviceLaunch;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &h));
    CHECK(cudaGraphInstantiateWithParams(&exec, graph, &p) != cudaSuccess);
    CHECK(p.result_out == cudaGraphInstantiateNodeOperationNotSupported &&
          p.errNode_out == node);
    p.flags = cudaGraphInstantiateFlagUpload;
    OK(cudaGraphInstantiateWithParams(&exec, graph, &p));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static int destroyed;
static void destroy(void *object)
{
    destroyed += *(int *)object;
}

PROBE(user_objects_live_as_long_as_graphs)
{
    int object = 1;
    cudaUserObject_t u;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    destroyed = 0;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaUserObjectCreate(&u, &object, destroy, 1,
                            cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, u, 1, cudaGraphUserObjectMove));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    CHECK(destroyed == 0);
    OK(cudaGraphExecDestroy(exec));
    CHECK(destroyed == 1);
}

PROBE(graphs_print_themselves)
{
    array<int> a(1);
    stream s;
    cudaGraph_t graph;
    char path[] = "/tmp/simgpu-dot-XXXXXX", line[256] = "";
    close(mkstemp(path));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(a.d, 1, 1);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphDebugDotPrint(graph, path, cudaGraphDebugDotFlagsVerbose));
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f) && !strncmp(line, "digraph", 7));
    int names = 0, sites = 0;
    while (fgets(line, sizeof line, f)) {
        names += strstr(line, "add") != NULL;
        sites += strstr(line, "prog_rt_graphs.cu:") != NULL;
    }
    CHECK(names >= 1 && (!simulated || sites == 1));
    fclose(f);
    unlink(path);
    run(graph, s);
}

PROBE(a_launch_costs_less_than_its_kernels)
{
    enum { N = 20 };
    array<int> a(1);
    stream s;
    event begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float alone = 0, together = 0;
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(begin, s));
    for (int i = 0; i < N; i++)
        add<<<1, 1, 0, s>>>(a.d, 1, 1);
    OK(cudaEventRecord(end, s));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&alone, begin, end));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < N; i++)
        add<<<1, 1, 0, s>>>(a.d, 1, 1);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphUpload(exec, s));
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(begin, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaEventRecord(end, s));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&together, begin, end));
    CHECK(together > 0 && together < alone);
    CHECK(a.get()[0] == 2 * N);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

PROBE(attributes_of_kernel_nodes)
{
    array<int> a(1);
    cudaGraph_t graph;
    cudaGraphNode_t x, y;
    int *p = a.d, n = 1, v = 1;
    void *args[] = {&p, &n, &v};
    cudaKernelNodeParams k = kernel_params(args, 1);
    cudaKernelNodeAttrValue value = {}, got = {};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&x, graph, NULL, 0, &k));
    OK(cudaGraphAddKernelNode(&y, graph, NULL, 0, &k));
    value.priority = -3;
    OK(cudaGraphKernelNodeSetAttribute(x, cudaKernelNodeAttributePriority,
                                       &value));
    OK(cudaGraphKernelNodeCopyAttributes(y, x));
    OK(cudaGraphKernelNodeGetAttribute(y, cudaKernelNodeAttributePriority,
                                       &got));
    CHECK(got.priority == -3);
    OK(cudaGraphDestroy(graph));
}
