/*
 * prog_nccl32_pair.c: what NCCL says to one process with two ranks
 *
 * A line for each call: its result, and the text of its error; with
 * NCCL_DEBUG=INFO, NCCL's own lines between them. With an argument, no more
 * than a communicator and a collective, for the settings of NCCL_DEBUG.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 16 };

static ncclComm_t comm[2], other[2];
static cudaStream_t stream[2];
static float *buf[2];

static void say(const char *call, ncclResult_t result)
{
    printf("%s: %d %s\n", call, (int)result,
           result == ncclSuccess ? "" : ncclGetLastError(NULL));
    fflush(stdout);
}
#define SAY(call) say(#call, call)

static void begin(void)
{
    ncclCommInitAll(comm, 2, NULL);
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&stream[i]);
        ncclMemAlloc((void **)&buf[i], COUNT * sizeof *buf[i]);
        cudaMemset(buf[i], 0, COUNT * sizeof *buf[i]);
    }
}

static void synchronize(void)
{
    cudaStreamSynchronize(stream[0]);
    cudaStreamSynchronize(stream[1]);
}

/* ---- communicators ------------------------------------------------------- */

static void making(void)
{
    ncclUniqueId id, none = {{0}}, ids[2];
    const int repeated[] = {1, 0, 1}, beyond[] = {0, 8}, negative[] = {-1};
    const int swapped[] = {1, 0};
    int device = -1;
    ncclGetUniqueId(&id);
    SAY(ncclCommInitRank(&other[0], 0, id, 0));
    SAY(ncclCommInitRank(&other[0], 2, id, 2));
    SAY(ncclCommInitRank(&other[0], 2, id, -1));
    SAY(ncclCommInitRank(&other[0], 1, none, 0));
    SAY(ncclCommInitRankScalable(&other[0], 1, 0, 1, NULL, NULL));
    SAY(ncclCommInitRankScalable(&other[0], 1, 0, 0, &id, NULL));
    SAY(ncclCommInitRankScalable(&other[0], 1, 0, 2, &id, NULL));
    ids[0] = id;
    ids[1] = none;
    SAY(ncclCommInitRankScalable(&other[0], 2, 0, 2, ids, NULL));
    SAY(ncclCommInitAll(NULL, 1, NULL));
    SAY(ncclCommInitAll(other, 0, NULL));
    SAY(ncclCommInitAll(other, 3, repeated));
    SAY(ncclCommInitAll(other, 2, beyond));
    SAY(ncclCommInitAll(other, 1, negative));
    SAY(ncclCommInitAll(other, 9, NULL));
    SAY(ncclCommInitAll(other, 2, swapped));
    ncclCommCuDevice(other[0], &device);
    printf("rank 0 on device %d\n", device);
    SAY(ncclCommDestroy(other[0]));
    SAY(ncclCommDestroy(other[1]));
    SAY(ncclCommDestroy(other[1]));
    SAY(ncclCommAbort(other[1]));
    SAY(ncclCommFinalize(other[1]));
    SAY(ncclCommCount(other[1], &device));
    SAY(ncclCommGetAsyncError(other[1], (ncclResult_t *)&device));
    SAY(ncclCommDestroy((ncclComm_t)buf));
    SAY(ncclCommFinalize(NULL));
    SAY(ncclCommAbort(NULL));
    SAY(ncclCommGetAsyncError(NULL, NULL));
}

/* Two ranks that disagree. */
static void joining(int n0, int n1, int rank1, int device1)
{
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    cudaSetDevice(0);
    SAY(ncclCommInitRank(&other[0], n0, id, 0));
    cudaSetDevice(device1);
    SAY(ncclCommInitRank(&other[1], n1, id, rank1));
    SAY(ncclGroupEnd());
    cudaSetDevice(0);
}

