/* Calls of NCCL that fail, with and without a look at the result. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ncclComm_t comm;
static float *data;

static ncclResult_t wrong_root(void)
{
    return ncclBroadcast(data, data, 1, ncclFloat, 7, comm, NULL);
}

static int expect(ncclResult_t result, ncclResult_t expected)
{
    if (result != expected)
        printf("%d\n", (int)result);
    return result == expected;
}

static int call(void)
{
    ncclBroadcast(data, data, 1, ncclFloat, 7, comm, NULL);
    ncclBroadcast(data, data, 1, ncclFloat, 8, comm, NULL);
    return cudaGetLastError() != cudaSuccess; // says nothing of NCCL
}

static int call_seen(void)
{
    return !expect(wrong_root(), ncclInvalidArgument);
}

static int asked(void)
{
    ncclBroadcast(data, data, 1, ncclFloat, 7, comm, NULL);
    return !ncclGetLastError(comm);
}

static int group(void)
{
    ncclGroupStart();
    ncclBroadcast(data, data, 1, ncclFloat, 7, comm, NULL);
    ncclGroupEnd();
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int group_seen(void)
{
    ncclGroupStart();
    ncclBroadcast(data, data, 1, ncclFloat, 7, comm, NULL);
    return !expect(ncclGroupEnd(), ncclInvalidArgument);
}

static int call_in_group_seen(void)
{
    ncclGroupStart();
    expect(wrong_root(), ncclInvalidArgument);
    ncclGroupEnd();
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int end_of_group(void)
{
    ncclGroupStart();
    ncclSend(data, 1, ncclFloat, 0, comm, NULL); // to itself, not received
    ncclGroupEnd();
    return cudaDeviceSynchronize() != cudaSuccess;
}

static int destroyed(void)
{
    ncclComm_t pair[2];
    expect(ncclCommInitAll(pair, 2, NULL), ncclSuccess);
    ncclCommAbort(pair[1]);
    ncclCommDestroy(pair[0]); // the peer's abort is no failure of this
    return cudaDeviceSynchronize() != cudaSuccess;
}

static const struct {
    const char *name;
    int (*make)(void); // returns 0; no call is its last instruction
} cases[] = {{"call", call},
             {"call-seen", call_seen},
             {"asked", asked},
             {"group", group},
             {"group-seen", group_seen},
             {"call-in-group-seen", call_in_group_seen},
             {"end-of-group", end_of_group},
             {"destroyed", destroyed}};

int main(int argc, char **argv)
{
    int failed = 0;
    expect(ncclCommInitAll(&comm, 1, NULL), ncclSuccess);
    cudaMalloc((void **)&data, sizeof *data);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            failed |= cases[i].make();
    cudaFree(data);
    expect(ncclCommDestroy(comm), ncclSuccess);
    return failed;
}
