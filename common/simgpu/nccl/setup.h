/*
 * setup.h: creating a communicator, step by step
 *
 * Functions that make communicators wait for the other ranks. A group of
 * several takes each step for all of them before the next step, so that one
 * thread can be several ranks; a non-blocking communicator takes a step when
 * ncclCommGetAsyncError finds that it need not wait.
 *
 *     shrink  OFFER   the first rank makes a hub, or has one (grow)
 *     grow    MEET    find the hub, join it
 *     split   ARRIVE  post color and key   FIND  ranks of the same color, join
 *     all                                  JOIN  wait until all have joined
 *
 * A split of a revoked communicator begins with the steps of a shrink that
 * leaves no rank out: the parent needs a new hub, since its own is lost.
 */
#ifndef SIMGPU_NCCL_SETUP_H
#define SIMGPU_NCCL_SETUP_H

#include "nccl/comm.h"

/* Rounds of a group: windows of one communicator that are shared together. */
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
    struct ncclComm *parent; /* of a split, shrink or grow */
    ncclComm_t *out;         /* where the program wants it; NULL: set already */
    uint64_t seq;            /* of the split's rendezvous */
    int color, key;
    uint64_t meeting;           /* key of the offer */
    int offers, revive;         /* this rank makes it; the parent needs it */
    int nranks, rank;           /* of a shrink or grow */
    struct comm_buffer *window; /* instead of a communicator: to be shared */
    struct config config;
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
