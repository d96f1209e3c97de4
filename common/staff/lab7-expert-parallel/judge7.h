/*
 * judge7.h: shared by the files of lab 7's judge
 */
#ifndef LAB7_JUDGE7_H
#define LAB7_JUDGE7_H

#include "judge/judge.h"
#include "tokens.h"

struct judge7_problem { /* a case's parameters, as numbers */
    int ntokens, dim;
    size_t floats; /* in a rank's tokens */
};

struct judge7_problem judge7_problem(const struct judge_task *t);

/* ---- routes -------------------------------------------------------------- */

/* The experts of all ranks' tokens in an iteration, rank after rank. The caller
 * frees them. */
int *judge7_experts(const struct judge_task *t, const struct judge7_problem *p,
                    int iteration);

/* The number of a rank's tokens that go to an expert; *begin: the number that
 * go to lower-numbered experts. */
int judge7_count(const struct judge7_problem *p, const int *experts, int rank,
                 int expert, int *begin);

/* Tokens on their way to their experts, and on their way back. */
enum { JUDGE7_OUT = 1, JUDGE7_BACK = 2 };

/* Fail if a rank sends another one fewer bytes than the route asks for in these
 * ways, so that something else stands in for the tokens, or at least a token
 * more than that. */
void judge7_sent(const struct judge_task *t, const struct judge7_problem *p,
                 const int *experts, int iteration, unsigned ways,
                 struct judge_verdict *v);

/* ---- parts 3 and 4: judge_layer.c ---------------------------------------- */

void judge7_layer(const struct judge_task *t, struct judge_verdict *v);

/* The lower bound on a layer's time. */
double judge7_limit_us(const struct judge_task *t);

#endif
