/*
 * counts.h: what a rank did in an iteration, counted from the execution graph
 *
 * The graph is recorded as the run goes, where student code can't change it
 * later; a counter in the rank's process is a variable like any other. So on
 * simgpu every count comes from the graph. On real GPUs, where there is none,
 * it is the metric of the same name that the runner recorded (lab_end()).
 *
 *     messages      sends and puts to other ranks
 *     sent_bytes    bytes of them
 *     sent_to.R     bytes of those to rank R
 *     rounds        groups with messages, either way, and messages outside of
 *                   any group: those of one round travel at the same time
 *     collectives   NCCL's own, each execution of one in a CUDA graph included
 *     comms         calls that make communicators
 *     before_bytes  device memory of this rank when its own work began:
 *                   lab_given()
 *     peak_bytes    the most that it held from lab_begin() to lab_end()
 *     device_bytes  what it holds at the end
 *     state_nbytes  the most by which a lab_held_begin() finds more held
 *                   than at lab_begin()
 *
 * Device memory is that of the runtime's, the driver's and NCCL's allocators,
 * in the order of calls: memory freed in stream order is given back by the
 * call. What a CUDA graph allocates by its own nodes counts until the run ends.
 */
#ifndef COMMLAB_JUDGE_COUNTS_H
#define COMMLAB_JUDGE_COUNTS_H

#include "judge/judge.h"

/*
 * A count of a rank in an iteration. NaN if it is not known; if that is because
 * a graph is missing that should exist, fails the verdict with the reason.
 */
double judge_count(const struct judge_task *t, int rank, int iteration,
                   const char *name, struct judge_verdict *v);

/* Names of the ranges in which the runner marks device memory, for it alone:
 * lab_given() and lab_held_begin(). Return out, of SPANS_NAME bytes. */
const char *judge_given_name(const char *case_name, int iteration, char *out);
const char *judge_held_name(const char *case_name, int iteration, char *out);

#endif
