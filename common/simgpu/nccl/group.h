/*
 * group.h: groups of calls, and what a call becomes
 *
 * Calls are collected per thread and enqueued at the outermost ncclGroupEnd; a
 * call outside of any group is a group of one. A call that fails in a group
 * says so itself, and the group's end says it again and enqueues nothing, as
 * NCCL does. All sends of a group are posted before any of its receives waits,
 * which is what lets ranks send to each other in both directions.
 *
 * With non-blocking communicators nothing happens at the group's end but that
 * it becomes a *batch*, which the next ncclCommGetAsyncError of any of them
 * enqueues.
 */
#ifndef SIMGPU_NCCL_GROUP_H
#define SIMGPU_NCCL_GROUP_H

#include "nccl/comm.h"
#include "nccl/setup.h"

enum call_kind { CALL_COLL, CALL_SEND, CALL_RECV };

struct call { /* one API call, checked */
    enum call_kind kind;
    const char *name; /* "ncclAllReduce" */
    uint32_t site;
    const void *address; /* that the call returns to */
    struct ncclComm *comm;
    struct stream *stream;
    const void *sendbuf;
    void *recvbuf;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;     /* sum, prod, max, min or avg; premul is a sum */
    int premul;         /* inputs are multiplied first: number + 1, or 0 */
    const void *scalar; /* premul: where the factor is, or NULL: */
    double scale;       /* premul: the factor */
    int root;           /* or peer */
    int coll;           /* enum coll_kind */
};

/* Every API function that may stand in a group is between these two: leave
 * returns its error, or the group's. */
void group_enter(void);
ncclResult_t group_leave(ncclResult_t err);

/* Into the thread's group. */
ncclResult_t group_add(const struct call *c);
ncclResult_t group_add_setup(const struct setup *s);

/* Of a non-blocking communicator: go on with what is under way, and say how it
 * stands (ncclInProgress, or not). forget: drop it. */
ncclResult_t group_progress(struct ncclComm *c);
void group_forget(struct ncclComm *c);

/* Enqueue a group's calls, in order. (execute.c) */
void execute(const struct call *calls, int n);

/* What the calls would take, in modelled microseconds. (simulate.c) */
ncclResult_t simulate(const struct call *calls, int n, float *us);

#endif
