/* What the functions of graphs' nodes return and keep: values.txt. */
#include <semaphore.h> /* sem_wait */

#include "say.h"

static cudaGraph_t g;
static char host[64], back[64];
static char *d;

static void nothing(void *data)
{
    ++*(int *)data;
}

static void other(void *data)
{
    *(int *)data += 10;
}

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaGraphCreate(&g, 0);
}

/* Instantiate, run, and keep the executable graph. */
static cudaGraphExec_t run(void)
{
    cudaGraphExec_t x = NULL;
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphLaunch(x, 0));
    SAY(cudaDeviceSynchronize());
    return x;
}

static void again(cudaGraphExec_t x)
{
    SAY(cudaGraphLaunch(x, 0));
    SAY(cudaDeviceSynchronize());
}

static void fills(void)
{
    cudaGraphNode_t n = NULL, e = NULL;
    struct cudaMemsetParams p = {
        .dst = d, .value = 7, .elementSize = 1, .width = 5, .height = 1};
    struct cudaMemsetParams q;
    SAY(cudaGraphAddMemsetNode(&n, g, NULL, 0, NULL));
    SAY(cudaGraphAddMemsetNode(NULL, g, NULL, 0, &p));
    SAY(cudaGraphAddMemsetNode(&n, NULL, NULL, 0, &p));
    SAY(cudaGraphAddMemsetNode(&n, g, NULL, 0, &p));
    SAY(cudaGraphAddEmptyNode(&e, g, &n, 1));
    SAY(cudaGraphMemsetNodeGetParams(n, NULL));
    SAY(cudaGraphMemsetNodeGetParams(NULL, &q));
    SAY(cudaGraphMemsetNodeGetParams(e, &q));
    SAY(cudaGraphMemsetNodeGetParams(n, &q));
    printf("%d %u %u %zu %zu %zu\n", q.dst == d, q.value, q.elementSize,
           q.width, q.height, q.pitch);
    p.width = 9;
    p.value = 8;
    SAY(cudaGraphMemsetNodeSetParams(n, NULL));
    SAY(cudaGraphMemsetNodeSetParams(NULL, &p));
    SAY(cudaGraphMemsetNodeSetParams(e, &p));
    SAY(cudaGraphMemsetNodeSetParams(n, &p));
    SAY(cudaGraphMemsetNodeGetParams(n, &q));
    printf("%u %zu\n", q.value, q.width);
    cudaGraphExec_t const x = run();
    p.value = 9;
    p.dst = d + 9;
    SAY(cudaGraphExecMemsetNodeSetParams(x, n, NULL));
    SAY(cudaGraphExecMemsetNodeSetParams(x, e, &p));
    SAY(cudaGraphExecMemsetNodeSetParams(x, n, &p));
    again(x);
    cudaMemcpy(back, d, 18, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 18; i++)
        printf("%d ", back[i]);
    puts("");
}

