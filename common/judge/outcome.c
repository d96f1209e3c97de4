#include "judge/outcome.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

const char *const outcome_name[OUTCOMES] = {"pass", "fail", "infra",
                                            "suspected"};

static int is_partial(enum outcome o, double score)
{
    return o == OUTCOME_FAIL && score > 0;
}

const char *outcome_word(enum outcome o, double score)
{
    return is_partial(o, score) ? "partial" : outcome_name[o];
}

void outcome_count(struct outcome_counts *c, enum outcome o, double score)
{
    c->of[o]++;
    c->partial += is_partial(o, score);
}

const char *outcome_summary(const struct outcome_counts *c, char *out,
                            size_t nbytes)
{
    snprintf(out, nbytes,
             "%d pass, %d partial, %d fail, %d suspected, %d infra",
             c->of[OUTCOME_PASS], c->partial, c->of[OUTCOME_FAIL] - c->partial,
             c->of[OUTCOME_SUSPECTED], c->of[OUTCOME_INFRA]);
    return out;
}

enum outcome outcome_find(const char *name)
{
    for (int i = 0; name && i < OUTCOMES; i++)
        if (strcmp(name, outcome_name[i]) == 0)
            return (enum outcome)i;
    return OUTCOME_INFRA;
}
