// What is made and destroyed again leaves nothing behind: values.txt.
#include "left.h"
#include "say.h"

#include <nccl.h>
#include <stdlib.h>
#include <unistd.h> // close

static cudaStream_t s;
static char *d;
static int ended;

__global__ void store(char *at, int n, char value)
{
    at[n] = value;
}

static void count_end(void *p)
{
    ended += *(int *)p;
}

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaMemset(d, 0, 64);
    cudaStreamCreate(&s);
    cudaDeviceSynchronize();
}

// ---- what is left ----------------------------------------------------------

static void one_stream(void)
{
    cudaStream_t t;
    cudaStreamCreate(&t);
    cudaStreamDestroy(t);
}

// Streams are never freed (core/stream/stream.c), nor is what their threads
// have: a round that runs some says WITH_THREADS.
enum { WITH_THREADS = -1, EACH = 16 };

static void rounds(const char *name, void (*round)(void), int nstreams)
{
    const long of_stream = nstreams > 0 ? left_by(one_stream, EACH).heap : 0;
    const struct left l = left_by(round, EACH);
    const long heap = l.heap - nstreams * of_stream;
    printf("%s: %ld bytes, %ld files, %ld bytes of a GPU\n", name,
           nstreams == WITH_THREADS || heap < 0 ? 0 : heap, l.files, l.gpu);
}

// ---- graphs ----------------------------------------------------------------

static cudaGraphNode_t add_kernel(cudaGraph_t g, char value)
{
    static int n = 3;
    static char v;
    cudaGraphNode_t node = NULL;
    void *args[] = {&d, &n, &v};
    struct cudaKernelNodeParams p = {};
    v = value;
    p.func = (void *)store;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = args;
    cudaGraphAddKernelNode(&node, g, NULL, 0, &p);
    cudaGraphKernelNodeSetParams(node, &p);
    return node;
}

static cudaGraphNode_t add_condition(cudaGraph_t g)
{
    static cudaGraphConditionalHandle h; // handles live on
    cudaGraphNode_t node = NULL;
    struct cudaGraphNodeParams p = {};
    if (!h)
        cudaGraphConditionalHandleCreate(&h, g, 1, 1);
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = h;
    p.conditional.type = cudaGraphCondTypeIf;
    p.conditional.size = 2;
    cudaGraphAddNode(&node, g, NULL, NULL, 0, &p);
    add_kernel(p.conditional.phGraph_out[0], 1);
    add_kernel(p.conditional.phGraph_out[1], 2);
    return node;
}

static cudaGraphNode_t add_child(cudaGraph_t g, int move)
{
    cudaGraphNode_t node = NULL;
    struct cudaGraphNodeParams p = {};
    cudaGraph_t inner;
    cudaGraphCreate(&inner, 0);
    add_kernel(inner, 3);
    p.type = cudaGraphNodeTypeGraph;
    p.graph.graph = inner;
    p.graph.ownership = move ? cudaGraphChildGraphOwnershipMove
                             : cudaGraphChildGraphOwnershipClone;
    cudaGraphAddNode(&node, g, NULL, NULL, 0, &p);
    if (!move)
        cudaGraphDestroy(inner);
    return node;
}

static void graphs(void)
{
    cudaGraph_t g, copy;
    cudaGraphCreate(&g, 0);
    cudaGraphNode_t const k = add_kernel(g, 1);
    cudaGraphNode_t const c = add_condition(g);
    cudaGraphAddDependencies(g, &k, &c, NULL, 1);
    add_child(g, 0);
    cudaGraphNode_t const child = add_child(g, 1);
    cudaGraphClone(&copy, g);
    cudaGraphDestroyNode(child);
    cudaGraphDestroyNode(k);
    cudaGraphDestroy(g);
    cudaGraphDestroy(copy);
}

