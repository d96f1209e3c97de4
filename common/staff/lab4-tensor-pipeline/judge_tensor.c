/*
 * judge_tensor.c: the results of layers and blocks on n ranks
 *
 * The judge has the whole matrices, computes the layer as on one device, in
 * double, and compares each rank's output with its part of that. Sums of
 * integers are exact in any order, so for them the comparison is bit for bit.
 * The graph tells which collectives each rank called: one or none.
 */
#include "judge_tensor.h"

#include <math.h>   /* erf */
#include <stdlib.h> /* calloc */

#include "judge/data.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge_model.h"

/* ---- matrices in double -------------------------------------------------- */

struct mat { /* row by row */
    int rows, cols;
    double *at;
};

static struct mat mat_new(int rows, int cols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    return (struct mat){rows, cols, calloc(count, sizeof(double))};
}

typedef void values_fn(uint64_t seed, enum model_what what, size_t count,
                       float *out);

static struct mat mat_of(uint64_t seed, values_fn *values, enum model_what what,
                         int rows, int cols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    const struct mat m = mat_new(rows, cols);
    float *const f = calloc(count, sizeof *f);
    values(seed, what, count, f);
    for (size_t i = 0; i < count; i++)
        m.at[i] = f[i];
    free(f);
    return m;
}

static double *mat_at(const struct mat *m, int row, int col)
{
    return &m->at[(size_t)row * (size_t)m->cols + (size_t)col];
}

static struct mat mat_transposed(const struct mat *m)
{
    const struct mat t = mat_new(m->cols, m->rows);
    for (int i = 0; i < m->rows; i++)
        for (int k = 0; k < m->cols; k++)
            *mat_at(&t, k, i) = *mat_at(m, i, k);
    return t;
}

/* c += a @ b */
static void mat_multiply(struct mat *c, const struct mat *a,
                         const struct mat *b)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < a->cols; k++)
            for (int j = 0; j < b->cols; j++)
                *mat_at(c, i, j) += *mat_at(a, i, k) * *mat_at(b, k, j);
}

static struct mat mat_product(const struct mat *a, const struct mat *b)
{
    struct mat c = mat_new(a->rows, b->cols);
    mat_multiply(&c, a, b);
    return c;
}

/* dw += x^T dy; returns dy @ w^T. */
static struct mat layer_back(const struct mat *x, const struct mat *w,
                             const struct mat *dy, struct mat *dw)
{
    const struct mat xt = mat_transposed(x), wt = mat_transposed(w);
    mat_multiply(dw, &xt, dy);
    const struct mat dx = mat_product(dy, &wt);
    free(xt.at);
    free(wt.at);
    return dx;
}

static double phi(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2)));
}

static struct mat gelu(const struct mat *x)
{
    const struct mat y = mat_new(x->rows, x->cols);
    for (int i = 0; i < x->rows * x->cols; i++)
        y.at[i] = x->at[i] * phi(x->at[i]);
    return y;
}

/* d *= gelu'(x) */
static void gelu_back(struct mat *d, const struct mat *x)
{
    for (int i = 0; i < x->rows * x->cols; i++) {
        const double v = x->at[i];
        d->at[i] *= phi(v) + v * exp(-0.5 * v * v) / sqrt(2 * acos(-1));
    }
}

/* ---- comparing ----------------------------------------------------------- */

enum cut {              /* what each rank has of a matrix */
           COLUMNS,     /* a part */
           ROWS,        /* a part */
           SUM,         /* all of it, summed over ranks */
           SUMMED_ROWS, /* a part, summed over ranks */
           GATHERED,    /* all of it, columns of each rank */
           WHOLE,       /* all of it, rows of each rank */
};

struct look { /* for one iteration's outputs */
    const struct judge_task *t;
    int iteration;
    double tolerance; /* 0: bit for bit */
    struct judge_verdict *v;
};

