/*
 * group.h: groups of calls, and what a call becomes
 *
 * Calls are collected per thread and enqueued at the outermost ncclGroupEnd;
 * a call outside of any group is a group of one. All sends of a group are
 * posted before any of its receives waits, which is what lets ranks send to
 * each other in both directions.
 */
#ifndef SIMGPU_NCCL_GROUP_H
#define SIMGPU_NCCL_GROUP_H

#include "nccl/comm.h"

enum call_kind { CALL_COLL, CALL_SEND, CALL_RECV };

struct call { /* one API call, checked */
    enum call_kind kind;
    const char *name;
    uint32_t site;
    const void *address; /* that the call returns to */
    struct ncclComm *comm;
    struct stream *stream;
    const void *sendbuf;
    void *recvbuf;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op; /* sum, prod, max, min or avg; premul is a sum */
    double scale;   /* inputs times this first, if scaled */
    int scaled;
    int root; /* or peer */
    enum coll_kind coll;
};

/* Add a call to the thread's group, or make it a group of its own. */
ncclResult_t group_add(const struct call *c);

/* Wait for a new communicator's other ranks, at the group's end if in one. */
ncclResult_t group_init(struct ncclComm *c);

/* Enqueue a group's calls, in order. (execute.c) */
void execute(const struct call *calls, int n);

#endif
