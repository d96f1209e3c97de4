/* What functions of whole graphs return, and how graphs run: values.txt. */
#include "say.h"

#include <stdlib.h>
#include <unistd.h>

static cudaGraph_t g;
static cudaGraphNode_t n[5];
static unsigned char *d;
static cudaStream_t s, t;

static void nothing(void *data)
{
    (void)data;
}

static cudaGraphNode_t fill(cudaGraph_t to, const cudaGraphNode_t *deps,
                            size_t ndeps, int at, int value)
{
    cudaGraphNode_t node = NULL;
    const struct cudaMemsetParams p = {.dst = d + at,
                                       .value = (unsigned)value,
                                       .elementSize = 1,
                                       .width = 4,
                                       .height = 1};
    cudaGraphAddMemsetNode(&node, to, deps, ndeps, &p);
    return node;
}

/* n[0] leads to n[1] and n[2], both to n[3]; n[4] is alone. */
static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaMemset(d, 0, 64);
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaGraphCreate(&g, 0);
    n[0] = fill(g, NULL, 0, 0, 1);
    n[1] = fill(g, n, 1, 4, 2);
    n[2] = fill(g, n, 1, 8, 3);
    n[3] = fill(g, n + 1, 2, 12, 4);
    n[4] = fill(g, NULL, 0, 16, 5);
}

static int number_of(cudaGraphNode_t node)
{
    for (int i = 0; i < 5; i++)
        if (n[i] == node)
            return i;
    return node ? 8 : 9;
}

static void print(const cudaGraphNode_t *nodes, size_t count)
{
    for (int i = 0; i < 5; i++)
        printf("%d ", number_of(nodes[i]));
    printf("of %zu\n", count);
}

/* What is written to arrays of 5 that are said to have `room` entries. */
static void lists_of(size_t room)
{
    cudaGraphNode_t x = (cudaGraphNode_t)d;
    cudaGraphNode_t a[5] = {x, x, x, x, x}, b[5] = {x, x, x, x, x};
    cudaGraphNode_t c[5] = {x, x, x, x, x}, e[5] = {x, x, x, x, x};
    cudaGraphNode_t f[5] = {x, x, x, x, x}, h[5] = {x, x, x, x, x};
    size_t k = room;
    SAY(cudaGraphGetNodes(g, a, &k));
    print(a, k);
    k = room;
    SAY(cudaGraphGetRootNodes(g, b, &k));
    print(b, k);
    k = room;
    SAY(cudaGraphGetEdges(g, c, e, NULL, &k));
    print(c, k);
    print(e, k);
    k = room;
    SAY(cudaGraphNodeGetDependencies(n[3], f, NULL, &k));
    print(f, k);
    k = room;
    SAY(cudaGraphNodeGetDependentNodes(n[0], h, NULL, &k));
    print(h, k);
}

static void lists(void)
{
    for (size_t room = 0; room <= 5; room++)
        lists_of(room);
}

static void lengths(void)
{
    cudaGraphNode_t a[5];
    enum cudaGraphNodeType type;
    size_t k = 9;
    SAY(cudaGraphGetNodes(g, NULL, NULL));
    SAY(cudaGraphGetNodes(NULL, NULL, &k));
    SAY(cudaGraphGetNodes(g, NULL, &k));
    IS(k);
    SAY(cudaGraphGetRootNodes(g, NULL, NULL));
    SAY(cudaGraphGetRootNodes(NULL, NULL, &k));
    SAY(cudaGraphGetRootNodes(g, NULL, &k));
    IS(k);
    SAY(cudaGraphGetEdges(g, NULL, NULL, NULL, NULL));
    SAY(cudaGraphGetEdges(NULL, NULL, NULL, NULL, &k));
    SAY(cudaGraphGetEdges(g, a, NULL, NULL, &k));
    SAY(cudaGraphGetEdges(g, NULL, a, NULL, &k));
    SAY(cudaGraphGetEdges(g, NULL, NULL, NULL, &k));
    IS(k);
    SAY(cudaGraphNodeGetDependencies(NULL, NULL, NULL, &k));
    SAY(cudaGraphNodeGetDependencies(n[3], NULL, NULL, NULL));
    SAY(cudaGraphNodeGetDependencies(n[3], NULL, NULL, &k));
    IS(k);
    SAY(cudaGraphNodeGetDependentNodes(NULL, NULL, NULL, &k));
    SAY(cudaGraphNodeGetDependentNodes(n[0], NULL, NULL, NULL));
    SAY(cudaGraphNodeGetDependentNodes(n[0], NULL, NULL, &k));
    IS(k);
    SAY(cudaGraphNodeGetType(NULL, &type));
    SAY(cudaGraphNodeGetType(n[0], NULL));
    SAY(cudaGraphNodeGetType(n[0], &type));
    IS(type);
}