/* Elements of more than one byte, in rows. */
static void wide_fills(void)
{
    struct cudaMemsetParams rows = {.dst = d,
                                    .pitch = 24,
                                    .value = 0x04030201,
                                    .elementSize = 4,
                                    .width = 3,
                                    .height = 2};
    struct cudaMemsetParams row = {.dst = d + 50,
                                   .value = 0x0605,
                                   .elementSize = 2,
                                   .width = 5,
                                   .height = 1};
    cudaGraphNode_t n = NULL, m = NULL;
    cudaMemset(d, 9, 64);
    SAY(cudaGraphAddMemsetNode(&n, g, NULL, 0, &rows));
    SAY(cudaGraphAddMemsetNode(&m, g, &n, 1, &row));
    run();
    SAY(cudaMemcpy(back, d, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        printf("%d%c", back[i], i % 24 == 23 ? '\n' : ' ');
    printf("\n");
}

static void copies(void)
{
    cudaGraphNode_t n = NULL, e = NULL;
    struct cudaMemcpy3DParms p;
    const enum cudaMemcpyKind to = cudaMemcpyHostToDevice;
    memcpy(host, "abcdefghijklmnopqrstuvwxyz", 27);
    SAY(cudaGraphAddMemcpyNode(&n, g, NULL, 0, NULL));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, d, host, 5, to));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    SAY(cudaGraphMemcpyNodeGetParams(n, NULL));
    SAY(cudaGraphMemcpyNodeGetParams(e, &p));
    SAY(cudaGraphMemcpyNodeGetParams(n, &p));
    printf("%d %d %zu %zu %zu %d\n", p.dstPtr.ptr == d, p.srcPtr.ptr == host,
           p.extent.width, p.extent.height, p.extent.depth, p.kind);
    p.srcPtr.ptr = host + 1;
    SAY(cudaGraphMemcpyNodeSetParams(n, NULL));
    SAY(cudaGraphMemcpyNodeSetParams(n, &p));
    cudaGraphExec_t const x = run();
    SAY(cudaGraphMemcpyNodeSetParams1D(n, d + 5, host + 5, 5, to));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(x, n, d + 5, host + 9, 4, to));
    again(x);
    p.srcPtr.ptr = host + 20;
    p.dstPtr.ptr = d + 9;
    SAY(cudaGraphExecMemcpyNodeSetParams(x, n, NULL));
    SAY(cudaGraphExecMemcpyNodeSetParams(x, n, &p));
    SAY(cudaGraphExecMemcpyNodeSetParams(x, e, &p));
    again(x);
    cudaMemcpy(back, d, 14, cudaMemcpyDeviceToHost);
    printf("%.14s\n", back);
    p.extent.width = 0;
    SAY(cudaGraphAddMemcpyNode(&n, g, NULL, 0, &p));
    SAY(cudaGraphAddMemcpyNode1D(&n, g, NULL, 0, NULL, host, 5, to));
}

static void calls(void)
{
    int count = 0;
    cudaGraphNode_t n = NULL, e = NULL;
    struct cudaHostNodeParams p = {nothing, &count}, q;
    SAY(cudaGraphAddHostNode(&n, g, NULL, 0, NULL));
    SAY(cudaGraphAddHostNode(&n, g, NULL, 0, &p));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    SAY(cudaGraphHostNodeGetParams(n, NULL));
    SAY(cudaGraphHostNodeGetParams(e, &q));
    SAY(cudaGraphHostNodeGetParams(n, &q));
    IS(q.fn == nothing);
    IS(q.userData == &count);
    cudaGraphExec_t const x = run();
    IS(count);
    p.fn = other;
    SAY(cudaGraphExecHostNodeSetParams(x, n, NULL));
    SAY(cudaGraphExecHostNodeSetParams(x, n, &p));
    again(x);
    IS(count);
    SAY(cudaGraphHostNodeSetParams(n, NULL));
    SAY(cudaGraphHostNodeSetParams(n, &p));
    SAY(cudaGraphHostNodeGetParams(n, &q));
    IS(q.fn == other);
}

static void events(void)
{
    cudaGraphNode_t n = NULL, w = NULL, none;
    cudaEvent_t a, b, got = NULL;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    SAY(cudaGraphAddEventRecordNode(&n, g, NULL, 0, a));
    SAY(cudaGraphAddEventRecordNode(&none, g, NULL, 0, NULL));
    SAY(cudaGraphAddEventWaitNode(&w, g, NULL, 0, a));
    SAY(cudaGraphEventRecordNodeGetEvent(n, NULL));
    SAY(cudaGraphEventRecordNodeGetEvent(w, &got));
    SAY(cudaGraphEventRecordNodeGetEvent(n, &got));
    IS(got == a);
    got = NULL;
    SAY(cudaGraphEventWaitNodeGetEvent(n, &got));
    SAY(cudaGraphEventWaitNodeGetEvent(w, &got));
    IS(got == a);
    SAY(cudaGraphEventRecordNodeSetEvent(n, b));
    SAY(cudaGraphEventRecordNodeSetEvent(w, b));
    SAY(cudaGraphEventRecordNodeGetEvent(n, &got));
    IS(got == b);
    SAY(cudaGraphEventWaitNodeSetEvent(w, b));
    SAY(cudaGraphEventWaitNodeSetEvent(n, b));
    SAY(cudaGraphEventWaitNodeGetEvent(w, &got));
    IS(got == b);
    cudaGraphExec_t const x = run();
    SAY(cudaGraphExecEventRecordNodeSetEvent(x, n, a));
    SAY(cudaGraphExecEventRecordNodeSetEvent(x, w, a));
    SAY(cudaGraphExecEventWaitNodeSetEvent(x, w, a));
    SAY(cudaGraphExecEventWaitNodeSetEvent(x, n, a));
    SAY(cudaGraphExecEventWaitNodeSetEvent(NULL, w, a));
    again(x);
}

