/*
 * judge5.h: shared by the files of lab 5's judge
 */
#ifndef LAB5_JUDGE5_H
#define LAB5_JUDGE5_H

#include "judge/data.h"
#include "judge/spans.h"

double judge5_metric(const struct judge_task *t, int rank, int iteration,
                     const char *name);

/* The seeds of all ranks' inputs of an iteration. The caller frees them. */
uint64_t *judge5_seeds(const struct judge_task *t, int iteration);

/* Element i of a rank's input, as a number. */
static inline double judge5_input(uint64_t seed, size_t i)
{
    return data_value(seed, i, DATA_FLOAT);
}

/* Compare an output of floats with a function of the element's number and all
 * ranks' seeds. */
typedef double judge5_want(const struct judge_task *t, const uint64_t *seed,
                           int rank, size_t i);
void judge5_compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, struct judge_verdict *v);

/* Compare "out" of `calls` all-reduces with `rough: 1` (drawn_rough()): right
 * up to roundings, and of the same bits on all ranks. */
void judge5_compare_rough(const struct judge_task *t, size_t calls,
                          struct judge_verdict *v);

/* Expect no calls of NCCL: the lab is about doing without it. */
void judge5_no_nccl(const struct judge_task *t, struct judge_verdict *v);

/* Expect no operation to touch the guards of cases_alloc(): one element too far
 * is found inside the heap, too (judge_guard.c). */
void judge5_guards(const struct judge_task *t, struct judge_verdict *v);

/* ---- part 4 (judge_uses.c) ----------------------------------------------- */

judge_fn judge5_gradsync, judge5_pipeline, judge5_gemm, judge5_gemm_sum,
    judge5_ring, judge5_dtensor, judge5_pcache, judge5_hashmap;

/* Draws (judge/draw.h): drawn.h says what of. */
draw_fn judge5_draw_rough, judge5_draw_begin, judge5_draw_adapters,
    judge5_draw_pairs;

#endif
