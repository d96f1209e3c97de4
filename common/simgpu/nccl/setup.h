/*
 * setup.h: making a communicator, step by step
 *
 * Both ncclCommInitRank and ncclCommSplit wait for the other ranks. A group of
 * several takes each step for all of them before it takes the next, so that one
 * thread can be several ranks; a non-blocking communicator takes a step when
 * ncclCommGetAsyncError finds that it need not wait.
 *
 *     split   ARRIVE  say one's color and key   MEET  find one's group, join it
 *     init                                      JOIN  until all have joined
 */
#ifndef SIMGPU_NCCL_SETUP_H
#define SIMGPU_NCCL_SETUP_H

#include "nccl/comm.h"

enum setup_step { SETUP_ARRIVE, SETUP_MEET, SETUP_JOIN, SETUP_DONE };

struct setup {
    enum setup_step step;
    const char *call;
    uint32_t site;
    struct ncclComm
        *comm; /* the new one; NULL before MEET, and without color */
    struct ncclComm *parent; /* of a split */
    ncclComm_t *out;         /* where the program wants it; NULL: it has it */
    uint64_t seq;            /* of the split's meeting */
    int color, key;
    ncclConfig_t config;
    struct comm_id id;
};

/* Whose ncclCommGetAsyncError sees to it. */
static inline struct ncclComm *setup_owner(const struct setup *s)
{
    return s->parent ? s->parent : s->comm;
}

/*
 * Take one step. ncclInProgress if it would have to wait and may not. On
 * failure the new communicator, if there is one, is gone.
 */
ncclResult_t setup_advance(struct setup *s, int may_wait);

/* Give up what has been made so far. */
void setup_cancel(struct setup *s);

#endif
