/*
 * judge.c: the judges of lab 9's cases. Attention is compared with one device
 * in judge_whole.c; norms are in judge_layer.c.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strncmp */

#include "graph/record/read.h"
#include "judge/blocks.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge_cost.h"
#include "judge_layer.h"
#include "judge_order.h"
#include "judge_trace.h"
#include "judge_whole.h"
#include "nn/draws.h"

static double metric(const struct judge_task *t, int rank, const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

static double block_bytes(const struct judge_order *o)
{
    return 4.0 * (double)order_block(o);
}

/* ---- costs --------------------------------------------------------------- */

static double heads_bytes(const struct judge_order *o)
{
    return 4 * block_bytes(o) * (o->nranks - 1) / o->nranks;
}

static double ring_bytes(const struct judge_order *o)
{
    return 2 * block_bytes(o) * (o->nranks - 1);
}

static double back_bytes(const struct judge_order *o)
{
    return o->nranks < 2 ? 0 : ring_bytes(o) + 2 * block_bytes(o) * o->nranks;
}

/* The ring's blocks have a node's rows and a rank's heads: as many floats as a
 * block of one rank's rows. */
static double mix_bytes(const struct judge_order *o)
{
    const int nodes = o->nranks / o->per_node;
    return 4 * block_bytes(o) * (o->per_node - 1) / o->per_node +
           2 * block_bytes(o) * (nodes - 1);
}

/* ---- the least that all ranks together can send -------------------------- */

/* Each rank has to get the keys and values of all ranks with rows before one of
 * its own, or these have to get its queries. */
static double ring_least(const struct judge_order *o)
{
    double pairs = 0;
    for (int r = 0; r < o->nranks; r++) {
        const struct rank_set need = whole_need(o, r, 0);
        pairs += rank_set_count(&need);
    }
    return (pairs - o->nranks) * 2 * block_bytes(o);
}

/* A node's ranks exchange heads; nodes form rings of ranks, whose blocks have
 * as many floats. */
static double mix_least(const struct judge_order *o)
{
    struct judge_order nodes = *o;
    nodes.nranks /= o->per_node;
    nodes.rows *= o->per_node;
    nodes.per_node = 1;
    const double exchanges =
        4 * block_bytes(o) * (o->per_node - 1) / o->per_node * o->nranks;
    nodes.heads /= o->per_node;
    return exchanges + o->per_node * ring_least(&nodes);
}

struct costs {
    double (*bytes)(const struct judge_order *o); /* for a rank, at most */
    const char *formula;
    double (*least)(const struct judge_order *o); /* for all ranks; or NULL */
};

static const struct costs heads_cost = {
    heads_bytes, "(n-1)/n of four blocks: queries, keys, values and outputs",
    NULL};
static const struct costs heads_back_cost = {
    heads_bytes, "(n-1)/n of four blocks: dout, dq, dk and dv", NULL};
static const struct costs ring_cost = {
    ring_bytes, "n-1 messages of a block of keys and one of values",
    ring_least};
static const struct costs back_cost = {
    back_bytes, "n-1 messages of keys and values, and n of their derivatives",
    ring_least};
static const struct costs mix_cost = {
    mix_bytes,
    "four exchanges in a node, and a ring of nodes with a block of "
    "keys and one of values in each message",
    mix_least};

static void judge_costs(const struct judge_task *t, const struct judge_order *o,
                        const struct costs *k, struct judge_verdict *v)
{
    cost_host(t, v);
    cost_memory(t, block_bytes(o), v);
    cost_bytes(t, k->bytes(o), k->formula, v);
    if (k->least)
        cost_least(t, k->least(o), v);
}

/* ---- work ---------------------------------------------------------------- */

static double work_of(const struct judge_task *t, int rank)
{
    return spans_flops(t, rank, 0, "attend");
}

/* Expect no rank to have more than 1.1 times the mean work of all. */
static void judge_balance(const struct judge_task *t, struct judge_verdict *v)
{
    double sum = 0;
    for (int r = 0; r < t->nranks; r++)
        sum += work_of(t, r);
    for (int r = 0; r < t->nranks && sum > 0; r++) {
        const double part = work_of(t, r) * t->nranks / sum;
        if (part > 1.1)
            judge_fail_method(
                v,
                "the result is right, but rank %d computes %.2f times "
                "the mean of all ranks; 1.1 is allowed",
                r, part);
    }
}

/* Judge a case whose contents are not kept. The graph shows whether all pairs
 * are computed, each of which takes `each` flops. Other cases judge whether
 * they are right. */
static void judge_work(const struct judge_task *t, const struct judge_order *o,
                       double each, struct judge_verdict *v)
{
    double want = 0, got = 0;
    for (int r = 0; r < t->nranks; r++) {
        want += each * order_pairs(o, r) * o->heads * o->width;
        got += work_of(t, r); // NaN on real GPUs, without a graph
    }
    if (got < want * (1 - 1e-9))
        judge_fail(v, "all ranks compute %.4g of %.4g flops: rows are missing",
                   got, want);
}

/* Numbers of fewer bits travel faster, and where contents are not kept no
 * comparison finds that precision was lost. */
static void judge_precision(const struct judge_task *t, struct judge_verdict *v)
{
    struct spans_window w;
    for (int r = 0; r < t->nranks; r++) {
        if (spans_window(t, r, 0, &w) != 0)
            return; // real GPUs: no graph
        for (uint32_t at = w.first; at <= w.last; at++) {
            const struct graph_view *const n = &t->graph->nodes[at];
            const int travels =
                n->node.kind == GRAPH_SEND || n->node.kind == GRAPH_COLL;
            if (strcmp(n->name, "narrow") != 0 &&
                !(travels && n->node.elem_size < sizeof(float)))
                continue;
            judge_fail(v,
                       "%s at %s (rank %d) makes numbers of less than %zu "
                       "bytes: keys, values and derivatives stay float",
                       n->name, n->site, r, sizeof(float));
        }
    }
}

/* ---- kinds --------------------------------------------------------------- */

/* Expect rank r's heads to have come from all ranks, in order. Of the rows that
 * it gets back, its own 1/n need not have been sent. */
static void judge_exchanged(const struct judge_task *t, size_t nbytes, int rank,
                            int iteration, struct judge_verdict *v)
{
    const size_t each = nbytes / (size_t)t->nranks;
    for (size_t s = 0; s < (size_t)t->nranks; s++)
        judge_descent(t, rank, iteration, "heads", s * each, (s + 1) * each,
                      rank_set_of((int)s), v);
    judge_descent(t, rank, iteration, "rows", 0, nbytes, rank_set_of(rank), v);
}

struct traded { /* an output of seq_to_heads() or seq_to_rows() */
    const char *name;
    const struct judge_order *o;
    size_t row, nrows; /* numbers in a row, rows of a rank */
};

static size_t traded_at(const void *arg, int rank, size_t row)
{
    const struct traded *const k = arg;
    return ((size_t)rank * k->nrows + row) * k->row;
}

static void write_traded(const void *arg, int rank, size_t i, char *out,
                         size_t nbytes)
{
    const struct traded *const k = arg;
    const size_t row = i / k->row, rows = (size_t)k->o->rows;
    if (k->nrows == rows)
        snprintf(out, nbytes, "%s[%zu] on rank %d, in row %zu,", k->name, i,
                 rank, row);
    else
        snprintf(out, nbytes, "%s[%zu] on rank %d, in row %zu of rank %zu,",
                 k->name, i, rank, row % rows, row / rows);
}

/* want: of all ranks. bound: as many zeros. */
static void judge_traded(const struct judge_task *t, const struct traded *k,
                         const double *want, const double *bound, int rank,
                         int iteration, struct judge_verdict *v)
{
    const float *const got = judge_output(t, rank, iteration, k->name,
                                          k->nrows * k->row * sizeof *got, v);
    const struct blocks b = {
        .want = want,
        .bound = bound,
        .row = k->row,
        .nrows = k->nrows,
        .nranks = t->nranks,
        .part = k->nrows == (size_t)k->o->rows ? 0 : (size_t)k->o->rows,
        .at = traded_at,
        .arg = k};
    if (got)
        blocks_compare(&b, got, rank, write_traded, v);
}

/* Fill in[] with all ranks' rows, and heads[] with what all ranks have after
 * the exchange. */
static void fill_traded(const struct judge_task *t, const struct judge_order *o,
                        int iteration, double *in, double *heads)
{
    const size_t block = order_block(o), n = (size_t)t->nranks;
    const size_t row = (size_t)(o->heads * o->width), mine = row / n;
    float *const own = malloc(block * sizeof *own);
    for (size_t r = 0; r < n; r++) {
        order_fill(own, block, judge_input_seed(t, (int)r, iteration));
        for (size_t at = 0; at < block; at++)
            in[r * block + at] = own[at];
    }
    for (size_t at = 0; at < n * block; at++)
        heads[at] = in[at % block / mine * row + at / block * mine + at % mine];
    free(own);
}

static void judge_exchange(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    const size_t rows = (size_t)o.rows, row = (size_t)(o.heads * o.width);
    const size_t all = (size_t)t->nranks * rows * row;
    const struct traded heads = {"heads", &o, row / (size_t)t->nranks,
                                 rows * (size_t)t->nranks};
    const struct traded back = {"rows", &o, row, rows};
    double *const in = calloc(3 * all, sizeof *in);
    double *const want = in + all, *const bound = want + all;
    for (int i = 0; i < t->iterations; i++) {
        fill_traded(t, &o, i, in, want);
        for (int r = 0; r < t->nranks; r++) {
            judge_traded(t, &heads, want, bound, r, i, v);
            judge_traded(t, &back, in, bound, r, i, v);
            judge_exchanged(t, rows * row * sizeof(float), r, i, v);
        }
    }
    // there and back
    cost_least(t, 2 * block_bytes(&o) * (t->nranks - 1), v);
    cost_host(t, v);
    free(in);
}

static void judge_heads(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    whole_judge(t, &o, 0, 0, v);
    judge_costs(t, &o, &heads_cost, v);
}

static void judge_heads_back(const struct judge_task *t,
                             struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    whole_judge(t, &o, 1, 0, v);
    judge_costs(t, &o, &heads_back_cost, v);
}

static void judge_ring(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    whole_judge(t, &o, 0, 1, v);
    judge_costs(t, &o, &ring_cost, v);
    if (o.order != ORDER_PLAIN)
        judge_balance(t, v);
}

static void judge_ring_time(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    judge_work(t, &o, 4, v);
    trace_forward(t, &o, v);
    judge_precision(t, v);
    judge_costs(t, &o, &ring_cost, v);
    if (o.order != ORDER_PLAIN)
        judge_balance(t, v);
}

static void judge_back(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    whole_judge(t, &o, 1, 0, v);
    judge_costs(t, &o, &back_cost, v);
}

static void judge_back_time(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    judge_work(t, &o, 10, v);
    trace_backward(t, &o, v);
    judge_precision(t, v);
    judge_costs(t, &o, &back_cost, v);
}

static void judge_mix(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    whole_judge(t, &o, 0, 0, v);
    judge_costs(t, &o, &mix_cost, v);
}

static void judge_mix_time(const struct judge_task *t, struct judge_verdict *v)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    judge_work(t, &o, 4, v);
    trace_forward(t, &o, v);
    judge_precision(t, v);
    judge_costs(t, &o, &mix_cost, v);
}

