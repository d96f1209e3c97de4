/*
 * profiler.h: the events that a profiler plugin hears of
 *
 * As in NCCL, a call raises these, each in the one around it:
 *
 *     group API         the outermost ncclGroupStart to ncclGroupEnd
 *       collective API, p2p API    one call
 *         collective, p2p          what became of it: algorithm, channels
 *           kernel channel         once the operation has ended
 *       kernel launch              the calls of one communicator
 *     group                        their tasks (parents before version 5)
 *
 * Host events are raised by the thread that makes the call, or whose
 * ncclCommGetAsyncError enqueues it; of a captured call, API events when it is
 * captured, the others at each launch. Kernel channel events are raised by the
 * stream's worker, before anything that waits for the operation continues.
 * Their times are the model's (simgpu_clock_span()), in nanoseconds since the
 * job began; all channels of a collective work from its start to its end, and a
 * message is one channel. ncclAlltoAll, ncclGather and ncclScatter are p2p
 * events to and from each peer, in one API event for each direction.
 *
 * Not raised, since the model has nothing that they would describe: proxy
 * operations, steps and control, network plugins, copy engines.
 */
#ifndef SIMGPU_NCCL_PROFILER_H
#define SIMGPU_NCCL_PROFILER_H

#include <stdint.h>

struct call;
struct ncclComm;
struct nccl_op;
struct profiler_task;   /* the events of an operation */
struct profiler_launch; /* of the operations of a communicator */

struct profiler_call { /* of a call */
    int mask;          /* the types of events that it raises; 0: none */
    void *group;       /* the API events */
    void *send, *recv; /* send: of a collective, too */
};

/* A communicator has been made, or ends. */
void profiler_join(struct ncclComm *c);
void profiler_leave(struct ncclComm *c);

/* A checked call is added to the calling thread's group of this depth. */
void profiler_enter_call(struct call *c, int depth);
void profiler_leave_call(struct call *c);

/* The outermost group's end begins, and has run all that it runs. */
void profiler_end_group(void);
void profiler_leave_group(void);

/*
 * The n operations of a communicator, in the order in which they run, are about
 * to be enqueued (NULL: no plugin listens), and have been, but may not run yet.
 */
struct profiler_launch *profiler_enter_launch(struct nccl_op *const *op, int n);
void profiler_leave_launch(struct profiler_launch *l);

/* On the worker: the operation has done its work. */
void profiler_end_op(const struct nccl_op *o);

void profiler_release(struct profiler_task *t); /* may be NULL */

#endif
