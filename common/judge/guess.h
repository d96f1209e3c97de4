/*
 * guess.h: which mistake a wrong result of a collective comes from
 *
 * A collective with the wrong root, operation, type or count still computes
 * something, which the judge can recognise because it knows all ranks' inputs.
 */
#ifndef COMMLAB_JUDGE_GUESS_H
#define COMMLAB_JUDGE_GUESS_H

#include <stddef.h>

#include "judge/data.h"
#include "judge/judge.h"

struct guess { /* a collective in which each rank has one input */
    const void
        *in; /* all ranks' inputs, `count` elements each, in rank order */
    size_t count;
    enum data_type type;
    int nranks;
    int root; /* -1 if the collective has none */
    int op;   /* enum data_op; -1 if the collective has none */
};

/*
 * v has failed for this output. If the output is one rank's input, or what
 * another operation or a narrower type would give, say so in v's message in
 * place of the general advice.
 */
void guess_explain(const struct guess *g, const void *got, int rank,
                   struct judge_verdict *v);

/* Replace the general advice, which is everything after the first line
 * of the message. */
void guess_replace_advice(struct judge_verdict *v, const char *text);

#endif
