/*
 * judge_schedule.c: the order of stages' passes, the coordinates of ranks, and
 * the number of micro-batches in flight
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strncmp */

#include "graph/record/read.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge_model.h"
#include "judge_train.h"

static double metric(const struct judge_task *t, int rank, const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- lists --------------------------------------------------------------- */

enum { FORWARD, BACKWARD };

struct action {
    int kind, micro, chunk;
};

/* A stage's forward passes before forward and backward passes alternate. */
static int warmup(const struct model *m, int nstages, int stage)
{
    const int behind = nstages - stage - 1, nmicro = m->task.micro;
    switch (m->schedule) {
    case MODEL_FILL_DRAIN: return nmicro;
    case MODEL_1F1B: return least(behind, nmicro);
    default:
        return least(2 * behind + (m->chunks - 1) * nstages,
                     nmicro * m->chunks);
    }
}

/* Pass number i of all forward, or of all backward, passes. */
static struct action pass(const struct model *m, int nstages, int kind, int i)
{
    const int n = m->chunks == 1 ? 1 : nstages; // a group's micro-batches
    const int chunk = i / n % m->chunks;
    return (struct action){kind, i / (n * m->chunks) * n + i % n,
                           kind == FORWARD ? chunk : m->chunks - 1 - chunk};
}

/* Write a stage's list to out, as its contract in lab4.h says. */
static int list(const struct model *m, int nstages, int stage,
                struct action *out)
{
    const int all = m->task.micro * m->chunks;
    const int first = warmup(m, nstages, stage);
    int n = 0;
    for (int i = 0; i < all + first; i++) {
        if (i < all)
            out[n++] = pass(m, nstages, FORWARD, i);
        if (i >= first)
            out[n++] = pass(m, nstages, BACKWARD, i - first);
    }
    return n;
}

/* True if a list has the passes of another one, which has none twice, in any
 * order. */
static int same_passes(const struct action *got, const struct action *want,
                       int n)
{
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < n && memcmp(&got[k], &want[i], sizeof *got) != 0)
            k++;
        if (k == n)
            return 0;
    }
    return 1;
}

/* A list that has all passes in another order is a schedule, too, but not the
 * one that the part teaches. */
static void compare_list(const struct action *got, const struct action *want,
                         int n, int stage, struct judge_verdict *v)
{
    static const char *const kinds[] = {"forward", "backward"};
    void (*const fail)(struct judge_verdict *, const char *, ...) =
        same_passes(got, want, n) ? judge_fail_method : judge_fail;
    for (int i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0) {
            fail(v,
                 "stage %d's action %d is %s, micro-batch %d, chunk %d; "
                 "should be %s, %d, %d",
                 stage, i,
                 (unsigned)got[i].kind < 2 ? kinds[got[i].kind] : "missing",
                 got[i].micro, got[i].chunk, kinds[want[i].kind], want[i].micro,
                 want[i].chunk);
            return;
        }
}

void judge_schedule(const struct judge_task *t, struct judge_verdict *v)
{
    const int nstages = (int)plan_int(t->c, "stages", 4);
    const struct model m = model_of(t->c, nstages);
    const size_t most = 2 * (size_t)m.task.micro * (size_t)m.chunks;
    struct action *const want = calloc(most, sizeof *want);
    char name[EVIDENCE_NAME];
    for (int k = 0; k < nstages && v->pass; k++) {
        const int n = list(&m, nstages, k, want);
        snprintf(name, sizeof name, "count.%d", k);
        if (metric(t, 0, name) != n)
            judge_fail(v, "stage %d has %.0f actions, should have %d", k,
                       metric(t, 0, name), n);
        snprintf(name, sizeof name, "stage.%d", k);
        const struct action *const got =
            judge_output(t, 0, 0, name, most * sizeof *want, v);
        if (got)
            compare_list(got, want, n, k, v);
    }
    free(want);
}

/* ---- coordinates --------------------------------------------------------- */

