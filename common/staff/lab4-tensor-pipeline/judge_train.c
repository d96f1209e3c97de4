/*
 * judge_train.c: training on many ranks, compared with one device in double
 *
 * The reference (nn/reference.h) runs the same steps on all rows of all
 * replicas. After each step, a rank's weights have to match its parts of the
 * reference's, and those of replicas have to be equal bit for bit. Then the
 * calls that a rank made are judged, and the micro-batches in flight.
 */
#include <math.h>   /* fabs */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcmp */

#include "graph/record/read.h"
#include "judge/graph/spans.h"
#include "judge_model.h"
#include "judge_train.h"
#include "nn/reference.h"

/* ---- the reference ------------------------------------------------------- */

static void reference_step(const struct model *m, uint64_t seed, int step,
                           struct reference *ref)
{
    const struct nn_task *const k = &m->task;
    const struct nn_hyper *const h = &k->hyper;
    const double scale = 1.0 / (m->dp * k->micro);
    reference_zero_grad(ref);
    for (int d = 0; d < m->dp; d++)
        for (int j = 0; j < k->micro; j++)
            reference_pass_seed(ref, model_data_seed(seed, d, step, j), scale,
                                0);
    if (k->optimizer == NN_ADAMW)
        reference_adamw(ref, h->lr, h->beta1, h->beta2, h->eps, h->decay);
    else
        reference_sgd(ref, h->lr);
}

/* ---- a rank's parts ------------------------------------------------------ */

struct where { /* a rank's coordinates */
    int tp_rank, dp_rank, stage;
};

static struct where where_is(const struct model *m, int rank)
{
    return (struct where){rank % m->tp, rank / m->tp % m->dp,
                          rank / m->tp / m->dp};
}

/* The run of the network that is a stage's chunk. */
static int run_of(const struct model *m, int stage, int chunk)
{
    return model_run(m->pp, m->schedule == MODEL_ZERO_V, stage, chunk);
}

struct walk { /* through a rank's weights, in the order of its stage */
    const struct judge_task *t;
    const struct model *m;
    const struct reference *ref;
    int rank, step;
    const float *got; /* the next one to compare */
    struct judge_verdict *v;
};

/*
 * The absolute tolerance of a weight, in addition to 1e-5 of its value. Weights
 * are below 1, where fp32 has a spacing of 6e-8; in five steps, other orders of
 * addition make a difference of three of those. AdamW divides by the gradient's
 * magnitude, so its error is relative.
 */
static double absolute_of(const struct nn_task *k)
{
    return k->optimizer == NN_ADAMW ? 1e-5 : 2e-7;
}

/* Compare the elements of layer l from (row, col) on. */
static void look_at(struct walk *w, int l, int row, int nrows, int col,
                    int ncols)
{
    const struct nn_shape *const s = &w->m->task.shape;
    const double *const whole = w->ref->w + reference_at(w->ref, l);
    const int cols = nn_layer_out(s, l);
    for (int i = row; i < row + nrows; i++)
        for (int k = col; k < col + ncols; k++) {
            const double want = whole[(size_t)i * (size_t)cols + (size_t)k];
            const double got = *w->got++;
            if (!(fabs(got - want) <=
                  absolute_of(&w->m->task) + 1e-5 * fabs(want)))
                judge_fail(w->v,
                           "after step %d layer%d.weight[%d][%d] is %.9g on "
                           "rank %d, should be %.9g, as one device with all "
                           "the rows has it",
                           w->step + 1, l, i, k, got, w->rank, want);
        }
}

size_t stage_weights(const struct model *m, int stage, int *nblocks)
{
    const struct nn_shape *const s = &m->task.shape;
    const int runs = m->pp * m->chunks;
    size_t count = 0;
    *nblocks = 0;
    for (int c = 0; c < m->chunks; c++) {
        const int v = run_of(m, stage, c);
        const int end = model_first_block(s->depth / 2, v + 1, runs);
        for (int b = model_first_block(s->depth / 2, v, runs); b < end; b++) {
            count += (nn_layer_count(s, 2 * b) + nn_layer_count(s, 2 * b + 1)) /
                     (size_t)m->tp;
            ++*nblocks;
        }
    }
    return count;
}

