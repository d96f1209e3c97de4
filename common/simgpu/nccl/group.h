/*
 * group.h: groups of calls
 *
 * Calls are collected per thread and enqueued at the outermost ncclGroupEnd; a
 * call outside any group is a group of one. As in NCCL, a call that fails
 * inside a group returns its error, and the end of the group returns the same
 * error and enqueues nothing. All sends of a group are posted before any of its
 * receives waits, so two ranks can send to each other.
 *
 * With non-blocking communicators the end of a group only packs it into a
 * *batch*; the next ncclCommGetAsyncError on any of them enqueues the batch.
 */
#ifndef SIMGPU_NCCL_GROUP_H
#define SIMGPU_NCCL_GROUP_H

#include "nccl/call.h"
#include "nccl/setup.h"

/* Call these two around every API function that may be called in a group.
 * group_leave() returns err, or else the group's error. */
void group_enter(void);
ncclResult_t group_leave(ncclResult_t err);

/* Add a call, or the creation of a communicator, to the thread's group. */
ncclResult_t group_add(const struct nccl_call *c);
ncclResult_t group_add_setup(const struct setup *s);

/* Advance a non-blocking communicator's pending work and return its state:
 * ncclInProgress, an error or success. */
ncclResult_t group_progress(struct ncclComm *c);

/* True if the thread's open group has calls on this communicator. */
int group_uses(const struct ncclComm *c);

/* Drop what is pending on a communicator that `call` ends. If the thread's open
 * group has calls on it, the group fails. */
void group_forget(struct ncclComm *c, const char *call);

#endif
