/* What captures say of themselves, and nodes of NCCL's calls: values.txt. */
#include "say.h"

#include <nccl.h>
#include <stdlib.h>
#include <unistd.h>

static cudaStream_t s, t;
static cudaEvent_t e;
static unsigned char *d;
static cudaGraph_t g;
static ncclComm_t comm;

static const enum cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;

static void nothing(void *data)
{
    (void)data;
}

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaMemset(d, 1, 64);
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaGraphCreate(&g, 0);
}

/* How many nodes and edges a graph has, and of which types the nodes are. */
static void show(cudaGraph_t graph)
{
    cudaGraphNode_t all[16];
    enum cudaGraphNodeType type;
    size_t n = 16, edges = 0;
    cudaGraphGetNodes(graph, all, &n);
    cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges);
    printf("%zu nodes, %zu edges:", n, edges);
    for (size_t i = 0; i < n && i < 16; i++) {
        cudaGraphNodeGetType(all[i], &type);
        printf(" %d", type);
    }
    puts("");
}

/* What the next call of the stream would follow, as numbers in the graph. */
static void follows(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus now = 9;
    unsigned long long id = 99;
    cudaGraph_t graph = NULL;
    cudaGraphNode_t all[16];
    const cudaGraphNode_t *deps = NULL;
    const cudaGraphEdgeData *data = (cudaGraphEdgeData *)d;
    size_t n = 99, count = 16;
    const int err = (int)cudaStreamGetCaptureInfo(stream, &now, &id, &graph,
                                                  &deps, &data, &n);
    printf("%d: %d %llu %zu %s:", err, now, id, n, data ? "data" : "none");
    if (graph)
        cudaGraphGetNodes(graph, all, &count);
    for (size_t i = 0; graph && i < n; i++)
        for (size_t k = 0; k < count; k++)
            if (all[k] == deps[i])
                printf(" %zu", k);
    puts("");
}

static void told(void)
{
    enum cudaStreamCaptureStatus now = 9;
    follows(s);
    SAY(cudaStreamBeginCapture(s, relaxed));
    follows(s);
    SAY(cudaMemsetAsync(d, 1, 8, s));
    follows(s);
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    SAY(cudaMemsetAsync(d + 8, 1, 8, t));
    SAY(cudaMemsetAsync(d + 16, 1, 8, s));
    SAY(cudaEventRecord(e, t));
    SAY(cudaStreamWaitEvent(s, e, 0));
    follows(s);
    follows(t);
    SAY(cudaStreamGetCaptureInfo(s, NULL, NULL, NULL, NULL, NULL, NULL));
    SAY(cudaStreamGetCaptureInfo(s, &now, NULL, NULL, NULL, NULL, NULL));
    IS(now);
    SAY(cudaStreamGetCaptureInfo((cudaStream_t)d, &now, NULL, NULL, NULL, NULL,
                                 NULL));
    SAY(cudaStreamGetCaptureInfo(NULL, &now, NULL, NULL, NULL, NULL, NULL));
    follows(s);
    SAY(cudaStreamEndCapture(s, &g));
    show(g);
    SAY(cudaStreamBeginCapture(t, relaxed));
    follows(t);
    SAY(cudaStreamEndCapture(t, &g));
}

/* What a capture follows, replaced and extended. */
static void followed(void)
{
    cudaGraphNode_t n[3] = {NULL}, other;
    cudaGraph_t inside, apart;
    enum cudaStreamCaptureStatus now;
    size_t k = 3;
    const unsigned set = cudaStreamSetCaptureDependencies;
    const unsigned join = cudaStreamAddCaptureDependencies;
    cudaGraphCreate(&apart, 0);
    cudaGraphAddEmptyNode(&other, apart, NULL, 0);
    SAY(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, set));
    SAY(cudaStreamBeginCapture(s, relaxed));
    for (int i = 0; i < 3; i++)
        cudaMemsetAsync(d, 1, 8, s);
    SAY(cudaStreamGetCaptureInfo(s, &now, NULL, &inside, NULL, NULL, NULL));
    SAY(cudaGraphGetNodes(inside, n, &k));
    SAY(cudaStreamUpdateCaptureDependencies((cudaStream_t)d, n, NULL, 1, set));
    SAY(cudaStreamUpdateCaptureDependencies(s, n, NULL, 1, 2));
    SAY(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, set));
    SAY(cudaStreamUpdateCaptureDependencies(s, &other, NULL, 1, set));
    follows(s);
    SAY(cudaStreamUpdateCaptureDependencies(s, n, NULL, 2, join));
    follows(s);
    SAY(cudaStreamUpdateCaptureDependencies(s, n + 1, NULL, 2, set));
    follows(s);
    SAY(cudaStreamUpdateCaptureDependencies(s, n + 1, NULL, 1, join));
    follows(s);
    SAY(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, set));
    follows(s);
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaStreamEndCapture(s, &g));
    show(g);
}