/* A rank's part of m, as floats. The caller frees it. */
static float *cut_out(const struct mat *m, enum cut cut, int rank, int n,
                      size_t *count)
{
    const int by_rows = cut == ROWS || cut == SUMMED_ROWS;
    const int rows = by_rows ? m->rows / n : m->rows;
    const int cols = cut == COLUMNS ? m->cols / n : m->cols;
    const int row = by_rows ? rank * rows : 0;
    const int col = cut == COLUMNS ? rank * cols : 0;
    *count = (size_t)rows * (size_t)cols;
    float *const out = calloc(*count, sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < cols; k++)
            out[(size_t)i * (size_t)cols + (size_t)k] =
                (float)*mat_at(m, row + i, col + k);
    return out;
}

/* A sum has to descend from all ranks' data; a gathered column or row, from the
 * data of its rank. */
static void descend(const struct look *l, const char *name, const struct mat *m,
                    enum cut cut, int rank)
{
    const size_t all = (size_t)m->rows * (size_t)m->cols * sizeof(float);
    const int n = l->t->nranks, each = m->cols / n;
    if (cut == SUM || cut == SUMMED_ROWS)
        judge_descent(l->t, rank, l->iteration, name, 0,
                      cut == SUM ? all : all / (size_t)n, judge_everybody(l->t),
                      l->v);
    for (int i = 0; cut == WHOLE && i < n; i++)
        judge_descent(l->t, rank, l->iteration, name,
                      all / (size_t)n * (size_t)i,
                      all / (size_t)n * (size_t)(i + 1), rank_set_of(i), l->v);
    for (int i = 0; cut == GATHERED && i < m->rows * n; i++) {
        const size_t begin = (size_t)i * (size_t)each * sizeof(float);
        judge_descent(l->t, rank, l->iteration, name, begin,
                      begin + (size_t)each * sizeof(float), rank_set_of(i % n),
                      l->v);
    }
}

/* Expect output `name` of each rank to be its part of m. Frees m. */
static void expect(const struct look *l, const char *name, struct mat m,
                   enum cut cut)
{
    const int n = l->t->nranks;
    for (int r = 0; r < n && l->v->pass; r++) {
        size_t count;
        struct judge_verdict own = {.pass = 1};
        float *const want = cut_out(&m, cut, r, n, &count);
        const void *const got = judge_output(l->t, r, l->iteration, name,
                                             count * sizeof *want, l->v);
        if (got && l->tolerance == 0)
            data_compare(got, want, count, DATA_FLOAT, r, &own);
        else if (got)
            data_compare_near(got, want, count, DATA_FLOAT, l->tolerance,
                              l->tolerance, r, &own);
        if (!own.pass)
            judge_fail(l->v, "%s: %s", name, own.message);
        descend(l, name, &m, cut, r);
        free(want);
    }
    free(m.at);
}

/* Expect each rank to call `op` that number of times, no other collective, and
 * to send nothing. */
static void expect_calls(const struct judge_task *t, enum topo_op op,
                         uint64_t want, const char *what,
                         struct judge_verdict *v)
{
    for (int r = 0; t->spans && r < t->nranks; r++)
        for (int i = 0; i < t->iterations; i++) {
            const uint64_t calls = spans_count(t, r, i, GRAPH_COLL, op);
            const uint64_t all =
                spans_count(t, r, i, GRAPH_COLL, TOPO_OP_NONE) +
                spans_count(t, r, i, GRAPH_SEND, TOPO_OP_NONE);
            if (calls != want || (op == TOPO_OP_ALLREDUCE && all != want))
                judge_fail_method(
                    v,
                    "the result is right, but rank %d calls %llu %s "
                    "(of %llu collectives and sends), should call %llu",
                    r, (unsigned long long)calls, what, (unsigned long long)all,
                    (unsigned long long)want);
        }
}

/* ---- layers -------------------------------------------------------------- */

void judge_split(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, 0, v};
        const uint64_t seed = judge_input_seed(t, 0, i);
        expect(&look, "columns",
               mat_of(seed, model_integers, MODEL_W, l.in, l.out), COLUMNS);
        expect(&look, "rows",
               mat_of(seed, model_integers, MODEL_W, l.in, l.out), ROWS);
    }
}

