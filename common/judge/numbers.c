#define _GNU_SOURCE
#include "judge/numbers.h"

#include <ctype.h>  /* isalnum */
#include <math.h>   /* fabs */
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "base/mix.h"
#include "judge/formula.h"

void numbers_release(struct numbers *n)
{
    for (int i = 0; i < n->n; i++) {
        free(n->of[i].name);
        free(n->of[i].group);
        for (int k = 0; k < n->of[i].nchoices; k++)
            free(n->of[i].choice[k]);
    }
    n->n = 0;
}

void answer_free(struct answer *a)
{
    for (int i = 0; a && i < a->n; i++)
        free(a->formula[i]);
    free(a);
}

const struct number *numbers_find(const struct numbers *n, const char *name)
{
    for (int i = 0; i < n->n; i++)
        if (strcmp(n->of[i].name, name) == 0)
            return &n->of[i];
    return NULL;
}

struct draw numbers_draw(const struct numbers *n, const char *lab,
                         const char *student)
{
    struct draw d = {{0}};
    const uint64_t seed = mix_text(mix_text(0, lab), student);
    for (int i = 0; i < n->n; i++)
        d.choice[i] =
            (int)(mix_text(seed, n->of[i].group) % (uint64_t)n->of[i].nchoices);
    return d;
}

/* ---- questions ----------------------------------------------------------- */

char *numbers_fill(const struct numbers *n, const struct draw *d,
                   const char *text, char *err, size_t err_nbytes)
{
    char *filled = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&filled, &nbytes);
    int failed = 0;
    if (!f)
        abort();
    while (*text && !failed) {
        char name[FORMULA_NAME];
        int length = 0;
        if (sscanf(text, "{%31[A-Za-z0-9_]}%n", name, &length) != 1 ||
            length == 0) {
            fputc(*text++, f);
            continue;
        }
        const struct number *const number = numbers_find(n, name);
        failed = !number;
        if (number)
            fputs(number->choice[d->choice[number - n->of]], f);
        else
            snprintf(err, err_nbytes, "the plan has no number {%s}", name);
        text += length;
    }
    if (fclose(f) != 0)
        abort();
    if (!failed)
        return filled;
    free(filled);
    return NULL;
}

/* ---- answers ------------------------------------------------------------- */

struct drawn {
    const struct numbers *n;
    const struct draw *d;
    char *used;  /* by number: 1 if used; may be NULL */
    int missing; /* a name was asked for that no number has */
};

static int value_of(void *arg, const char *name, double *value)
{
    struct drawn *const drawn = arg;
    const struct number *const number = numbers_find(drawn->n, name);
    drawn->missing |= !number;
    if (!number)
        return -1;
    const int at = (int)(number - drawn->n->of);
    const char *const text = number->choice[drawn->d->choice[at]];
    char *end;
    *value = strtod(text, &end);
    if (*end)
        *value = drawn->d->choice[at];
    if (drawn->used)
        drawn->used[at] = 1;
    return 0;
}

/* Add the numbers that a formula may use to a message, as far as there is
 * space. */
static void add_names(const struct numbers *n, char *err, size_t err_nbytes)
{
    for (int i = 0; i < n->n; i++) {
        const size_t at = strlen(err);
        const int more =
            snprintf(err + at, err_nbytes - at, "%s%s",
                     i ? ", " : ": the plan's numbers are ", n->of[i].name);
        if (more >= (int)(err_nbytes - at))
            err[at] = 0; // no name is cut off
    }
}

static int value_and_names(const struct numbers *n, const struct answer *a,
                           const struct draw *d, char used[NUMBERS_MAX],
                           double *value, char *err, size_t err_nbytes)
{
    struct drawn drawn = {n, d, used, 0};
    const int at = a->by ? (int)(a->by - n->of) : 0;
    if (a->by && used)
        used[at] = 1;
    const int status = formula_value(a->formula[a->by ? d->choice[at] : 0],
                                     value_of, &drawn, value, err, err_nbytes);
    if (status != 0 && drawn.missing)
        add_names(n, err, err_nbytes);
    return status;
}

int answer_value(const struct numbers *n, const struct answer *a,
                 const struct draw *d, double *value, char *err,
                 size_t err_nbytes)
{
    return value_and_names(n, a, d, NULL, value, err, err_nbytes);
}

/* ---- all draws of the numbers that an answer uses ------------------------ */

/* Advance to the next draw; returns 0 after the last. A group of numbers has
 * one draw, that of its first number. */
static int next_draw(const struct numbers *n, const char used[NUMBERS_MAX],
                     struct draw *d)
{
    for (int i = 0; i < n->n; i++) {
        if (!used[i])
            continue;
        const int choice = (d->choice[i] + 1) % n->of[i].nchoices;
        for (int k = i; k < n->n; k++)
            if (strcmp(n->of[k].group, n->of[i].group) == 0)
                d->choice[k] = choice;
        if (choice != 0)
            return 1;
        while (i + 1 < n->n && strcmp(n->of[i + 1].group, n->of[i].group) == 0)
            i++;
    }
    return 0;
}

