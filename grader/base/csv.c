#include "grader/base/csv.h"

#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* realloc */
#include <string.h>  /* memchr */
#include <strings.h> /* strcasecmp */

struct parser {
    struct csv *c;
    char *in, *out, *end; /* fields are unquoted in place, so out <= in */
    int line;
};

static void *grow(void *p, int n, size_t size)
{
    // grow to the next power of two when n is one
    if (n & (n - 1))
        return p;
    void *const bigger = realloc(p, (n ? 2 * (size_t)n : 1) * size);
    if (!bigger)
        abort();
    return bigger;
}

static void add_row(struct parser *p)
{
    struct csv *const c = p->c;
    c->row = grow(c->row, c->nrows, sizeof *c->row);
    c->row[c->nrows++] = (struct csv_row){.line = p->line};
}

static void add_field(struct parser *p, const char *text)
{
    struct csv_row *const r = &p->c->row[p->c->nrows - 1];
    r->field = grow(r->field, r->nfields, sizeof *r->field);
    r->field[r->nfields++] = text;
}

/* Read a field that starts at p->in, and leave p->in at its separator. */
static const char *field(struct parser *p)
{
    char *const begin = p->out;
    if (p->in < p->end && *p->in == '"') {
        for (p->in++;; p->in++) {
            if (p->in == p->end)
                return NULL;
            p->line += *p->in == '\n';
            if (*p->in == '"' && (p->in + 1 == p->end || p->in[1] != '"'))
                break;
            p->in += *p->in == '"';
            *p->out++ = *p->in;
        }
        p->in++;
    } else {
        while (p->in < p->end && !strchr(",\r\n", *p->in))
            *p->out++ = *p->in++;
    }
    return begin;
}

/* Read one row and its end of line. Returns 0, or -1 with the reason. */
static int row(struct parser *p, const char **why)
{
    for (;;) {
        const char *const text = field(p);
        *why = "a quote is not closed";
        if (!text)
            return -1;
        const char sep = p->in < p->end ? *p->in : '\n';
        *why = "text after a closing quote";
        if (!strchr(",\r\n", sep))
            return -1;
        p->in += p->in < p->end;
        *p->out++ = 0; // overwrites the separator, or the byte after the end
        add_field(p, text);
        if (sep == ',')
            continue;
        if (sep == '\r' && p->in < p->end && *p->in == '\n')
            p->in++;
        p->line++;
        return 0;
    }
}

static int is_blank(const struct parser *p)
{
    return *p->in == '\n' || *p->in == '\r';
}

int csv_parse(struct csv *c, const char *text, size_t nbytes, char *err,
              size_t err_nbytes)
{
    static const char mark[] = "\xEF\xBB\xBF";
    const char *why = "a NUL byte";
    *c = (struct csv){.data = malloc(nbytes + 1)};
    if (!c->data)
        abort();
    memcpy(c->data, text, nbytes);
    struct parser p = {c, c->data, c->data, c->data + nbytes, 1};
    int failed = memchr(text, 0, nbytes) != NULL;
    if (nbytes >= 3 && memcmp(text, mark, 3) == 0)
        p.in += 3;
    while (!failed && p.in < p.end) {
        if (is_blank(&p)) {
            p.line += *p.in++ == '\n';
            continue;
        }
        add_row(&p);
        failed = row(&p, &why) != 0;
    }
    if (failed)
        snprintf(err, err_nbytes, "%d: %s", p.line, why);
    return failed ? -1 : 0;
}

void csv_release(struct csv *c)
{
    for (int i = 0; i < c->nrows; i++)
        free(c->row[i].field);
    free(c->row);
    free(c->data);
    *c = (struct csv){0};
}

int csv_column(const struct csv *c, const char *name)
{
    for (int i = 0; c->nrows && i < c->row[0].nfields; i++)
        if (strcasecmp(csv_field(&c->row[0], i), name) == 0)
            return i;
    return -1;
}

const char *csv_field(const struct csv_row *row, int column)
{
    if (column < 0 || column >= row->nfields)
        return "";
    char *const text = (char *)row->field[column];
    const size_t skip = strspn(text, " \t");
    size_t n = strlen(text);
    while (n > skip && strchr(" \t", text[n - 1]))
        text[--n] = 0;
    return text + skip;
}
