#include "dependent.h"

#include <ctype.h>  /* isdigit */
#include <stdlib.h> /* free */
#include <string.h> /* strchr */

#include "sides.h"

/* True if what is between a < and its > can only be template arguments. */
static int are_arguments(const struct tokens *t, size_t open, size_t close)
{
    for (size_t k = open + 1; k < close; k++) {
        const char c = t->text[t->at[k].begin];
        if (!token_is_word(t, k) && !isdigit((unsigned char)c) &&
            !strchr("<>,:*", c))
            return 0;
    }
    return close > open + 1;
}

void dependent_edit(const struct tokens *t, size_t i, struct edits *e)
{
    if (i < 3 || !token_is_word(t, i - 1) || !token_is(t, i - 2, "::") ||
        !token_is(t, i - 3, ">"))
        return;
    const size_t open = token_open_angle(t, i - 3);
    const size_t close = token_close_angle(t, i);
    if (open == 0 || !token_is_word(t, open - 1) ||
        !token_is(t, close + 1, "(") || !are_arguments(t, open, i - 3) ||
        !are_arguments(t, i, close))
        return;
    const struct sides in = sides_of(t, i);
    if (!in.device || in.host)
        return;
    const size_t begin = t->at[i - 1].begin;
    char *const place = tokens_place(t, begin);
    edits_addf(e, begin, begin, "template%s", place);
    free(place);
}