/* Judge a layer whose y, dw and dx are split as cut[] says. */
static void judge_layer(const struct judge_task *t, const enum cut cut[3],
                        struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    const int real = (int)plan_int(t->c, "real", 0);
    values_fn *const values = real ? model_reals : model_integers;
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, real ? 1e-5 : 0, v};
        const uint64_t seed = judge_input_seed(t, 0, i);
        const struct mat x = mat_of(seed, values, MODEL_X, l.rows, l.in);
        const struct mat w = mat_of(seed, values, MODEL_W, l.in, l.out);
        const struct mat dy = mat_of(seed, values, MODEL_DY, l.rows, l.out);
        struct mat dw = mat_of(seed, values, MODEL_DW, l.in, l.out);
        const struct mat dx = layer_back(&x, &w, &dy, &dw);
        expect(&look, "y", mat_product(&x, &w), cut[0]);
        expect(&look, "dw", dw, cut[1]);
        expect(&look, "dx", dx, cut[2]);
        free(x.at);
        free(w.at);
        free(dy.at);
    }
}

void judge_column(const struct judge_task *t, struct judge_verdict *v)
{
    judge_layer(t, (const enum cut[]){COLUMNS, COLUMNS, SUM}, v);
    expect_calls(t, TOPO_OP_ALLREDUCE, 1, "all-reduces", v);
}

void judge_row(const struct judge_task *t, struct judge_verdict *v)
{
    judge_layer(t, (const enum cut[]){SUM, ROWS, COLUMNS}, v);
    expect_calls(t, TOPO_OP_ALLREDUCE, 1, "all-reduces", v);
}

void judge_gather(const struct judge_task *t, struct judge_verdict *v)
{
    judge_layer(t, (const enum cut[]){GATHERED, COLUMNS, SUM}, v);
    expect_calls(t, TOPO_OP_ALLGATHER, 1, "all-gathers", v);
    expect_calls(t, TOPO_OP_NONE, 2, "collectives", v);
}

/* ---- a block ------------------------------------------------------------- */

struct dense { /* the whole block */
    struct mat x, a, b, z, h, u;
    int last;
};

static struct dense dense_of(const struct judge_task *t, uint64_t seed)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    struct dense d = {
        .x = mat_of(seed, model_reals, MODEL_X, l.rows, l.in),
        .a = mat_of(seed, model_reals, MODEL_W, l.in, l.out),
        .b = mat_of(seed, model_reals, MODEL_B, l.out, l.in),
        .last = (int)plan_int(t->c, "last", 0),
    };
    d.z = mat_product(&d.x, &d.a);
    d.h = gelu(&d.z);
    d.u = mat_product(&d.h, &d.b);
    return d;
}

static void dense_free(struct dense *d)
{
    free(d->x.at);
    free(d->a.at);
    free(d->b.at);
    free(d->z.at);
    free(d->h.at);
    free(d->u.at);
}

/*
 * The tolerance for a block in fp32. A sum's rounding error grows with its
 * terms, of which a block has as many more as there are ranks (model_layer()):
 * on up to 16 ranks it stays below 20 millionths.
 */
static double block_tolerance(const struct judge_task *t)
{
    return 20e-6 * (t->nranks > 16 ? t->nranks / 16.0 : 1);
}

void judge_block_forward(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, block_tolerance(t), v};
        struct dense d = dense_of(t, judge_input_seed(t, 0, i));
        struct mat z = mat_product(&d.x, &d.a);
        expect(&look, "z", z, COLUMNS);
        expect(&look, "y", d.last ? mat_product(&d.h, &d.b) : gelu(&d.u), SUM);
        dense_free(&d);
    }
    expect_calls(t, TOPO_OP_ALLREDUCE, 1, "all-reduces", v);
}

void judge_block_backward(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, block_tolerance(t), v};
        const uint64_t seed = judge_input_seed(t, 0, i);
        struct dense d = dense_of(t, seed);
        struct mat du = mat_of(seed, model_reals, MODEL_DY, l.rows, l.in);
        struct mat da = mat_of(seed, model_reals, MODEL_DW, l.in, l.out);
        struct mat db = mat_of(seed, model_reals, MODEL_DB, l.out, l.in);
        if (!d.last)
            gelu_back(&du, &d.u);
        struct mat dz = layer_back(&d.h, &d.b, &du, &db);
        gelu_back(&dz, &d.z);
        const struct mat dx = layer_back(&d.x, &d.a, &dz, &da);
        expect(&look, "dx", dx, SUM);
        expect(&look, "da", da, COLUMNS);
        expect(&look, "db", db, ROWS);
        free(du.at);
        free(dz.at);
        dense_free(&d);
    }
    expect_calls(t, TOPO_OP_ALLREDUCE, 1, "all-reduces", v);
}

