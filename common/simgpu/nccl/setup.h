/*
 * setup.h: creating a communicator, step by step
 *
 * ncclCommInitRank and ncclCommSplit wait for the other ranks. A group of
 * several takes each step for all of them before the next step, so that one
 * thread can be several ranks; a non-blocking communicator takes a step when
 * ncclCommGetAsyncError finds that it need not wait.
 *
 *     split   ARRIVE  post color and key   FIND  ranks of the same color, join
 *     init                                 JOIN  wait until all have joined
 */
#ifndef SIMGPU_NCCL_SETUP_H
#define SIMGPU_NCCL_SETUP_H

#include "nccl/comm.h"

enum setup_step { SETUP_ARRIVE, SETUP_FIND, SETUP_JOIN, SETUP_DONE };

struct setup {
    enum setup_step step;
    const char *call;
    uint32_t site;
    struct ncclComm
        *comm; /* the new one; NULL before FIND, and without color */
    struct ncclComm *parent; /* of a split */
    ncclComm_t *out;         /* where the program wants it; NULL: set already */
    uint64_t seq;            /* of the split's rendezvous */
    int color, key;
    ncclConfig_t config;
    struct comm_id id;
};

/* The communicator whose ncclCommGetAsyncError takes its steps. */
static inline struct ncclComm *setup_owner(const struct setup *s)
{
    return s->parent ? s->parent : s->comm;
}

/*
 * Take one step. ncclInProgress if it would have to wait and may not. On
 * failure the new communicator, if any, has been discarded.
 */
ncclResult_t setup_advance(struct setup *s, int may_wait);

/* Discard what has been created so far. */
void setup_cancel(struct setup *s);

#endif
