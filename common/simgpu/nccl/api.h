/*
 * api.h: checks that the functions of several files share
 */
#ifndef SIMGPU_NCCL_API_H
#define SIMGPU_NCCL_API_H

#include "nccl/call.h"

/* A call of a collective (`coll`), or of a message to or from `peer`, made at
 * CALLER_SITE(). The caller adds buffers and, to a collective, what else it
 * has: operation, root. */
struct nccl_call api_collective(const char *name, enum coll_kind coll,
                                ncclComm_t comm, size_t count,
                                ncclDataType_t type, uint32_t site);
struct nccl_call api_message(const char *name, enum call_kind kind, int peer,
                             ncclComm_t comm, size_t count, ncclDataType_t type,
                             uint32_t site);

/* Check what every call can get wrong: its communicator, peer or root, type,
 * operation, stream and local buffers. Fills in the rest of c. */
ncclResult_t api_check(struct nccl_call *c, cudaStream_t stream);

/* Check a collective or message and add it to the thread's group, unless `err`
 * already says that something is wrong with it. */
ncclResult_t api_submit(struct nccl_call *c, cudaStream_t stream,
                        ncclResult_t err);

#endif