static void splitting(void)
{
    SAY(ncclCommSplit(NULL, 0, 0, &other[0], NULL));
    SAY(ncclCommSplit(comm[0], 0, 0, NULL, NULL));
    SAY(ncclCommSplit(comm[0], -2, 0, &other[0], NULL));
    ncclGroupStart();
    SAY(ncclCommSplit(comm[0], 3, 7, &other[0], NULL));
    SAY(ncclCommSplit(comm[1], 3, 6, &other[1], NULL));
    SAY(ncclGroupEnd());
    for (int i = 0; i < 2; i++) {
        int rank = -1;
        ncclCommUserRank(other[i], &rank);
        printf("rank %d of the child\n", rank);
        SAY(ncclCommFinalize(other[i]));
        SAY(ncclCommFinalize(other[i]));
        SAY(ncclAllReduce(buf[i], buf[i], 1, ncclFloat, ncclSum, other[i],
                          stream[i]));
        SAY(ncclCommDestroy(other[i]));
    }
    ncclGroupStart();
    SAY(ncclCommSplit(comm[0], NCCL_SPLIT_NOCOLOR, 0, &other[0], NULL));
    SAY(ncclCommSplit(comm[1], 0, 0, &other[1], NULL));
    SAY(ncclGroupEnd());
    printf("no color %d\n", other[0] == NULL);
    SAY(ncclCommAbort(other[1]));
}

/* ---- fewer and more ranks ------------------------------------------------ */

static void shrinking(void)
{
    int beyond = 2, negative = -1, zero = 0, one = 1;
    ncclComm_t few = NULL;
    SAY(ncclCommShrink(NULL, &one, 1, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], NULL, 1, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], &one, 1, NULL, NULL, 0));
    SAY(ncclCommShrink(comm[0], &one, 0, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], &one, 1, &few, NULL, 2));
    SAY(ncclCommShrink(comm[0], &beyond, 1, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], &negative, 1, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], &zero, 1, &few, NULL, 0));
    SAY(ncclCommShrink(comm[0], &one, 1, &few, NULL, 0));
    SAY(ncclCommDestroy(few));
}

static void growing(void)
{
    ncclUniqueId id, second;
    ncclComm_t one = NULL, more[2];
    int zero = 0;
    SAY(ncclCommShrink(comm[1], &zero, 1, &one, NULL, 0));
    SAY(ncclCommGetUniqueId(one, NULL));
    SAY(ncclCommGetUniqueId(NULL, &id));
    SAY(ncclCommGetUniqueId(one, &id));
    SAY(ncclCommGetUniqueId(one, &second));
    SAY(ncclCommGrow(one, 2, &id, -1, NULL, NULL));
    SAY(ncclCommGrow(one, 1, &id, -1, &more[0], NULL));
    SAY(ncclCommGrow(one, 2, &id, 0, &more[0], NULL));
    ncclGetUniqueId(&second);
    SAY(ncclCommGrow(one, 2, &second, -1, &more[0], NULL));
    SAY(ncclCommGrow(NULL, 2, NULL, 1, &more[1], NULL));
    SAY(ncclCommGrow(NULL, 2, &id, 0, &more[1], NULL));
    SAY(ncclCommGrow(NULL, 2, &id, 2, &more[1], NULL));
    ncclGroupStart();
    SAY(ncclCommGrow(one, 2, &id, -1, &more[0], NULL));
    cudaSetDevice(0);
    SAY(ncclCommGrow(NULL, 2, &id, 1, &more[1], NULL));
    SAY(ncclGroupEnd());
    SAY(ncclCommRevoke(NULL, 0));
    SAY(ncclCommRevoke(more[0], 1));
    SAY(ncclCommRevoke(more[0], 0));
    SAY(ncclCommRevoke(more[0], 0));
    SAY(ncclCommFinalize(more[0]));
    SAY(ncclAllReduce(buf[1], buf[1], 1, ncclFloat, ncclSum, more[0],
                      stream[1]));
    SAY(ncclCommCount(more[1], &zero));
    SAY(ncclCommDestroy(more[0]));
    SAY(ncclCommDestroy(more[1]));
    SAY(ncclCommDestroy(one));
}

/* ---- groups -------------------------------------------------------------- */

static ncclResult_t reduce(int i, size_t count)
{
    return ncclAllReduce(buf[i], buf[i], count, ncclFloat, ncclSum, comm[i],
                         stream[i]);
}

static void simulated(const char *what, size_t count, int calls)
{
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    ncclGroupStart();
    for (int i = 0; i < calls; i++)
        reduce(0, count);
    ncclSend(buf[0], count, ncclFloat, 1, comm[0], stream[0]);
    if (calls > 1)
        ncclRecv(buf[0], count, ncclFloat, 1, comm[0], stream[0]);
    const ncclResult_t err = ncclGroupSimulateEnd(&info);
    printf("%s: %d, %.3f us\n", what, (int)err, (double)info.estimatedTime);
}

