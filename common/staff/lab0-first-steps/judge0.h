/*
 * judge0.h: the judges of lab 0's cases
 *
 * Results have to be right to the bit. The execution graph shows how they were
 * computed: which messages a rank sent, on which streams kernels ran, and what
 * the host waited for.
 */
#ifndef LAB0_JUDGE0_H
#define LAB0_JUDGE0_H

#include "judge/judge.h"

/* The number of elements that the plan names. */
static inline size_t judge0_count(const struct judge_task *t)
{
    return (size_t)plan_int(t->c, "count", 1024);
}

/* A rank that the plan names, modulo the number of ranks. */
static inline int judge0_rank(const struct judge_task *t, const char *key,
                              int otherwise)
{
    return (int)plan_int(t->c, key, otherwise) % t->nranks;
}

/* Compare a rank's output in an iteration with n floats. */
void judge0_floats(const struct judge_task *t, int rank, int iteration,
                   const char *name, const float *want, size_t n,
                   struct judge_verdict *v);

/* judge_mpi.c */
void judge0_message(const struct judge_task *t, struct judge_verdict *v);
void judge0_share(const struct judge_task *t, struct judge_verdict *v);
void judge0_ring(const struct judge_task *t, struct judge_verdict *v);

/* judge_cuda.c */
void judge0_trip(const struct judge_task *t, struct judge_verdict *v);
void judge0_axpy(const struct judge_task *t, struct judge_verdict *v);
void judge0_order(const struct judge_task *t, struct judge_verdict *v);
void judge0_overlap(const struct judge_task *t, struct judge_verdict *v);

/* judge_nccl.c */
void judge0_comm(const struct judge_task *t, struct judge_verdict *v);
void judge0_swap(const struct judge_task *t, struct judge_verdict *v);
void judge0_collectives(const struct judge_task *t, struct judge_verdict *v);

#endif
