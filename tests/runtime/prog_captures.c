/* What capturing streams returns, and the graphs that it makes: values.txt. */
#include "say.h"

#include <pthread.h>

static cudaStream_t s, t, u;
static cudaEvent_t e, f;
static unsigned char *d;
static cudaGraph_t g;

static const enum cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
static const enum cudaStreamCaptureMode local =
    cudaStreamCaptureModeThreadLocal;
static const enum cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;

static void start(void)
{
    cudaMalloc((void **)&d, 64);
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaEventCreate(&f);
}

static int number_of(cudaGraphNode_t node)
{
    cudaGraphNode_t all[16];
    size_t n = 16;
    cudaGraphGetNodes(g, all, &n);
    for (size_t i = 0; i < n && i < 16; i++)
        if (all[i] == node)
            return (int)i;
    return -1;
}

/* The nodes of g and what each follows. */
static void show(void)
{
    cudaGraphNode_t all[16], deps[16];
    size_t n = 16;
    cudaGraphGetNodes(g, all, &n);
    for (size_t i = 0; i < n; i++) {
        enum cudaGraphNodeType type;
        size_t ndeps = 16;
        cudaGraphNodeGetType(all[i], &type);
        cudaGraphNodeGetDependencies(all[i], deps, NULL, &ndeps);
        printf("%d(", type);
        for (size_t k = 0; k < ndeps; k++)
            printf("%s%d", k ? " " : "", number_of(deps[k]));
        printf(") ");
    }
    puts("");
}

static void status(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus now = 9;
    const int err = (int)cudaStreamIsCapturing(stream, &now);
    printf("status %d %d\n", err, now);
}

static void end(cudaStream_t stream)
{
    g = (cudaGraph_t)d;
    printf("end: %s", cudaGetErrorName(cudaStreamEndCapture(stream, &g)));
    printf(" %s\n", g ? "a graph" : "none");
}

static void fork_to(cudaStream_t from, cudaEvent_t by, cudaStream_t to)
{
    SAY(cudaEventRecord(by, from));
    SAY(cudaStreamWaitEvent(to, by, 0));
}

static void beginning(void)
{
    SAY(cudaStreamBeginCapture((cudaStream_t)d, global));
    SAY(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode) - 1));
    SAY(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)3));
    SAY(cudaStreamBeginCapture(NULL, global));
    SAY(cudaStreamEndCapture((cudaStream_t)d, &g));
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamIsCapturing(s, NULL));
    SAY(cudaStreamIsCapturing((cudaStream_t)d, NULL));
    status(s);
    SAY(cudaStreamBeginCapture(s, relaxed));
    status(s);
    status(t);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamEndCapture(s, NULL));
    end(s);
    status(s);
}

/* No call, and two. */
static void chains(void)
{
    SAY(cudaStreamBeginCapture(s, global));
    end(s);
    show();
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaMemsetAsync(d, 1, 8, s));
    end(s);
    show();
}

/* Three streams: s forks to t, t to u, and all join s. */
static void forks(void)
{
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaMemsetAsync(d, 1, 8, s));
    fork_to(s, e, t);
    SAY(cudaMemsetAsync(d + 8, 2, 8, t));
    fork_to(t, f, u);
    SAY(cudaMemsetAsync(d + 16, 3, 8, u));
    SAY(cudaMemsetAsync(d + 24, 4, 8, t));
    SAY(cudaMemsetAsync(d + 32, 5, 8, s));
    fork_to(u, e, s);
    fork_to(t, f, s);
    fork_to(t, f, s);
    SAY(cudaMemsetAsync(d + 40, 6, 8, s));
    status(u);
    end(s);
    show();
    status(u);
}

static void unjoined(void)
{
    SAY(cudaStreamBeginCapture(s, global));
    fork_to(s, e, t);
    SAY(cudaMemsetAsync(d, 1, 8, t));
    end(s);
    status(t);
    SAY(cudaStreamBeginCapture(s, global));
    fork_to(s, e, t);
    end(t);
    status(s);
    end(s);
    status(s);
    SAY(cudaStreamBeginCapture(s, global));
    fork_to(s, e, t);
    end(s);
    show();
}

