/*
 * supervise.h: no case costs another its verdict
 *
 * `mpirun -n 4 build/lab1` starts four supervisors. Three of them end at once;
 * the first starts the ranks, under an mpirun of its own, and passes on what
 * they print. The ranks keep their verdicts in a page of memory that they share
 * with it (progress.h). When the run ends early (a crash, a hang, exit(), a
 * flood of output), the case that was running fails, with what the run reported
 * as the reason, and the ranks are started again for the cases that are left.
 *
 *     mpirun --- supervisor --- mpirun --- rank 0 ... rank 3    cases 1 2 3 !
 *           \                \
 *            (three that end)  mpirun --- rank 0 ... rank 3    cases 5 6 7
 *
 * COMMLAB_SUPERVISE=0 runs the cases in the processes that mpirun started, for
 * debuggers; so does a launcher that is not MPICH's, and a job on several
 * hosts.
 */
#ifndef COMMLAB_LAB_SUPERVISE_H
#define COMMLAB_LAB_SUPERVISE_H

#include "lab/options.h"

/* True if this process is to call supervise() instead of MPI_Init(). */
int supervise_applies(void);

/* Run the cases of the command line. All processes of the job call, before
 * MPI_Init(); ends the process. */
_Noreturn void supervise(char **argv, const struct options *o,
                         const struct plan *p);

#endif
