/*
 * guess.h: what a wrong result is instead
 *
 * A collective with the wrong root, operation, type or count still computes
 * something that the judge can recognise, because it knows all ranks' inputs.
 */
#ifndef COMMLAB_JUDGE_GUESS_H
#define COMMLAB_JUDGE_GUESS_H

#include <stddef.h>

#include "judge/data.h"
#include "judge/judge.h"

struct guess { /* of a collective in which each rank has one input */
    const void
        *in; /* all ranks' inputs, `count` elements each, in rank order */
    size_t count;
    enum data_type type;
    int nranks;
    int root; /* -1: it has none */
    int op;   /* enum data_op; -1: it has none */
};

/*
 * If a rank's output is one rank's input, or what another operation or a type
 * of fewer bytes would give: say so in v's message, instead of general advice.
 * v has failed for this output.
 */
void guess_explain(const struct guess *g, const void *got, int rank,
                   struct judge_verdict *v);

/* Put a text in the place of the general advice: what follows the message's
 * first line. */
void guess_replace_advice(struct judge_verdict *v, const char *text);

#endif
