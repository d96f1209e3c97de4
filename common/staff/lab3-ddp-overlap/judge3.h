/*
 * judge3.h: shared by the files of lab 3's judge
 */
#ifndef LAB3_JUDGE3_H
#define LAB3_JUDGE3_H

#include <stdio.h> /* snprintf */

#include "judge/judge.h"
#include "nn/task.h"

/* A number that a case noted on a rank, such as a layer's bucket. */
static inline double judge3_metric(const struct judge_task *t, int rank,
                                   const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

/* Whether layer l has parameters of its own that are trained. */
static inline int judge3_is_trained(const struct nn_shape *s, int l)
{
    return nn_layer_param(s, l) == l && !nn_is_frozen(s, l);
}

/* The name under which a case notes layer l's number. */
static inline const char *judge3_layer_name(int l, char name[24])
{
    snprintf(name, 24, "layer%d.weight", l);
    return name;
}

/* The absolute error that trained parameters may have. */
static inline double judge3_absolute(const struct nn_task *k)
{
    // AdamW divides by the gradient's magnitude, so its error is relative
    return k->optimizer == NN_ADAMW ? 1e-5 : 1e-8;
}

/* ---- part 7: judge_zero.c ------------------------------------------------ */

void judge3_owners(const struct judge_task *t, struct judge_verdict *v);
void judge3_zero(const struct judge_task *t, struct judge_verdict *v);

#endif
