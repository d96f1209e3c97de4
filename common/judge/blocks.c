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
    else if (b->row < LEAST_ROW || !explain_rows(b, got, rank, text))
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
    where(b->arg, rank, first, place, sizeof place);
    explain(b, got, rank, &a, text);
    judge_fail(v,
               "%s is %.7g, should be %.7g (within %.1g; %zu of %zu differ)%s",
               place, got[first], b->want[first_at], b->bound[first_at], a.n,
               b->nrows * b->row, text);
}
