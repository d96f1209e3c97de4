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

/* ---- part 5: judge_topk.c ------------------------------------------------ */

judge_fn judge7_choose, judge7_keep, judge7_balance, judge7_topk;

struct judge7_choices { /* what all ranks' tokens choose in an iteration */
    int ntokens, dim, each, nexperts, k, capacity;
    int diagonal; /* weights are (each, dim): see direct_experts() */
    int *expert;  /* (nranks, ntokens, k) */
    float *gate;
    char *kept;
    int *count;   /* (nranks, nexperts): choices before any is dropped */
    int *sent;    /* likewise, those that are kept */
    double *prob; /* nexperts: sums over all tokens */
};

struct judge7_choices judge7_choices(const struct judge_task *t, int iteration);
void judge7_choices_free(struct judge7_choices *c);

/* Compare the output "out" of all ranks: values, and where they come from. */
void judge7_outputs(const struct judge_task *t, const struct judge7_choices *c,
                    int iteration, struct judge_verdict *v);

/* The weights of all experts, rank after rank. The caller frees them. */
float *judge7_weights(const struct judge_task *t,
                      const struct judge7_choices *c, int iteration);

/* Fail if a rank sends another one more bytes than the choices that are kept
 * take there and back, or fewer than their tokens. */
void judge7_choices_sent(const struct judge_task *t,
                         const struct judge7_choices *c, int iteration,
                         struct judge_verdict *v);

/* The choices that a rank's experts accept. */
int judge7_accepted(const struct judge_task *t, const struct judge7_choices *c,
                    int rank);

struct judge7_flow {     /* from one rank to another's experts */
    int choices, tokens; /* kept choices, and the tokens that have any */
};
struct judge7_flow judge7_flow(const struct judge7_choices *c, int from,
                               int to);

/* The lower bound on the time of a layer with several experts. */
double judge7_topk_limit_us(const struct judge_task *t);

/* Fail unless all ranks use NCCL, in one collective, and no MPI. `what` is
 * exchanged. */
void judge7_one_exchange(const struct judge_task *t, const char *what,
                         struct judge_verdict *v);

/* A rank's output of n ints. */
void judge7_compare_ints(const struct judge_task *t, int rank, int iteration,
                         const char *name, const int *want, int n,
                         struct judge_verdict *v);

/* ---- part 6: judge_direct.c ---------------------------------------------- */

judge_fn judge7_direct;

/*
 * Fail if more bytes move between two GPUs than the choices that go there take
 * on both ways, and flags; `there` and `back` are the bytes of a choice, 0 for
 * a way that isn't judged. Rank r is on GPU r. There is no lower limit: a store
 * of a structure that a function returns is not recorded
 * (judge/origin/origin.h).
 */
void judge7_moved(const struct judge_task *t, const struct judge7_choices *c,
                  int it, double there, double back, struct judge_verdict *v);

/* Fail if a host waits, or NCCL's or MPI's calls carry anything. */
void judge7_no_host(const struct judge_task *t, struct judge_verdict *v);

/* ---- part 7: judge_backward.c -------------------------------------------- */

judge_fn judge7_backward;

/* ---- part 8: judge_fp8.c ------------------------------------------------- */

judge_fn judge7_quantise, judge7_fp8, judge7_fp8_dispatch;

#endif
