#include "judge/blocks.h"

#include <math.h>  /* fabs */
#include <stdio.h> /* snprintf */

#include "judge/advice.h"

enum { TEXT = 480, LEAST_ROW = 2 }; /* a number alone may be right by chance */

static int is_near(const struct blocks *b, float got, size_t at)
{
    return fabs(got - b->want[at]) <= b->bound[at];
}

/* True if a row of numbers is right for row k of rank `from`. */
static int is_row_of(const struct blocks *b, const float *got, int from,
                     size_t k)
{
    const size_t at = b->at(b->arg, from, k);
    size_t i = 0;
    while (i < b->row && is_near(b, got[i], at + i))
        i++;
    return i == b->row;
}

/* The rank whose rows, in their order, the wrong rows are; -1 if there is
 * none. */
static int rank_of(const struct blocks *b, const float *got, int rank)
{
    for (int from = 0; from < b->nranks; from++) {
        size_t k = 0;
        while (k < b->nrows && (is_row_of(b, got + k * b->row, rank, k) ||
                                is_row_of(b, got + k * b->row, from, k)))
            k++;
        if (k == b->nrows && from != rank)
            return from;
    }
    return -1;
}

/* True if part `part` of a rank's rows has what belongs in part `from`. */
static int is_part_of(const struct blocks *b, const float *got, int rank,
                      size_t part, size_t from)
{
    size_t k = 0;
    while (k < b->part && is_row_of(b, got + (part * b->part + k) * b->row,
                                    rank, from * b->part + k))
        k++;
    return k == b->part;
}

/* Every wrong part is right for another rank's: name the first. */
static int explain_parts(const struct blocks *b, const float *got, int rank,
                         char text[TEXT])
{
    const size_t nparts = b->part ? b->nrows / b->part : 0;
    size_t first = nparts, first_from = 0;
    for (size_t i = 0; i < nparts; i++) {
        size_t from = 0;
        if (is_part_of(b, got, rank, i, i))
            continue;
        while (from < nparts && !is_part_of(b, got, rank, i, from))
            from++;
        if (from == nparts)
            return 0;
        if (first < nparts)
            continue;
        first = i;
        first_from = from;
    }
    snprintf(text, TEXT,
             "\nThis is rank %zu's block, in the place of rank %zu's: where "
             "does each call put what it\nreceives, and from which rank?",
             first_from, first);
    return first < nparts;
}

/* Find the row of any rank that a row of numbers is right for. */
static int find_row(const struct blocks *b, const float *got, int *from,
                    size_t *k)
{
    for (*from = 0; *from < b->nranks; ++*from)
        for (*k = 0; *k < b->nrows; ++*k)
            if (is_row_of(b, got, *from, *k))
                return 1;
    return 0;
}

/* Every wrong row is right elsewhere: name the first, and where. */
static int explain_rows(const struct blocks *b, const float *got, int rank,
                        char text[TEXT])
{
    int from, first_from = 0, found = 0;
    size_t k, first = 0, first_k = 0;
    for (size_t i = 0; i < b->nrows; i++) {
        if (is_row_of(b, got + i * b->row, rank, i))
            continue;
        if (!find_row(b, got + i * b->row, &from, &k))
            return 0;
        if (found++)
            continue;
        first = i;
        first_from = from;
        first_k = k;
    }
    snprintf(
        text, TEXT,
        "\nAll wrong rows are right for another place: row %zu of rank %d "
        "has what belongs\nin row %zu of rank %d. Are blocks, and the rows "
        "in them, in the right order?",
        first, rank, first_k, first_from);
    return found;
}

static void explain(const struct blocks *b, const float *got, int rank,
                    const struct advice *a, char text[TEXT])
{
    const int from = b->row >= LEAST_ROW ? rank_of(b, got, rank) : -1;
    text[0] = 0;
    if (a->nkept == a->n || a->nzero == a->n)
        advice_text(a, text, TEXT);
    else if (from >= 0)
        snprintf(text, TEXT,
                 "\nThese are the rows of rank %d: which rank's block does "
                 "each call send, and where does\nit put what it receives?",
                 from);
    else if (b->row < LEAST_ROW || (!explain_parts(b, got, rank, text) &&
                                    !explain_rows(b, got, rank, text)))
        advice_text(a, text, TEXT);
}

void blocks_compare(const struct blocks *b, const float *got, int rank,
                    void (*where)(const void *arg, int rank, size_t i,
                                  char *out, size_t nbytes),
                    struct judge_verdict *v)
{
    struct advice a = {.n = 0};
    size_t first = 0, first_at = 0;
    char place[160], text[TEXT];
    for (size_t i = 0; i < b->nrows * b->row; i++) {
        const size_t at = b->at(b->arg, rank, i / b->row) + i % b->row;
        if (is_near(b, got[i], at))
            continue;
        if (a.n == 0) {
            first = i;
            first_at = at;
        }
        advice_see(&a, got[i], b->want[at], &got[i], sizeof got[i]);
    }
    if (!a.n || !v->pass)
        return;
    char within[32] = "";
    if (b->bound[first_at] > 0)
        snprintf(within, sizeof within, "within %.1g; ", b->bound[first_at]);
    where(b->arg, rank, first, place, sizeof place);
    explain(b, got, rank, &a, text);
    judge_fail(v, "%s is %.7g, should be %.7g (%s%zu of %zu differ)%s", place,
               got[first], b->want[first_at], within, a.n, b->nrows * b->row,
               text);
}
