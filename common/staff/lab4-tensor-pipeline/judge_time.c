/*
 * judge_time.c: the idle time of stages, and the least time of a step
 */
#include <math.h> /* fabs */

#include "graph/record/read.h"
#include "judge/graph/spans.h"
#include "judge_model.h"
#include "judge_train.h"
#include "topo/topo.h"

/* ---- the bubble ---------------------------------------------------------- */

struct work { /* all ranks' work in an iteration; microseconds */
    double begin, end, busy;
};

/* Add a rank's kernels, without those of messages, which are of other kinds.
 * All are on one stream, so none run concurrently. */
static void add_rank(const struct judge_task *t, const struct spans_window *w,
                     struct work *k)
{
    for (uint32_t at = w->first; at <= w->last; at++) {
        const struct replay_time *const time = &spans_times(t->spans)[at];
        const double begin = (double)time->start_ps * 1e-6;
        const double end = (double)time->end_ps * 1e-6;
        if (t->graph->nodes[at].node.kind != GRAPH_KERNEL)
            continue;
        k->begin = begin < k->begin ? begin : k->begin;
        k->end = end > k->end ? end : k->end;
        k->busy += end - begin;
    }
}

/*
 * How long P equal stages wait, in units of a forward and a backward pass: P -
 * 1; with c chunks, 1/c of that; with backward passes in halves, a third, for
 * the first round trip, or half of a third in a V, for the first way through
 * the stages.
 */
static double ramp_of(const struct model *m)
{
    const double behind = m->pp - 1;
    switch (m->schedule) {
    case MODEL_ZERO_H1: return behind / 3;
    case MODEL_ZERO_V: return behind / 6;
    default: return behind / m->chunks;
    }
}

/* Judge the fraction of time in which stages are idle, from the start of the
 * first pass to the end of the last. `slack`, in thousandths of the step, is
 * for networks so small that messages count. */
void judge_bubble(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model m = model_of(t->c, t->nranks);
    const double ramp = ramp_of(&m);
    const double want = ramp / (m.task.micro + ramp);
    const double slack = (double)plan_int(t->c, "slack", 0) * 1e-3;
    const double percent =
        (double)plan_int(t->c, "percent", 3) + 100 * slack / want;
    struct work k = {.begin = INFINITY};
    judge_in_flight(t, &m, v);
    judge_products(t, &m, v);
    trace_step(t, &m, "grads", v);
    for (int r = 0; r < t->nranks; r++) {
        struct spans_window w;
        if (spans_window(t, r, 0, &w) != 0)
            return; // real GPUs: no graph
        add_rank(t, &w, &k);
    }
    const double got = 1 - k.busy / (t->nranks * (k.end - k.begin));
    if (!(fabs(got - want) <= percent / 100 * want))
        judge_fail_method(
            v,
            "stages are idle for %.2f %% of the step; %d stages and %d "
            "micro-batches should be for %.2f %%, within %.0f %% of that",
            100 * got, m.pp, m.task.micro, 100 * want, percent);
}

/* ---- speed --------------------------------------------------------------- */

/* Judge how much of the gradients' all-reduces is hidden behind backward
 * passes. Those of tensor parallelism don't count: nothing could hide them. */
static void judge_hidden(const struct judge_task *t, double least,
                         struct judge_verdict *v)
{
    for (int r = 0; v->pass && r < t->nranks; r++) {
        struct spans_hidden h;
        if (spans_hidden(t, r, 0, 1u << GRAPH_COLL, "cublas", &h) != 0)
            continue;
        if (!(h.hidden_us >= least * h.most_us && h.most_us > 0))
            judge_fail_method(
                v,
                "rank %d hides %.1f of %.1f us of its gradients' "
                "all-reduces: without them, the step would be %.1f us "
                "shorter. %.1f can be hidden, and %.0f %% of that is "
                "required",
                r, h.hidden_us, h.comm_us, h.exposed_us, h.most_us,
                100 * least);
    }
}

/* Judge the step's time and, with `percent` (only without tensor parallelism),
 * how much of the gradients' all-reduces it hides. */
void judge_speed(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model m = model_of(t->c, t->nranks);
    const double percent = (double)plan_int(t->c, "percent", 0);
    judge_products(t, &m, v);
    trace_step(t, &m, "grads", v);
    trace_step(t, &m, "weights", v);
    if (percent > 0)
        judge_hidden(t, percent / 100, v);
}

/* A GPU computes three products for each weight and row. */
double speed_limit(const struct judge_task *t)
{
    const struct model m = model_of(t->c, t->nranks);
    const struct topo *const topo = spans_topo(t->spans);
    const int compute = topo_compute(topo, 0, TOPO_FP32);
    const double weights = (double)nn_param_count(&m.task.shape) / m.tp / m.pp;
    return 6 * weights * m.task.shape.rows * m.task.micro /
           topo_resource(topo, compute)->rate * 1e6;
}
