/*
 * run.h: running cases on this rank
 *
 *   setup.c   a device, a stream and a communicator for each rank
 *   run.c     a case, and all the ways in which student code can leave it
 *   lab.c     what staff code calls in between (lab.h)
 */
#ifndef COMMLAB_LAB_RUN_H
#define COMMLAB_LAB_RUN_H

#include "lab/lab.h"

/*
 * Set up what all cases share. All ranks call. 0, or -1 on all ranks when there
 * are not enough devices: then one of them has said so.
 */
int run_setup(struct lab_run *r, MPI_Comm comm);
void run_teardown(struct lab_run *r);

/*
 * Called on a rank that left a case early, when others didn't come out of the
 * student's function for seconds: they wait for something this rank will not
 * do any more. When it returns, the run is aborted.
 */
typedef void run_lost_fn(void *arg, enum run_status status, const char *text);

/*
 * Run `iterations` of a case, after `warmup` ones that are not shown, and show
 * how it ended (r->evidence). seed: this rank's, of this case. All ranks call.
 *
 * A rank leaves a case early by a hole or an error; the others then leave after
 * that iteration. Returns, the same on all ranks, whether another case can be
 * run: not if work that was begun will never complete, or a device has failed.
 */
int run_case(struct lab_run *r, const struct plan_case *c, unsigned case_no,
             uint64_t seed, int iterations, int warmup, run_lost_fn *lost,
             void *arg);

/*
 * Run a command of the lab; all ranks call, and get the same exit status. Student
 * code that it calls may reach a hole: then some rank says so, and the run ends
 * with status 1.
 */
int run_command(struct lab_run *r, const struct lab_command *c, int argc,
                char **argv);

/* ---- between run.c and lab.c ------------------------------------------------- */

/* Leave the case from inside, with this status and text. */
void run_leave(enum run_status status, const char *text)
    __attribute__((noreturn));

void lab_free_events(void);

/* Calls that fail when student code's work on the device fails. */
#define RUN_TRY(call)                                                          \
    do {                                                                       \
        const cudaError_t run_try_ = (call);                                   \
        if (run_try_ != cudaSuccess)                                           \
            run_leave(RUN_ERROR, cudaGetErrorString(run_try_));                \
    } while (0)

#endif
