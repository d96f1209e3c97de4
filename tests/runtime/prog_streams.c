/* What calls of streams, events and pools return in rarer cases: values.txt. */
#include "say.h"

#include <unistd.h>

static cudaStream_t s, t;
static cudaStream_t wrong;
static char *d;
static int called;

static void note(void *n)
{
    called += *(int *)n;
}

static void note_stream(cudaStream_t stream, cudaError_t err, void *n)
{
    called += *(int *)n + (stream == s ? 100 : 0) + 1000 * (int)err;
}

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    wrong = (cudaStream_t)d;
}

static void host_calls(void)
{
    int one = 1, device = 9;
    unsigned long long id = 0, other = 0;
    SAY(cudaLaunchHostFunc(wrong, note, &one));
    SAY(cudaLaunchHostFunc(s, NULL, &one));
    SAY(cudaLaunchHostFunc(s, note, &one));
    SAY(cudaStreamAddCallback(wrong, note_stream, &one, 0));
    SAY(cudaStreamAddCallback(s, NULL, &one, 0));
    SAY(cudaStreamAddCallback(s, note_stream, &one, 1));
    SAY(cudaStreamAddCallback(s, note_stream, &one, 0));
    SAY(cudaStreamSynchronize(s));
    IS(called);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamAddCallback(s, note_stream, &one, 0));
    SAY(cudaStreamEndCapture(s, NULL));
    SAY(cudaStreamGetId(wrong, &id));
    SAY(cudaStreamGetId(s, NULL));
    SAY(cudaStreamGetId(s, &id));
    SAY(cudaStreamGetId(t, &other));
    IS(other - id);
    SAY(cudaStreamGetDevice(wrong, &device));
    SAY(cudaStreamGetDevice(s, NULL));
    SAY(cudaStreamGetDevice(s, &device));
    IS(device);
}

static void print_attributes(cudaStream_t stream)
{
    for (int id = 0; id <= 10; id++) {
        cudaStreamAttrValue v;
        memset(&v, 0xff, sizeof v);
        const int err =
            (int)cudaStreamGetAttribute(stream, (cudaStreamAttrID)id, &v);
        printf("%d: %d %d, ", id, err, v.priority);
    }
    puts("");
}

static void stream_values(void)
{
    cudaStream_t low, other;
    cudaStreamAttrValue v;
    const cudaStreamAttrID policy = cudaStreamAttributeSynchronizationPolicy;
    cudaStreamCreateWithPriority(&low, 0, -3);
    cudaStreamCreate(&other);
    print_attributes(s);
    print_attributes(low);
    memset(&v, 0, sizeof v);
    for (int id = 0; id <= 10; id++) {
        v.priority = id + 1;
        printf("%d ",
               (int)cudaStreamSetAttribute(low, (cudaStreamAttrID)id, &v));
    }
    puts("");
    SAY(cudaStreamSetAttribute(wrong, policy, &v));
    SAY(cudaStreamSetAttribute(s, policy, NULL));
    SAY(cudaStreamGetAttribute(wrong, policy, &v));
    SAY(cudaStreamGetAttribute(s, policy, NULL));
    print_attributes(low);
    print_attributes(s);
    v.syncPolicy = cudaSyncPolicyYield;
    SAY(cudaStreamSetAttribute(s, policy, &v));
    SAY(cudaStreamSetAttribute(low, policy, &v));
    SAY(cudaStreamCopyAttributes(wrong, s));
    SAY(cudaStreamCopyAttributes(s, wrong));
    SAY(cudaStreamCopyAttributes(other, low));
    print_attributes(other);
    print_attributes(t);
}

