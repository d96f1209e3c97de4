#include "topo/fit/fit.h"

#include <math.h>   /* log */
#include <stddef.h> /* offsetof */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "topo/fit/leastsq.h"
#include "topo/machine.h"
#include "topo/nccl/tuning.h" /* tuning_is_message */

const char *const fit_way_names[FIT_WAYS] = {
    "the machine as it is", "speeds of links", "curves with a square root",
    "curves of a pipeline that fills"};

static const double SCALE = .08; /* a log error of this size counts as large */
/* holds unknowns that the tables don't determine */
static const double ANCHOR = .02;
enum { MIN_ROWS = 4 }; /* needed for a curve */

/* Tables of the same kind share one curve: 2 * message + across. */
static int kind_of(const struct fit_table *t)
{
    return 2 * tuning_is_message(t->op) + (t->nnodes > 1);
}

/* The unknowns: logarithms of values of the calibration. */
struct unknowns {
    int n;
    struct fit_value value[LEASTSQ_UNKNOWNS];
    double x[LEASTSQ_UNKNOWNS], lo[LEASTSQ_UNKNOWNS], hi[LEASTSQ_UNKNOWNS];
};

struct problem {
    const struct fit *f;
    struct unknowns u;
    int by_row; /* folds are every second row; else files */
    int fold;   /* the fold that is left out; -1: none */
    int nfiles;
    double *modelled; /* times of all rows */
    char err[256];
};

/* ---- the model ----------------------------------------------------------- */

static void add(struct fit_settings *s, int i, const char *key,
                const char *value)
{
    s->atts[i][s->natts[i]++] = key;
    s->atts[i][s->natts[i]++] = value;
}

static void add_number(struct fit_settings *s, int i, const char *key,
                       double value)
{
    char *const text = s->text[s->ntexts++];
    snprintf(text, sizeof s->text[0], "%.17g", value);
    add(s, i, key, text);
}

void fit_settings(const struct fit *f, const struct fit_value *value, int n,
                  struct fit_settings *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < n; i++) {
        const struct fit_value *const v = &value[i];
        const int at =
            v->curve >= 0 ? v->curve : FIT_CURVES + (v->element[0] == 'h');
        if (v->curve >= 0 && s->natts[at] == 0) {
            const struct fit_curve *const c = &f->curve[v->curve];
            add(s, at, "op", c->message ? "sendrecv" : "all_reduce");
            if (c->nvls)
                add(s, at, "algo", c->nodes > 1 ? "NVLSTREE" : "NVLS");
            else if (c->rings)
                add(s, at, "algo", "RING");
            add_number(s, at, "ranks", c->ranks);
            add_number(s, at, "nodes", c->nodes);
        }
        s->element[at] = v->element;
        add_number(s, at, v->key, v->after);
    }
    for (int i = 0; i < FIT_ELEMENTS; i++)
        if (s->natts[i] > 0)
            s->at[s->n++] = (struct topo_setting){s->element[i], s->atts[i]};
}

static int model_rows(const struct fit *f, const struct topo *t, double *us,
                      char *err, size_t err_nbytes)
{
    for (int i = 0; i < f->nrows; i++) {
        const struct fit_table *const table = &f->table[f->row[i].table];
        struct topo_coll c;
        if (topo_collective(t, table->op, table->place, table->n,
                            f->row[i].nbytes, TOPO_ANY, TOPO_ANY, &c, err,
                            err_nbytes) != 0)
            return -1;
        us[i] = (double)c.time_ps * 1e-6;
        topo_coll_release(&c);
    }
    return 0;
}

/* Model all rows at x, into p->modelled. */
static int model(struct problem *p, const double *x)
{
    struct fit_settings s;
    for (int i = 0; i < p->u.n; i++)
        p->u.value[i].after = exp(x[i]);
    fit_settings(p->f, p->u.value, p->u.n, &s);
    struct topo *const t =
        topo_load_with(p->f->machine, s.at, s.n, p->err, sizeof p->err);
    const int result =
        t ? model_rows(p->f, t, p->modelled, p->err, sizeof p->err) : -1;
    topo_free(t);
    return result;
}

static int fold_of(const struct problem *p, int row)
{
    const struct fit *const f = p->f;
    return p->by_row ? row % 2 : f->table[f->row[row].table].fold;
}

static int counts(const struct problem *p, int row)
{
    return !p->f->row[row].wrong && fold_of(p, row) != p->fold;
}

static int residuals(void *user, const double *x, double *r)
{
    struct problem *const p = user;
    if (model(p, x) != 0)
        return -1;
    for (int i = 0; i < p->f->nrows; i++)
        r[i] = counts(p, i) ? log(p->f->row[i].us / p->modelled[i]) : 0;
    return 0;
}

