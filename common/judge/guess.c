#include "judge/guess.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

static const void *input_of(const struct guess *g, int rank)
{
    return (const char *)g->in + (size_t)rank * g->count * data_size(g->type);
}

/* The rank whose input this is, the rank's own first; -1: none. */
static int source_of(const struct guess *g, const void *got, int rank)
{
    for (int i = 0; i < g->nranks; i++) {
        const int r = (rank + i) % g->nranks;
        if (data_differ(got, input_of(g, r), g->count, g->type) == 0)
            return r;
    }
    return -1;
}

/* The operation that gives this; -1: none. */
static int op_of(const struct guess *g, const void *got)
{
    const size_t nbytes = g->count * data_size(g->type);
    void *const sum = malloc(nbytes + 1);
    int found = -1;
    for (int op = 0; sum && op < DATA_OPS && found < 0; op++) {
        memcpy(sum, input_of(g, 0), nbytes);
        for (int r = 1; r < g->nranks; r++)
            data_combine(sum, input_of(g, r), g->count, g->type,
                         (enum data_op)op);
        if (data_differ(got, sum, g->count, g->type) == 0)
            found = op;
    }
    free(sum);
    return found;
}

void guess_replace_advice(struct judge_verdict *v, const char *text)
{
    const size_t at = strcspn(v->message, "\n");
    snprintf(v->message + at, sizeof v->message - at, "\n%s", text);
}

void guess_explain(const struct guess *g, const void *got, int rank,
                   struct judge_verdict *v)
{
    const int source = g->count ? source_of(g, got, rank) : -1;
    const int op = g->count && g->op >= 0 ? op_of(g, got) : -1;
    char text[256];
    if (source >= 0 && g->root >= 0 && source != g->root)
        snprintf(text, sizeof text,
                 "This is the input of rank %d, but the root is rank %d: is "
                 "`root` used everywhere?",
                 source, g->root);
    else if (source == rank)
        snprintf(text, sizeof text,
                 "This is the rank's own input, unchanged: is it reduced, with "
                 "the right count and type?");
    else if (source >= 0)
        snprintf(text, sizeof text,
                 "This is the input of rank %d alone: nothing was added to it.",
                 source);
    else if (op >= 0)
        snprintf(text, sizeof text,
                 "This is the %s over all ranks' inputs, not the %s: is the "
                 "operation right?",
                 data_op_name((enum data_op)op),
                 data_op_name((enum data_op)g->op));
    else
        return;
    guess_replace_advice(v, text);
}