static void wholes(void)
{
    cudaGraph_t other = NULL;
    cudaGraphNode_t found = NULL;
    SAY(cudaGraphCreate(NULL, 0));
    SAY(cudaGraphCreate(&other, 1));
    SAY(cudaGraphClone(NULL, g));
    SAY(cudaGraphClone(&other, NULL));
    SAY(cudaGraphClone(&other, g));
    SAY(cudaGraphNodeFindInClone(NULL, n[1], other));
    SAY(cudaGraphNodeFindInClone(&found, NULL, other));
    SAY(cudaGraphNodeFindInClone(&found, n[1], NULL));
    SAY(cudaGraphNodeFindInClone(&found, n[1], g));
    SAY(cudaGraphNodeFindInClone(&found, n[1], other));
    IS(found && found != n[1]);
    SAY(cudaGraphDestroyNode(NULL));
    SAY(cudaGraphDestroyNode(n[1]));
    lists_of(5);
    SAY(cudaGraphDestroy(other));
    SAY(cudaGraphDestroy(other));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(NULL));
}

static void last_removed(void)
{
    cudaGraphNode_t a[5] = {0};
    size_t k = 5;
    SAY(cudaGraphDestroyNode(n[4]));
    n[4] = fill(g, n + 3, 1, 20, 6);
    SAY(cudaGraphGetNodes(g, a, &k));
    print(a, k);
    SAY(cudaGraphDestroyNode(n[0]));
    k = 5;
    SAY(cudaGraphGetRootNodes(g, a, &k));
    print(a, k);
}

static void edges(void)
{
    cudaGraphEdgeData data[2], got[3];
    cudaGraphNode_t other, from[3], to[3];
    cudaGraph_t empty;
    size_t k = 3;
    memset(data, 0, sizeof data);
    memset(got, 0, sizeof got);
    cudaGraphCreate(&empty, 0);
    other = fill(empty, NULL, 0, 0, 1);
    data[0].from_port = 3;
    data[1].to_port = 4;
    SAY(cudaGraphAddDependencies(NULL, n + 3, n + 4, NULL, 1));
    SAY(cudaGraphAddDependencies(g, NULL, n + 4, NULL, 1));
    SAY(cudaGraphAddDependencies(g, n + 3, NULL, NULL, 1));
    SAY(cudaGraphAddDependencies(g, NULL, NULL, NULL, 0));
    SAY(cudaGraphAddDependencies(g, n + 4, n + 4, NULL, 1));
    SAY(cudaGraphAddDependencies(g, n, n + 1, NULL, 1));
    SAY(cudaGraphAddDependencies(g, &other, n + 1, NULL, 1));
    SAY(cudaGraphAddDependencies(g, n + 1, &other, NULL, 1));
    to[0] = to[1] = n[4];
    from[0] = n[3];
    from[1] = n[2];
    SAY(cudaGraphAddDependencies(g, from, to, data, 2));
    SAY(cudaGraphNodeGetDependencies(n[4], from, got, &k));
    printf("%d %d %d: %d %d %zu\n", number_of(from[0]), number_of(from[1]),
           number_of(from[2]), got[0].from_port, got[1].to_port, k);
    SAY(cudaGraphRemoveDependencies(NULL, n + 3, n + 4, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, NULL, n + 4, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, n + 3, NULL, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, n + 3, &other, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, n + 1, n + 4, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, n + 3, n + 4, NULL, 1));
    SAY(cudaGraphRemoveDependencies(g, n + 3, n + 4, NULL, 1));
    k = 3;
    SAY(cudaGraphNodeGetDependencies(n[4], from, NULL, &k));
    printf("%d %zu\n", number_of(from[0]), k);
    k = 3;
    SAY(cudaGraphNodeGetDependentNodes(n[2], from, got, &k));
    printf("%d %d: %d %zu\n", number_of(from[0]), number_of(from[1]),
           got[1].to_port, k);
    for (int i = 0; i < 4; i++)
        fill(g, n, 5, 32, 7);
    k = 0;
    SAY(cudaGraphGetEdges(g, NULL, NULL, NULL, &k));
    IS(k);
}

/* ---- executable graphs --------------------------------------------------- */

static void show(void)
{
    unsigned char back[24];
    cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < sizeof back; i++)
        printf("%d ", back[i]);
    puts("");
    cudaMemset(d, 0, 64);
    cudaDeviceSynchronize();
}

