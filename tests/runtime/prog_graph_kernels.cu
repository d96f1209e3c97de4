// What nodes with kernels and with symbols keep and do: values.txt.
#include <semaphore.h> // sem_wait

#include "say.h"

#include <nvtx3/nvToolsExt.h>

static __device__ int data[4];
static cudaGraph_t g;
static cudaStream_t s;
static int *d;

__global__ void add(int *at, int n, char twice)
{
    *at += twice ? 2 * n : n;
}

__global__ void nothing(void) {}

// Ends a loop when the counter has come down to nothing.
__global__ void step(int *left, cudaGraphConditionalHandle h)
{
    cudaGraphSetConditional(h, --*left > 0);
    cudaGraphSetConditional(0, 7);
}

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaMemset(d, 0, 64);
    cudaStreamCreate(&s);
    cudaGraphCreate(&g, 0);
}

static void show(void)
{
    int back[4], at[4];
    cudaMemcpyFromSymbol(back, data, sizeof back);
    cudaMemcpy(at, d, sizeof at, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d; %d %d %d %d\n", back[0], back[1], back[2], back[3],
           at[0], at[1], at[2], at[3]);
}

static void run(cudaGraphExec_t x)
{
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    show();
}

static void symbol_nodes(void)
{
    int h[4] = {5, 6, 7, 8};
    cudaGraphNode_t in = NULL, out = NULL;
    cudaGraphExec_t x = NULL;
    const enum cudaMemcpyKind to = cudaMemcpyHostToDevice;
    const enum cudaMemcpyKind on = cudaMemcpyDeviceToDevice;
    SAY(cudaGraphAddMemcpyNodeToSymbol(&in, g, NULL, 0, data, h, 8, 4, to));
    SAY(cudaGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, d, data, 4, 8, on));
    SAY(cudaGraphInstantiate(&x, g, 0));
    run(x);
    SAY(cudaGraphExecMemcpyNodeSetParamsToSymbol(x, in, data, h + 1, 4, 12,
                                                 to));
    SAY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(x, out, d + 1, data, 4, 12,
                                                   on));
    run(x);
    SAY(cudaGraphMemcpyNodeSetParamsToSymbol(in, data, h + 3, 4, 8, to));
    SAY(cudaGraphMemcpyNodeSetParamsFromSymbol(out, d + 2, data, 8, 8, on));
    SAY(cudaGraphInstantiate(&x, g, 0));
    run(x);
}

static struct cudaKernelNodeParams of(void **args, unsigned blocks)
{
    struct cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    return p;
}

static void kernel_nodes(void)
{
    int *at = d, n = 3;
    char twice = 0;
    void *args[] = {&at, &n, &twice};
    cudaGraphNode_t k = NULL, e = NULL;
    cudaGraphExec_t x = NULL;
    struct cudaKernelNodeParams p = of(args, 1), q = {};
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, NULL));
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &p));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    SAY(cudaGraphKernelNodeGetParams(k, NULL));
    SAY(cudaGraphKernelNodeGetParams(e, &q));
    SAY(cudaGraphKernelNodeGetParams(k, &q));
    printf("%d %u %u %u %d %d\n", q.func == p.func, q.gridDim.x, q.blockDim.x,
           q.sharedMemBytes, *(int *)q.kernelParams[1], q.extra == NULL);
    at = d + 3, n = 100; // the node keeps what they were
    SAY(cudaGraphInstantiate(&x, g, 0));
    run(x);
    twice = 1, at = d + 1, p.sharedMemBytes = 16;
    SAY(cudaGraphKernelNodeSetParams(k, NULL));
    SAY(cudaGraphKernelNodeSetParams(e, &p));
    SAY(cudaGraphKernelNodeSetParams(k, &p));
    SAY(cudaGraphKernelNodeGetParams(k, &q));
    IS(q.sharedMemBytes);
    run(x);
    SAY(cudaGraphExecKernelNodeSetParams(x, k, NULL));
    SAY(cudaGraphExecKernelNodeSetParams(x, e, &p));
    SAY(cudaGraphExecKernelNodeSetParams(x, k, &p));
    run(x);
    p.kernelParams = NULL;
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &p));
    p.func = (void *)nothing;
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &p));
    p.blockDim = dim3(1025);
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &p));
    SAY(cudaGraphExecKernelNodeSetParams(x, k, &p));
}

