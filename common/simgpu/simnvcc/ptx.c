#define _GNU_SOURCE
#include "ptx.h"

#include <ctype.h>  /* isspace */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "ptx_multimem.h"

enum { MAX_OPERANDS = 30 }; /* GCC's own limit */

/* Instructions without a result, and the function that does each. */
static const struct {
    const char *opcode, *call;
} instructions[] = {
    {"red.add.u32", "::simgpu::red_add<unsigned>"},
    {"red.add.s32", "::simgpu::red_add<int>"},
    {"red.add.u64", "::simgpu::red_add<unsigned long long>"},
    {"red.add.f32", "::simgpu::red_add<float>"},
    {"red.add.f64", "::simgpu::red_add<double>"},
};

struct statement {
    char *text; /* the instruction */
    char *operand[MAX_OPERANDS];
    int noperands;
};

static void release(struct statement *s)
{
    free(s->text);
    for (int i = 0; i < s->noperands; i++)
        free(s->operand[i]);
}

static int is_string(const struct tokens *t, size_t i)
{
    return t->text[t->at[i].begin] == '"';
}

/* The literals from token i on, as one text; the token behind them. */
static size_t read_text(const struct tokens *t, size_t i, char **text)
{
    char *all = strdup("");
    for (; i < t->n && is_string(t, i); i++) {
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

/* The statement in the parentheses at `open`; -1 if it isn't one to edit. */
static int read_statement(const struct tokens *t, size_t open, size_t close,
                          struct statement *s)
{
    size_t i = read_text(t, open + 1, &s->text);
    int section = 0; // 1: outputs, 2: inputs, 3: clobbers
    while (i < close) {
        if (token_is(t, i, "::"))
            section += 2;
        else if (token_is(t, i, ":"))
            section++;
        else if (section < 3 && token_is(t, i, "(")) {
            const size_t end = token_close(t, i);
            if (s->noperands == MAX_OPERANDS)
                return -1;
            s->operand[s->noperands++] = tokens_text(t, i + 1, end);
            i = end;
        } else if (token_is(t, i, "[")) {
            return -1; // operands by name
        }
        i++;
    }
    return 0;
}

/* The function for an opcode, whatever space its address is in. */
static const char *find_call(const char *opcode, size_t n)
{
    char name[64];
    static const char space[] = ".global";
    const char *const global = memmem(opcode, n, space, sizeof space - 1);
    if (n >= sizeof name)
        return NULL;
    const size_t head = global ? (size_t)(global - opcode) : n;
    const size_t skip = global ? sizeof space - 1 : 0;
    memcpy(name, opcode, head);
    memcpy(name + head, opcode + head + skip, n - head - skip);
    name[n - skip] = 0;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (!strcmp(name, instructions[i].opcode))
            return instructions[i].call;
    return NULL;
}

/* Write the instruction's operands; -1 if there is a register among them. */
static int write_operands(const struct statement *s, const char *p, FILE *out)
{
    for (; *p && *p != ';'; p++) {
        if (isspace((unsigned char)*p) || strchr("[]{}", *p))
            continue;
        if (*p != '%') {
            fputc(*p, out);
            continue;
        }
        char *end;
        const long n = strtol(p + 1, &end, 10);
        if (end == p + 1 || n >= s->noperands)
            return -1;
        fprintf(out, "(%s)", s->operand[n]);
        p = end - 1;
    }
    return p[0] == ';' && p[1] ? -1 : 0;
}

void ptx_edit(const struct tokens *t, size_t i, struct edits *e)
{
    static const char *const qualifiers[] = {"volatile", "__volatile__",
                                             "__volatile", NULL};
    size_t open = i + 1;
    while (open < t->n && token_is_any(t, open, qualifiers))
        open++;
    const size_t close =
        open < t->n && token_is(t, open, "(") ? token_close(t, open) : t->n;
    if (close >= t->n || !is_string(t, open + 1))
        return;
    struct statement s = {0};
    char *args = NULL;
    size_t nbytes;
    if (read_statement(t, open, close, &s) == 0) {
        const size_t n = strcspn(s.text, " \t");
        char multimem[128];
        const char *const call =
            ptx_multimem_call(s.text, n, multimem, sizeof multimem)
                ? multimem
                : find_call(s.text, n);
        FILE *const out = open_memstream(&args, &nbytes);
        if (!out)
            abort();
        const int err = write_operands(&s, s.text + n, out);
        fclose(out);
        char *const place = tokens_place(t, t->at[close].end);
        if (call && err == 0)
            edits_addf(e, t->at[i].begin, t->at[close].end, "%s(%s)%s", call,
                       args, place);
        free(place);
    }
    free(args);
    release(&s);
}
