/*
 * measure.h: what a step takes, and what of it is what. Given: nothing to edit
 * here.
 */
#ifndef LAB4_MEASURE_H
#define LAB4_MEASURE_H

#include "lab/lab.h"
#include "lab4.h"

struct measured {   /* milliseconds: the slowest rank's */
    double step;    /* a whole step */
    double compute; /* passes of all micro-batches of a stage, without messages
                       and all-reduces */
    double update;  /* of weights */
    double
        bubble; /* compute * (P - 1) / (chunks * M): what P stages wait for each
                       other at least */
    double comm; /* what is left: communication that the step waits for */
    double activations; /* bytes that slots take, on the rank with the most */
};

/*
 * Time c on the ranks of `comm` (this one has number rank of nranks), which
 * need no contents: one step to warm up, then one that counts. They all call.
 */
struct measured measure(struct lab_run *r, const struct hybrid_config *c,
                        MPI_Comm mpi_comm, ncclComm_t comm, int rank,
                        int nranks);

#endif
