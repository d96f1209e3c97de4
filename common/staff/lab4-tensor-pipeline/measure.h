/*
 * measure.h: the time of a step and of its parts. Given: nothing to edit here.
 */
#ifndef LAB4_MEASURE_H
#define LAB4_MEASURE_H

#include "lab/lab.h"
#include "lab4.h"

struct measured {   /* milliseconds, of the slowest rank */
    double step;    /* a whole step */
    double compute; /* a stage's passes of all micro-batches, without messages
                       and all-reduces */
    double update;  /* weight update */
    double bubble; /* compute * (P - 1) / (chunks * M): the least time for which
                       P stages wait for each other */
    double comm;   /* the rest: communication that the step waits for */
    double activations; /* bytes in slots, on the rank with the most */
};

struct effort { /* steps, at least 1 of each: before those that count, those */
    int warmup, iterations;
};

/* Work to time. */
typedef ncclResult_t measure_fn(void *arg);

/* Milliseconds that work on a stream takes on the slowest rank. Marks a range
 * of that name in timelines. All ranks of comm call; stops the run on errors.
 */
double measure_time(const char *name, measure_fn *work, void *arg,
                    cudaStream_t stream, MPI_Comm comm);

/* The largest x of all ranks of comm. */
double measure_largest(double x, MPI_Comm comm);

/*
 * Time c on the ranks of `comm`, in which this one is number rank of nranks, on
 * buffers without contents; the step's time is the mean. All of these ranks
 * call.
 */
struct measured measure(struct lab_run *r, const struct hybrid_config *c,
                        struct effort e, MPI_Comm mpi_comm, ncclComm_t comm,
                        int rank, int nranks);

#endif