/* Captures into a graph that has nodes. */
static void into(void)
{
    cudaGraphNode_t n[2];
    cudaGraph_t got = NULL;
    cudaGraphAddEmptyNode(&n[0], g, NULL, 0);
    cudaGraphAddEmptyNode(&n[1], g, NULL, 0);
    SAY(cudaStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, relaxed));
    SAY(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 1, relaxed));
    SAY(cudaStreamBeginCaptureToGraph(s, g, n, NULL, 2, relaxed));
    follows(s);
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaStreamEndCapture(s, &got));
    IS(got == g);
    show(g);
    SAY(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, relaxed));
    follows(s);
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaStreamEndCapture(s, &got));
    IS(got == NULL);
    SAY(cudaGraphDestroy(g)); // the capture has taken it along
    cudaGraphCreate(&g, 0);
    SAY(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, relaxed));
    SAY(cudaGraphDestroy(g));
    SAY(cudaStreamBeginCaptureToGraph(t, g, NULL, NULL, 0, relaxed));
    SAY(cudaMemsetAsync(NULL, 1, 8, s));
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaStreamEndCapture(s, &got));
    show(g);
    SAY(cudaGraphDestroy(g));
}

/* Copies that are captured keep their shape. */
static void shapes(void)
{
    static unsigned char h[64];
    cudaGraphNode_t n[4];
    cudaGraphExec_t x = NULL;
    struct cudaMemcpy3DParms p, of;
    size_t k = 4;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)i;
    p.srcPtr = (struct cudaPitchedPtr){h, 8, 8, 4};
    p.dstPtr = (struct cudaPitchedPtr){d, 4, 4, 3};
    p.extent = (struct cudaExtent){3, 2, 2};
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMemcpy3DAsync(&p, s));
    SAY(cudaMemcpy2DAsync(d + 32, 8, h + 8, 4, 2, 3, cudaMemcpyDefault, s));
    SAY(cudaMemset2DAsync(d + 56, 4, 9, 2, 2, s));
    SAY(cudaMemset3DAsync((struct cudaPitchedPtr){d + 24, 2, 2, 2}, 8,
                          (struct cudaExtent){1, 2, 2}, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphGetNodes(g, n, &k));
    for (int i = 0; i < 2; i++) {
        SAY(cudaGraphMemcpyNodeGetParams(n[i], &of));
        printf("%zu %zu %zu, %zu %zu %zu, %zu %zu %zu, %d\n", of.srcPtr.pitch,
               of.srcPtr.xsize, of.srcPtr.ysize, of.dstPtr.pitch,
               of.dstPtr.xsize, of.dstPtr.ysize, of.extent.width,
               of.extent.height, of.extent.depth, of.kind);
    }
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    cudaMemcpy(h, d, 64, cudaMemcpyDefault);
    for (int i = 0; i < 64; i++)
        printf("%d%c", h[i], i % 8 == 7 ? '\n' : ' ');
}

/* Slices with rows between them, which no memset node has. */
static void slices(void)
{
    unsigned char h[24];
    cudaGraphExec_t x = NULL;
    cudaMemset(d, 1, sizeof h);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMemset3DAsync((struct cudaPitchedPtr){d + 2, 2, 2, 3}, 8,
                          (struct cudaExtent){1, 2, 3}, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDefault);
    for (size_t i = 0; i < sizeof h; i++)
        printf("%d%c", h[i], i % 6 == 5 ? '\n' : ' ');
}

static int digits;

static void append(void *digit)
{
    digits = 10 * digits + *(int *)digit;
}

/* Each node calls its function with its data, at each launch. */
static void hosted(void)
{
    int one = 1, two = 2;
    cudaGraphExec_t x = NULL;
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaLaunchHostFunc(s, append, &one));
    SAY(cudaLaunchHostFunc(s, append, &two));
    SAY(cudaStreamEndCapture(s, &g));
    show(g);
    IS(digits);
    SAY(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 2; i++)
        SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
    IS(digits);
}

/* ---- another library's nodes --------------------------------------------- */

static void reduce(void *at, cudaStream_t stream)
{
    IS(ncclAllReduce(at, at, 4, ncclUint8, ncclSum, comm, stream));
}

static void replace(cudaGraphExec_t x, cudaGraph_t by)
{
    cudaGraphExecUpdateResultInfo r;
    memset(&r, 0, sizeof r);
    SAY(cudaGraphExecUpdate(x, by, &r));
    printf("%d %s\n", r.result, r.errorNode ? "at a node" : "at none");
}

static void run(cudaGraphExec_t x)
{
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaStreamSynchronize(s));
}

/* One that fills, calls NCCL, and fills again. */
static cudaGraph_t captured(void *at)
{
    cudaGraph_t graph = NULL;
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMemsetAsync(at, 3, 4, s));
    reduce(at, s);
    SAY(cudaMemsetAsync(at, 4, 4, s));
    SAY(cudaStreamEndCapture(s, &graph));
    show(graph);
    return graph;
}