/* An event that the process imports from itself. */
static void own_events(void)
{
    cudaEvent_t e, plain, timed = NULL, in = NULL, again = NULL;
    cudaIpcEventHandle_t h, none;
    memset(&none, 0, sizeof none);
    cudaEventCreate(&plain);
    SAY(cudaEventCreateWithFlags(&timed, cudaEventInterprocess));
    SAY(cudaEventCreateWithFlags(&timed, 8));
    SAY(cudaEventCreateWithFlags(&e, cudaEventInterprocess |
                                         cudaEventDisableTiming));
    SAY(cudaIpcGetEventHandle(&h, NULL));
    SAY(cudaIpcGetEventHandle(&h, plain));
    SAY(cudaIpcGetEventHandle(NULL, e));
    SAY(cudaIpcGetEventHandle(&h, e));
    SAY(cudaIpcOpenEventHandle(NULL, h));
    SAY(cudaIpcOpenEventHandle(&in, none));
    SAY(cudaIpcOpenEventHandle(&in, h));
    if (!in)
        return;
    SAY(cudaIpcGetEventHandle(&h, in));
    SAY(cudaEventQuery(in));
    SAY(cudaEventSynchronize(in));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventSynchronize(in));
    SAY(cudaStreamWaitEvent(t, in, 0));
    SAY(cudaMemsetAsync(d, 1, 4, t));
    SAY(cudaEventRecord(in, t));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaIpcOpenEventHandle(&again, h));
    SAY(cudaEventDestroy(e));
    SAY(cudaEventSynchronize(again));
    for (int i = 0; i < 70; i++)
        cudaEventRecord(in, t);
    SAY(cudaEventSynchronize(again));
    SAY(cudaEventDestroy(in));
    SAY(cudaEventDestroy(again));
}

/* ---- pools --------------------------------------------------------------- */

static cudaMemPool_t pool_of(int device)
{
    cudaMemPool_t pool = NULL;
    struct cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    p.location.id = device;
    p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    cudaMemPoolCreate(&pool, &p);
    return pool;
}

static void used(const char *name, cudaMemPool_t pool)
{
    static const enum cudaMemPoolAttr attrs[] = {
        cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh,
        cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh};
    printf("%s:", name);
    for (int i = 0; i < 4; i++) {
        uint64_t v = 99;
        cudaMemPoolGetAttribute(pool, attrs[i], &v);
        printf(" %llu", (unsigned long long)v);
    }
    puts("");
}

/* Pieces of two pools, freed in another order; the rest goes to the default
 * pool when its own ends. */
static void pieces(void)
{
    void *p[4];
    cudaMemPool_t a = pool_of(0), b = pool_of(0), usual = NULL;
    cudaDeviceGetDefaultMemPool(&usual, 0);
    for (int i = 0; i < 4; i++)
        SAY(cudaMallocFromPoolAsync(&p[i], (size_t)(1 + i) << 20, i % 2 ? a : b,
                                    s));
    used("a", a);
    used("b", b);
    SAY(cudaFreeAsync(p[1], s));
    used("a", a);
    used("b", b);
    SAY(cudaFreeAsync(p[0], wrong));
    SAY(cudaFreeAsync((char *)p[0] + 1, s));
    SAY(cudaFreeAsync(NULL, s));
    SAY(cudaMallocAsync(&p[1], 100, wrong));
    SAY(cudaMallocFromPoolAsync(&p[1], 100, a, wrong));
    SAY(cudaMallocFromPoolAsync(&p[1], 100, NULL, s));
    SAY(cudaMallocFromPoolAsync(NULL, 100, a, s));
    SAY(cudaDeviceSetMemPool(0, b));
    SAY(cudaMemPoolDestroy(b));
    SAY(cudaMemPoolDestroy(b));
    SAY(cudaMemPoolDestroy(usual));
    SAY(cudaDeviceGetMemPool(&b, 0));
    IS(b == usual);
    used("a", a);
    SAY(cudaFreeAsync(p[2], s));
    SAY(cudaFree(p[0]));
    SAY(cudaFree(p[0]));
    used("usual", usual);
    SAY(cudaFree(p[3]));
    used("a", a);
    SAY(cudaMemPoolTrimTo(a, 0));
    used("a", a);
}

