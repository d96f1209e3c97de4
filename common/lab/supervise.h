/*
 * supervise.h: cases that don't cost each other their verdicts
 *
 * `mpirun -n 4 build/lab1` starts four supervisors. Three of them only wait;
 * the first starts the ranks, under an mpirun of its own, and passes on their
 * output. The ranks keep their verdicts in a page of memory that they share
 * with the supervisor (progress.h). When the run ends early (a crash, a hang,
 * exit(), a flood of output), the running case fails with the run's report as
 * the reason, and the ranks are started again for the cases that are left.
 *
 *     mpirun --- supervisor --- mpirun --- rank 0 ... rank 3    cases 1 2 3 !
 *           \                \
 *            (three that wait) mpirun --- rank 0 ... rank 3    cases 5 6 7
 *
 * COMMLAB_SUPERVISE=0 runs the cases in the processes that mpirun started, for
 * debuggers. A launcher other than MPICH's, and a job on several hosts, run
 * them there as well.
 */
#ifndef COMMLAB_LAB_SUPERVISE_H
#define COMMLAB_LAB_SUPERVISE_H

#include "lab/options.h"

/* True if this process has to call supervise() instead of MPI_Init(). */
int supervise_applies(void);

/* Run the cases of the command line. All processes of the job call it before
 * MPI_Init(). Ends the process. */
_Noreturn void supervise(char **argv, const struct lab_options *o,
                         const struct plan *p);

#endif