static void instantiating(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraphInstantiateParams p;
    unsigned long long flags = 99;
    memset(&p, 0, sizeof p);
    SAY(cudaGraphInstantiate(NULL, g, 0));
    SAY(cudaGraphInstantiate(&x, NULL, 0));
    SAY(cudaGraphInstantiate(&x, g, 16));
    SAY(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagDeviceLaunch));
    SAY(cudaGraphInstantiateWithFlags(&x, g, 16));
    SAY(cudaGraphInstantiateWithFlags(&x, g, 11));
    SAY(cudaGraphExecGetFlags(NULL, &flags));
    SAY(cudaGraphExecGetFlags(x, NULL));
    SAY(cudaGraphExecGetFlags(x, &flags));
    IS(flags);
    SAY(cudaGraphUpload(x, s));
    SAY(cudaGraphUpload(x, (cudaStream_t)d));
    SAY(cudaGraphUpload(NULL, s));
    SAY(cudaGraphLaunch(x, (cudaStream_t)d));
    SAY(cudaGraphLaunch(NULL, s));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(x, t));
    SAY(cudaDeviceSynchronize());
    show();
    SAY(cudaGraphExecDestroy(NULL));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphExecDestroy(x));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphInstantiateWithParams(&x, g, NULL));
    SAY(cudaGraphInstantiateWithParams(&x, g, &p));
    printf("%d %d\n", p.result_out, number_of(p.errNode_out));
    SAY(cudaGraphInstantiateWithParams(&x, NULL, &p));
    printf("%d %d\n", p.result_out, number_of(p.errNode_out));
    SAY(cudaGraphAddDependencies(g, n + 3, n, NULL, 1));
    SAY(cudaGraphInstantiateWithParams(&x, g, &p));
    printf("%d %d\n", p.result_out, number_of(p.errNode_out));
    SAY(cudaGraphInstantiate(&x, g, 0));
}

static void enabling(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraphNode_t host;
    unsigned on = 9;
    const struct cudaHostNodeParams p = {nothing, NULL};
    SAY(cudaGraphAddHostNode(&host, g, n, 1, &p));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphNodeGetEnabled(x, n[1], &on));
    IS(on);
    SAY(cudaGraphNodeSetEnabled(x, n[1], 0));
    SAY(cudaGraphNodeSetEnabled(x, host, 0));
    SAY(cudaGraphNodeSetEnabled(x, NULL, 0));
    SAY(cudaGraphNodeSetEnabled(NULL, n[1], 0));
    SAY(cudaGraphNodeGetEnabled(x, n[1], NULL));
    SAY(cudaGraphNodeGetEnabled(NULL, n[1], &on));
    SAY(cudaGraphNodeGetEnabled(x, NULL, &on));
    SAY(cudaGraphNodeGetEnabled(x, n[1], &on));
    IS(on);
    SAY(cudaGraphLaunch(x, s));
    show();
    SAY(cudaGraphNodeSetEnabled(x, n[1], 3));
    SAY(cudaGraphNodeGetEnabled(x, n[1], &on));
    IS(on);
    SAY(cudaGraphLaunch(x, s));
    show();
}

static void update(cudaGraphExec_t x, cudaGraph_t from)
{
    cudaGraphExecUpdateResultInfo r;
    memset(&r, 0xff, sizeof r);
    SAY(cudaGraphExecUpdate(x, from, &r));
    printf("%d %s\n", r.result, r.errorNode ? "at a node" : "at none");
}

static void retyped(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraph_t other;
    cudaGraphNode_t m;
    const struct cudaHostNodeParams h = {nothing, NULL};
    struct cudaMemAllocNodeParams a;
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphClone(&other, g));
    SAY(cudaGraphNodeFindInClone(&m, n[4], other));
    SAY(cudaGraphDestroyNode(m));
    SAY(cudaGraphAddHostNode(&m, other, NULL, 0, &h));
    update(x, other);
    memset(&a, 0, sizeof a);
    a.bytesize = 8;
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location.type = cudaMemLocationTypeDevice;
    SAY(cudaGraphAddMemAllocNode(&m, g, NULL, 0, &a));
    SAY(cudaGraphInstantiate(&x, g, 0));
    update(x, g);
}