// All of the attributes' numbers, and which of them nodes have.
static void attributes(void)
{
    cudaGraphNode_t k = NULL, other = NULL, e = NULL;
    struct cudaKernelNodeParams p = of(NULL, 4);
    cudaKernelNodeAttrValue v = {}, got;
    p.func = (void *)nothing;
    SAY(cudaGraphAddKernelNode(&k, g, NULL, 0, &p));
    SAY(cudaGraphAddKernelNode(&other, g, NULL, 0, &p));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    for (int id = 0; id <= 16; id++) {
        const cudaLaunchAttributeID a = (cudaLaunchAttributeID)id;
        memset(&got, 0xff, sizeof got);
        v.priority = 20 + id;
        const int err = cudaGraphKernelNodeSetAttribute(k, a, &v);
        const int back = cudaGraphKernelNodeGetAttribute(k, a, &got);
        printf("%d: %d %d %d\n", id, err, back, got.priority);
    }
    const cudaLaunchAttributeID a = cudaLaunchAttributePriority;
    v.priority = 1;
    SAY(cudaGraphKernelNodeSetAttribute(k, a, NULL));
    SAY(cudaGraphKernelNodeSetAttribute(e, a, &v));
    SAY(cudaGraphKernelNodeSetAttribute(NULL, a, &v));
    SAY(cudaGraphKernelNodeSetAttribute(k, a, &v));
    SAY(cudaGraphKernelNodeGetAttribute(k, a, NULL));
    SAY(cudaGraphKernelNodeGetAttribute(e, a, &got));
    SAY(cudaGraphKernelNodeGetAttribute(other, a, &got));
    IS(got.priority);
    SAY(cudaGraphKernelNodeCopyAttributes(e, k));
    SAY(cudaGraphKernelNodeCopyAttributes(other, e));
    SAY(cudaGraphKernelNodeCopyAttributes(other, k));
    SAY(cudaGraphKernelNodeGetAttribute(other, a, &got));
    IS(got.priority);
    SAY(cudaGraphKernelNodeGetAttribute(
        other, cudaLaunchAttributePreferredSharedMemoryCarveout, &got));
    IS(got.priority);
    cudaGraph_t copy;
    SAY(cudaGraphClone(&copy, g));
    SAY(cudaGraphNodeFindInClone(&e, other, copy));
    SAY(cudaGraphKernelNodeGetAttribute(e, a, &got));
    IS(got.priority);
}

// Which data an edge may have, by the types of its ends.
static void edge_data(void)
{
    cudaGraphNode_t k[2], e[2], got[2];
    struct cudaKernelNodeParams p = of(NULL, 1);
    cudaGraphEdgeData data, read[2];
    size_t n = 2;
    p.func = (void *)nothing;
    for (int i = 0; i < 2; i++) {
        cudaGraphAddKernelNode(&k[i], g, NULL, 0, &p);
        cudaGraphAddEmptyNode(&e[i], g, NULL, 0);
    }
    for (int i = 0; i < 3 * 4 * 2 * 3; i++) {
        memset(&data, 0, sizeof data);
        data.type = (unsigned char)(i % 3);
        data.from_port = (unsigned char)(i / 3 % 4);
        data.to_port = (unsigned char)(i / 12 % 2);
        if (i >= 24)
            data.reserved[i < 48 ? 0 : sizeof data.reserved - 1] = 1;
        for (int pair = 0; pair < 4; pair++) {
            cudaGraphNode_t const from = pair & 1 ? k[0] : e[0];
            cudaGraphNode_t const to = pair & 2 ? k[1] : e[1];
            const int err =
                (int)cudaGraphAddDependencies(g, &from, &to, &data, 1);
            printf("%d", err);
            if (err == 0)
                cudaGraphRemoveDependencies(g, &from, &to, NULL, 1);
        }
        printf(i % 12 == 11 ? "\n" : " ");
    }
    memset(&data, 0, sizeof data);
    data.type = cudaGraphDependencyTypeProgrammatic;
    data.from_port = cudaGraphKernelNodePortLaunchCompletion;
    SAY(cudaGraphAddDependencies(g, k, k + 1, &data, 1));
    SAY(cudaGraphClone(&g, g));
    SAY(cudaGraphGetEdges(g, got, got, read, &n));
    printf("%zu: %d %d\n", n, read[0].type, read[0].from_port);
}

