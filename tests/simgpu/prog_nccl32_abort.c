/* What rank 0 of 2, both of one process, is told of its calls when rank 1
 * aborts the communicator instead of making its own: test_nccl_mismatch.c. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 10, MANY = 40 /* messages: a channel holds 32 */ };

static ncclComm_t comm[2];
static cudaStream_t stream;
static int *data;

static void say(const char *call, ncclResult_t result)
{
    printf("%s: %d %s\n", call, (int)result,
           result == ncclSuccess || result == ncclInProgress
               ? ""
               : ncclGetLastError(NULL));
}
#define SAY(call) say(#call, call)

static void collective(void)
{
    SAY(ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[0], stream));
}

static void receive(void)
{
    SAY(ncclRecv(data, COUNT, ncclInt, 1, comm[0], stream));
}

/* Memory that peers cannot map, and that gets what is received, or nothing. */
static int here[COUNT];

static void receive_here(void)
{
    for (int i = 0; i < COUNT; i++)
        here[i] = i + 1;
    SAY(ncclRecv(here, COUNT, ncclInt, 1, comm[0], stream));
}

static void reduce_here(void)
{
    SAY(ncclAllReduce(data, here, COUNT, ncclInt, ncclSum, comm[0], stream));
}

static void say_what_is_here(void)
{
    int n = 0;
    for (int i = 0; i < COUNT; i++)
        n += here[i] == i + 1;
    printf("%d of %d words are as they were\n", n, COUNT);
}

static void send(void)
{
    SAY(ncclSend(data, COUNT, ncclInt, 1, comm[0], stream));
}

static void many_sends(void)
{
    ncclGroupStart();
    for (int i = 0; i < MANY; i++)
        ncclSend(data, COUNT, ncclInt, 1, comm[0], stream);
    ncclRecv(data, COUNT, ncclInt, 1, comm[0], stream);
    SAY(ncclGroupEnd());
}

static void wait_for_signals(void)
{
    ncclWaitSignalDesc_t two = {2, 1, 0, 0};
    SAY(ncclWaitSignal(1, &two, comm[0], stream));
}

/* The last of several calls, of which the first cannot be done. */
static void several(void)
{
    SAY(ncclRecv(data, COUNT, ncclInt, 1, comm[0], stream));
    SAY(ncclSignal(1, 0, 0, 0, comm[0], stream));
    SAY(ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[0], stream));
}

static void abort_it(const char *what, void (*call)(void))
{
    ncclResult_t state = ncclSuccess;
    printf("%s\n", what);
    ncclCommInitAll(comm, 2, NULL);
    cudaSetDevice(0);
    call();
    SAY(ncclCommGetAsyncError(comm[0], &state));
    printf("state %d\n", (int)state);
    SAY(ncclCommAbort(comm[1]));
    printf("the stream waits: %d\n", (int)cudaStreamQuery(stream));
    SAY(ncclCommGetAsyncError(comm[0], &state));
    printf("state %d\n", (int)state);
    SAY(ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[0], stream));
    SAY(ncclCommFinalize(comm[0]));
    SAY(ncclCommAbort(comm[0]));
    printf("the stream ends: %d\n", (int)cudaStreamSynchronize(stream));
}

/* ---- calls that wait for the end of a group, or for a query -------------- */

static void abort_in_group(void)
{
    ncclResult_t state = ncclSuccess;
    printf("in a group\n");
    ncclCommInitAll(comm, 2, NULL);
    cudaSetDevice(0);
    ncclGroupStart();
    ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[0], stream);
    SAY(ncclCommAbort(comm[0]));
    SAY(ncclGroupEnd());
    printf("the stream is empty: %d\n", (int)cudaStreamQuery(stream));
    SAY(ncclCommGetAsyncError(comm[1], &state));
    printf("state %d\n", (int)state);
    ncclGroupStart();
    SAY(ncclCommAbort(comm[1]));
    SAY(ncclGroupEnd());
}

static ncclResult_t settle(ncclComm_t c)
{
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress)
        ncclCommGetAsyncError(c, &state);
    return state;
}

static void join_without_blocking(void)
{
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int r = 0; r < 2; r++) {
        cudaSetDevice(r);
        ncclCommInitRankConfig(&comm[r], 2, id, r, &config);
    }
    ncclGroupEnd();
    cudaSetDevice(0);
    printf("joined: %d %d\n", (int)settle(comm[0]), (int)settle(comm[1]));
}

static void abort_pending(void)
{
    printf("without blocking, before anybody asked\n");
    join_without_blocking();
    ncclGroupStart();
    for (int r = 0; r < 2; r++)
        ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[r],
                      r ? NULL : stream);
    SAY(ncclGroupEnd());
    SAY(ncclCommAbort(comm[0]));
    printf("state %d\n", (int)settle(comm[1]));
    SAY(ncclCommAbort(comm[1]));
    printf("the stream is empty: %d\n", (int)cudaStreamQuery(stream));
}

static void abort_finalizing(void)
{
    ncclResult_t state = ncclSuccess;
    printf("without blocking, while finalizing\n");
    join_without_blocking();
    SAY(ncclAllReduce(data, data, COUNT, ncclInt, ncclSum, comm[0], stream));
    printf("state %d\n", (int)settle(comm[0]));
    SAY(ncclCommFinalize(comm[0]));
    SAY(ncclCommGetAsyncError(comm[0], &state));
    printf("state %d\n", (int)state);
    SAY(ncclCommAbort(comm[1]));
    printf("state %d\n", (int)settle(comm[0]));
    SAY(ncclCommAbort(comm[0]));
}

int main(void)
{
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0); // both ranks use the memory below
    cudaSetDevice(0);
    cudaStreamCreate(&stream);
    ncclMemAlloc((void **)&data, COUNT * sizeof *data);
    abort_it("a collective", collective);
    abort_it("a receive", receive);
    cudaHostRegister(here, sizeof here, cudaHostRegisterDefault);
    abort_it("a receive into registered memory", receive_here);
    say_what_is_here();
    abort_it("a collective into it", reduce_here);
    say_what_is_here();
    abort_it("a send", send);
    abort_it("many sends", many_sends);
    abort_it("signals", wait_for_signals);
    abort_it("several", several);
    abort_in_group();
    abort_pending();
    abort_finalizing();
    return 0;
}