/* A pool that the process shares with itself. */
static void shared_pools(void)
{
    const enum cudaMemAllocationHandleType as =
        cudaMemHandleTypePosixFileDescriptor;
    struct cudaMemPoolPtrExportData data;
    cudaMemPool_t a = pool_of(1), in = NULL;
    void *p = NULL, *q = NULL;
    int fd = -1, none = 0;
    SAY(cudaMemPoolExportToShareableHandle(&fd, NULL, as, 0));
    SAY(cudaMemPoolExportToShareableHandle(NULL, a, as, 0));
    SAY(cudaMemPoolExportToShareableHandle(&fd, a, as, 1));
    SAY(cudaMemPoolExportToShareableHandle(&fd, a, cudaMemHandleTypeNone, 0));
    SAY(cudaMemPoolExportToShareableHandle(&fd, a, as, 0));
    void *const handle = (void *)(intptr_t)fd;
    SAY(cudaMemPoolImportFromShareableHandle(NULL, handle, as, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&in, handle, as, 1));
    SAY(cudaMemPoolImportFromShareableHandle(&in, handle, cudaMemHandleTypeNone,
                                             0));
    SAY(cudaMemPoolImportFromShareableHandle(&in, (void *)-1, as, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&in, handle, as, 0));
    SAY(cudaMallocFromPoolAsync(&q, 100, in, s));
    SAY(cudaDeviceSetMemPool(1, in));
    SAY(cudaMallocFromPoolAsync(&p, 100, a, s));
    SAY(cudaMemPoolExportPointer(NULL, p));
    SAY(cudaMemPoolExportPointer(&data, &none));
    SAY(cudaMemPoolExportPointer(&data, p));
    SAY(cudaMemPoolImportPointer(NULL, in, &data));
    SAY(cudaMemPoolImportPointer(&q, NULL, &data));
    SAY(cudaMemPoolImportPointer(&q, a, &data));
    SAY(cudaMemPoolImportPointer(&q, in, NULL));
    SAY(cudaMemPoolImportPointer(&q, in, &data));
    if (q && q != p) {
        cudaFreeAsync(q, s);
        SAY(cudaFreeAsync(q, s));
    }
    close(fd);
}

/* Memory of two graphs, of which one lives on and one is freed. */
static void graph_frees(void)
{
    static const int attrs[] = {
        cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh,
        cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh};
    void *p[2];
    cudaGraph_t g[2];
    cudaGraphExec_t x[2];
    for (int i = 0; i < 2; i++) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        SAY(cudaMallocAsync(&p[i], (size_t)(1 + i) << 20, s));
        cudaStreamEndCapture(s, &g[i]);
        SAY(cudaGraphInstantiate(&x[i], g[i], 0));
        SAY(cudaGraphLaunch(x[i], s));
    }
    SAY(cudaGraphLaunch(x[0], s));
    SAY(cudaStreamSynchronize(s));
    SAY(cudaFreeAsync(p[0], s));
    SAY(cudaFreeAsync(p[0], s));
    SAY(cudaFree(p[0]));
    SAY(cudaGraphLaunch(x[0], s));
    SAY(cudaFree(p[0]));
    for (int i = 0; i < 4; i++) {
        uint64_t v = 99;
        cudaDeviceGetGraphMemAttribute(
            0, (enum cudaGraphMemAttributeType)attrs[i], &v);
        printf("%llu ", (unsigned long long)v);
    }
    puts("");
    for (int i = 0; i < 2; i++) {
        SAY(cudaGraphExecDestroy(x[i]));
        SAY(cudaGraphDestroy(g[i]));
    }
    SAY(cudaFree(p[0]));
    SAY(cudaFree(p[1]));
    SAY(cudaFree(p[1]));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"host_calls", host_calls},     {"stream_values", stream_values},
        {"own_events", own_events},     {"pieces", pieces},
        {"shared_pools", shared_pools}, {"graph_frees", graph_frees}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
