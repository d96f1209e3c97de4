/*
 * counts.h: what a rank did in an iteration, counted from the execution graph
 *
 * The graph is recorded while the program runs, and student code can't change
 * it afterwards; a counter in the rank's process is a variable that it can
 * change. So on simgpu every count comes from the graph. Real GPUs have no
 * graph; there a count is the metric of the same name that the runner recorded
 * (lab_end()).
 *
 *     messages      sends and puts to other ranks
 *     sent_bytes    bytes in those messages
 *     sent_to.R     bytes in the messages to rank R
 *     rounds        groups that send or receive, and messages outside any
 *                   group: the messages of one round travel concurrently
 *     collectives   NCCL's collectives; each execution of one in a CUDA graph
 *                   counts
 *     comms         calls that create communicators
 *     before_bytes  device memory that this rank held at lab_given(), before
 *                   its own work; what the student's files had allocated is
 *                   not in it, as it could hold what the case is to do without
 *     peak_bytes    the most device memory held from lab_begin() to lab_end()
 *     device_bytes  device memory held at the end
 *     state_nbytes  growth of the device memory held from lab_begin() to the
 *                   lab_held_begin() that finds the most, and what the
 *                   student's files had allocated before
 *
 * Device memory is what the allocators of the runtime, the driver and NCCL
 * handed out, in the order of calls: memory freed in stream order counts as
 * freed when the call is made. What the nodes of a CUDA graph allocate counts
 * until the run ends.
 */
#ifndef COMMLAB_JUDGE_COUNTS_H
#define COMMLAB_JUDGE_COUNTS_H

#include "judge/judge.h"

/*
 * A count of a rank in an iteration, or NaN if it is not known. If it is
 * unknown because a graph that should exist is missing, the verdict fails with
 * the reason.
 */
double judge_count(const struct judge_task *t, int rank, int iteration,
                   const char *name, struct judge_verdict *v);

/*
 * Names of the ranges in which the runner itself marks device memory:
 * lab_given() and lab_held_begin(). Both return out, which has SPANS_NAME
 * bytes.
 */
const char *judge_given_name(const char *case_name, int iteration, char *out);
const char *judge_held_name(const char *case_name, int iteration, char *out);

#endif