static void groups(void)
{
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    simulated("a message", COUNT, 0);
    simulated("a message after a collective", COUNT, 1);
    simulated("a half of it", COUNT / 2, 1);
    simulated("two collectives", COUNT, 2);
    ncclGroupStart();
    SAY(ncclGroupSimulateEnd(&info));
    printf("nothing takes %.3f us\n", (double)info.estimatedTime);
    info.magic = 0;
    ncclGroupStart();
    SAY(ncclGroupSimulateEnd(&info));
    info.size = offsetof(ncclSimInfo_t, estimatedTime);
    ncclGroupStart();
    SAY(ncclGroupSimulateEnd(&info));
    SAY(ncclGroupSimulateEnd(NULL));
    ncclGroupStart();
    SAY(ncclSend(buf[0], 1, ncclFloat, 0, comm[0], stream[0]));
    SAY(ncclGroupEnd());
    ncclGroupStart();
    SAY(ncclRecv(buf[1], 1, ncclFloat, 1, comm[1], stream[1]));
    SAY(ncclGroupEnd());
    ncclGroupStart();
    SAY(ncclBroadcast(buf[0], buf[0], 1, ncclFloat, 2, comm[0], stream[0]));
    SAY(reduce(1, 1));
    SAY(ncclGroupEnd());
}

/* ---- buffers ------------------------------------------------------------- */

static void configured(ncclCollConfig_t config, const char *what)
{
    const ncclResult_t err = ncclAllReduceConfig(
        buf[0], buf[0], 0, ncclFloat, ncclSum, comm[0], stream[0], &config);
    printf("%s: %d %s\n", what, (int)err,
           err == ncclSuccess ? "" : ncclGetLastError(NULL));
}

