/*
 * judge5.h: what the files of lab 5's judge share
 */
#ifndef LAB5_JUDGE5_H
#define LAB5_JUDGE5_H

#include "judge/data.h"
#include "judge/spans.h"

double judge5_metric(const struct judge_task *t, int rank, int iteration,
                     const char *name);

/* Element i of a rank's input, as a number. */
double judge5_input(const struct judge_task *t, int rank, int iteration,
                    size_t i);

/* Compare an output of floats with what a function says of each element. */
typedef double judge5_want(const struct judge_task *t, int rank, int iteration,
                           size_t i);
void judge5_compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, struct judge_verdict *v);

/* Nothing of NCCL's: the lab is about doing without. */
void judge5_no_nccl(const struct judge_task *t, struct judge_verdict *v);

/* ---- part 4 (judge_uses.c) -------------------------------------------------------- */

judge_fn judge5_gradsync, judge5_pipeline, judge5_gemm, judge5_ring,
    judge5_dtensor, judge5_pcache, judge5_hashmap;

#endif
