#define _GNU_SOURCE
#include "edit.h"

#include <stdarg.h> /* va_list */
#include <stdlib.h> /* realloc */

void edits_add(struct edits *e, size_t begin, size_t end, char *with)
{
    if (e->n == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 64;
        e->edit = realloc(e->edit, e->cap * sizeof *e->edit);
        if (!e->edit)
            abort();
    }
    e->edit[e->n] = (struct edit){begin, end, e->n, with};
    e->n++;
}

void edits_addf(struct edits *e, size_t begin, size_t end, const char *format,
                ...)
{
    va_list args;
    char *with;
    va_start(args, format);
    if (vasprintf(&with, format, args) < 0)
        abort();
    va_end(args);
    edits_add(e, begin, end, with);
}

static int by_place(const void *a, const void *b)
{
    const struct edit *const x = a, *const y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void edits_write(struct edits *e, const char *text, FILE *out)
{
    size_t at = 0;
    if (e->n)
        qsort(e->edit, e->n, sizeof *e->edit, by_place);
    for (size_t i = 0; i < e->n; i++) {
        const struct edit *const x = &e->edit[i];
        if (x->begin >= at) {
            fwrite(text + at, 1, x->begin - at, out);
            fputs(x->with, out);
            at = x->end;
        }
        free(x->with);
    }
    fputs(text + at, out);
    free(e->edit);
}
