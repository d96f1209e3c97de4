/*
 * judge_whole.h: outputs of attention that is spread over ranks, compared with
 * one device that has the whole sequence (judge_attend.h)
 */
#ifndef LAB9_JUDGE_WHOLE_H
#define LAB9_JUDGE_WHOLE_H

#include "judge/judge.h"
#include "judge_order.h"

/* The ranks whose inputs a rank's output has to descend from: those with rows
 * before its own or, if `after`, after them. */
struct rank_set whole_need(const struct judge_order *o, int rank, int after);

/* Judge the outputs of all ranks: dq, dk and dv if `back`, otherwise o and, if
 * with_lse, lse. */
void whole_judge(const struct judge_task *t, const struct judge_order *o,
                 int back, int with_lse, struct judge_verdict *v);

#endif
