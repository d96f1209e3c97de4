/*
 * call.h: a checked call of a collective or a message
 */
#ifndef SIMGPU_NCCL_CALL_H
#define SIMGPU_NCCL_CALL_H

#include "nccl/comm.h"
#include "nccl/profiler.h"

enum call_kind { CALL_COLL, CALL_SEND, CALL_RECV, CALL_PUT, CALL_WAIT };

enum coll_kind {
    COLL_ALLREDUCE,
    COLL_BROADCAST,
    COLL_REDUCE,
    COLL_ALLGATHER,
    COLL_REDUCESCATTER,
    COLL_ALLTOALL,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_SPLIT,  /* a rendezvous of hosts, no data */
    COLL_WINDOW, /* likewise */
};

struct call {
    enum call_kind kind;
    enum coll_kind coll; /* of a CALL_COLL */
    const char *name;    /* "ncclAllReduce" */
    uint32_t site;
    struct ncclComm *comm;
    struct stream *stream;
    const void *sendbuf;
    void *recvbuf;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;     /* ncclNumOps: a premultiplied sum, */
    const void *scalar; /* with its factor at this address or, if NULL, */
    double scale;
    int root;             /* or a message's peer */
    int signal;           /* of a PUT or WAIT: its kind (hub.h) */
    uint32_t nsignals;    /* of a WAIT */
    char *target;         /* of a PUT with data: in the peer's window */
    cudaStream_t handle;  /* what the program calls the stream */
    cudaEvent_t launched; /* of a COLL: to record, or NULL */
    struct profiler_call profiled;
};

#endif