#define CONFIGURED(...)                                                        \
    do {                                                                       \
        ncclCollConfig_t config = NCCL_COLLCONFIG_INITIALIZER;                 \
        __VA_ARGS__;                                                           \
        configured(config, #__VA_ARGS__);                                      \
    } while (0)

static void configurations(void)
{
    CONFIGURED(config.minCTAs = 0);
    CONFIGURED(config.minCTAs = 1);
    CONFIGURED(config.maxCTAs = 0);
    CONFIGURED(config.maxCTAs = 1);
    CONFIGURED(config.minCTAs = config.maxCTAs = 2);
    CONFIGURED(config.minCTAs = 3; config.maxCTAs = 2);
    CONFIGURED(config.CTAPolicy = -1);
    CONFIGURED(config.CTAPolicy = 0);
    CONFIGURED(config.CTAPolicy = 3);
    CONFIGURED(config.CTAPolicy = 4);
    CONFIGURED(config.algSelection = "ring"; config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = "^Ring,tree";
               config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = "ring,tre"; config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = "^tre"; config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = "^"; config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = ",ring"; config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection =
                   "collnetdirect,nvls,nvlstree,collnetchain,pat";
               config.forceAlgSelection = 1);
    CONFIGURED(config.algSelection = "tre"; config.forceAlgSelection = 0);
    CONFIGURED(config.magic = 0);
    SAY(ncclAllReduceConfig(buf[0], buf[0], 1, ncclFloat, ncclSum, NULL, 0,
                            &(ncclCollConfig_t)NCCL_COLLCONFIG_INITIALIZER));
    SAY(ncclReduceConfig(buf[0], buf[0], 1, ncclFloat, ncclSum, 2, comm[0],
                         stream[0], NULL));
}

static void registering(void)
{
    void *handle, *p, *unregistered;
    ncclWindow_t window[2];
    char *const bytes = (char *)buf[0];
    const size_t all = COUNT * sizeof(float);
    cudaMalloc(&unregistered, 4);
    SAY(ncclCommRegister(comm[0], NULL, 4, &handle));
    SAY(ncclCommRegister(comm[0], buf[0], 0, &handle));
    SAY(ncclCommRegister(comm[0], buf[1], 4, &handle));
    SAY(ncclCommRegister(comm[0], &handle, 4, &handle));
    SAY(ncclCommRegister(comm[0], buf[0], all + 1, &handle));
    SAY(ncclCommRegister(comm[0], bytes + 4, all, &handle));
    SAY(ncclCommRegister(comm[0], buf[0], all, &handle));
    SAY(ncclCommWindowDeregister(comm[0], handle));
    SAY(ncclCommDeregister(comm[1], handle));
    SAY(ncclCommDeregister(comm[0], handle));
    SAY(ncclCommDeregister(comm[0], handle));
    SAY(ncclCommDeregister(comm[0], NULL));
    SAY(ncclCommWindowRegister(comm[0], buf[0], all, &window[0], 4096));
    SAY(ncclCommWindowRegister(comm[0], bytes + 8, 8, &window[0], 0));
    ncclGroupStart();
    SAY(ncclCommWindowRegister(comm[0], buf[0], all, &window[0],
                               NCCL_WIN_COLL_SYMMETRIC));
    SAY(ncclCommWindowRegister(comm[1], buf[1], all, &window[1],
                               NCCL_WIN_COLL_SYMMETRIC));
    SAY(ncclGroupEnd());
    SAY(ncclWinGetUserPtr(comm[0], window[0], NULL));
    SAY(ncclWinGetUserPtr(comm[0], window[1], &p));
    SAY(ncclWinGetUserPtr(comm[0], window[0], &p));
    printf("the window's pointer %d\n", p == buf[0]);
    for (size_t at = all - 4; at <= all; at += 2) {
        printf("at %zu\n", at);
        SAY(ncclPutSignal(buf[0], 2, ncclInt8, 1, window[0], at, 0, 0, 0,
                          comm[0], stream[0]));
    }
    SAY(ncclPutSignal(buf[0], 1, ncclInt8, 1, window[1], 0, 0, 0, 0, comm[0],
                      stream[0]));
    SAY(ncclPutSignal(buf[0], 1, ncclInt8, 1, window[0], 0, 0, 0, 1, comm[0],
                      stream[0]));
    SAY(ncclPutSignal(unregistered, 1, ncclInt8, 1, window[0], 0, 0, 0, 0,
                      comm[0], stream[0]));
    SAY(ncclSignal(1, 1, 0, 0, comm[0], stream[0]));
    SAY(ncclSignal(1, -1, 0, 0, comm[0], stream[0]));
    SAY(ncclSignal(1, 0, 1, 0, comm[0], stream[0]));
    SAY(ncclSignal(1, 0, -1, 0, comm[0], stream[0]));
    SAY(ncclSignal(1, 0, 0, 2, comm[0], stream[0]));
    SAY(ncclSignal(2, 0, 0, 0, comm[0], stream[0]));
    SAY(ncclWaitSignal(0, NULL, comm[1], stream[1]));
    ncclWaitSignalDesc_t d = {.opCnt = 0, .peer = 0};
    SAY(ncclWaitSignal(1, NULL, comm[1], stream[1]));
    SAY(ncclWaitSignal(1, &d, comm[1], stream[1]));
    d.opCnt = 2; // those of the two puts
    SAY(ncclWaitSignal(1, &d, comm[1], stream[1]));
    synchronize();
    SAY(ncclCommDeregister(comm[0], window[0]));
    SAY(ncclCommWindowDeregister(comm[1], window[0]));
    SAY(ncclCommWindowDeregister(comm[0], window[0]));
    SAY(ncclCommWindowDeregister(comm[1], window[1]));
    SAY(ncclCommWindowDeregister(comm[1], NULL));
    int n = 0;
    while (ncclCommRegister(comm[0], buf[0], 4, &handle) == ncclSuccess)
        n++;
    printf("%d buffers: %s\n", n, ncclGetLastError(NULL));
}

/* ---- streams ------------------------------------------------------------- */

static void pointers(void)
{
    ncclRedOp_t op;
    float half = 0.5f;
    SAY(ncclAllReduce(buf[0], buf[0], 1, ncclFloat, ncclSum, comm[0],
                      stream[1]));
    SAY(ncclAllReduce(buf[1], buf[1], 1, ncclFloat, ncclSum, comm[1],
                      stream[0]));
    SAY(ncclRedOpCreatePreMulSum(&op, &half, ncclFloat, ncclScalarHostImmediate,
                                 comm[0]));
    SAY(ncclAllReduce(buf[0], buf[0], 1, ncclInt, op, comm[0], stream[0]));
    SAY(ncclAllReduce(buf[1], buf[1], 1, ncclFloat, op, comm[1], stream[1]));
    SAY(ncclRedOpDestroy(op, comm[0]));
    setenv("NCCL_CHECK_POINTERS", "1", 1);
    SAY(ncclAllReduce(&half, buf[0], 1, ncclFloat, ncclSum, comm[0],
                      stream[0]));
    SAY(ncclAllReduce(buf[0], &half, 1, ncclFloat, ncclSum, comm[0],
                      stream[0]));
    SAY(ncclAllReduce(buf[1], buf[0], 1, ncclFloat, ncclSum, comm[0],
                      stream[0]));
    SAY(ncclRecv(buf[0], 1, ncclFloat, 0, comm[1], stream[1]));
    unsetenv("NCCL_CHECK_POINTERS");
}

/* A stream that is captured, and one that is not. */
static void capturing(void)
{
    cudaGraph_t graph;
    cudaSetDevice(0);
    cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeRelaxed);
    ncclGroupStart();
    SAY(reduce(0, 1));
    SAY(reduce(1, 1));
    SAY(ncclGroupEnd());
    cudaStreamEndCapture(stream[0], &graph);
}

