#include "judge_keys.h"

#include <math.h>   /* exp */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

enum { MOST_RANKS = 16 }; /* among more, no mistake is looked for */

/* ---- which blocks a rank attended to ------------------------------------- */

enum mistake {
    WITHOUT,    /* block x is left out */
    INSTEAD,    /* block y has the places of block x */
    ALONE,      /* no block but the rank's own */
    EVERYWHERE, /* its own block, with the places of every block */
    MIRRORED,   /* blocks have the places of those from the other side */
    MISTAKES
};

struct guess {
    enum mistake mistake;
    int x, y;
};

/* The rank whose block got the places of rank s's; -1: none. */
static int source(const struct guess *g, int nranks, int rank, int s)
{
    switch (g->mistake) {
    case WITHOUT: return s == g->x ? -1 : s;
    case INSTEAD: return s == g->x ? g->y : s;
    case ALONE: return s == rank ? s : -1;
    case EVERYWHERE: return rank;
    default: return (2 * rank - s + nranks) % nranks;
    }
}

/* ---- a row of attention with such blocks --------------------------------- */

struct row { /* a query, and what it attends to */
    const struct keys_wrong *w;
    const struct guess *g;
    size_t t; /* row of (length, heads) */
    double least, sum, *out;
};

static double product(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double score(const struct row *r, size_t u)
{
    const struct attend *const a = r->w->a;
    const size_t width = (size_t)a->width;
    return a->scale * product(a->q + r->t * width, a->k + u * width, a->width);
}

/* Call fn for each key that the row sees: row u of (length, heads). */
static void each_key(struct row *r, void (*fn)(struct row *r, size_t u))
{
    const struct judge_order *const o = r->w->o;
    const size_t heads = (size_t)o->heads;
    for (int s = 0; s < o->nranks; s++) {
        const int from = source(r->g, o->nranks, r->w->rank, s);
        for (int i = 0; i < o->rows && from >= 0; i++)
            if ((size_t)order_place(o, s, i) <= r->t / heads)
                fn(r, (size_t)order_place(o, from, i) * heads + r->t % heads);
    }
}

/* Add a value with its weight, which is relative to that of the row's lse. */
static void add_value(struct row *r, size_t u)
{
    const struct attend *const a = r->w->a;
    const double p = exp(score(r, u) - r->least);
    r->sum += p;
    for (int i = 0; i < a->width; i++)
        r->out[i] += p * a->v[u * (size_t)a->width + (size_t)i];
}

/* Add a key's part of dq. */
static void add_slope(struct row *r, size_t u)
{
    const struct attend *const a = r->w->a;
    const size_t width = (size_t)a->width;
    const double p = exp(score(r, u) - r->least);
    const double x =
        product(a->dout + r->t * width, a->v + u * width, a->width) -
        a->delta[r->t];
    for (int i = 0; i < a->width; i++)
        r->out[i] += a->scale * p * x * a->k[u * width + (size_t)i];
}

/* ---- comparison ---------------------------------------------------------- */

static const struct attend_array *array_of(const struct attend *a,
                                           enum keys_output which)
{
    const struct attend_array *const all[] = {&a->o, &a->dq, &a->dk, &a->dv};
    return all[which];
}

/* The position in (length, heads, width) of row i of the rank's output. */
static size_t position(const struct keys_wrong *w, int i)
{
    return (size_t)order_place(w->o, w->rank, i) * (size_t)w->o->heads *
           (size_t)w->o->width;
}

/* How far the numbers may be from those of a guess: the judge's own bound for
 * the largest of them. */
static double bound_of(const struct keys_wrong *w)
{
    const int row = w->o->heads * w->o->width;
    double most = 0;
    for (int i = 0; i < w->o->rows; i++)
        for (int c = 0; c < row; c++)
            most = fmax(
                most,
                array_of(w->a, w->which)->bound[position(w, i) + (size_t)c]);
    return 2 * most;
}

static int is_near(const float *got, const double *want, int n, double bound)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(got[i] - want[i]) <= bound))
            return 0;
    return 1;
}

