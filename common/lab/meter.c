#include "lab/meter.h"

#include <nccl.h>

struct meter meter;

static int depth;        /* of groups */
static int group_counts; /* the open group has a message */

static const unsigned char type_size[ncclNumTypes] = {1, 1, 4, 4, 8, 8,
                                                      2, 4, 8, 2, 1, 1};

static void message(void)
{
    if (depth == 0)
        meter.rounds++;
    else
        group_counts = 1;
}

/* The real function, and the one that is called instead of it. */
#define WRAP(name, params)                                                     \
    ncclResult_t __real_##name params;                                         \
    ncclResult_t __wrap_##name params;                                         \
    ncclResult_t __wrap_##name params

WRAP(ncclSend, (const void *buf, size_t count, ncclDataType_t type, int peer,
                ncclComm_t comm, cudaStream_t stream))
{
    meter.messages++;
    if ((unsigned)type < ncclNumTypes)
        meter.sent_bytes += count * type_size[type];
    message();
    return __real_ncclSend(buf, count, type, peer, comm, stream);
}

WRAP(ncclRecv, (void *buf, size_t count, ncclDataType_t type, int peer,
                ncclComm_t comm, cudaStream_t stream))
{
    message();
    return __real_ncclRecv(buf, count, type, peer, comm, stream);
}

WRAP(ncclGroupStart, (void))
{
    depth++;
    return __real_ncclGroupStart();
}

WRAP(ncclGroupEnd, (void))
{
    if (depth > 0 && --depth == 0) {
        meter.rounds += (uint64_t)group_counts;
        group_counts = 0;
    }
    return __real_ncclGroupEnd();
}

WRAP(ncclAllReduce,
     (const void *in, void *out, size_t count, ncclDataType_t type,
      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclAllReduce(in, out, count, type, op, comm, stream);
}

WRAP(ncclBroadcast,
     (const void *in, void *out, size_t count, ncclDataType_t type, int root,
      ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclBroadcast(in, out, count, type, root, comm, stream);
}

WRAP(ncclBcast, (void *buf, size_t count, ncclDataType_t type, int root,
                 ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclBcast(buf, count, type, root, comm, stream);
}

WRAP(ncclReduce,
     (const void *in, void *out, size_t count, ncclDataType_t type,
      ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclReduce(in, out, count, type, op, root, comm, stream);
}

WRAP(ncclAllGather, (const void *in, void *out, size_t count,
                     ncclDataType_t type, ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclAllGather(in, out, count, type, comm, stream);
}

WRAP(ncclReduceScatter,
     (const void *in, void *out, size_t count, ncclDataType_t type,
      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream))
{
    meter.collectives++;
    return __real_ncclReduceScatter(in, out, count, type, op, comm, stream);
}