static void updating(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraph_t other;
    cudaGraphNode_t m;
    cudaGraphExecUpdateResultInfo r;
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphExecUpdate(NULL, g, &r));
    SAY(cudaGraphExecUpdate(x, NULL, &r));
    SAY(cudaGraphExecUpdate(x, g, NULL));
    update(x, g);
    cudaGraphClone(&other, g);
    cudaGraphNodeFindInClone(&m, n[2], other);
    const struct cudaMemsetParams p = {
        .dst = d + 8, .value = 77, .elementSize = 1, .width = 2, .height = 1};
    SAY(cudaGraphMemsetNodeSetParams(m, &p));
    update(x, other);
    SAY(cudaGraphLaunch(x, s));
    show();
    SAY(cudaGraphDestroyNode(m));
    update(x, other);
    const struct cudaHostNodeParams h = {nothing, NULL};
    SAY(cudaGraphAddHostNode(&m, other, NULL, 0, &h));
    update(x, other);
    SAY(cudaGraphDestroy(other));
    SAY(cudaGraphClone(&other, g));
    SAY(cudaGraphNodeFindInClone(&m, n[4], other));
    cudaGraphNode_t first;
    SAY(cudaGraphNodeFindInClone(&first, n[0], other));
    SAY(cudaGraphAddDependencies(other, &first, &m, NULL, 1));
    update(x, other);
    SAY(cudaGraphRemoveDependencies(other, &first, &m, NULL, 1));
    update(x, other);
    SAY(cudaGraphNodeFindInClone(&m, n[1], other));
    SAY(cudaGraphNodeFindInClone(&first, n[4], other));
    cudaGraphNode_t old;
    SAY(cudaGraphNodeFindInClone(&old, n[0], other));
    SAY(cudaGraphRemoveDependencies(other, &old, &m, NULL, 1));
    SAY(cudaGraphAddDependencies(other, &first, &m, NULL, 1));
    update(x, other);
}

static void inner_updates(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraph_t outer, inner, twice;
    cudaGraphNode_t child, m;
    cudaGraphCreate(&outer, 0);
    SAY(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, g));
    SAY(cudaGraphInstantiate(&x, outer, 0));
    SAY(cudaGraphClone(&twice, outer));
    update(x, twice);
    SAY(cudaGraphNodeFindInClone(&m, child, twice));
    SAY(cudaGraphChildGraphNodeGetGraph(m, &inner));
    SAY(cudaGraphDestroy(inner));
    const struct cudaMemsetParams p = {
        .dst = d, .value = 66, .elementSize = 1, .width = 2, .height = 1};
    cudaGraphNode_t nodes[5];
    size_t k = 5;
    SAY(cudaGraphGetNodes(inner, nodes, &k));
    SAY(cudaGraphMemsetNodeSetParams(nodes[0], &p));
    update(x, twice);
    SAY(cudaGraphLaunch(x, s));
    show();
    fill(inner, NULL, 0, 20, 8);
    update(x, twice);
    SAY(cudaGraphExecChildGraphNodeSetParams(x, child, inner));
    SAY(cudaGraphExecChildGraphNodeSetParams(x, child, NULL));
    SAY(cudaGraphExecChildGraphNodeSetParams(x, child, g));
    SAY(cudaGraphLaunch(x, s));
    show();
}

static void captured(void)
{
    cudaGraphExec_t x = NULL;
    cudaGraph_t made = NULL;
    size_t k = 0;
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaGraphLaunch(x, s));
    SAY(cudaGraphLaunch(NULL, s));
    SAY(cudaStreamEndCapture(s, &made));
    SAY(cudaGraphGetNodes(made, NULL, &k));
    IS(k);
    SAY(cudaGraphInstantiate(&x, made, 0));
    SAY(cudaGraphLaunch(x, s));
    show();
}

static void pictured(void)
{
    char path[] = "/tmp/simgpu-graph-XXXXXX", line[512];
    cudaGraph_t outer;
    cudaGraphNode_t child;
    const int fd = mkstemp(path);
    cudaGraphCreate(&outer, 0);
    cudaGraphAddChildGraphNode(&child, outer, NULL, 0, g);
    cudaGraphAddEmptyNode(&child, outer, &child, 1);
    SAY(cudaGraphDebugDotPrint(outer, NULL, 0));
    SAY(cudaGraphDebugDotPrint(NULL, path, 0));
    SAY(cudaGraphDebugDotPrint(outer, "/nowhere/at/all", 0));
    IS(cudaGraphDebugDotPrint(outer, path, 0));
    FILE *const f = fdopen(fd, "r");
    while (f && fgets(line, sizeof line, f))
        fputs(line, stdout);
    unlink(path);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"lists", lists},       {"lengths", lengths},
                 {"wholes", wholes},     {"last_removed", last_removed},
                 {"edges", edges},       {"instantiating", instantiating},
                 {"enabling", enabling}, {"retyped", retyped},
                 {"updating", updating}, {"inner_updates", inner_updates},
                 {"captured", captured}, {"pictured", pictured}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