/* ---- in pieces ----------------------------------------------------------- */

/* Expect each rank to send one message of `nbytes` to the next in each step,
 * and no collective. */
static void expect_messages(const struct judge_task *t, double nbytes,
                            struct judge_verdict *v)
{
    const uint64_t want = (uint64_t)t->nranks - 1;
    judge_enqueues_ahead(t, "events are enough", v);
    for (int r = 0; t->spans && r < t->nranks; r++) {
        const uint64_t sends = spans_count(t, r, 0, GRAPH_SEND, TOPO_OP_NONE);
        const uint64_t colls = spans_count(t, r, 0, GRAPH_COLL, TOPO_OP_NONE);
        const double sent = judge_count(t, r, 0, "sent_bytes", v);
        if (sends != want || colls != 0)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %llu messages "
                "and calls %llu collectives, should send %llu messages",
                r, (unsigned long long)sends, (unsigned long long)colls,
                (unsigned long long)want);
        if (sent > (double)want * nbytes)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes, "
                "should send %.0f",
                r, sent, (double)want * nbytes);
    }
}

void judge_sp_gather(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    const int rows = l.rows * t->nranks;
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, 0, v};
        const uint64_t seed = judge_input_seed(t, 0, i);
        struct mat x = mat_of(seed, model_integers, MODEL_X, rows, l.in);
        struct mat w = mat_of(seed, model_integers, MODEL_W, l.in, l.out);
        expect(&look, "y", mat_product(&x, &w), COLUMNS);
        expect(&look, "all", x, WHOLE);
        free(w.at);
    }
    expect_messages(t, 4.0 * l.rows * l.in, v);
}

void judge_sp_scatter(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    const int rows = l.rows * t->nranks;
    for (int i = 0; i < t->iterations; i++) {
        const struct look look = {t, i, 0, v};
        const uint64_t seed = judge_input_seed(t, 0, i);
        struct mat x = mat_of(seed, model_integers, MODEL_X, rows, l.in);
        struct mat w = mat_of(seed, model_integers, MODEL_W, l.in, l.out);
        expect(&look, "y", mat_product(&x, &w), SUMMED_ROWS);
        free(x.at);
        free(w.at);
    }
    expect_messages(t, 4.0 * l.rows * l.out, v);
}

/* `percent` of the messages' time has to be hidden. It can't all be hidden,
 * because messages take a part of the GPU from the products. */
void judge_sp_speed(const struct judge_task *t, struct judge_verdict *v)
{
    const double least = (double)plan_int(t->c, "percent", 75) / 100;
    trace_pieces(t, v);
    judge_enqueues_ahead(t, "events are enough", v);
    for (int r = 0; v->pass && r < t->nranks; r++) {
        struct spans_hidden h;
        if (spans_hidden(t, r, 0, 1u << GRAPH_SEND | 1u << GRAPH_RECV, "cublas",
                         &h) != 0)
            continue;
        if (!(h.hidden_us >= least * h.comm_us && h.comm_us > 0))
            judge_fail_method(
                v,
                "rank %d hides %.1f of %.1f us of its messages behind "
                "products: without them, the block would be %.1f us "
                "shorter. %.0f %% is required",
                r, h.hidden_us, h.comm_us, h.exposed_us, 100 * least);
    }
}

/* A GPU computes two products for each weight and row. */
double sp_speed_limit(const struct judge_task *t)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    const struct topo *const topo = spans_topo(t->spans);
    const int compute = topo_compute(topo, 0, TOPO_FP32);
    return 4.0 * l.rows * l.in * l.out / topo_resource(topo, compute)->rate *
           1e6;
}
