/*
 * judge_trace.c: where results without contents come from (judge/graph/trace.h)
 *
 * A block's gradients depend on the rows of all micro-batches of all replicas,
 * and on all weights: those of blocks before through its input, all others
 * through the derivative of the loss. Tensor-parallel ranks add their parts in
 * each block, so each of them depends on the others'.
 */
#include <stdio.h> /* snprintf */

#include "judge/graph/spans.h"
#include "judge/graph/trace.h"
#include "judge_model.h"
#include "judge_tensor.h"
#include "judge_train.h"

/* Expect a result to descend from all that a rank has. */
static void expect_rank(const struct trace *k, const struct model *m,
                        struct trace_buffer to, int rank)
{
    char name[EVIDENCE_NAME];
    const struct trace_buffer from = {rank, name};
    const int stage = rank / m->tp / m->dp;
    int nblocks;
    stage_weights(m, stage, &nblocks);
    for (int b = 0; b < nblocks; b++) {
        snprintf(name, sizeof name, "block.%d", b);
        trace_need(k, to, from, NULL, NULL);
    }
    for (int j = 0; stage == 0 && j < m->task.micro; j++) {
        snprintf(name, sizeof name, "x.%d", j);
        trace_need(k, to, from, NULL, NULL);
    }
}

void trace_step(const struct judge_task *t, const struct model *m,
                const char *result, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const struct trace k = {t, n / t->nranks, 0, v};
        const struct trace_buffer to = {n % t->nranks, result};
        for (int from = 0; from < t->nranks; from++)
            expect_rank(&k, m, to, from);
    }
}

/* Fail if a rank computes less than this. */
static void expect_flops(const struct judge_task *t, int rank, double least,
                         struct judge_verdict *v)
{
    const double flops = spans_flops(t, rank, 0, "cublas");
    if (flops < least) // NaN on real GPUs, without a graph
        judge_fail(v,
                   "rank %d computes %.4g of %.4g flops: products are missing, "
                   "or do not have all rows",
                   rank, flops, least);
}

/* A block's passes take three products for each weight and row. Nothing needs
 * the derivative of the network's input. */
void judge_products(const struct judge_task *t, const struct model *m,
                    struct judge_verdict *v)
{
    const struct nn_shape *const s = &m->task.shape;
    for (int r = 0; r < t->nranks; r++) {
        const int stage = r / m->tp / m->dp;
        int nblocks;
        double products = 3 * (double)stage_weights(m, stage, &nblocks);
        if (stage == 0)
            products -= (double)nn_layer_count(s, 0) / m->tp;
        expect_flops(t, r, 2 * products * s->rows * m->task.micro, v);
    }
}

/* ---- in pieces ----------------------------------------------------------- */

/* Expect rank r's results to descend from rank s's inputs. Row i of h and of y
 * depends on row i of x, and on all weights. */
static void expect_pieces(const struct trace *k, int r, int s)
{
    const struct model_layer l = model_layer(k->t->c, k->t->nranks);
    const uint64_t x = 4 * (uint64_t)l.in;
    const uint64_t h = 4 * (uint64_t)(l.out / k->t->nranks);
    const uint64_t first = (uint64_t)s * (uint64_t)l.rows;
    const uint64_t place = first * x;
    const struct trace_rows in_h = {x, h, first}, in_y = {x, x, 0};
    const struct trace_buffer all = {r, "all"}, to_h = {r, "h"}, y = {r, "y"};
    trace_need(k, all, (struct trace_buffer){s, "x"}, trace_by_bytes, &place);
    trace_need(k, to_h, (struct trace_buffer){s, "x"}, trace_by_rows, &in_h);
    trace_need(k, y, (struct trace_buffer){s, "a"}, NULL, NULL);
    trace_need(k, y, (struct trace_buffer){s, "b"}, NULL, NULL);
    if (s != r)
        return;
    trace_need(k, to_h, (struct trace_buffer){r, "a"}, NULL, NULL);
    trace_need(k, y, (struct trace_buffer){r, "x"}, trace_by_rows, &in_y);
}

void trace_pieces(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model_layer l = model_layer(t->c, t->nranks);
    for (int i = 0; i < t->iterations; i++) {
        const struct trace k = {t, i, 0, v};
        for (int r = 0; r < t->nranks; r++)
            for (int s = 0; s < t->nranks; s++)
                expect_pieces(&k, r, s);
    }
    for (int r = 0; r < t->nranks; r++)
        expect_flops(t, r, 4.0 * l.rows * l.in * l.out, v);
}