static void walk(struct walk *w)
{
    const struct nn_shape *const s = &w->m->task.shape;
    const struct where at = where_is(w->m, w->rank);
    const int runs = w->m->pp * w->m->chunks;
    for (int c = 0; c < w->m->chunks; c++) {
        const int v = run_of(w->m, at.stage, c);
        const int end = model_first_block(s->depth / 2, v + 1, runs);
        for (int b = model_first_block(s->depth / 2, v, runs); b < end; b++) {
            const int l = 2 * b, mine = nn_layer_out(s, l) / w->m->tp;
            look_at(w, l, 0, nn_layer_in(s, l), at.tp_rank * mine, mine);
            look_at(w, l + 1, at.tp_rank * mine, mine, 0,
                    nn_layer_out(s, l + 1));
        }
    }
}

/* Judge all ranks' weights after a step. */
static void judge_step(const struct judge_task *t, const struct model *m,
                       int iteration, int step, const struct reference *ref,
                       struct judge_verdict *v)
{
    char name[NN_OUTPUT_NAME];
    nn_task_output(step, name);
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const struct where at = where_is(m, r);
        int nblocks;
        const size_t nbytes =
            stage_weights(m, at.stage, &nblocks) * sizeof(float);
        const int twin = r - at.dp_rank * m->tp; // the first replica's
        const float *const got = judge_output(t, r, iteration, name, nbytes, v);
        const float *const first =
            judge_output(t, twin, iteration, name, nbytes, v);
        if (!got || !first)
            return;
        if (memcmp(got, first, nbytes) != 0)
            judge_fail(v,
                       "after step %d the weights of rank %d differ from those "
                       "of rank %d: replicas must stay identical, bit for bit",
                       step + 1, r, twin);
        walk(&(struct walk){t, m, ref, r, step, got, v});
    }
}

static void judge_weights(const struct judge_task *t, const struct model *m,
                          struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations && v->pass; i++) {
        const uint64_t seed = judge_input_seed(t, 0, i);
        struct reference *const ref = reference_new(&m->task.shape, seed);
        if (!ref) {
            judge_fail(v, "the plan's network is impossible, or out of memory");
            return;
        }
        for (int step = 0; step < m->task.steps && v->pass; step++) {
            reference_step(m, seed, step, ref);
            judge_step(t, m, i, step, ref, v);
        }
        reference_free(ref);
    }
}

/* ---- calls --------------------------------------------------------------- */

static void judge_calls(const struct judge_task *t, const struct model *m,
                        struct judge_verdict *v)
{
    const int micro = m->task.micro, steps = m->task.steps;
    for (int r = 0; t->spans && r < t->nranks; r++) {
        const struct where at = where_is(m, r);
        int nblocks;
        stage_weights(m, at.stage, &nblocks);
        const int passes = 2 + m->checkpoint; // forward, backward, repeated
        const int sums = m->tp > 1 ? passes * micro * nblocks : 0;
        const int means = m->dp > 1 ? nblocks : 0;
        const int ends = (at.stage > 0) + (at.stage < m->pp - 1);
        const int edges = m->schedule == MODEL_ZERO_V
                              ? m->chunks * ends
                              : ends + 2 * (m->pp > 1 ? m->chunks - 1 : 0);
        const uint64_t colls = spans_count(t, r, 0, GRAPH_COLL, TOPO_OP_NONE);
        const uint64_t sends = spans_count(t, r, 0, GRAPH_SEND, TOPO_OP_NONE);
        if (colls != (uint64_t)(steps * (sums + means)))
            judge_fail_method(
                v,
                "the result is right, but rank %d calls %llu "
                "collectives, should call %d: in each of %d steps, %d "
                "for its %d blocks' passes and %d for their gradients",
                r, (unsigned long long)colls, steps * (sums + means), steps,
                sums, nblocks, means);
        if (sends != (uint64_t)(steps * micro * edges))
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %llu messages, "
                "should send %d: in each of %d steps, %d for each "
                "micro-batch",
                r, (unsigned long long)sends, steps * micro * edges, steps,
                edges);
    }
}

void judge_pipe(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model m = model_of(t->c, t->nranks);
    judge_weights(t, &m, v);
    judge_calls(t, &m, v);
    judge_in_flight(t, &m, v);
}

void judge_hybrid(const struct judge_task *t, struct judge_verdict *v)
{
    judge_pipe(t, v);
}