static void executables(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphCreate(&g, 0);
    add_kernel(g, 1);
    cudaGraphNode_t const c = add_condition(g);
    add_child(g, 0);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphExecUpdate(x, g, &info); // not with the condition
    cudaGraphExecDestroy(x);
    cudaGraphDestroyNode(c);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphExecUpdate(x, g, &info);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

// Nodes that fail are gone again.
static void failures(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b, none;
    struct cudaKernelNodeParams p = {};
    struct cudaMemAllocNodeParams m = {};
    cudaGraphCreate(&g, 0);
    p.func = (void *)store;
    p.gridDim = p.blockDim = dim3(1);
    cudaGraphAddKernelNode(&none, g, NULL, 0, &p); // without arguments
    m.bytesize = 1000;
    cudaGraphAddMemAllocNode(&none, g, NULL, 0, &m);
    m.poolProps.allocType = cudaMemAllocationTypePinned;
    m.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphAddMemAllocNode(&none, g, NULL, 1, &m);
    m.bytesize = (size_t)1 << 50;
    cudaGraphAddMemAllocNode(&none, g, NULL, 0, &m);
    cudaGraphAddEmptyNode(&a, g, NULL, 0);
    cudaGraphAddEmptyNode(&b, g, &a, 1);
    cudaGraphAddDependencies(g, &b, &a, NULL, 1); // a cycle
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphDestroy(g);
}

static void capturing(void)
{
    cudaGraph_t g = NULL;
    cudaEvent_t e;
    cudaStream_t t;
    cudaEventCreate(&e);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaMemsetAsync(d, 1, 4, s);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    cudaMemsetAsync(d, 1, 4, t);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
    cudaStreamEndCapture(s, &g);
    cudaGraphDestroy(g);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(e, s);
    cudaMemsetAsync(d, 1, 4, s);
    cudaStreamSynchronize(s); // ends it
    cudaStreamEndCapture(s, &g);
    cudaEventDestroy(e);
    cudaStreamDestroy(t);
}

static ncclComm_t comm;

static void calls_of_nccl(void)
{
    cudaGraph_t g[2], copy;
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo info;
    for (int i = 0; i < 2; i++) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        ncclAllReduce(d, d, 4, ncclUint8, ncclSum, comm, s);
        cudaStreamEndCapture(s, &g[i]);
    }
    cudaGraphInstantiate(&x, g[0], 0);
    cudaGraphExecUpdate(x, g[1], &info);
    cudaGraphClone(&copy, g[0]);
    cudaGraphDestroy(g[0]);
    cudaGraphDestroy(g[1]);
    cudaGraphDestroy(copy);
    cudaGraphExecDestroy(x);
}

static void of_graphs(void)
{
    const int device = 0;
    ncclCommInitAll(&comm, 1, &device);
    rounds("graphs", graphs, 0);
    rounds("executables", executables, 9);
    rounds("failures", failures, 0);
    rounds("capturing", capturing, 1);
    rounds("calls of NCCL", calls_of_nccl, 1);
}

// A kernel's node and one of NCCL's do not replace each other.
static void replaced(void)
{
    const int device = 0;
    cudaGraph_t theirs = NULL, own;
    cudaGraphExec_t x = NULL;
    cudaGraphExecUpdateResultInfo r = {};
    ncclCommInitAll(&comm, 1, &device);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    ncclAllReduce(d, d, 4, ncclUint8, ncclSum, comm, s);
    cudaStreamEndCapture(s, &theirs);
    cudaGraphCreate(&own, 0);
    cudaGraphNode_t const k = add_kernel(own, 1);
    SAY(cudaGraphInstantiate(&x, own, 0));
    SAY(cudaGraphExecUpdate(x, theirs, &r));
    printf("%d %d\n", r.result, r.errorNode != NULL);
    SAY(cudaGraphInstantiate(&x, theirs, 0));
    SAY(cudaGraphExecUpdate(x, own, &r));
    printf("%d %d\n", r.result, r.errorNode == k);
}

// ---- user objects ----------------------------------------------------------

// Which step ends the object that two references, a graph with one more and its
// copies hold.
static void objects(void)
{
    int once = 1, ten = 10;
    cudaUserObject_t o = NULL, moved = NULL;
    cudaGraph_t g, copy, of_copy;
    cudaGraphExec_t x = NULL;
    cudaGraphCreate(&g, 0);
    SAY(cudaUserObjectCreate(&o, &once, count_end, 2, 1));
    SAY(cudaUserObjectCreate(&moved, &ten, count_end, 3, 1));
    SAY(cudaGraphRetainUserObject(g, o, 1, 0));
    SAY(cudaGraphRetainUserObject(g, moved, 2, cudaGraphUserObjectMove));
    SAY(cudaGraphRetainUserObject(g, moved, 1, cudaGraphUserObjectMove));
    SAY(cudaUserObjectRelease(o, 1));
    SAY(cudaUserObjectRelease(o, 1));
    IS(ended);
    SAY(cudaGraphClone(&copy, g));
    SAY(cudaGraphClone(&of_copy, copy));
    SAY(cudaGraphInstantiate(&x, g, 0));
    SAY(cudaGraphReleaseUserObject(g, moved, 4));
    SAY(cudaGraphReleaseUserObject(g, moved, 2));
    SAY(cudaGraphReleaseUserObject(g, moved, 2));
    SAY(cudaGraphReleaseUserObject(g, moved, 1));
    SAY(cudaGraphReleaseUserObject(g, moved, 1));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(copy));
    IS(ended);
    SAY(cudaGraphDestroy(of_copy));
    IS(ended);
    SAY(cudaGraphExecDestroy(x));
    IS(ended);
}

