/*
 * prog_random.cu: what calls return in random order
 *
 *   prog_random SEED
 *
 * A line for each of the calls drawn from SEED: its name, the streams (s),
 * events (e), graphs (g), executable graphs (x) and nodes (n) that it gets, the
 * other arguments; = its error; what it wrote; | which of the streams s1 to s3
 * are captured then: 0 no, 1 yes, 2 the capture is invalid.
 *
 * How far the GPU has come must not show: "not ready" counts as success.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h> /* atoi */
#include <string.h>

enum { STREAMS = 4, EVENTS = 3, GRAPHS = 3, EXECS = 2, CALLS = 40 };
enum { NBYTES = 4096, AT = 1024, SOME = 64 };

static cudaStream_t S[STREAMS]; /* S[0] is the legacy stream */
static cudaEvent_t E[EVENTS];
static cudaGraph_t G[GRAPHS];
static cudaGraphExec_t X[EXECS];
static char *device, *pinned, pageable[NBYTES];
static void *piece; /* of cudaMallocAsync() */
__device__ int variable[SOME];

__global__ void touch(char *p)
{
    p[threadIdx.x]++;
}

static void nothing(void *) {}
static void called(cudaStream_t, cudaError_t, void *) {}

/* ---- drawing arguments: each is printed ---------------------------------- */

static uint64_t state;

static int pick(int n) /* 0..n-1, by splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int)((z ^ z >> 31) % (uint64_t)n);
}

static int index_of(char what, int n)
{
    const int i = pick(n);
    printf(" %c%d", what, i);
    return i;
}

static cudaStream_t stream()
{
    return S[index_of('s', STREAMS)];
}

static cudaEvent_t event()
{
    return E[index_of('e', EVENTS)];
}

static cudaGraph_t graph()
{
    return G[index_of('g', GRAPHS)];
}

static cudaGraphExec_t exec()
{
    return X[index_of('x', EXECS)];
}

/* A node of the graph, NULL if it has none. */
static cudaGraphNode_t node(cudaGraph_t g)
{
    cudaGraphNode_t nodes[64];
    size_t n = 64;
    return !g || cudaGraphGetNodes(g, nodes, &n) || n == 0
               ? NULL
               : nodes[index_of('n', (int)n)];
}

/* 0..n-1, or seldom up to n + 1, which is no such value. */
static int flags(int n)
{
    const int f = pick(pick(6) ? n : n + 2);
    printf(" %d", f);
    return f;
}

static int one_of(int a, int b, int c)
{
    const int i = pick(4), v = i == 0 ? a : i == 1 ? b : c;
    printf(" %d", v);
    return v;
}

/* Where a copy goes and from where, and its kind. A device that is called the
 * host is undefined. */
struct copied {
    char *to, *from;
    cudaMemcpyKind kind;
};

static copied copy()
{
    char *const at[] = {device, pinned, pageable};
    const int to = pick(3), from = pick(3);
    int kind = pick(12) ? pick(5) : 6;
    if ((kind < 2 && from == 0) || (kind % 2 == 0 && kind < 4 && to == 0))
        kind = cudaMemcpyDefault;
    printf(" %c<%c %d", "dhp"[to], "dhp"[from], kind);
    return {at[to], at[from] + AT, (cudaMemcpyKind)kind};
}

static char *memory()
{
    char *const at[] = {device, pinned, pageable};
    const int i = pick(3);
    printf(" %c", "dhp"[i]);
    return at[i];
}

/* ---- what calls write ---------------------------------------------------- */

static int written[4], nwritten;

static void wrote(long long v)
{
    written[nwritten++] = (int)v;
}

static void *const UNTOUCHED = (void *)8;

/* A pointer that was UNTOUCHED: 8 if it is still. */
static void *wrote(void *p)
{
    wrote(p == UNTOUCHED ? 8LL : p != NULL);
    return p == UNTOUCHED ? NULL : p;
}

/* An allocation, which is freed at once. */
template <class Allocate, class Free>
static cudaError_t allocated(Allocate allocate, Free release)
{
    void *p = UNTOUCHED;
    const cudaError_t err = allocate(&p);
    p = wrote(p);
    if (p)
        wrote((long long)release(p));
    return err;
}

template <class T, class Call> static cudaError_t value(T unset, Call call)
{
    T v = unset;
    const cudaError_t err = call(&v);
    wrote((long long)v);
    return err;
}

/* ---- calls of more than a line ------------------------------------------- */

static void make_stream(int i)
{
    if (i == 3)
        cudaStreamCreateWithPriority(&S[i], cudaStreamDefault, -1);
    else
        cudaStreamCreateWithFlags(&S[i], i == 2 ? cudaStreamNonBlocking
                                                : cudaStreamDefault);
}

static cudaError_t stream_again()
{
    const int i = 1 + pick(STREAMS - 1);
    printf(" s%d", i);
    const cudaError_t err = cudaStreamDestroy(S[i]);
    make_stream(i);
    return err;
}

