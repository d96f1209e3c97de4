/*
 * judge1.h: shared by the files of lab 1's judge
 */
#ifndef LAB1_JUDGE1_H
#define LAB1_JUDGE1_H

#include "judge/data.h"
#include "judge/graph/spans.h"

struct judge1_problem { /* a case's parameters, as numbers */
    size_t count;
    enum data_type type;
    enum data_op op;
    int root, in_place;
    size_t size; /* bytes of an element */
};

/* ---- what a case's algorithm costs: judge_cost.c ------------------------- */

struct judge1_promise { /* the most that any rank may do; -1: not judged */
    double rounds, messages, bytes;
};

/* The number of steps in which one rank's data reaches n ranks if the number of
 * ranks that have it doubles in each step. */
int judge1_doublings(int n);

/* The cost of a case's algorithm. A chunk may be one element larger than an
 * n-th. */
struct judge1_promise judge1_promise_of(const struct judge_task *t,
                                        const struct judge1_problem *p);

/* Fail if a rank does more than it promised, or calls an NCCL collective. */
void judge1_keep_promise(const struct judge_task *t,
                         const struct judge1_promise *most,
                         struct judge_verdict *v);

/*
 * A right result takes at least `least` bytes, over all ranks. If fewer went
 * through NCCL, the data took a path that is not counted.
 */
void judge1_keep_least(const struct judge_task *t, double least,
                       struct judge_verdict *v);

/* If the machine is known, fail if a link whose name starts with prefix carries
 * more than `most` bytes. */
void judge1_keep_link(const struct judge_task *t, const char *prefix,
                      double most, struct judge_verdict *v);

/* The most bytes that a network port has to carry between nodes of equal size,
 * as its GPU's share of the vector travels around a ring of the nodes.
 * Unlimited if the case's nodes are not the machine's. */
double judge1_across_bytes(const struct judge_task *t,
                           const struct judge1_problem *p);

/* ---- measurements: judge_measure.c --------------------------------------- */

void judge1_measure(const struct judge_task *t, struct judge_verdict *v);
void judge1_fit(const struct judge_task *t, struct judge_verdict *v);

/* The points that a line is fitted to. */
extern const struct draw_row judge1_draws[];

#endif
