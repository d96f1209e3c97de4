/*
 * judge_train.h: judges of a sharded training run: its result, its memory, the
 * bytes that it sends and the communication that it hides
 */
#ifndef LAB8_JUDGE_TRAIN_H
#define LAB8_JUDGE_TRAIN_H

#include "judge/judge.h"

judge_fn judge_zero2, judge_zero3, judge_fsdp, judge_overlap, judge_resume;

/* Lower bound on the time of a step of ZeRO-3: what a rank sends, at the rate
 * of all its links. */
double overlap_limit_us(const struct judge_task *t);

#endif
