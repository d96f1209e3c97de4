/*
 * judge_time.c: the idle time of stages, and the least time of a step
 */
#include <math.h>   /* fabs */
#include <string.h> /* strncmp */

#include "graph/read.h"
#include "judge/spans.h"
#include "judge_model.h"
#include "judge_train.h"
#include "topo/topo.h"

/* ---- the bubble ---------------------------------------------------------- */

struct work { /* all ranks' work in an iteration; microseconds */
    double begin, end, busy;
};

/* Add a rank's kernels. All are on one stream, so none run concurrently. */
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
 * The fraction of their time that stages are idle, from the start of the first
 * pass to the end of the last. P equal stages are idle for P - 1 of M + P - 1
 * times forward and backward; with c chunks, for a c-th of that.
 */
void judge_bubble(const struct judge_task *t, struct judge_verdict *v)
{
    const struct model m = model_of(t->c, t->nranks);
    const double ramp = (double)(m.pp - 1) / m.chunks;
    const double want = ramp / (m.task.micro + ramp);
    const double percent = (double)plan_int(t->c, "percent", 3);
    struct work k = {.begin = INFINITY};
    judge_in_flight(t, &m, v);
    for (int r = 0; r < t->nranks; r++) {
        struct spans_window w;
        if (spans_window(t, r, 0, &w) != 0)
            return; // real GPUs: no graph
        add_rank(t, &w, &k);
    }
    const double got = 1 - k.busy / (t->nranks * (k.end - k.begin));
    if (!(fabs(got - want) <= percent / 100 * want))
        judge_fail(
            v,
            "stages are idle for %.2f %% of the step; %d stages and %d "
            "micro-batches should be for %.2f %%, within %.0f %% of that",
            100 * got, m.pp, m.task.micro, 100 * want, percent);
}

/* ---- speed --------------------------------------------------------------- */

struct means { /* a rank's all-reduces of gradients in a step; microseconds */
    double first;  /* start of the first */
    double comm;   /* duration of all of them */
    double last;   /* duration of the last */
    double room;   /* duration of products after `first` */
    double hidden; /* part of comm that overlaps kernels */
};

/* The length of the overlap of two intervals. */
static double both_us(const struct replay_time *a, const struct replay_time *b)
{
    const uint64_t begin =
        a->start_ps > b->start_ps ? a->start_ps : b->start_ps;
    const uint64_t end = a->end_ps < b->end_ps ? a->end_ps : b->end_ps;
    return end > begin ? (double)(end - begin) * 1e-6 : 0;
}

/* Add to out->hidden the kernels that overlap an all-reduce at `time`, and, for
 * the first all-reduce, the products after its start to out->room. */
static void look_beside(const struct judge_task *t,
                        const struct spans_window *w,
                        const struct replay_time *time, int is_first,
                        struct means *out)
{
    const struct replay_time behind = {.start_ps = time->start_ps,
                                       .end_ps = UINT64_MAX};
    for (uint32_t at = w->first; at <= w->last; at++) {
        if (t->graph->nodes[at].node.kind != GRAPH_KERNEL)
            continue;
        out->hidden += both_us(time, &spans_times(t->spans)[at]);
        if (is_first && strncmp(t->graph->nodes[at].name, "cublas", 6) == 0)
            out->room += both_us(&behind, &spans_times(t->spans)[at]);
    }
}

/* 0, or -1 if there is no graph, or no all-reduce in it. */
static int look(const struct judge_task *t, int rank, struct means *out)
{
    struct spans_window w;
    *out = (struct means){.first = -1};
    if (spans_window(t, rank, 0, &w) != 0)
        return -1;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct replay_time *const time = &spans_times(t->spans)[at];
        if (t->graph->nodes[at].node.kind != GRAPH_COLL)
            continue;
        look_beside(t, &w, time, out->first < 0, out);
        if (out->first < 0)
            out->first = (double)time->start_ps * 1e-6;
        out->last = (double)(time->end_ps - time->start_ps) * 1e-6;
        out->comm += out->last;
    }
    return out->first < 0 ? -1 : 0;
}

/* All but the last block's all-reduce can be hidden, as far as there are
 * products after the start of the first. */
static void judge_hidden(const struct judge_task *t, double least,
                         struct judge_verdict *v)
{
    for (int r = 0; v->pass && r < t->nranks; r++) {
        struct means k;
        if (look(t, r, &k) != 0)
            continue;
        const double can = fmin(k.room, k.comm - k.last);
        if (can <= 0 || !(k.hidden >= least * can))
            judge_fail(v,
                       "rank %d hides %.1f of %.1f us of its gradients' "
                       "all-reduces behind the backward pass; %.1f can be "
                       "hidden, and %.0f %% of that is required",
                       r, k.hidden, k.comm, can, 100 * least);
    }
}

/* The step's time is judged; with `percent` (without tensor parallelism), also
 * how much of the gradients' all-reduces it hides. */
void judge_speed(const struct judge_task *t, struct judge_verdict *v)
{
    const double percent = (double)plan_int(t->c, "percent", 0);
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