struct value {
    double value;
    struct draw d;
};

enum { MOST_DRAWS = 100000 };

/* Mark the numbers that any of the formulas uses. */
static int find_used(const struct numbers *n, const struct answer *a,
                     char used[NUMBERS_MAX], char *err, size_t err_nbytes)
{
    double value;
    struct draw d = {{0}};
    const int at = a->by ? (int)(a->by - n->of) : 0;
    for (int i = 0; i < a->n; i++) {
        d.choice[at] = i;
        if (value_and_names(n, a, &d, used, &value, err, err_nbytes) != 0)
            return -1;
    }
    return 0;
}

/* Compute the values for all draws, which the caller frees. Returns their
 * number, or -1 with the reason in err. */
static int all_values(const struct numbers *n, const struct answer *a,
                      char used[NUMBERS_MAX], struct value **values, char *err,
                      size_t err_nbytes)
{
    struct draw d = {{0}};
    int nvalues = 0;
    *values = NULL;
    if (find_used(n, a, used, err, err_nbytes) != 0)
        return -1;
    do {
        if (nvalues % 64 == 0)
            *values =
                realloc(*values, (size_t)(nvalues + 64) * sizeof **values);
        if (!*values)
            abort();
        struct value *const v = &(*values)[nvalues++];
        v->d = d;
        if (answer_value(n, a, &d, &v->value, err, err_nbytes) != 0)
            goto bad;
        if (nvalues == MOST_DRAWS) {
            snprintf(err, err_nbytes, "it has more than %d draws", MOST_DRAWS);
            goto bad;
        }
    } while (next_draw(n, used, &d));
    return nvalues;
bad:
    free(*values);
    *values = NULL;
    return -1;
}

int answer_check(const struct numbers *n, const struct answer *a, char *err,
                 size_t err_nbytes)
{
    char used[NUMBERS_MAX] = {0};
    struct value *v;
    const int nvalues = all_values(n, a, used, &v, err, err_nbytes);
    free(v);
    return nvalues < 0 ? -1 : 0;
}

static int by_value(const void *x, const void *y)
{
    const double a = ((const struct value *)x)->value,
                 b = ((const struct value *)y)->value;
    return (a > b) - (a < b);
}

/* Write the numbers that are used, as in "ranks 4, GiB 2". */
static void draw_text(const struct numbers *n, const char used[NUMBERS_MAX],
                      const struct draw *d, char *out, size_t nbytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < n->n && at < nbytes; i++)
        if (used[i])
            at += (size_t)snprintf(out + at, nbytes - at, "%s%s %s",
                                   at ? ", " : "", n->of[i].name,
                                   n->of[i].choice[d->choice[i]]);
}

/* In a sorted list, the first of two values that are too close to tell apart;
 * -1 if there are none. */
static int find_close(const struct value *v, int nvalues, double tolerance)
{
    for (int i = 0; i + 1 < nvalues; i++)
        if (v[i + 1].value - v[i].value <=
            2 * tolerance * fmax(fabs(v[i].value), fabs(v[i + 1].value)))
            return i;
    return -1;
}

/* In a sorted list of whole numbers, a member of a run of equal ones that
 * covers more than half of the list; -1 if there is none. */
static int find_row(const struct value *v, int nvalues)
{
    int begin = 0;
    for (int i = 0; i < nvalues; i++) {
        begin = v[i].value == v[begin].value ? begin : i;
        if (i + 1 - begin > (nvalues + 1) / 2)
            return i - 1;
    }
    return -1;
}

int answer_differs(const struct numbers *n, const struct answer *a,
                   double tolerance, char *err, size_t err_nbytes)
{
    char used[NUMBERS_MAX] = {0}, first[200], second[200];
    struct value *v;
    const int nvalues = all_values(n, a, used, &v, err, err_nbytes);
    if (nvalues < 0)
        return -1;
    qsort(v, (size_t)nvalues, sizeof *v, by_value);
    const int at = tolerance > 0 ? find_close(v, nvalues, tolerance)
                                 : find_row(v, nvalues);
    if (nvalues == 1) {
        snprintf(err, err_nbytes, "it uses no drawn number");
    } else if (at >= 0) {
        draw_text(n, used, &v[at].d, first, sizeof first);
        draw_text(n, used, &v[at + 1].d, second, sizeof second);
        snprintf(err, err_nbytes, "%s gives %g, and %s gives %g", first,
                 v[at].value, second, v[at + 1].value);
    }
    free(v);
    return nvalues == 1 || at >= 0 ? -1 : 0;
}
