/*
 * setup.h: creating a communicator, step by step
 *
 * Functions that create communicators wait for the other ranks. A group that
 * creates several takes each step for all of them before the next step, so that
 * one thread can act as several ranks. A non-blocking communicator takes a step
 * when ncclCommGetAsyncError finds that the step need not wait.
 *
 *     shrink  OFFER   the first rank creates a hub (a grow has one)
 *     grow    MEET    find the hub, join it
 *     split   ARRIVE  post color and key   FIND  ranks of the same color, join
 *     all                                  JOIN  wait until all have joined
 *
 * A split of a revoked communicator begins with the steps of a shrink that
 * leaves no rank out: the parent's hub is lost, and the split needs a new one.
 */
#ifndef SIMGPU_NCCL_SETUP_H
#define SIMGPU_NCCL_SETUP_H

#include "nccl/comm.h"

/* The most windows of one communicator that a group registers in one round. */
enum { SETUP_WINDOWS = HUB_SLOTS / 2 };

enum setup_step {
    SETUP_OFFER,
    SETUP_MEET,
    SETUP_ARRIVE,
    SETUP_FIND,
    SETUP_JOIN,
    SETUP_DONE
};

struct setup {
    enum setup_step step;
    const char *call;
    uint32_t site;
    struct ncclComm
        *comm; /* the new one; NULL before FIND, and without color */
    struct ncclComm *parent; /* for split, shrink and grow */
    ncclComm_t *out;         /* the program's variable; NULL if already set */
    uint64_t seq;            /* number of the split's rendezvous */
    int color, key;
    uint64_t meeting;           /* key of the offer */
    int offers, revive;         /* this rank offers; revive the parent */
    int nranks, rank;           /* for shrink and grow */
    struct comm_buffer *window; /* to register, in place of a communicator */
    struct config config;
    struct comm_id id;
};

/* The communicator whose ncclCommGetAsyncError takes the steps. */
static inline struct ncclComm *setup_owner(const struct setup *s)
{
    return s->parent ? s->parent : s->comm;
}

/*
 * Take one step. Returns ncclInProgress if the step would wait and must not. On
 * failure the new communicator, if any, has been discarded.
 */
ncclResult_t setup_advance(struct setup *s, int may_wait);

/* Discard what has been created so far. */
void setup_cancel(struct setup *s);

#endif
