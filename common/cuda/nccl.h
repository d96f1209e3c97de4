/*
 * nccl.h: the installed NCCL's header, and declarations of collectives that
 * NCCL has only since 2.28 (nccl_older.c)
 */
#ifndef COMMLAB_CUDA_NCCL_H
#define COMMLAB_CUDA_NCCL_H

#include_next <nccl.h>

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 28, 0)
#ifdef __cplusplus
extern "C" {
#endif

/* Rank r's block i of count elements becomes rank i's block r. Not in place. */
ncclResult_t ncclAlltoAll(const void *sendbuf, void *recvbuf, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream);
/* Rank r's count elements become the root's block r. */
ncclResult_t ncclGather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream);
/* The root's block r becomes rank r's count elements. */
ncclResult_t ncclScatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
#endif
