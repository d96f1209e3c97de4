#include "judge/guess.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

#include "judge/advice.h"

static const void *input_of(const struct guess *g, int rank)
{
    return (const char *)g->in + (size_t)rank * g->count * data_size(g->type);
}

/* The rank whose input the output equals, trying the rank itself first; -1 if
 * there is none. */
static int source_of(const struct guess *g, const void *got, int rank)
{
    for (int i = 0; i < g->nranks; i++) {
        const int r = (rank + i) % g->nranks;
        if (data_differ(got, input_of(g, r), g->count, g->type) == 0)
            return r;
    }
    return -1;
}

/* The operation whose result the output is; -1 if there is none. */
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

/* ---- a call with another type -------------------------------------------- */

/* True if bytes [from, to) of a rank's output are unchanged: they equal its
 * input, if the call is in place, or the poison written before the case. */
static int is_old(const struct guess *g, const unsigned char *got, int rank,
                  size_t from, size_t to)
{
    const unsigned char *const own = input_of(g, rank);
    int is_own = 1, is_poison = 1;
    for (size_t i = from; i < to; i++) {
        is_own &= got[i] == own[i];
        is_poison &= got[i] == ADVICE_POISON;
    }
    return is_own || is_poison;
}

/* True if `got` starts with the result of the call for `count`
 * elements of this type. */
static int begins_as(const struct guess *g, const void *got,
                     enum data_type type)
{
    const size_t nbytes = g->count * data_size(type);
    const int root = g->root >= 0 ? g->root : 0;
    void *const result = malloc(nbytes + 1);
    if (!result)
        return 0;
    memcpy(result, input_of(g, root), nbytes);
    for (int r = 1; r < g->nranks && g->op >= 0; r++)
        data_combine(result, input_of(g, r), g->count, type,
                     (enum data_op)g->op);
    const int same = memcmp(result, got, nbytes) == 0;
    free(result);
    return same;
}

/*
 * The type that a mistaken call would have used to produce this output: the
 * widest one that fits and is no wider than the right type; -1 if there is
 * none.
 */
static int type_of(const struct guess *g, const void *got, int rank)
{
    const size_t size = data_size(g->type);
    int found = -1;
    for (int type = 0; type < DATA_TYPES; type++) {
        const size_t n = data_size((enum data_type)type);
        if (type != (int)g->type && n <= size && (g->op >= 0 || n < size) &&
            (found < 0 || n > data_size((enum data_type)found)) &&
            is_old(g, got, rank, g->count * n, g->count * size) &&
            begins_as(g, got, (enum data_type)type))
            found = type;
    }
    return found;
}

static void explain_type(const struct guess *g, int type, char *text,
                         size_t nbytes)
{
    const size_t size = data_size((enum data_type)type),
                 right = data_size(g->type);
    const char *const name = data_type_name(g->type);
    if (size < right)
        snprintf(
            text, nbytes,
            "Only %zu of its %zu bytes were %s: %zu elements of %zu bytes, "
            "not of %zu.\nDoes the call pass the type %s, on all ranks?",
            g->count * size, g->count * right, g->op >= 0 ? "reduced" : "sent",
            g->count, size, right, name);
    else
        snprintf(text, nbytes,
                 "This is the %s of the ranks' bytes as elements of type %s.\n"
                 "Does the call pass the type %s, on all ranks?",
                 data_op_name((enum data_op)g->op),
                 data_type_name((enum data_type)type), name);
}

/* ---- the explanation ----------------------------------------------------- */

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
    const int type = g->count ? type_of(g, got, rank) : -1;
    char text[320];
    if (source >= 0 && g->root >= 0 && source != g->root)
        snprintf(text, sizeof text,
                 "This is the input of rank %d, but the root is rank %d: is "
                 "`root` used everywhere?",
                 source, g->root);
    else if (source == rank)
        snprintf(text, sizeof text,
                 "This is the rank's own input, unchanged: is it reduced, with "
                 "the right count and type?%s%s%s",
                 type < 0 ? "" : "\nA call with a type of fewer bytes than ",
                 type < 0 ? "" : data_type_name(g->type),
                 type < 0
                     ? ""
                     : " looks like this, too: it\nreaches only some of them.");
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
    else if (type >= 0)
        explain_type(g, type, text, sizeof text);
    else
        return;
    guess_replace_advice(v, text);
}