void judge_grid(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model m = model_of(t->c, t->nranks);
    for (int r = 0; r < t->nranks; r++) {
        const struct {
            const char *edge;
            int size, rank;
        } want[] = {{"tp", m.tp, r % m.tp},
                    {"dp", m.dp, r / m.tp % m.dp},
                    {"pp", m.pp, r / m.tp / m.dp}};
        for (int k = 0; k < 3; k++) {
            char at[16], size[16], rank[16];
            snprintf(at, sizeof at, "%s_rank", want[k].edge);
            snprintf(size, sizeof size, "%s.size", want[k].edge);
            snprintf(rank, sizeof rank, "%s.rank", want[k].edge);
            if (metric(t, r, at) != want[k].rank)
                judge_fail(v, "rank %d has %s %.0f, should have %d", r, at,
                           metric(t, r, at), want[k].rank);
            if (metric(t, r, size) != want[k].size ||
                metric(t, r, rank) != want[k].rank)
                judge_fail(v,
                           "rank %d is %.0f of %.0f in its %s communicator, "
                           "should be %d of %d",
                           r, metric(t, r, rank), metric(t, r, size),
                           want[k].edge, want[k].rank, want[k].size);
        }
    }
}

/* ---- in flight ----------------------------------------------------------- */

/* True if a span has the name that stage.c gives to passes. */
static int is_pass(const char *span)
{
    return strncmp(span, "forward ", 8) == 0 ||
           strncmp(span, "backward ", 9) == 0 ||
           strncmp(span, "weights ", 8) == 0;
}

/* The most micro-batches in flight at once on a rank, in all chunks: their
 * forward pass has started, and their backward pass, or its second half, has
 * not ended. */
static int most_in_flight(const struct judge_task *t, const struct model *m,
                          int rank)
{
    const char last = model_has_halves(m) ? 'w' : 'b';
    struct spans_window w;
    const char *now = "";
    int live = 0, most = 0;
    if (spans_window(t, rank, 0, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const char *const span = t->graph->nodes[at].span;
        if (!is_pass(span) || strcmp(span, now) == 0)
            continue;
        live += (span[0] == 'f') - (now[0] == last);
        most = live > most ? live : most;
        now = span;
    }
    return most;
}

/* The most that a stage may have in flight. */
static int may_be_in_flight(const struct model *m, int stage)
{
    if (model_has_halves(m))
        return m->pp * m->chunks;
    return least(warmup(m, m->pp, stage) + 1, m->task.micro * m->chunks);
}

/* The bytes of a stage's slot: those of its input, and the rest. */
static void slot_bytes(const struct model *m, int stage, double *input,
                       double *rest)
{
    const struct nn_shape *const s = &m->task.shape;
    const int nblocks = s->depth / 2;
    const int first = model_first_block(nblocks, stage, m->pp);
    const int end = model_first_block(nblocks, stage + 1, m->pp);
    const double row = 4.0 * s->rows;
    *input = first == 0 ? 0 : row * s->hidden;
    *rest = row * s->hidden * (end - first - 1);
    for (int b = first; b < end; b++)
        *rest += row * (2.0 * s->hidden / m->tp + nn_layer_out(s, 2 * b + 1));
}

void judge_in_flight(const struct judge_task *t, const struct model *m,
                     struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const int stage = r / m->tp / m->dp;
        const int want = may_be_in_flight(m, stage);
        const int got = most_in_flight(t, m, r);
        if (got > want)
            judge_fail_method(
                v,
                "rank %d (stage %d) has %d micro-batches in flight at "
                "once, should have %d at most",
                r, stage, got, want);
        if (m->chunks > 1)
            continue;
        double input, rest;
        slot_bytes(m, stage, &input, &rest);
        const double most =
            m->checkpoint ? want * input + rest : want * (input + rest);
        const double took = judge_count(t, r, 0, "peak_bytes", v) -
                            judge_count(t, r, 0, "before_bytes", v);
        if (!(took <= most))
            judge_fail_method(
                v,
                "rank %d (stage %d) takes %.0f bytes of device memory "
                "for activations, should take %.0f at most",
                r, stage, took, most);
    }
}
