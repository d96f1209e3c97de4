/*
 * NCCL's errors for mistakes, and where groups end: one process, two devices.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stddef.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 64 };

static ncclComm_t comm[2];
static float *buf[2];
static const cudaStream_t null_stream;

static ncclResult_t reduce(int i, ncclDataType_t type, ncclRedOp_t op)
{
    return ncclAllReduce(buf[i], buf[i], COUNT, type, op, comm[i], null_stream);
}

static ncclResult_t broadcast(int root)
{
    return ncclBroadcast(buf[0], buf[0], COUNT, ncclFloat, root, comm[0],
                         null_stream);
}

static void check_arguments(void)
{
    static const struct {
        ncclDataType_t type;
        ncclRedOp_t op;
    } bad[] = {{(ncclDataType_t)-1, ncclSum},
               {ncclNumTypes, ncclSum},
               {ncclFloat, (ncclRedOp_t)-1},
               {ncclFloat, ncclNumOps},
               {ncclFloat, ncclMaxRedOp}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        RULE(reduce(0, bad[i].type, bad[i].op) == ncclInvalidArgument,
             "a type or an operation that there isn't is an invalid argument");
    RULE(broadcast(-1) == ncclInvalidArgument, "so is a root below 0");
    RULE(broadcast(2) == ncclInvalidArgument, "and one beyond the ranks");
    RULE(ncclSend(buf[0], COUNT, ncclFloat, 2, comm[0], null_stream) ==
             ncclInvalidArgument,
         "and such a peer");
    RULE(ncclAllReduce(buf[0], buf[0], COUNT, ncclFloat, ncclSum, NULL,
                       null_stream) == ncclInvalidArgument,
         "and no communicator");
    RULE(strlen(ncclGetLastError(NULL)) > 0, "there is a text to it");
}

static void check_self(void)
{
    RULE(ncclSend(buf[0], 1, ncclFloat, 0, comm[0], null_stream) ==
             ncclInvalidUsage,
         "sending to itself without a receive is invalid usage");
    RULE(ncclRecv(buf[0], 1, ncclFloat, 0, comm[0], null_stream) ==
             ncclInvalidUsage,
         "and so is receiving");
    ncclGroupStart();
    ncclSend(buf[0], 1, ncclFloat, 0, comm[0], null_stream);
    ncclRecv(buf[0] + 1, 1, ncclFloat, 0, comm[0], null_stream);
    RULE(ncclGroupEnd() == ncclSuccess, "both in one group are a copy");
}

static void check_groups(void)
{
    float h = -1;
    cudaMemset(buf[0], 0, COUNT * sizeof(float));
    cudaMemset(buf[1], 0, COUNT * sizeof(float));
    RULE(ncclGroupEnd() == ncclInvalidUsage, "no end without a start");
    ncclGroupStart();
    reduce(0, ncclFloat, ncclSum);
    RULE(broadcast(7) == ncclInvalidArgument,
         "a call that fails in a group says so");
    RULE(ncclGroupEnd() == ncclInvalidArgument, "and the group's end again");
    RULE(cudaDeviceSynchronize() == cudaSuccess,
         "and nothing of the group is enqueued");
    ncclGroupStart();
    ncclGroupStart();
    reduce(0, ncclFloat, ncclSum);
    RULE(ncclGroupEnd() == ncclSuccess, "an inner end enqueues nothing");
    RULE(cudaDeviceSynchronize() == cudaSuccess, "nor waits");
    reduce(1, ncclFloat, ncclSum);
    RULE(ncclGroupEnd() == ncclSuccess, "the outermost end does");
    cudaMemcpy(&h, buf[0], sizeof h, cudaMemcpyDeviceToHost);
    RULE(h == 0, "and the group is done");
    RULE(reduce(0, ncclFloat, ncclMaxRedOp) == ncclInvalidArgument &&
             ncclGroupStart() == ncclSuccess && ncclGroupEnd() == ncclSuccess,
         "an error doesn't outlive its group");
}

static void check_zero(void)
{
    RULE(ncclAllReduce(NULL, NULL, 0, ncclFloat, ncclSum, comm[0],
                       null_stream) == ncclSuccess,
         "zero elements need no work");
    RULE(cudaDeviceSynchronize() == cudaSuccess, "and no other rank");
}

static void check_joining(void)
{
    ncclUniqueId id;
    ncclComm_t c = NULL, all[2];
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    RULE(ncclGetUniqueId(NULL) == ncclInvalidArgument, "an id goes somewhere");
    ncclGetUniqueId(&id);
    RULE(ncclCommInitRank(NULL, 1, id, 0) == ncclInvalidArgument,
         "and a communicator");
    RULE(ncclCommInitRank(&c, 0, id, 0) == ncclInvalidArgument,
         "of some ranks");
    RULE(ncclCommInitRank(&c, 2, id, 2) == ncclInvalidArgument,
         "one of which is this one");
    RULE(ncclCommInitAll(all, 0, NULL) == ncclInvalidArgument, "0 aren't some");
    RULE(ncclCommInitAll(all, 2, (const int[]){1, 99}) == ncclInvalidArgument,
         "on devices that there are");
    RULE(ncclCommInitAll(all, 2, (const int[]){1, 1}) == ncclInvalidUsage,
         "each of them once");
    memset(&config, 0, sizeof config);
    RULE(ncclCommInitRankConfig(&c, 1, id, 0, &config) == ncclInvalidArgument,
         "a config is initialised");
    config = (ncclConfig_t)NCCL_CONFIG_INITIALIZER;
    config.blocking = 2;
    RULE(ncclCommInitRankConfig(&c, 1, id, 0, &config) == ncclInvalidArgument,
         "with values that there are");
    config.blocking = 1;
    config.minCTAs = 8;
    config.maxCTAs = 4;
    RULE(ncclCommInitRankConfig(&c, 1, id, 0, &config) == ncclInvalidArgument,
         "that agree");
    config.maxCTAs = 16;
    config.size = offsetof(ncclConfig_t, commName); // an older NCCL's
    RULE(ncclCommInitRankConfig(&c, 1, id, 0, &config) == ncclSuccess,
         "and may be an older NCCL's");
    RULE(ncclCommDestroy(c) == ncclSuccess, "it ends");
    RULE(ncclCommDestroy(NULL) == ncclSuccess, "NULL has ended");
}

static void check_questions(void)
{
    int n = -1;
    ncclResult_t state;
    RULE(ncclCommCount(comm[1], &n) == ncclSuccess && n == 2, "2 ranks");
    RULE(ncclCommUserRank(comm[1], &n) == ncclSuccess && n == 1, "rank 1");
    RULE(ncclCommCuDevice(comm[1], &n) == ncclSuccess && n == 1, "on device 1");
    RULE(ncclCommCount(comm[1], NULL) == ncclInvalidArgument,
         "an answer goes somewhere");
    RULE(ncclCommCount(NULL, &n) == ncclInvalidArgument, "of something");
    RULE(ncclCommGetAsyncError(comm[0], &state) == ncclSuccess &&
             state == ncclSuccess,
         "nothing is wrong");
    RULE(ncclCommGetAsyncError(comm[0], NULL) == ncclInvalidArgument,
         "and says so somewhere");
}

static void check_operations(void)
{
    ncclRedOp_t op;
    float *scale, half = 0.5f, h[COUNT];
    RULE(ncclRedOpDestroy(ncclSum, comm[0]) == ncclInvalidArgument,
         "a built-in operation stays");
    RULE(ncclRedOpDestroy((ncclRedOp_t)(ncclNumOps + 3), comm[0]) ==
             ncclInvalidArgument,
         "one that wasn't made can't go");
    cudaSetDevice(0);
    cudaMalloc((void **)&scale, sizeof *scale);
    cudaMemset(scale, 0, sizeof *scale);
    ncclComm_t alone;
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&alone, 1, id, 0);
    RULE(ncclRedOpCreatePreMulSum(&op, scale, ncclFloat, ncclScalarDevice,
                                  alone) == ncclSuccess,
         "a scalar on the device makes an operation");
    cudaMemcpy(scale, &half, sizeof half, cudaMemcpyHostToDevice);
    for (int i = 0; i < COUNT; i++)
        h[i] = 3;
    cudaMemcpy(buf[0], h, sizeof h, cudaMemcpyHostToDevice);
    ncclAllReduce(buf[0], buf[0], COUNT, ncclFloat, op, alone, null_stream);
    cudaMemcpy(h, buf[0], sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[0] == 1.5f && h[COUNT - 1] == 1.5f, "which reads it when it runs");
    RULE(ncclAllReduce(buf[0], buf[0], COUNT, ncclInt32, op, alone,
                       null_stream) == ncclInvalidArgument,
         "for its own type alone");
    RULE(ncclRedOpDestroy(op, alone) == ncclSuccess &&
             ncclRedOpDestroy(op, alone) == ncclInvalidArgument,
         "and goes once");
    ncclCommDestroy(alone);
    cudaFree(scale);
}

static void check_simulation(void)
{
    ncclSimInfo_t one = NCCL_SIM_INFO_INITIALIZER, two = one, bad = one;
    float h = 0;
    cudaMemset(buf[0], 0, COUNT * sizeof(float));
    ncclGroupStart();
    reduce(0, ncclFloat, ncclSum);
    RULE(ncclGroupSimulateEnd(&one) == ncclSuccess && one.estimatedTime > 0,
         "a group is estimated");
    ncclGroupStart();
    reduce(0, ncclFloat, ncclSum);
    reduce(1, ncclFloat, ncclSum);
    ncclGroupSimulateEnd(&two);
    RULE(two.estimatedTime == one.estimatedTime,
         "the same one on all of its ranks");
    cudaMemcpy(&h, buf[0], sizeof h, cudaMemcpyDeviceToHost);
    RULE(h == 0 && cudaDeviceSynchronize() == cudaSuccess,
         "and nothing of it is enqueued");
    bad.magic = 0;
    ncclGroupStart();
    RULE(ncclGroupSimulateEnd(&bad) == ncclInvalidArgument,
         "what is told is initialised");
    RULE(ncclGroupSimulateEnd(&one) == ncclInvalidUsage, "and ends a group");
}

/* Mixed groups: one communicator blocks, the other does not. */
static void check_blocking(void)
{
    ncclUniqueId id;
    ncclComm_t c = NULL;
    ncclResult_t state = ncclInProgress;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclGetUniqueId(&id);
    cudaSetDevice(0);
    const ncclResult_t begun = ncclCommInitRankConfig(&c, 1, id, 0, &config);
    RULE(begun == ncclInProgress || begun == ncclSuccess,
         "one without waiting");
    while (state == ncclInProgress)
        ncclCommGetAsyncError(c, &state);
    RULE(state == ncclSuccess, "that is ready");
    ncclGroupStart();
    reduce(0, ncclFloat, ncclSum);
    ncclAllReduce(buf[0], buf[0], COUNT, ncclFloat, ncclSum, c, null_stream);
    RULE(ncclGroupEnd() == ncclInvalidArgument,
         "is in no group with one that blocks");
    ncclCommDestroy(c);
}

static void check_the_end(void)
{
    RULE(ncclCommFinalize(comm[0]) == ncclSuccess, "a communicator ends");
    RULE(ncclCommFinalize(comm[0]) == ncclInvalidArgument, "once");
    RULE(reduce(0, ncclFloat, ncclSum) == ncclInvalidUsage,
         "and is no longer used");
    RULE(ncclCommDestroy(comm[0]) == ncclSuccess, "it is destroyed");
    RULE(ncclCommDestroy(comm[0]) == ncclInvalidArgument, "once");
    RULE(ncclCommDestroy(comm[1]) == ncclSuccess, "without finalize too");
    RULE(ncclCommDestroy((ncclComm_t)buf) == ncclInvalidArgument,
         "something else is no communicator");
}

int main(void)
{
    RULE(ncclCommInitAll(comm, 2, NULL) == ncclSuccess, "two devices");
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaMalloc((void **)&buf[i], COUNT * sizeof(float));
    }
    cudaSetDevice(0);
    check_arguments();
    check_self();
    check_groups();
    check_zero();
    check_joining();
    check_questions();
    check_operations();
    check_simulation();
    check_blocking();
    check_the_end();
    return rule_status();
}
