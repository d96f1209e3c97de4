/*
 * judge_cost.h: the limits on the costs of lab 9's functions other than time:
 * memory, bytes sent, and hosts that wait or keep data
 */
#ifndef LAB9_JUDGE_COST_H
#define LAB9_JUDGE_COST_H

#include "judge/judge.h"

enum { NORMS_LAYERS = 8 }; /* most layers in a case of part 1 */
enum { COST_BLOCKS = 2 };  /* blocks that a function may allocate: SEQ_EXTRA */

/* Fail if a rank holds more than COST_BLOCKS blocks besides what it was
 * given. */
void cost_memory(const struct judge_task *t, double block_bytes,
                 struct judge_verdict *v);

/* Fail if a rank sends more than `most`; formula describes that limit in
 * words. */
void cost_bytes(const struct judge_task *t, double most, const char *formula,
                struct judge_verdict *v);

/* Fail if all ranks together send less than `least`: where contents aren't
 * kept, this shows that some are missing. */
void cost_least(const struct judge_task *t, double least,
                struct judge_verdict *v);

/* Fail if operations use the host's memory, or if the host waits between
 * messages. */
void cost_host(const struct judge_task *t, struct judge_verdict *v);

#endif