static void make_event(int i)
{
    cudaEventCreateWithFlags(&E[i], i == 1 ? cudaEventDisableTiming : 0);
}

static cudaError_t event_again()
{
    const int i = index_of('e', EVENTS);
    const cudaError_t err = cudaEventDestroy(E[i]);
    make_event(i);
    return err;
}

static void put_graph(int i, cudaGraph_t g)
{
    if (G[i] != g && G[i])
        cudaGraphDestroy(G[i]);
    for (int k = 0; k < GRAPHS; k++)
        if (G[k] == g)
            G[k] = NULL;
    G[i] = g;
}

static cudaError_t graph_again()
{
    const int i = index_of('g', GRAPHS);
    const cudaError_t err = cudaGraphDestroy(G[i]);
    G[i] = NULL;
    wrote((long long)cudaGraphCreate(&G[i], pick(6) == 0));
    return err;
}

static cudaError_t end_capture()
{
    cudaGraph_t g = (cudaGraph_t)UNTOUCHED;
    const cudaError_t err = cudaStreamEndCapture(stream(), &g);
    size_t n = 0;
    if (!wrote((void *)g))
        return err;
    put_graph(index_of('g', GRAPHS), g);
    cudaGraphGetNodes(g, NULL, &n);
    wrote((long long)n);
    return err;
}

static cudaError_t capture_info()
{
    cudaStreamCaptureStatus status = (cudaStreamCaptureStatus)9;
    cudaGraph_t g = NULL;
    size_t n = 99;
    const cudaError_t err =
        cudaStreamGetCaptureInfo(stream(), &status, NULL, &g, NULL, NULL, &n);
    wrote((long long)status);
    wrote((long long)n);
    wrote((long long)(g != NULL));
    return err;
}

static cudaError_t follow()
{
    cudaStream_t s = stream();
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t g = NULL;
    cudaStreamGetCaptureInfo(s, &status, NULL, &g, NULL, NULL, NULL);
    cudaGetLastError();
    cudaGraphNode_t n = node(g);
    return cudaStreamUpdateCaptureDependencies(s, &n, NULL, n != NULL,
                                               (unsigned)flags(2));
}

static cudaError_t capture_to()
{
    cudaStream_t s = stream();
    cudaGraph_t g = graph();
    cudaGraphNode_t n = node(g);
    return cudaStreamBeginCaptureToGraph(s, g, &n, NULL, n != NULL,
                                         (cudaStreamCaptureMode)flags(3));
}

static cudaError_t launch()
{
    void *args[] = {&device};
    cudaStream_t s = stream();
    return cudaLaunchKernel((const void *)touch, dim3(1),
                            dim3((unsigned)one_of(0, 2048, 32)), args, 0, s);
}

static cudaKernelNodeParams kernel_of(int threads, void **args)
{
    cudaKernelNodeParams p = {};
    p.func = (void *)touch;
    p.gridDim = dim3(1);
    p.blockDim = dim3((unsigned)threads);
    p.kernelParams = args;
    return p;
}

static cudaError_t set_kernel(int executable)
{
    void *args[] = {&device};
    cudaGraphExec_t x = executable ? exec() : NULL;
    cudaGraphNode_t n = node(graph());
    const cudaKernelNodeParams p = kernel_of(one_of(2048, 64, 64), args);
    if (!n || (executable && !x))
        return cudaSuccess;
    return executable ? cudaGraphExecKernelNodeSetParams(x, n, &p)
                      : cudaGraphKernelNodeSetParams(n, &p);
}

/* Adds a node of some type behind up to two others. */
static cudaError_t add_node()
{
    cudaGraph_t g = graph();
    cudaGraphNode_t before[2] = {node(g), node(g)}, out = NULL;
    const size_t n = before[0] ? (size_t)pick(3) : 0;
    const int type = pick(8);
    void *args[] = {&device};
    printf(" %d: %d", (int)n, type);
    switch (type) {
    case 0: return cudaGraphAddEmptyNode(&out, g, before, n);
    case 1: {
        const cudaKernelNodeParams p = kernel_of(32, args);
        return cudaGraphAddKernelNode(&out, g, before, n, &p);
    }
    case 2: {
        cudaMemsetParams p = {};
        p.dst = device;
        p.elementSize = (unsigned)one_of(8, 2, 4);
        p.width = 4;
        p.height = (size_t)one_of(0, 2, 1);
        p.pitch = SOME;
        return cudaGraphAddMemsetNode(&out, g, before, n, &p);
    }
    case 3: {
        const cudaHostNodeParams p = {nothing, NULL};
        return cudaGraphAddHostNode(&out, g, before, n, &p);
    }
    case 4: return cudaGraphAddEventRecordNode(&out, g, before, n, event());
    case 5: return cudaGraphAddEventWaitNode(&out, g, before, n, event());
    case 6: return cudaGraphAddChildGraphNode(&out, g, before, n, graph());
    default: {
        const copied c = copy();
        return cudaGraphAddMemcpyNode1D(&out, g, before, n, c.to, c.from, SOME,
                                        c.kind);
    }
    }
}

