#include "judge/outcome.h"

#include <string.h> /* strcmp */

const char *const outcome_name[OUTCOMES] = {"pass", "fail", "infra",
                                            "suspected"};

const char *outcome_word(enum outcome o, double score)
{
    return o == OUTCOME_FAIL && score > 0 ? "partial" : outcome_name[o];
}

enum outcome outcome_find(const char *name)
{
    for (int i = 0; name && i < OUTCOMES; i++)
        if (strcmp(name, outcome_name[i]) == 0)
            return (enum outcome)i;
    return OUTCOME_INFRA;
}
