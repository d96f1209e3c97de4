/*
 * group.h: groups of calls
 *
 * Calls are collected per thread and enqueued at the outermost ncclGroupEnd; a
 * call outside any group is a group of one. As in NCCL, a call that fails
 * inside a group returns its error, and the end of the group returns it again
 * and enqueues nothing. All sends of a group are posted before any of its
 * receives waits, so that ranks can send to each other in both directions.
 *
 * With non-blocking communicators the end of a group only makes a *batch* of
 * it, which the next ncclCommGetAsyncError of any of them enqueues.
 */
#ifndef SIMGPU_NCCL_GROUP_H
#define SIMGPU_NCCL_GROUP_H

#include "nccl/call.h"
#include "nccl/setup.h"

/* Every API function that may be called in a group runs between these two.
 * group_leave() returns its error, or the group's. */
void group_enter(void);
ncclResult_t group_leave(ncclResult_t err);

/* Add to the thread's group. */
ncclResult_t group_add(const struct call *c);
ncclResult_t group_add_setup(const struct setup *s);

/* For a non-blocking communicator: make progress on its pending work and return
 * its state (ncclInProgress, or an error or success); or drop that work. */
ncclResult_t group_progress(struct ncclComm *c);
void group_forget(struct ncclComm *c);

#endif
