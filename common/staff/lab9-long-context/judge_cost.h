/*
 * judge_cost.h: what lab 9's functions may cost besides time: memory, bytes
 * sent, a host that waits or keeps data
 */
#ifndef LAB9_JUDGE_COST_H
#define LAB9_JUDGE_COST_H

#include "judge/judge.h"

enum { NORMS_LAYERS = 8 }; /* of part 1, at most */
enum { COST_BLOCKS = 2 };  /* that a function may allocate: SEQ_EXTRA */

/* Fail if a rank holds more than COST_BLOCKS blocks besides what it was
 * given. */
void cost_memory(const struct judge_task *t, double block_bytes,
                 struct judge_verdict *v);

/* Fail if a rank sends more than this; formula says in words what it is. */
void cost_bytes(const struct judge_task *t, double most, const char *formula,
                struct judge_verdict *v);

/* Fail if all ranks together send less than that: contents that aren't kept
 * can't show that they are missing. */
void cost_least(const struct judge_task *t, double least,
                struct judge_verdict *v);

/* Fail if operations use the host's memory, or if the host waits between
 * messages. */
void cost_host(const struct judge_task *t, struct judge_verdict *v);

#endif