/* True if attention to these blocks gives o or dq. */
static int fits_queries(const struct keys_wrong *w, const struct guess *g)
{
    const int width = w->o->width, heads = w->o->heads;
    const double bound = bound_of(w);
    double out[width];
    for (int i = 0; i < w->o->rows * heads; i++) {
        const size_t t =
            (size_t)order_place(w->o, w->rank, i / heads) * (size_t)heads +
            (size_t)(i % heads);
        struct row r = {w, g, t, w->a->lse.at[t], 0, out};
        memset(out, 0, sizeof out);
        each_key(&r, w->which == KEYS_O ? add_value : add_slope);
        for (int c = 0; c < width && w->which == KEYS_O; c++)
            out[c] /= r.sum;
        if (!is_near(w->got + (size_t)i * (size_t)width, out, width, bound))
            return 0;
    }
    return 1;
}

/* True if dk or dv lacks the part of a rank's queries. Rows of dout that are 0
 * add nothing to them. */
static int fits_keys(const struct keys_wrong *w, int without)
{
    const struct judge_order *const o = w->o;
    const int row = o->heads * o->width;
    struct attend *const a =
        attend_new(w->a->length, o->heads, o->width, w->a->scale);
    if (!a)
        return 0;
    const size_t nbytes = (size_t)a->length * (size_t)row * sizeof *a->q;
    memcpy(a->q, w->a->q, nbytes);
    memcpy(a->k, w->a->k, nbytes);
    memcpy(a->v, w->a->v, nbytes);
    memcpy(a->dout, w->a->dout, nbytes);
    for (int i = 0; i < o->rows; i++)
        memset(a->dout + order_place(o, without, i) * row, 0,
               (size_t)row * sizeof *a->dout);
    attend_forward(a);
    attend_backward(a);
    const double bound = bound_of(w);
    int fits = 1;
    for (int i = 0; i < o->rows && fits; i++)
        fits = is_near(w->got + i * row,
                       array_of(a, w->which)->at + position(w, i), row, bound);
    attend_free(a);
    return fits;
}

/* ---- explanation --------------------------------------------------------- */

static void write_guess(const struct guess *g, char *text, size_t nbytes)
{
    static const char *const words[MISTAKES] = {
        [WITHOUT] = "The keys and values of rank %d are missing: does the rank "
                    "attend to each block,\nthe first and the last included?",
        [INSTEAD] = "Rank %d's keys or values are missing, and those of rank "
                    "%d are in their place: whose\nblock is in the buffer in "
                    "each step, and does seq_places() get that rank?",
        [ALONE] = "This is attention to the rank's own keys and values alone: "
                  "does it attend to the\nblocks that arrive?",
        [EVERYWHERE] = "This is attention to the rank's own keys and values, "
                       "with the places of every\nrank's: does each step use "
                       "the block that has arrived?",
        [MIRRORED] = "Each block has the places of the one from the other "
                     "side: after j steps, do you\nhave that of rank r - j, "
                     "or of rank r + j?"};
    snprintf(text, nbytes, words[g->mistake], g->x, g->y);
}

static int explain_queries(const struct keys_wrong *w, char *text,
                           size_t nbytes)
{
    const int n = w->o->nranks;
    for (int m = 0; m < MISTAKES; m++)
        for (int x = 0; x < (m == WITHOUT || m == INSTEAD ? n : 1); x++)
            for (int y = 0; y < (m == INSTEAD ? n : 1); y++) {
                const struct guess g = {(enum mistake)m, x, y};
                if (!fits_queries(w, &g))
                    continue;
                write_guess(&g, text, nbytes);
                return 1;
            }
    return 0;
}

static int explain_keys(const struct keys_wrong *w, char *text, size_t nbytes)
{
    for (int from = 0; from < w->o->nranks; from++) {
        if (!fits_keys(w, from))
            continue;
        snprintf(text, nbytes,
                 "The part of rank %d's queries is missing: does %s collect a "
                 "part on every rank, and\nis it sent on only when that of "
                 "the step is in it?",
                 from, w->which == KEYS_DK ? "dk" : "dv");
        return 1;
    }
    return 0;
}

int keys_explain(const struct keys_wrong *w, char *text, size_t nbytes)
{
    if (w->which == KEYS_NONE || w->o->nranks > MOST_RANKS)
        return 0;
    return w->which == KEYS_O || w->which == KEYS_DQ
               ? explain_queries(w, text, nbytes)
               : explain_keys(w, text, nbytes);
}
