/*
 * api.h: checks that the functions of several files share
 */
#ifndef SIMGPU_NCCL_API_H
#define SIMGPU_NCCL_API_H

#include "core/site.h"
#include "nccl/call.h"

/* A call with the arguments that most functions have. */
#define API_CALL(call_name, call_kind, call_coll)                              \
    {                                                                          \
        .kind = call_kind, .name = call_name, .site = CALLER_SITE(),           \
        .comm = comm, .coll = call_coll, .count = count, .type = datatype,     \
        .scale = 1,                                                            \
    }

/* What every call may get wrong: its communicator, peer or root, type,
 * operation, stream and local buffers. Completes c. */
ncclResult_t api_check(struct call *c, cudaStream_t stream);

/* Check a collective or message and add it to the thread's group, unless `err`
 * says that something is wrong with it already. */
ncclResult_t api_submit(struct call *c, cudaStream_t stream, ncclResult_t err);

#endif