static cudaError_t edge(int add)
{
    cudaGraph_t g = graph();
    cudaGraphNode_t from = node(g), to = node(g);
    return !from ? cudaSuccess
           : add ? cudaGraphAddDependencies(g, &from, &to, NULL, 1)
                 : cudaGraphRemoveDependencies(g, &from, &to, NULL, 1);
}

static cudaError_t node_facts()
{
    cudaGraphNode_t n = node(graph());
    cudaGraphNodeType type = (cudaGraphNodeType)77;
    size_t in = 77, out = 77;
    const cudaError_t err = cudaGraphNodeGetType(n, &type);
    cudaGraphNodeGetDependencies(n, NULL, NULL, &in);
    cudaGraphNodeGetDependentNodes(n, NULL, NULL, &out);
    wrote((long long)type);
    wrote((long long)in);
    wrote((long long)out);
    return err;
}

static cudaError_t instantiate()
{
    cudaGraph_t g = graph();
    const int x = index_of('x', EXECS);
    const int f = pick(3) ? 0 : 1 << pick(5);
    cudaGraphExec_t made = NULL;
    printf(" %d", f);
    const cudaError_t err =
        cudaGraphInstantiateWithFlags(&made, g, (unsigned long long)f);
    if (err == cudaSuccess) {
        if (X[x])
            cudaGraphExecDestroy(X[x]);
        X[x] = made;
    }
    return err;
}

static cudaError_t update()
{
    cudaGraphExec_t x = exec();
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t err = cudaGraphExecUpdate(x, graph(), &info);
    wrote((long long)info.result);
    wrote((long long)(info.errorNode != NULL));
    return err;
}

static cudaError_t enabled(int set)
{
    cudaGraphExec_t x = exec();
    cudaGraphNode_t n = node(graph());
    unsigned is = 77;
    if (!x || !n)
        return cudaSuccess;
    const cudaError_t err = set ? cudaGraphNodeSetEnabled(x, n, flags(2) != 0)
                                : cudaGraphNodeGetEnabled(x, n, &is);
    wrote((long long)is);
    return err;
}

static cudaError_t attribute(int set)
{
    cudaStream_t s = stream();
    cudaStreamAttrValue v = {};
    v.priority = set ? -1 : 0;
    const cudaError_t err =
        set ? cudaStreamSetAttribute(s, cudaStreamAttributePriority, &v)
            : cudaStreamGetAttribute(s, cudaStreamAttributePriority, &v);
    wrote((long long)v.priority);
    return err;
}

#include "random_calls.h"

/* ---- a sequence ---------------------------------------------------------- */

static cudaError_t unless_early(cudaError_t err)
{
    return err == cudaErrorNotReady ? cudaSuccess : err;
}

static void call_one()
{
    int sum = 0, i = 0;
    for (const call &c : calls)
        sum += c.weight;
    int r = pick(sum);
    while ((r -= calls[i].weight) >= 0)
        i++;
    nwritten = 0;
    printf("%s", calls[i].name);
    const cudaError_t err = unless_early(calls[i].run());
    const cudaError_t last = unless_early(cudaGetLastError());
    printf(" = %d", (int)err);
    for (int k = 0; k < nwritten; k++)
        printf(" %d", written[k]);
    printf(err == last ? " | " : " last %d | ", (int)last);
    for (int k = 1; k < STREAMS; k++) {
        cudaStreamCaptureStatus status;
        cudaStreamIsCapturing(S[k], &status);
        printf("%d", (int)status);
    }
    printf("\n");
    cudaGetLastError();
}

/* Streams, events, memory, and two graphs: g0 has two nodes, and x0 is g0. */
static void begin()
{
    cudaGraphNode_t first, second;
    void *args[] = {&device};
    for (int i = 1; i < STREAMS; i++)
        make_stream(i);
    for (int i = 0; i < EVENTS; i++)
        make_event(i);
    cudaMalloc((void **)&device, NBYTES);
    cudaMallocHost((void **)&pinned, NBYTES);
    memset(pinned, 0, NBYTES);
    cudaGraphCreate(&G[0], 0);
    cudaGraphCreate(&G[1], 0);
    const cudaKernelNodeParams p = kernel_of(32, args);
    cudaGraphAddKernelNode(&first, G[0], NULL, 0, &p);
    cudaGraphAddEmptyNode(&second, G[0], &first, 1);
    cudaGraphInstantiateWithFlags(&X[0], G[0], 0);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // CUDA may crash
    state = (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) << 32;
    begin();
    for (int i = 0; i < CALLS; i++)
        call_one();
    for (int i = 1; i < STREAMS; i++)
        cudaStreamDestroy(S[i]);
    printf("cudaDeviceSynchronize = %d\n", cudaDeviceSynchronize());
    return 0;
}