static void children(void)
{
    int count = 0;
    cudaGraph_t inner, twice, got = NULL;
    cudaGraphNode_t n = NULL, e = NULL, m;
    struct cudaHostNodeParams p = {nothing, &count};
    cudaGraphCreate(&inner, 0);
    cudaGraphAddHostNode(&m, inner, NULL, 0, &p);
    SAY(cudaGraphAddChildGraphNode(&n, g, NULL, 0, NULL));
    SAY(cudaGraphAddChildGraphNode(&n, g, NULL, 0, inner));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    SAY(cudaGraphChildGraphNodeGetGraph(n, NULL));
    SAY(cudaGraphChildGraphNodeGetGraph(e, &got));
    SAY(cudaGraphChildGraphNodeGetGraph(n, &got));
    IS(got != NULL && got != inner);
    cudaGraphExec_t const x = run();
    IS(count);
    SAY(cudaGraphClone(&twice, inner));
    SAY(cudaGraphNodeFindInClone(&m, m, twice));
    p.fn = other;
    SAY(cudaGraphHostNodeSetParams(m, &p));
    SAY(cudaGraphExecChildGraphNodeSetParams(x, n, twice));
    SAY(cudaGraphExecChildGraphNodeSetParams(x, e, twice));
    again(x);
    IS(count);
}

static void memory(void)
{
    cudaGraphNode_t a = NULL, f = NULL, e = NULL, none;
    void *got = NULL;
    struct cudaMemAllocNodeParams p, q;
    memset(&p, 0, sizeof p);
    p.bytesize = 300;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    SAY(cudaGraphAddMemAllocNode(&a, g, NULL, 0, NULL));
    SAY(cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p));
    IS(p.dptr != NULL);
    SAY(cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr));
    SAY(cudaGraphAddMemFreeNode(&none, g, &a, 1, NULL));
    SAY(cudaGraphAddEmptyNode(&e, g, NULL, 0));
    SAY(cudaGraphMemAllocNodeGetParams(a, NULL));
    SAY(cudaGraphMemAllocNodeGetParams(e, &q));
    SAY(cudaGraphMemAllocNodeGetParams(a, &q));
    printf("%d %zu %d\n", q.dptr == p.dptr, q.bytesize, q.poolProps.allocType);
    SAY(cudaGraphMemFreeNodeGetParams(f, NULL));
    SAY(cudaGraphMemFreeNodeGetParams(a, &got));
    SAY(cudaGraphMemFreeNodeGetParams(f, &got));
    IS(got == p.dptr);
    run();
}

