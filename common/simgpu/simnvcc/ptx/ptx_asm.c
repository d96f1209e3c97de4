#define _GNU_SOURCE
#include "simnvcc/ptx/ptx_asm.h"

#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strdup */

static int is_string(const struct tokens *t, size_t i)
{
    return i < t->n && t->text[t->at[i].begin] == '"';
}

/* Join the string literals from token i on. Returns the token behind them. */
static size_t read_text(const struct tokens *t, size_t i, char **text)
{
    char *all = strdup("");
    for (; is_string(t, i); i++) {
        char *longer;
        if (asprintf(&longer, "%s%.*s", all,
                     (int)(t->at[i].end - t->at[i].begin) - 2,
                     t->text + t->at[i].begin + 1) < 0)
            abort();
        free(all);
        all = longer;
    }
    *text = all;
    return i;
}

/* Read what is in the parentheses. Returns -1 if it has another form. */
static int read_inside(const struct tokens *t, size_t open, size_t close,
                       struct ptx_asm *s)
{
    size_t i = read_text(t, open + 1, &s->text);
    int section = 0; // 1: outputs, 2: inputs, 3: clobbers
    while (i < close && section < 3) {
        if (token_is(t, i, "::") || token_is(t, i, ":")) {
            section += token_is(t, i, "::") ? 2 : 1;
            i++;
        } else if (is_string(t, i) && section < 3) {
            struct ptx_operand *const o = &s->operand[s->noperands];
            if (s->noperands == PTX_MAX_OPERANDS)
                return -1;
            s->noperands++;
            i = read_text(t, i, &o->constraint);
            if (!token_is(t, i, "("))
                return -1;
            const size_t end = token_close(t, i);
            o->expression = tokens_text(t, i + 1, end);
            i = end + 1;
        } else if (token_is(t, i, ",")) {
            i++;
        } else {
            return -1; // an operand with a name
        }
    }
    return 0;
}

size_t ptx_asm_read(const struct tokens *t, size_t i, struct ptx_asm *a)
{
    static const char *const qualifiers[] = {"volatile", "__volatile__",
                                             "__volatile", NULL};
    size_t open = i + 1;
    *a = (struct ptx_asm){0};
    while (open < t->n && token_is_any(t, open, qualifiers))
        open++;
    const size_t close =
        open < t->n && token_is(t, open, "(") ? token_close(t, open) : t->n;
    if (close >= t->n || !is_string(t, open + 1))
        return t->n;
    return read_inside(t, open, close, a) == 0 ? close : t->n;
}

void ptx_asm_release(struct ptx_asm *s)
{
    free(s->text);
    for (int i = 0; i < s->noperands; i++) {
        free(s->operand[i].constraint);
        free(s->operand[i].expression);
    }
}
