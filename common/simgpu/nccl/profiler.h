/*
 * profiler.h: the events that a profiler plugin gets
 *
 * As in NCCL, a call raises these events, nested like this:
 *
 *     group API         the outermost ncclGroupStart to ncclGroupEnd
 *       collective API, p2p API    one call
 *         collective, p2p          the call's task: algorithm, channels
 *           kernel channel         once the operation has ended
 *       kernel launch              the calls on one communicator
 *     group                        their tasks (parents before version 5)
 *
 * Host events are raised by the thread that makes the call, or by the one whose
 * ncclCommGetAsyncError enqueues it. For a captured call, API events are raised
 * at capture and the others at each launch. The stream's worker raises kernel
 * channel events, before anything that waits for the operation continues. Their
 * times are modelled (simgpu_clock_span()), in nanoseconds since the job began:
 * all channels of a collective work from its start to its end, and a message
 * uses one channel. ncclAlltoAll, ncclGather and ncclScatter raise p2p events
 * to and from each peer, inside one API event per direction.
 *
 * The model has no proxy operations, steps or control, no network plugins and
 * no copy engines, so it raises no events for them.
 */
#ifndef SIMGPU_NCCL_PROFILER_H
#define SIMGPU_NCCL_PROFILER_H

#include <stdint.h>

/* What a call does, by the numbers of NCCL's ncclFunc_t. */
enum profiler_func {
    PROFILER_BROADCAST,
    PROFILER_REDUCE,
    PROFILER_ALLGATHER,
    PROFILER_REDUCESCATTER,
    PROFILER_ALLREDUCE,
    PROFILER_SENDRECV,
    PROFILER_SEND,
    PROFILER_RECV,
    PROFILER_ALLTOALL,
    PROFILER_SCATTER,
    PROFILER_GATHER,
    PROFILER_PUT = 12,
    PROFILER_SIGNAL,
    PROFILER_WAIT
};

struct nccl_call;
struct ncclComm;
struct nccl_op;
struct profiler_task;   /* the events of one operation */
struct profiler_launch; /* a communicator's operations in one group */

struct profiler_call { /* the API events of one call */
    int mask;          /* types of the events it raises; 0: none */
    void *group;       /* the API events */
    void *send, *recv; /* a collective has send alone */
};

/* Call these after a communicator is created, and before it ends. */
void profiler_join(struct ncclComm *c);
void profiler_leave(struct ncclComm *c);

/* Call these around adding a checked call to the calling thread's group, which
 * is nested to this depth. */
void profiler_enter_call(struct nccl_call *c, int depth);
void profiler_leave_call(struct nccl_call *c);

/* Call these when the outermost group's end begins, and when it has run all
 * calls. */
void profiler_end_group(void);
void profiler_leave_group(void);

/*
 * Call these before and after a communicator's n operations are enqueued, in
 * execution order; they must not start before profiler_leave_launch(). NULL: no
 * plugin is loaded.
 */
struct profiler_launch *profiler_enter_launch(struct nccl_op *const *op, int n);
void profiler_leave_launch(struct profiler_launch *l);

/* On the worker, when the operation has done its work. */
void profiler_end_op(const struct nccl_op *o);

void profiler_release(struct profiler_task *t); /* may be NULL */

#endif