static void forbidden(void)
{
    SAY(cudaEventRecord(f, u));
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamSynchronize(s));
    status(s);
    SAY(cudaMemsetAsync(d, 1, 8, s));
    SAY(cudaEventRecord(e, s));
    SAY(cudaStreamWaitEvent(s, f, 0));
    end(s);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaDeviceSynchronize());
    end(s);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamQuery(s));
    end(s);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamSynchronize(t));
    end(s);
    SAY(cudaStreamBeginCapture(s, local));
    SAY(cudaFree(d));
    end(s);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaEventSynchronize(f));
    SAY(cudaStreamSynchronize(u));
    end(s);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMemset(d, 1, 8));
    end(s);
    SAY(cudaStreamBeginCapture(t, global));
    SAY(cudaMemsetAsync(d, 1, 8, NULL));
    end(t);
    SAY(cudaStreamBeginCapture(t, relaxed));
    SAY(cudaDeviceSynchronize());
    end(t);
    SAY(cudaStreamBeginCapture(t, relaxed));
    SAY(cudaSetDevice(1));
    SAY(cudaDeviceSynchronize());
    SAY(cudaSetDevice(0));
    end(t);
}

static void legacy(void)
{
    enum cudaStreamCaptureStatus now;
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaStreamIsCapturing(NULL, &now));
    status(s);
    end(s);
    SAY(cudaStreamBeginCapture(t, relaxed));
    SAY(cudaStreamIsCapturing(NULL, &now));
    fork_to(t, e, NULL);
    status(t);
    end(t);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaSetDevice(1));
    SAY(cudaStreamIsCapturing(NULL, &now));
    SAY(cudaSetDevice(0));
    end(s);
}

static void merged(void)
{
    float ms;
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamWaitEvent(s, f, 0));
    status(s);
    end(s);
    SAY(cudaEventRecord(f, u));
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamWaitEvent(s, f, 0));
    end(s);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaStreamBeginCapture(t, global));
    fork_to(s, e, t);
    status(s);
    end(s);
    end(t);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaEventRecord(e, s));
    SAY(cudaEventSynchronize(e));
    SAY(cudaEventQuery(e));
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventElapsedTime(&ms, f, e));
    end(s);
    SAY(cudaStreamWaitEvent(t, e, 0));
    SAY(cudaEventRecord(e, u));
    SAY(cudaStreamWaitEvent(t, e, 0));
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    SAY(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    SAY(cudaEventRecordWithFlags(e, s, 2));
    SAY(cudaStreamWaitEvent(s, e, 2));
    end(s);
    show();
}

/* Of another thread. */
static void *elsewhere(void *arg)
{
    enum cudaStreamCaptureMode mode = *(enum cudaStreamCaptureMode *)arg;
    void *p;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(mode);
    SAY(cudaMalloc(&p, 8));
    SAY(cudaStreamEndCapture(s, &g));
    return NULL;
}

static void threads(void)
{
    for (int mode = 0; mode < 3; mode++)
        for (int other = 0; other < 3; other++) {
            enum cudaStreamCaptureMode its = (enum cudaStreamCaptureMode)other;
            pthread_t thread;
            printf("%d, the other %d\n", mode, other);
            cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)mode);
            pthread_create(&thread, NULL, elsewhere, &its);
            pthread_join(thread, NULL);
            status(s);
            end(s);
        }
}

static void modes(void)
{
    enum cudaStreamCaptureMode mode = relaxed, wrong = 3;
    void *p;
    SAY(cudaThreadExchangeStreamCaptureMode(NULL));
    SAY(cudaThreadExchangeStreamCaptureMode(&wrong));
    wrong = (enum cudaStreamCaptureMode) - 1;
    SAY(cudaThreadExchangeStreamCaptureMode(&wrong));
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(mode);
    SAY(cudaStreamBeginCapture(s, global));
    SAY(cudaMalloc(&p, 8));
    mode = local;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    IS(mode);
    SAY(cudaMalloc(&p, 8));
    end(s);
    SAY(cudaStreamBeginCapture(s, relaxed));
    SAY(cudaMalloc(&p, 8));
    end(s);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {
        {"beginning", beginning}, {"chains", chains},       {"forks", forks},
        {"unjoined", unjoined},   {"forbidden", forbidden}, {"legacy", legacy},
        {"merged", merged},       {"threads", threads},     {"modes", modes}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
