/* What NCCL makes and destroys again leaves nothing behind: lives.txt. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>

#include "held.h"

static long blocks_held(void)
{
    return held;
}
#define LEFT_HEAP blocks_held
#include "left.h"

enum { N = 2, NBYTES = 1 << 16 };

static ncclComm_t comm[N], other[N], lazy;
static cudaStream_t s[N];
static char *d[N];

/* A call for each rank, in a group. */
#define EACH(call)                                                             \
    do {                                                                       \
        ncclGroupStart();                                                      \
        for (int i = 0; i < N; i++)                                            \
            call;                                                              \
        ncclGroupEnd();                                                        \
    } while (0)

static void finish(void)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        ncclCommGetAsyncError(lazy, &state);
}

static void start(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.blocking = 0;
    ncclGetUniqueId(&id);
    ncclCommInitRankConfig(&lazy, 1, id, 0, &config);
    finish();
    ncclCommInitAll(comm, N, NULL);
    for (int i = 0; i < N; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&s[i]);
        ncclMemAlloc((void **)&d[i], NBYTES);
        cudaMemset(d[i], 0, NBYTES);
        cudaDeviceSynchronize();
    }
}

static void synchronize(void)
{
    for (int i = 0; i < N; i++)
        cudaStreamSynchronize(s[i]);
}

/* ---- rounds -------------------------------------------------------------- */

static void collectives(void)
{
    EACH(ncclAllReduce(d[i], d[i], 16, ncclFloat, ncclSum, comm[i], s[i]));
    ncclGroupStart();
    for (int i = 0; i < N; i++) {
        ncclBroadcast(d[i], d[i], 16, ncclFloat, 1, comm[i], s[i]);
        ncclAllGather(d[i], d[i], 4, ncclFloat, comm[i], s[i]);
    }
    ncclGroupEnd();
    synchronize();
}

static void messages(void)
{
    ncclGroupStart();
    for (int k = 0; k < 33; k++) { /* more than a channel holds */
        ncclSend(d[0], 16, ncclFloat, 1, comm[0], s[0]);
        ncclRecv(d[1], 16, ncclFloat, 0, comm[1], s[1]);
    }
    ncclGroupEnd();
    synchronize();
}

static void refused(void)
{
    ncclGroupStart();
    ncclAllReduce(d[0], d[0], 16, ncclFloat, ncclSum, comm[0], s[0]);
    ncclAllReduce(d[0], d[0], 16, ncclFloat, ncclNumOps, comm[0], s[0]);
    ncclGroupEnd();
}

static void communicators(void)
{
    ncclCommInitAll(other, N, NULL);
    EACH(ncclCommFinalize(other[i]));
    for (int i = 0; i < N; i++)
        ncclCommDestroy(other[i]);
}

static void aborted(void)
{
    ncclCommInitAll(other, N, NULL);
    for (int i = 0; i < N; i++)
        ncclCommAbort(other[i]);
}

static void splits(void)
{
    EACH(ncclCommSplit(comm[i], i, 0, &other[i], NULL));
    for (int i = 0; i < N; i++)
        ncclCommDestroy(other[i]);
    EACH(
        ncclCommSplit(comm[i], i ? 0 : NCCL_SPLIT_NOCOLOR, 0, &other[i], NULL));
    ncclCommDestroy(other[1]);
}

/* Rank 1 leaves, and another comes. */
static void fewer_and_more(void)
{
    ncclComm_t few = NULL;
    ncclUniqueId id;
    int one = 1;
    ncclCommShrink(comm[0], &one, 1, &few, NULL, 0);
    ncclCommGetUniqueId(few, &id);
    ncclGroupStart();
    cudaSetDevice(0);
    ncclCommGrow(few, N, &id, -1, &other[0], NULL);
    cudaSetDevice(1);
    ncclCommGrow(NULL, N, &id, 1, &other[1], NULL);
    ncclGroupEnd();
    for (int i = 0; i < N; i++)
        ncclCommDestroy(other[i]);
    ncclCommDestroy(few);
}

static void revoked(void)
{
    EACH(ncclCommSplit(comm[i], 0, i, &other[i], NULL));
    for (int i = 0; i < N; i++)
        ncclCommRevoke(other[i], 0);
    ncclComm_t again[N];
    EACH(ncclCommSplit(other[i], 0, i, &again[i], NULL));
    for (int i = 0; i < N; i++) {
        ncclCommDestroy(again[i]);
        ncclCommDestroy(other[i]);
    }
}

/* On a communicator that does not block: calls are kept for later. */
static void later(void)
{
    ncclGroupStart();
    ncclAllReduce(d[0], d[0], 16, ncclFloat, ncclSum, lazy, s[0]);
    ncclAllReduce(d[0], d[0], 16, ncclFloat, ncclSum, lazy, s[0]);
    ncclGroupEnd();
    finish();
    synchronize();
}

static void parts_later(void)
{
    ncclComm_t part = NULL;
    ncclCommSplit(lazy, 0, 0, &part, NULL);
    finish();
    ncclCommDestroy(part);
}

static void windows(void)
{
    ncclWindow_t w[N];
    void *handle, *p;
    EACH(ncclCommWindowRegister(comm[i], d[i], NBYTES, &w[i],
                                NCCL_WIN_COLL_SYMMETRIC));
    ncclPutSignal(d[0], 16, ncclFloat, 1, w[0], 0, 0, 0, 0, comm[0], s[0]);
    ncclWaitSignal(1, &(ncclWaitSignalDesc_t){1, 0, 0, 0}, comm[1], s[1]);
    synchronize();
    EACH(ncclCommWindowDeregister(comm[i], w[i]));
    ncclCommRegister(comm[0], d[0], NBYTES, &handle);
    ncclCommDeregister(comm[0], handle);
    ncclMemAlloc(&p, 100);
    ncclMemFree(p);
}

static void estimates(void)
{
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    ncclGroupStart();
    ncclAllReduce(d[0], d[0], 16, ncclFloat, ncclSum, comm[0], s[0]);
    ncclSend(d[0], 16, ncclFloat, 1, comm[0], s[0]);
    ncclGroupSimulateEnd(&info);
}

/* ---- parts --------------------------------------------------------------- */

/* What a communicator was stays, so that a later use of it is noticed: each
 * round has so many. */
static void one_communicator(void)
{
    ncclComm_t c = NULL;
    ncclCommInitAll(&c, 1, NULL);
    ncclCommDestroy(c);
}

/* A stream's thread frees an operation a moment after it is complete: of many
 * rounds the last one's make no difference. */
static void say(const char *name, void (*round)(void), int ncomms)
{
    enum { FEW = 16, MANY = 128 };
    const long of_comm = left_by(one_communicator, FEW).heap;
    const struct left l = left_by(round, ncomms ? FEW : MANY);
    printf("%s: %ld blocks, %ld files, %ld bytes of a GPU\n", name,
           l.heap - ncomms * of_comm, l.files, l.gpu);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*round)(void);
        int ncomms;
    } of[] = {{"collectives", collectives, 0},
              {"messages", messages, 0},
              {"refused", refused, 0},
              {"communicators", communicators, 2},
              {"aborted", aborted, 2},
              {"splits", splits, 3},
              {"fewer and more", fewer_and_more, 3},
              {"revoked", revoked, 4},
              {"later", later, 0},
              {"parts later", parts_later, 1},
              {"windows", windows, 0},
              {"estimates", estimates, 0}};
    start();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        say(of[i].name, of[i].round, of[i].ncomms);
    return 0;
}