/* ---- unknowns ------------------------------------------------------------ */

static void add_unknown(struct unknowns *u, const char *element,
                        const char *key, int curve, double start, double lo,
                        double hi)
{
    if (u->n == LEASTSQ_UNKNOWNS)
        return;
    struct fit_value *const v = &u->value[u->n];
    snprintf(v->element, sizeof v->element, "%s", element);
    snprintf(v->key, sizeof v->key, "%s", key);
    v->curve = curve;
    v->before = start;
    u->x[u->n] = log(start);
    // no machine differs by more than a factor of 20 either way
    u->lo[u->n] = log(fmax(fmax(lo, start / 20), 1e-6));
    u->hi[u->n++] = log(fmin(hi, start * 20));
}

/* Add the speeds of links that change the time of any row that counts. */
static int add_links(struct problem *p)
{
    struct calibration_parameter c;
    double *const at = calloc((size_t)p->f->nrows, sizeof *at);
    if (!at || model(p, p->u.x) != 0) {
        free(at);
        return -1;
    }
    memcpy(at, p->modelled, sizeof *at * (size_t)p->f->nrows);
    for (int i = 0; calibration_parameter(i, &c); i++) {
        const int n = p->u.n;
        double start = calibration_get(&p->f->topo->cal, &c), change = 0;
        const size_t length = strlen(c.key);
        const int is_us = length > 3 && strcmp(c.key + length - 3, "_us") == 0;
        if (start <= 0 && !is_us)
            continue; // 0 means "none"
        if (start <= .05)
            start = .05;
        add_unknown(&p->u, c.element, c.key, -1, start, c.lo, c.hi);
        if (p->u.n == n)
            break;
        p->u.x[n] += p->u.hi[n] > p->u.x[n] + .1 ? .1 : -.1;
        if (model(p, p->u.x) == 0)
            for (int k = 0; k < p->f->nrows; k++)
                change += counts(p, k) * fabs(log(p->modelled[k] / at[k]));
        p->u.x[n] = log(start);
        p->u.n = change > 1e-3 ? n + 1 : n;
    }
    free(at);
    return 0;
}

static void add_curve(struct problem *p, int kind, int fills)
{
    double a = INFINITY, B = 0;
    int n = 0;
    for (int i = 0; i < p->f->nrows; i++) {
        const struct fit_row *const r = &p->f->row[i];
        if (!counts(p, i) || kind_of(&p->f->table[r->table]) != kind)
            continue;
        n++;
        a = fmin(a, r->us);
        B = fmax(B, (double)r->nbytes / r->us * 1e-3);
    }
    if (n < MIN_ROWS || p->f->curve[kind].ranks == 0)
        return;
    // rings don't replace the machine's own curve, which is of NVLS
    if (p->f->curve[kind].rings && p->f->topo->cal.curve[0][kind].ranks > 0)
        return;
    add_unknown(&p->u, "curve", "a_us", kind, a, .01, 1e6);
    add_unknown(&p->u, "curve", "B_GBps", kind, B, .001, 1e6);
    if (fills) {
        add_unknown(&p->u, "curve", "fill_us", kind, a, 1e-3, 1e6);
        add_unknown(&p->u, "curve", "fill_MiB", kind, 16, .001, 1e6);
    } else {
        add_unknown(&p->u, "curve", "k_us", kind, sqrt(a / (B * 1000)), 1e-6,
                    1e3);
    }
}

static int add_unknowns(struct problem *p, enum fit_way way)
{
    p->u.n = 0;
    if (way == FIT_LINKS)
        return add_links(p);
    for (int k = 0; k < FIT_CURVES && way != FIT_AS_IS; k++)
        add_curve(p, k, way == FIT_FILL);
    return 0;
}

/* Fit in one way, with a fold left out (-1: none). p->modelled gets the
 * times of all rows. */
static int solve(struct problem *p, enum fit_way way, int fold)
{
    p->fold = fold;
    if (add_unknowns(p, way) != 0)
        return -1;
    const struct leastsq q = {.n = p->u.n,
                              .m = p->f->nrows,
                              .lo = p->u.lo,
                              .hi = p->u.hi,
                              .scale = SCALE,
                              .anchor = way == FIT_LINKS ? ANCHOR : 0,
                              .residuals = residuals,
                              .user = p};
    if (leastsq_solve(&q, p->u.x) != 0)
        return -1;
    return model(p, p->u.x);
}

/* ---- ways ---------------------------------------------------------------- */

