/*
 * cases.h: shared by the files of lab 7's cases. Given: nothing to edit here.
 */
#ifndef LAB7_CASES_H
#define LAB7_CASES_H

#include "lab/lab.h"
#include "lab7.h"

struct problem { /* a case's parameters, and the layer's arguments */
    int ntokens, npieces;
    size_t floats; /* in a rank's tokens */
    struct moe m;
    struct moe_space space;
    int *expert; /* host; allocated */
    float *gate; /* device */
};

struct problem problem_of(struct lab_run *r);
void problem_release(struct problem *p);

/* Pinned memory, so that copies overlap the work of the host. */
void *cases_pinned(size_t nbytes);

/* Record memory of the host as an output. After lab_end(). */
void cases_show(struct lab_run *r, const char *name, const void *host,
                size_t nbytes);

/* ---- part 5 (cases_topk.c) ----------------------------------------------- */

ncclResult_t run_choose(struct lab_run *r);
ncclResult_t run_keep(struct lab_run *r);
ncclResult_t run_balance(struct lab_run *r);
ncclResult_t run_topk(struct lab_run *r);

/* ---- part 6 (cases_direct.c) --------------------------------------------- */

ncclResult_t run_direct(struct lab_run *r);
ncclResult_t run_direct_dispatch(struct lab_run *r);
ncclResult_t run_direct_combine(struct lab_run *r);

/* ---- part 7 (cases_backward.c) ------------------------------------------- */

ncclResult_t run_backward(struct lab_run *r);

/* ---- part 8 (cases_fp8.c) ------------------------------------------------ */

ncclResult_t run_quantise(struct lab_run *r);
ncclResult_t run_fp8(struct lab_run *r);
ncclResult_t run_fp8_dispatch(struct lab_run *r);

/* ---- commands (latency.c, report_fp8.c, nodes.c) ------------------------- */

/* The size at which low-latency kernels were measured. */
enum {
    LATENCY_EXPERTS = 256,
    LATENCY_CHOICES = 8, /* experts of a token */
    LATENCY_TOKENS = 128,
    LATENCY_ELEMENTS = 7168
};

/* The experts of a rank's tokens, (ntokens, LATENCY_CHOICES), different ones
 * for each token, the same in all runs. */
void latency_choices(int rank, int ntokens, int *expert);

/* The time between two events on the slowest rank. All ranks call. */
double latency_us(struct lab_run *r, cudaEvent_t from, cudaEvent_t to);

int latency_print(struct lab_run *r, int argc, char **argv);
int fp8_print(struct lab_run *r, int argc, char **argv);
int nodes_print(struct lab_run *r, int argc, char **argv);

#endif