static void foreign(void)
{
    const int device = 0;
    cudaGraphExec_t x = NULL, y = NULL;
    cudaGraphNode_t n[3];
    cudaGraph_t plain, copy = NULL;
    struct cudaKernelNodeParams p;
    cudaKernelNodeAttrValue v;
    size_t k = 3;
    IS(ncclCommInitAll(&comm, 1, &device));
    g = captured(d);
    SAY(cudaGraphGetNodes(g, n, &k));
    SAY(cudaGraphKernelNodeGetParams(n[1], &p));
    SAY(cudaGraphKernelNodeGetAttribute(n[1], cudaLaunchAttributePriority, &v));
    SAY(cudaGraphInstantiate(&y, g, cudaGraphInstantiateFlagDeviceLaunch));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphInstantiate(&y, g, 0));
    SAY(cudaGraphClone(&copy, g));
    SAY(cudaGraphDestroy(g));
    run(x);
    run(x);
    SAY(cudaGraphExecDestroy(x));
    run(y);
    g = captured(d + 8);
    replace(y, g);
    SAY(cudaGraphDestroy(g));
    run(y);
    SAY(cudaGraphExecDestroy(y));
    SAY(cudaGraphInstantiate(&x, copy, 0));
    SAY(cudaGraphDestroy(copy));
    SAY(cudaGraphCreate(&plain, 0));
    SAY(cudaStreamBeginCaptureToGraph(s, plain, NULL, NULL, 0, relaxed));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaStreamEndCapture(s, &plain));
    replace(x, plain);
    run(x);
}

/* A group of two streams, of which one, both or none are captured. */
static void groups(void)
{
    const int device = 0;
    cudaGraphExec_t x = NULL;
    IS(ncclCommInitAll(&comm, 1, &device));
    SAY(cudaStreamBeginCapture(s, relaxed));
    IS(ncclGroupStart());
    reduce(d, t);
    reduce(d + 8, s);
    IS(ncclGroupEnd() != ncclSuccess);
    follows(s);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaEventRecord(e, s));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaStreamWaitEvent(t, e, 0));
    IS(ncclGroupStart());
    reduce(d, t);
    reduce(d + 8, s);
    IS(ncclGroupEnd());
    follows(s);
    follows(t);
    SAY(cudaStreamEndCapture(s, &g));
    show(g);
    SAY(cudaGraphInstantiate(&x, g, 0));
    run(x);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaStreamSynchronize(s));
    IS(ncclAllReduce(d, d, 4, ncclUint8, ncclSum, comm, s) != ncclSuccess);
    SAY(cudaStreamEndCapture(s, &g));
}

/* Calls that end a capture: a node that fails, and a group of two captures. */
static void broken(void)
{
    const int device = 0;
    void *p = NULL;
    IS(ncclCommInitAll(&comm, 1, &device));
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMallocAsync(&p, 0, s));
    SAY(cudaMemsetAsync(d, 3, 4, s));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaStreamBeginCapture(t, relaxed));
    IS(ncclGroupStart());
    reduce(d, t);
    reduce(d + 8, s);
    IS(ncclGroupEnd() != ncclSuccess);
    follows(s);
    follows(t);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamEndCapture(t, &g));
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaEventRecord(e, t));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaStreamEndCapture(s, &g));
}

/* ---- pictures ------------------------------------------------------------ */

/* Without the lines that name call sites. */
static void print(const char *path)
{
    char line[512];
    FILE *const f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strstr(line, "prog_"))
            fputs(line, stdout);
    if (f)
        fclose(f);
}

static void add_copy(enum cudaMemcpyKind kind, int n)
{
    cudaGraphNode_t node;
    SAY(cudaGraphAddMemcpyNode1D(&node, g, NULL, 0, d, d + 32, (size_t)n,
                                 kind));
}

static void pictures(void)
{
    char path[] = "/tmp/simgpu-graph-XXXXXX";
    cudaGraphNode_t n;
    struct cudaGraphNodeParams p;
    const struct cudaHostNodeParams h = {nothing, NULL};
    const int device = 0;
    IS(ncclCommInitAll(&comm, 1, &device));
    SAY(cudaGraphDestroy(g));
    g = captured(d);
    close(mkstemp(path));
    for (int kind = 0; kind < 5; kind++)
        add_copy((enum cudaMemcpyKind)kind, kind + 1);
    SAY(cudaGraphAddHostNode(&n, g, NULL, 0, &h));
    SAY(cudaGraphAddEventRecordNode(&n, g, &n, 1, e));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeConditional;
    SAY(cudaGraphConditionalHandleCreate(&p.conditional.handle, g, 1, 0));
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 2;
    SAY(cudaGraphAddNode(&n, g, &n, NULL, 1, &p));
    for (int i = 0; i < 2; i++)
        SAY(cudaGraphAddEventWaitNode(&n, p.conditional.phGraph_out[i], NULL, 0,
                                      e));
    SAY(cudaGraphDebugDotPrint(g, path, 0));
    print(path);
    SAY(cudaGraphDebugDotPrint(g, path, cudaGraphDebugDotFlagsVerbose));
    print(path);
    unlink(path);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"told", told},       {"followed", followed},
                 {"into", into},       {"shaped", shapes},
                 {"sliced", slices},   {"hosted", hosted},
                 {"foreign", foreign}, {"groups", groups},
                 {"broken", broken},   {"pictures", pictures}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