static void any(void)
{
    cudaGraphNode_t n = NULL;
    int count = 0;
    cudaGraphConditionalHandle h = 0;
    struct cudaGraphNodeParams p;
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeHost;
    p.host.fn = nothing;
    p.host.userData = &count;
    SAY(cudaGraphAddNode(&n, g, NULL, NULL, 0, NULL));
    SAY(cudaGraphAddNode(NULL, g, NULL, NULL, 0, &p));
    SAY(cudaGraphAddNode(&n, g, NULL, NULL, 1, &p));
    SAY(cudaGraphAddNode(&n, g, NULL, NULL, 0, &p));
    cudaGraphExec_t const x = run();
    IS(count);
    p.host.fn = other;
    SAY(cudaGraphNodeSetParams(n, NULL));
    SAY(cudaGraphNodeSetParams(NULL, &p));
    SAY(cudaGraphNodeSetParams(n, &p));
    SAY(cudaGraphExecNodeSetParams(x, n, NULL));
    SAY(cudaGraphExecNodeSetParams(x, n, &p));
    again(x);
    IS(count);
    p.type = cudaGraphNodeTypeMemAlloc;
    SAY(cudaGraphExecNodeSetParams(x, n, &p));
    p.type = cudaGraphNodeTypeMemFree;
    SAY(cudaGraphExecNodeSetParams(x, n, &p));
    SAY(cudaGraphConditionalHandleCreate(NULL, g, 1, 0));
    SAY(cudaGraphConditionalHandleCreate(&h, NULL, 1, 0));
    SAY(cudaGraphConditionalHandleCreate(&h, g, 1, 2));
    SAY(cudaGraphConditionalHandleCreate(&h, g, 1, 1));
    IS(h != 0);
}

/* What bodies of conditions do, other streams know only after a while. */
static cudaStream_t apart;

/* A body is recorded by the GPU's thread. Held until all of its graph's launch
 * is recorded, it always comes after that. */
static sem_t launched;

static void hold(void *semaphore)
{
    sem_wait(semaphore);
}

/* A node whose condition begins with a value. */
static void condition(int type, unsigned size, unsigned value, unsigned flags)
{
    cudaGraphExec_t x = NULL;
    cudaGraphNode_t node = NULL, m;
    cudaGraphConditionalHandle h = 0;
    struct cudaGraphNodeParams p;
    cudaMemset(d, 0, 64);
    cudaDeviceSynchronize();
    cudaGraphCreate(&g, 0);
    SAY(cudaGraphConditionalHandleCreate(&h, g, value, flags));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = (enum cudaGraphConditionalNodeType)type;
    p.conditional.size = size;
    printf("%d %u %u\n", type, size, value);
    SAY(cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    for (unsigned i = 0; node && i < size; i++)
        cudaGraphAddMemsetNode(&m, p.conditional.phGraph_out[i], NULL, 0,
                               &(struct cudaMemsetParams){.dst = d + 4 * i,
                                                          .value = 1 + i,
                                                          .elementSize = 1,
                                                          .width = 4,
                                                          .height = 1});
    if (!node)
        return;
    SAY(cudaGraphInstantiate(&x, g, 0));
    cudaLaunchHostFunc(apart, hold, &launched);
    SAY(cudaGraphLaunch(x, apart));
    sem_post(&launched);
    SAY(cudaStreamSynchronize(apart));
    cudaMemcpy(back, d, 12, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", back[0], back[4], back[8]);
}

static void conditions(void)
{
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    sem_init(&launched, 0, 0);
    condition(cudaGraphCondTypeIf, 0, 1, 1);
    condition(cudaGraphCondTypeIf, 3, 1, 1);
    condition(cudaGraphCondTypeWhile, 2, 0, 1);
    condition(cudaGraphCondTypeSwitch, 0, 0, 1);
    condition(9, 1, 0, 1);
    condition(cudaGraphCondTypeIf, 1, 1, 1);
    condition(cudaGraphCondTypeIf, 1, 0, 1);
    condition(cudaGraphCondTypeIf, 2, 5, 0);
    condition(cudaGraphCondTypeIf, 2, 0, 1);
    condition(cudaGraphCondTypeWhile, 1, 0, 1);
    condition(cudaGraphCondTypeSwitch, 3, 0, 1);
    condition(cudaGraphCondTypeSwitch, 3, 2, 1);
    condition(cudaGraphCondTypeSwitch, 3, 3, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"fills", fills},
                 {"copies", copies},
                 {"calls", calls},
                 {"node_events", events},
                 {"children", children},
                 {"node_memory", memory},
                 {"any", any},
                 {"conditions", conditions},
                 {"wide_fills", wide_fills}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
