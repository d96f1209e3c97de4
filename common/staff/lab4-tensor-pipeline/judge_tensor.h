/*
 * judge_tensor.h: judges of parts 1 and 6. Given: nothing to edit here.
 */
#ifndef LAB4_JUDGE_TENSOR_H
#define LAB4_JUDGE_TENSOR_H

#include "judge/judge.h"

judge_fn judge_split, judge_column, judge_row, judge_gather,
    judge_block_forward, judge_block_backward, judge_sp_gather,
    judge_sp_scatter, judge_sp_speed;
/* judge_trace.c: where the rows of a block in pieces come from */
void trace_pieces(const struct judge_task *t, struct judge_verdict *v);
double sp_speed_limit(const struct judge_task *t);

#endif