/* Positions, on rank 0, of the rows of all ranks of a sequence. */
static void judge_places(const struct judge_task *t, struct judge_verdict *v)
{
    const int over = (int)plan_int(t->c, "over", 4);
    const struct judge_order o = order_of(t->c, over);
    for (int r = 0; r < over; r++)
        for (int i = 0; i < o.rows; i++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "place.%d.%d", r, i);
            const double got = metric(t, 0, name);
            if (got == order_place(&o, r, i))
                continue;
            judge_fail(v,
                       "row %d of rank %d of %d is at position %.0f of the "
                       "sequence, should be %d",
                       i, r, over, got, order_place(&o, r, i));
            return;
        }
}

/* A rank can't finish before it has sent what it has to send. */
static double limit_us(const struct judge_task *t)
{
    const struct judge_order o = order_of(t->c, t->nranks);
    const double bytes = strncmp(t->c->kind, "back", 4) == 0 ? back_bytes(&o)
                         : o.per_node > 1                    ? mix_bytes(&o)
                                                             : ring_bytes(&o);
    return bytes / links_out_rate(t) * 1e6;
}

enum { MESSAGES = 1u << GRAPH_SEND | 1u << GRAPH_RECV };

static const struct judge_kind kinds[] = {
    {.name = "norms", .judge = judge_norms},
    {.name = "exchange", .judge = judge_exchange},
    {.name = "heads", .judge = judge_heads},
    {.name = "heads_back", .judge = judge_heads_back},
    {.name = "ring", .judge = judge_ring},
    {.name = "ring_time",
     .judge = judge_ring_time,
     .limit_us = limit_us,
     .hides = MESSAGES,
     .behind = "attend"},
    {.name = "places", .judge = judge_places},
    {.name = "back", .judge = judge_back},
    {.name = "back_time",
     .judge = judge_back_time,
     .limit_us = limit_us,
     .hides = MESSAGES,
     .behind = "attend"},
    {.name = "mix", .judge = judge_mix},
    {.name = "mix_time",
     .judge = judge_mix_time,
     .limit_us = limit_us,
     .hides = MESSAGES,
     .behind = "attend"},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"norms", "sp_forward() and sp_backward() in norms.c", NULL, NULL},
    {"exchange", "seq_to_heads() and seq_to_rows() in heads.c", NULL, NULL},
    {"heads", "heads_forward() in heads.c", NULL, NULL},
    {"heads_back", "heads_backward() in heads.c", NULL, NULL},
    {"ring", "seq_places() in balance.c, ring_forward() in ring.c", "order",
     "zigzag"},
    {"ring", "seq_places() in balance.c, ring_forward() in ring.c", "order",
     "striped"},
    {"ring", "ring_forward() in ring.c", NULL, NULL},
    {"ring_time", "seq_places() in balance.c", "order", "zigzag"},
    {"ring_time", "ring_forward() in ring.c", NULL, NULL},
    {"places", "seq_places() in balance.c", NULL, NULL},
    {"back", "ring_backward() in ring_back.c", NULL, NULL},
    {"back_time", "ring_backward() in ring_back.c", NULL, NULL},
    {"mix", "mix_open() and mix_forward() in mix.c", NULL, NULL},
    {"mix_time", "mix_open() and mix_forward() in mix.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 0},
                                        {0}};

extern const struct judge_lab judge_lab9;
const struct judge_lab judge_lab9 = {.lab = "lab9-long-context",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws};