/* Communicators that do not block. */
static ncclResult_t settle(ncclComm_t c)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        ncclCommGetAsyncError(c, &state);
    return state;
}

static void lazy(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t c = NULL;
    ncclResult_t state;
    config.blocking = 0;
    cudaSetDevice(0);
    ncclGetUniqueId(&id);
    SAY(ncclCommInitRankConfig(&c, 1, id, 0, &config));
    SAY(ncclAllReduce(buf[0], buf[0], 1, ncclFloat, ncclSum, c, stream[0]));
    SAY(ncclCommGetAsyncError(c, &state));
    printf("state %d\n", (int)state);
    ncclGroupStart();
    SAY(ncclAllReduce(buf[0], buf[0], 1, ncclFloat, ncclSum, c, stream[0]));
    SAY(reduce(0, 1));
    SAY(ncclGroupEnd());
    SAY(ncclAllReduce(buf[0], buf[0], 1, ncclFloat, ncclSum, c, stream[0]));
    SAY(ncclCommFinalize(c));
    printf("state %d\n", (int)settle(c));
    SAY(ncclCommFinalize(c));
    printf("state %d\n", (int)settle(c));
    SAY(ncclCommDestroy(c));
    SAY(ncclCommInitRankConfig(&c, 1, id, 0, &config));
}

/* What is called, for NCCL's own lines. */
static void calls(void)
{
    for (size_t count = 1; count <= COUNT; count *= 256) {
        ncclGroupStart();
        for (int i = 0; i < 2; i++)
            SAY(reduce(i, count));
        SAY(ncclGroupEnd());
        ncclGroupStart();
        for (int i = 0; i < 2; i++)
            SAY(ncclBroadcast(buf[i], buf[i], count, ncclFloat, 1, comm[i],
                              stream[i]));
        SAY(ncclGroupEnd());
    }
    synchronize();
}

/* The settings are read once, and again when the program asks. */
static void reset(void)
{
    setenv("NCCL_DEBUG", "INFO", 1);
    unsetenv("NCCL_DEBUG_FILE");
    printf("reset\n");
    fflush(stdout);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#undef ncclResetDebugInit
    extern void ncclResetDebugInit(void);
    calls();
    ncclResetDebugInit();
    calls();
}

int main(int argc, char **argv)
{
    begin();
    calls();
    if (argc > 1 && strcmp(argv[1], "reset") == 0)
        reset();
    if (argc == 1) {
        making();
        joining(2, 3, 1, 1);
        joining(2, 2, 0, 1);
        joining(2, 2, 1, 0);
        splitting();
        shrinking();
        growing();
        groups();
        configurations();
        registering();
        pointers();
        capturing();
        lazy();
        ncclParamDumpAll();
    }
    SAY(ncclCommDestroy(comm[0]));
    SAY(ncclCommDestroy(comm[1]));
    return 0;
}
