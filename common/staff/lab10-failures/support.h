/*
 * support.h: what lab 10's given functions need. Given: nothing to edit here.
 */
#ifndef LAB10_SUPPORT_H
#define LAB10_SUPPORT_H

#include <mpi.h>

#include "drawn.h"
#include "lab10.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CLUSTER_FAULTS = 2 };

struct cluster_fault { /* in the order in which they strike */
    int victim, step; /* rank of all, -1: none; the step that it doesn't make */
    int is_silent;    /* it just stops; else it aborts its communicator: only
                         the victim's process knows */
    int struck;
    MPI_Comm alive; /* ranks that live until then */
};

struct cluster {
    int rank, nranks; /* in the whole job */
    int is_dead;      /* this rank's GPU */
    struct cluster_fault fault[CLUSTER_FAULTS];
};

/* Let the fault strike: once all its ranks have arrived, the victim aborts its
 * communicator, or stops, before the others continue. Returns an error on the
 * victim. */
ncclResult_t cluster_strike(struct team *t, struct cluster_fault *f);

/* Make and free the arrays of s; both parameters and moments begin as zeros. */
ncclResult_t state_init(struct state *s, size_t count, cudaStream_t stream);
void state_release(struct state *s);

ncclResult_t checkpoint_init(struct checkpoint *c, size_t count);
void checkpoint_release(struct checkpoint *c);

/*
 * A rank's own work: a few copies, as long as a draw says. A step's length is
 * drawn when its work is enqueued, so this process has it nowhere else: to know
 * it takes timing the work.
 */
enum { LOAD_COPIES = 4, LOAD_MOST = 200 };
struct load {
    struct lab_run *run;
    int trial;
    size_t nbytes;   /* what a unit of the draw adds to each copy */
    char *from, *to; /* LOAD_MOST times nbytes */
};

struct transit { /* flips to come */
    int rank, round;
    struct drawn_flip flip[DRAWN_FLIPS_MOST];
    int stays; /* if not 0, those of round 0 strike in this many rounds, and no
                  others do */
};

/* Kernels (kernels.cu). */
cudaError_t kernel_gradient(float *grad, const float *param, const float *pull,
                            size_t count, int step, cudaStream_t stream);
cudaError_t kernel_update(float *param, float *moment, const float *grad,
                          size_t count, int nranks, cudaStream_t stream);
cudaError_t kernel_sums(double *out, const float *x, size_t count,
                        cudaStream_t stream);
cudaError_t kernel_compare(int *bad, const float *x, const double *total,
                           size_t count, cudaStream_t stream);
cudaError_t kernel_flip(float *x, uint64_t at, int bit, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