/* Leave out each fold in turn, and predict its rows into held[]. */
static int leave_out(struct problem *p, enum fit_way way, int by_row,
                     double *held)
{
    const int nfolds = by_row ? 2 : p->nfiles;
    p->by_row = by_row;
    for (int fold = 0; fold < nfolds; fold++) {
        if (solve(p, way, fold) != 0)
            return -1;
        for (int i = 0; i < p->f->nrows; i++)
            if (fold_of(p, i) == fold)
                held[i] = p->modelled[i];
    }
    return 0;
}

/* True if another file has tables of the same kind. */
static int has_peer(const struct fit *f, int table)
{
    for (int i = 0; i < f->ntables; i++)
        if (f->table[i].fold != f->table[table].fold &&
            kind_of(&f->table[i]) == kind_of(&f->table[table]))
            return 1;
    return 0;
}

/*
 * Mean error of predictions for what was left out: the file, if other files
 * have its kind, else every second row. A bad file must not decide, so an error
 * counts as a factor of two at most.
 */
static double held_error(const struct fit *f, const struct fit_row *row)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < f->nrows; i++) {
        const double held = has_peer(f, row[i].table) ? row[i].without_file
                                                      : row[i].without_rows;
        if (row[i].wrong)
            continue;
        sum += fmin(fabs(log(held / row[i].us)), .7);
        n++;
    }
    return n ? sum / n : 0;
}

/* Choose the way with the best predictions, and leave these in f->row. */
static int try_ways(struct fit *f, struct problem *p, double *held)
{
    struct fit_row *const row = calloc((size_t)f->nrows + 1, sizeof *row);
    int result = row ? 0 : -1;
    for (int way = 0; way < FIT_WAYS && result == 0; way++) {
        memcpy(row, f->row, sizeof *row * (size_t)f->nrows);
        result = leave_out(p, (enum fit_way)way, 1, held);
        for (int i = 0; i < f->nrows; i++)
            row[i].without_rows = row[i].without_file = held[i];
        if (result == 0 && p->nfiles > 1)
            result = leave_out(p, (enum fit_way)way, 0, held);
        for (int i = 0; i < f->nrows; i++)
            row[i].without_file = held[i];
        f->held[way] = held_error(f, row);
        // a later way has more unknowns, so it must be clearly better
        if (way > 0 && f->held[way] > .97 * f->held[f->way] - .002)
            continue;
        f->way = (enum fit_way)way;
        memcpy(f->row, row, sizeof *row * (size_t)f->nrows);
    }
    free(row);
    return result;
}

int fit_run(struct fit *f, char *err, size_t err_nbytes)
{
    const size_t n = (size_t)f->nrows + 1;
    struct problem *const p = calloc(1, sizeof *p);
    double *const modelled = calloc(n, sizeof *modelled);
    double *const held = calloc(n, sizeof *held);
    int result = -1;
    snprintf(err, err_nbytes, "no memory");
    if (!p || !modelled || !held)
        goto out;
    *p = (struct problem){.f = f, .modelled = modelled};
    for (int i = 0; i < f->ntables; i++)
        if (f->table[i].fold >= p->nfiles)
            p->nfiles = f->table[i].fold + 1;
    snprintf(p->err, sizeof p->err, "no memory");
    if (try_ways(f, p, held) == 0 && solve(p, f->way, -1) == 0) {
        for (int i = 0; i < f->nrows; i++)
            f->row[i].fitted = modelled[i];
        f->nvalues = p->u.n;
        memcpy(f->value, p->u.value, sizeof p->u.value[0] * (size_t)p->u.n);
        result = 0;
    } else {
        snprintf(err, err_nbytes, "%s", p->err);
    }
out:
    free(p);
    free(modelled);
    free(held);
    return result;
}

/* ---- errors -------------------------------------------------------------- */

double fit_error(const struct fit *f, int table, uint64_t min_bytes,
                 size_t offset)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < f->nrows; i++) {
        const struct fit_row *const r = &f->row[i];
        const double us = *(const double *)((const char *)r + offset);
        if (r->wrong || r->nbytes < min_bytes ||
            (table >= 0 && r->table != table))
            continue;
        sum += fabs(log(us / r->us));
        n++;
    }
    return n ? sum / n : -1;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int fit_is_odd(const struct fit *f, int row)
{
    double *const off = calloc((size_t)f->nrows, sizeof *off);
    double limit = .25;
    for (int i = 0; off && i < f->nrows; i++)
        off[i] = fabs(log(f->row[i].fitted / f->row[i].us));
    const double mine = off ? off[row] : 0;
    if (off) { // 4.5 median deviations are 3 standard ones
        qsort(off, (size_t)f->nrows, sizeof *off, by_value);
        limit = fmax(.12, fmin(limit, 4.5 * off[f->nrows / 2]));
    }
    free(off);
    return mine > limit;
}
