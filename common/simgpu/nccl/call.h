/*
 * call.h: a checked call of a collective or a message
 */
#ifndef SIMGPU_NCCL_CALL_H
#define SIMGPU_NCCL_CALL_H

#include <string.h> /* strlen */

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
    COLL_WINDOW, /* a rendezvous of hosts, too */
};

static inline int coll_reduces(enum coll_kind kind)
{
    return kind == COLL_ALLREDUCE || kind == COLL_REDUCE ||
           kind == COLL_REDUCESCATTER;
}

struct nccl_call {
    enum call_kind kind;
    enum coll_kind coll; /* the collective, for CALL_COLL */
    const char *name;    /* "ncclAllReduce" */
    uint32_t site;
    struct ncclComm *comm;
    struct stream *stream;
    const void *sendbuf;
    void *recvbuf;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;     /* ncclNumOps: scale the inputs, then add */
    const void *scalar; /* the factor's device address; if NULL, the next */
    double scale;
    int root;             /* root, or a message's peer */
    int signal;           /* signal's kind (hub.h), for PUT and WAIT */
    uint32_t nsignals;    /* signals to wait for, for WAIT */
    char *target;         /* where a PUT writes in the peer's window */
    cudaStream_t handle;  /* the stream, as the program names it */
    cudaEvent_t launched; /* event that a COLL records, or NULL */
    struct profiler_call profiled;
};

/* The call's name as NCCL's own messages have it: "AllReduce". */
static inline const char *call_short_name(const struct nccl_call *c)
{
    return c->name + strlen("nccl");
}

#endif