// What launches with attributes leave in nodes that are captured.
static void captured_launches(void)
{
    int *at = d, n = 1;
    char twice = 0;
    void *args[] = {&at, &n, &twice};
    cudaLaunchAttribute a[2] = {};
    cudaLaunchConfig_t c = {};
    cudaGraphNode_t nodes[4];
    cudaGraphExec_t x = NULL;
    cudaKernelNodeAttrValue got;
    size_t k = 4;
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 2;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    a[1].id = cudaLaunchAttributePriority;
    a[1].val.priority = -3;
    c.gridDim = dim3(2), c.blockDim = dim3(1);
    c.attrs = a, c.numAttrs = 2, c.stream = s;
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaLaunchKernelExC(&c, (const void *)nothing, NULL));
    SAY(cudaLaunchCooperativeKernel((const void *)add, dim3(1), dim3(1), args,
                                    0, s));
    SAY(cudaLaunchKernel((const void *)add, dim3(0), dim3(1), args, 0, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaLaunchKernelExC(&c, (const void *)nothing, NULL));
    SAY(cudaLaunchCooperativeKernel((const void *)add, dim3(1), dim3(1), args,
                                    0, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphGetNodes(g, nodes, &k));
    IS(k);
    for (size_t i = 0; i < k; i++)
        for (int id = 2; id <= 8; id += 2) {
            memset(&got, 0, sizeof got);
            cudaGraphKernelNodeGetAttribute(nodes[i], (cudaLaunchAttributeID)id,
                                            &got);
            printf("%zu, %d: %d\n", i, id, got.priority);
        }
    SAY(cudaGraphInstantiate(&x, g, 0));
    n = 50;
    run(x);
}

// A body is recorded by the GPU's thread. Held until all of its graph's launch
// is recorded, it always comes after that.
static sem_t launched;

static void hold(void *semaphore)
{
    sem_wait((sem_t *)semaphore);
}

static void run_held(cudaGraphExec_t x)
{
    cudaLaunchHostFunc(s, hold, &launched);
    SAY(cudaGraphLaunch(x, s));
    sem_post(&launched);
    SAY(cudaStreamSynchronize(s));
    show();
}

// Nodes of a child graph and of a body, in a copy of the graph around them.
static void find_inner(cudaGraphNode_t child, cudaGraphNode_t in_body)
{
    cudaGraph_t inner = NULL, copy;
    cudaGraphNode_t nodes[2], found = NULL;
    size_t count = 2;
    SAY(cudaGraphClone(&copy, g));
    SAY(cudaGraphNodeFindInClone(&found, in_body, copy));
    IS(found != NULL && found != in_body);
    SAY(cudaGraphChildGraphNodeGetGraph(child, &inner));
    SAY(cudaGraphGetNodes(inner, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        SAY(cudaGraphNodeFindInClone(&found, nodes[i], copy));
        IS(found != NULL && found != nodes[i]);
    }
}

// A loop of three rounds.
static cudaGraphNode_t add_loop(void)
{
    cudaGraphNode_t n = NULL, k = NULL;
    cudaGraphConditionalHandle h = 0;
    struct cudaGraphNodeParams p = {};
    static int three = 3;
    int *left = d + 1, *at = d, one = 1;
    char twice = 0;
    void *args[] = {&left, &h}, *more[] = {&at, &one, &twice};
    SAY(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, left, &three, 4,
                                 cudaMemcpyHostToDevice));
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    SAY(cudaGraphAddNode(&n, g, &n, NULL, 1, &p));
    cudaGraph_t const body = p.conditional.phGraph_out[0];
    struct cudaKernelNodeParams of_step = of(args, 1), of_add = of(more, 1);
    of_step.func = (void *)step;
    SAY(cudaGraphAddKernelNode(&k, body, NULL, 0, &of_step));
    SAY(cudaGraphAddKernelNode(&n, body, &k, 1, &of_add));
    return n;
}

// Launched twice each: a loop, and a graph whose child has it.
static void loops(void)
{
    cudaGraph_t outer;
    cudaGraphNode_t child = NULL;
    cudaGraphExec_t x = NULL;
    sem_init(&launched, 0, 0);
    cudaGraphNode_t const last = add_loop();
    SAY(cudaGraphInstantiate(&x, g, 0));
    run_held(x);
    run_held(x);
    SAY(cudaGraphCreate(&outer, 0));
    SAY(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, g));
    SAY(cudaGraphInstantiate(&x, outer, 0));
    run_held(x);
    run_held(x);
    SAY(cudaGraphAddChildGraphNode(&child, g, NULL, 0, outer));
    find_inner(child, last);
}

// Costs that ranges declare, of a kernel that would have another.
static void declared(void)
{
    static const char *const costs[] = {
        "cost: 2e9 flops, 8e6 bytes", "cost: 3 bf16 flops, 0 bytes",
        "cost: 0 flops, 7 bytes", "no cost: 5 flops, 5 bytes"};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        nvtxRangePushA(costs[i]);
        add<<<1, 1, 0, s>>>(d, 1, 0);
        nvtxRangePop();
        SAY(cudaStreamSynchronize(s));
    }
    show();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"symbol_nodes", symbol_nodes},
                 {"kernel_nodes", kernel_nodes},
                 {"node_attributes", attributes},
                 {"edge_data", edge_data},
                 {"captured_launches", captured_launches},
                 {"declared", declared},
                 {"loops", loops}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
