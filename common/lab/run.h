/*
 * run.h: running one case on this rank
 */
#ifndef COMMLAB_LAB_RUN_H
#define COMMLAB_LAB_RUN_H

#include "lab/lab.h"

/* Set up what all cases share: device, stream, communicator. All ranks call. */
void run_setup(struct lab_run *r, MPI_Comm comm);
void run_teardown(struct lab_run *r);

/*
 * Run `iterations` of a case, after `warmup` ones that are not shown, and show
 * how it ended. seed: this rank's, of this case. All ranks call.
 */
void run_case(struct lab_run *r, const struct plan_case *c, unsigned case_no,
              uint64_t seed, int iterations, int warmup);

#endif
