/*
 * run.h: running cases on this rank
 *
 *   setup.c   a device, a stream and a communicator for each rank
 *   run.c     runs a case, and handles all ways in which student code leaves it
 *   lab.c     the functions that staff code calls (lab.h)
 */
#ifndef COMMLAB_LAB_RUN_H
#define COMMLAB_LAB_RUN_H

#include "lab/lab.h"

/*
 * Set up what all cases share. All ranks call. Returns 0, or -1 on all ranks if
 * there are too few devices, after one rank has reported it.
 */
int run_setup(struct lab_run *r, MPI_Comm comm);
void run_teardown(struct lab_run *r);

/*
 * Called on a rank that left a case early, if other ranks don't return from the
 * student's function for seconds: they wait for something that this rank will
 * no longer do. When it returns, the run is aborted.
 */
typedef void run_lost_fn(void *arg, enum run_status status, const char *text);

/*
 * Run `warmup` iterations of a case that are not recorded, then `iterations`
 * that are, and record how it ended (r->evidence). seed is that of this rank
 * and case. All ranks call.
 *
 * A rank leaves a case early at a hole or an error; the others then leave after
 * that iteration. Returns 1 on all ranks if another case can be run, 0 on all
 * if enqueued work will never complete or a device has failed.
 */
int run_case(struct lab_run *r, const struct plan_case *c, unsigned case_no,
             uint64_t seed, int iterations, int warmup, run_lost_fn *lost,
             void *arg);

/*
 * Run a command of the lab. All ranks call and get the same exit status. If
 * student code reaches a hole, a rank reports it and the run ends with status
 * 1.
 */
int run_command(struct lab_run *r, const struct lab_command *c, int argc,
                char **argv);

/* Copy comm, for run_case() and run_command() to agree on; MPI_COMM_NULL frees
 * the copy. All ranks call. */
void run_own_comm(MPI_Comm comm);

/* ---- between run.c and lab.c --------------------------------------------- */

/* Leave the case from inside student code, with this status and text. */
void run_leave(enum run_status status, const char *text)
    __attribute__((noreturn));

void lab_free_events(void);

/* Keep lab_end() from computing modelled times, which takes a replay on every
 * rank: the judge takes them from the graph. */
void lab_leave_times_to_judge(void);

/* Close the range of a case that was left within an iteration, so that what
 * follows, such as inputs of the next case, is not counted as part of it. */
void lab_leave_range(void);

/* Called by a kernel of simgpu that reaches a hole, on the thread that runs the
 * kernel (hole.cuh). */
void lab_device_hole(const char *what);

/* For calls that fail if the student's work on the device fails. */
#define RUN_TRY(call)                                                          \
    do {                                                                       \
        const cudaError_t run_try_ = (call);                                   \
        if (run_try_ != cudaSuccess)                                           \
            run_leave(RUN_ERROR, cudaGetErrorString(run_try_));                \
    } while (0)

#endif
