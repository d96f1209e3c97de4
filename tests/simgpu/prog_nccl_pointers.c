/* NCCL_CHECK_POINTERS=1: pointers that are not memory of the communicator's
 * device. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

#include "rule.h"

static ncclComm_t comm;

static ncclResult_t reduce(void *send, void *recv)
{
    return ncclAllReduce(send, recv, 16, ncclFloat, ncclSum, comm, NULL);
}

int main(void)
{
    const int device = 1;
    void *own, *other, *pinned, *const pageable = malloc(64);
    RULE(ncclCommInitAll(&comm, 1, &device) == ncclSuccess, "one device");
    cudaSetDevice(0);
    cudaMalloc(&other, 64);
    cudaSetDevice(device);
    cudaMalloc(&own, 64);
    cudaMallocHost(&pinned, 64);
    RULE(reduce(own, own) == ncclSuccess, "its own memory is right");
    RULE(reduce(pinned, own) == ncclSuccess, "pinned memory too");
    RULE(reduce(pageable, own) == ncclInvalidArgument,
         "ordinary memory of the host isn't");
    RULE(reduce(own, pageable) == ncclInvalidArgument,
         "to receive into either");
    RULE(reduce(own, NULL) == ncclInvalidArgument, "nor is NULL");
    RULE(reduce(other, own) == ncclInvalidArgument,
         "nor another device's memory");
    RULE(ncclSend(pageable, 16, ncclFloat, 0, comm, NULL) ==
             ncclInvalidArgument,
         "nor may it be sent");
    RULE(cudaDeviceSynchronize() == cudaSuccess, "all else is done");
    RULE(ncclCommDestroy(comm) == ncclSuccess, "and ends");
    cudaFree(own);
    cudaFree(other);
    cudaFreeHost(pinned);
    free(pageable);
    return rule_status();
}