static void counted(void)
{
    int one = 1;
    cudaUserObject_t o = NULL;
    SAY(cudaUserObjectCreate(&o, &one, count_end, 1, 1));
    SAY(cudaUserObjectRetain(o, INT_MAX));
    SAY(cudaUserObjectRetain(o, (unsigned)INT_MAX + 1));
    SAY(cudaUserObjectRelease(o, (unsigned)INT_MAX + 1));
    SAY(cudaUserObjectRelease(o, INT_MAX));
    SAY(cudaUserObjectRelease(o, 2));
    IS(ended);
    SAY(cudaUserObjectRelease(o, 1));
    IS(ended);
}

// ---- memory ----------------------------------------------------------------

static void graph_memory(void)
{
    cudaGraph_t g, copy;
    cudaGraphExec_t x;
    cudaGraphNode_t a, f;
    struct cudaMemAllocNodeParams p = {};
    p.bytesize = 5 << 20;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphCreate(&g, 0);
    cudaGraphAddMemAllocNode(&a, g, NULL, 0, &p);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphClone(&copy, g);
    cudaGraphDestroy(copy);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaFree(p.dptr); // by the program
    cudaGraphAddMemFreeNode(&f, g, &a, 1, p.dptr);
    cudaGraphExecDestroy(x);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
}

static void outlived(void)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    void *p = NULL;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    cudaMallocAsync(&p, 5 << 20, s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaFreeAsync(p, s); // it outlives the graph
    cudaStreamSynchronize(s);
}

static void pools(void)
{
    struct cudaMemPoolProps props = {};
    cudaMemPool_t pool;
    void *p, *q;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &props);
    cudaMallocFromPoolAsync(&p, 3 << 20, pool, s);
    cudaMallocFromPoolAsync(&q, 3 << 20, pool, s);
    cudaFreeAsync(p, s);
    cudaStreamSynchronize(s);
    cudaMemPoolDestroy(pool);
    cudaFree(q);
}

static void arrays(void)
{
    const struct cudaChannelFormatDesc f = {8, 0, 0, 0,
                                            cudaChannelFormatKindUnsigned};
    cudaArray_t a;
    cudaMallocArray(&a, &f, 1000, 1000, cudaArraySurfaceLoadStore);
    cudaFreeArray(a);
}

static void host_memory(void)
{
    void *p, *own = aligned_alloc(4096, 4096);
    cudaMallocHost(&p, 5000);
    cudaFreeHost(p);
    cudaHostRegister(own, 4096, 0);
    cudaHostUnregister(own);
    free(own);
    cudaMallocManaged(&p, 5000, cudaMemAttachGlobal);
    cudaFree(p);
}

static void streams(void)
{
    cudaStream_t t;
    cudaEvent_t e;
    cudaIpcEventHandle_t handle;
    cudaStreamCreate(&t);
    cudaEventCreateWithFlags(&e,
                             cudaEventInterprocess | cudaEventDisableTiming);
    cudaIpcGetEventHandle(&handle, e);
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
    cudaEventDestroy(e);
    cudaStreamDestroy(t);
    cudaStreamSynchronize(s);
}

static void ranges(void)
{
    enum { PAGE = 2 << 20 };
    CUmemAllocationProp p = {};
    CUmemGenericAllocationHandle m = 0, imported = 0, kept = 0;
    CUdeviceptr at = 0;
    CUmemAccessDesc access = {};
    int fd = -1;
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    access.location = p.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemCreate(&m, PAGE, &p, 0);
    cuMemAddressReserve(&at, 2 * PAGE, 0, 0, 0);
    cuMemMap(at, PAGE, 0, m, 0);
    cuMemSetAccess(at, PAGE, &access, 1);
    cuMemRetainAllocationHandle(&kept, (void *)at);
    cuMemExportToShareableHandle(&fd, m,
                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)fd,
                                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    close(fd);
    cuMemUnmap(at, PAGE);
    cuMemAddressFree(at, 2 * PAGE);
    cuMemRelease(imported);
    cuMemRelease(kept);
    cuMemRelease(m);
}

static void of_memory(void)
{
    rounds("graph memory", graph_memory, WITH_THREADS);
    rounds("memory that outlives its graph", outlived, WITH_THREADS);
    rounds("pools", pools, 0);
    rounds("arrays", arrays, 0);
    rounds("host memory", host_memory, 0);
    rounds("streams", streams, WITH_THREADS);
    rounds("ranges", ranges, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"of_graphs", of_graphs},
                 {"replaced", replaced},
                 {"held_objects", objects},
                 {"counted", counted},
                 {"of_memory", of_memory}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
