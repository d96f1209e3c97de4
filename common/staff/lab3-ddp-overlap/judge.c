/*
 * judge.c: the judges of lab 3's cases
 *
 * Parameters are compared with those of one device that has all ranks' rows,
 * computed in double (nn/task.h). The execution graph tells how much of the
 * communication was hidden behind computation, and how much could have been.
 */
#include <math.h>  /* fabs */
#include <stdio.h> /* snprintf */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge3.h"
#include "nn/draws.h"
#include "nn/task.h"
#include "terms.h"

/* ---- part 1 -------------------------------------------------------------- */

/* ddp_assign(), as its contract in lab3.h says. */
static int assign(const struct judge_task *t, const struct nn_shape *s,
                  int *bucket)
{
    const double first = (double)plan_int(t->c, "first", 1 << 20);
    const double cap = (double)plan_int(t->c, "cap", 25 << 20);
    int closed = 0;
    double filled = 0;
    for (int l = s->depth - 1; l >= 0; l--) {
        bucket[l] = -1;
        if (!judge3_is_trained(s, l))
            continue;
        bucket[l] = closed;
        filled += 4.0 * (double)nn_layer_count(s, l);
        if (filled >= (closed ? cap : first)) {
            closed++;
            filled = 0;
        }
    }
    return closed + (filled > 0);
}

static void judge_assign(const struct judge_task *t, struct judge_verdict *v)
{
    int want[NN_MAX_DEPTH];
    char name[24];
    const struct nn_shape s = nn_task_of(t->c).shape;
    const int n = assign(t, &s, want);
    for (int r = 0; r < t->nranks; r++) {
        if (judge3_metric(t, r, "buckets") != n)
            judge_fail(v, "rank %d makes %.0f buckets, should make %d", r,
                       judge3_metric(t, r, "buckets"), n);
        for (int l = 0; l < s.depth; l++)
            if (judge3_metric(t, r, judge3_layer_name(l, name)) != want[l])
                judge_fail(v, "%s is in bucket %.0f, should be in %d", name,
                           judge3_metric(t, r, name), want[l]);
    }
}

static void judge_views(const struct judge_task *t, struct judge_verdict *v)
{
    int bucket[NN_MAX_DEPTH];
    double place[NN_MAX_DEPTH], at = 0;
    char name[32];
    const struct nn_shape s = nn_task_of(t->c).shape;
    const int n = assign(t, &s, bucket);
    for (int b = 0; b < n; b++) {
        const double begin = at;
        int nparams = 0;
        for (int l = s.depth - 1; l >= 0; l--)
            if (bucket[l] == b) {
                place[l] = at;
                at += (double)nn_layer_count(&s, l);
                nparams++;
            }
        const struct {
            const char *what;
            double want;
        } facts[] = {
            {"begin", begin}, {"count", at - begin}, {"nparams", nparams}};
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "%s.%d", facts[k].what, b);
            if (judge3_metric(t, 0, name) != facts[k].want)
                judge_fail(v, "bucket %d's %s is %.0f, should be %.0f", b,
                           facts[k].what, judge3_metric(t, 0, name),
                           facts[k].want);
        }
    }
    for (int l = 0; l < s.depth; l++) {
        const double got = judge3_metric(t, 0, judge3_layer_name(l, name));
        const double want =
            nn_is_frozen(&s, l) ? -1 : place[nn_layer_param(&s, l)];
        if (got != want)
            judge_fail(v,
                       "the gradient of %s is at element %.0f of the buckets, "
                       "should be at %.0f (-1: not there)",
                       name, got, want);
    }
}

/* ---- parts 2 and 3 ------------------------------------------------------- */

/* Exactly one all-reduce per bucket and step, of that bucket's bytes. */
static void judge_buckets(const struct judge_task *t, const struct nn_task *k,
                          struct judge_verdict *v)
{
    int bucket[NN_MAX_DEPTH];
    const int n = assign(t, &k->shape, bucket);
    nn_task_judge_buckets(t, k, bucket, n, sizeof(float), v);
}

struct streams { /* a rank's streams in an iteration */
    uint32_t computes, reduces;
};

static struct streams streams_of(const struct judge_task *t, int rank)
{
    struct streams s = {0};
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return s;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_node *const n = &t->graph->nodes[at].node;
        if (n->kind == GRAPH_KERNEL && n->flops > 0)
            s.computes = n->queue;
        if (n->kind == GRAPH_COLL)
            s.reduces = n->queue;
    }
    return s;
}

static int gradients_first(const struct graph_node *later,
                           const struct graph_node *earlier, const void *arg)
{
    const struct streams *const s = arg;
    return later->queue == s->reduces && earlier->queue == s->computes;
}

static int reduced_first(const struct graph_node *later,
                         const struct graph_node *earlier, const void *arg)
{
    const struct streams *const s = arg;
    return later->queue == s->computes && earlier->queue == s->reduces;
}

/* A rank's all-reduces run on another stream than its products. In every step,
 * events order both ways. */
static void judge_streams(const struct judge_task *t, int steps,
                          struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const struct streams s = streams_of(t, r);
        if (s.computes == 0 || s.reduces == 0)
            continue; // real GPUs: no graph
        const int there = calls_events(t, r, 0, gradients_first, &s);
        const int back = calls_events(t, r, 0, reduced_first, &s);
        if (s.computes == s.reduces)
            judge_fail_method(
                v,
                "the result is right, but rank %d's all-reduces are on "
                "the stream of its products: they belong on "
                "d->comm_stream",
                r);
        else if (there < steps || back < steps)
            judge_fail_method(
                v,
                "the result is right, but in %d steps rank %d's "
                "all-reduces wait %d times for an event of the compute "
                "stream, and that stream %d times for one of theirs: "
                "what orders them is the host, which should not wait",
                steps, r, there, back);
    }
}

static void judge_train(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    nn_task_judge(t, &k, 1e-5, judge3_absolute(&k), v);
    judge_buckets(t, &k, v);
    judge_streams(t, k.steps, v);
}

/* ---- parts 4 to 6 -------------------------------------------------------- */

/* What can be hidden follows from the times at which the buckets are
 * complete. */
static void judge_overlap(const struct judge_task *t, struct judge_verdict *v)
{
    const double least = (double)plan_int(t->c, "percent", 90) / 100;
    const struct nn_task k = nn_task_of(t->c);
    nn_task_judge(t, &k, 1e-5, judge3_absolute(&k), v);
    if (plan_int(t->c, "choose", 0) || t->nranks == 1)
        return; // the choice is judged by its time
    judge_buckets(t, &k, v);
    spans_judge_hidden(t, least, v);
}

/* In a step, a rank has to send 2(n-1)/n of the gradients' bytes. */
static double overlap_limit(const struct judge_task *t)
{
    const struct nn_shape s = nn_task_of(t->c).shape;
    const double n = t->nranks;
    return 2 * (n - 1) / n * 4.0 * (double)nn_param_count(&s) /
           links_out_rate(t) * 1e6;
}

/* The parts of a step that are measured: enum overlap_part of lab3.h. */
static const struct {
    const char *name;
    int computes, reduces;
} parts[] = {{"compute", 1, 0}, {"comm", 0, 1}, {"both", 1, 1}};

/* Floating-point operations of both passes: a product forward, and two backward
 * but for the first layer, whose input has no gradient. */
static double flops_of(const struct nn_shape *s)
{
    double n = -2.0 * s->rows * (double)nn_layer_count(s, 0);
    for (int l = 0; l < s->depth; l++)
        n += 6.0 * s->rows * (double)nn_layer_count(s, l);
    return n;
}

/* True if a whole part of a step, and nothing of another, lies between nodes a
 * and b. */
static int covers(const struct judge_task *t, uint32_t a, uint32_t b,
                  const void *arg)
{
    const int part = *(const int *)arg;
    int bucket[NN_MAX_DEPTH], reduced = 0;
    double flops = 0;
    const struct nn_shape s = nn_task_of(t->c).shape;
    for (uint32_t at = a; at <= b; at++) {
        const struct graph_node *const n = &t->graph->nodes[at].node;
        flops += n->flops;
        reduced += n->kind == GRAPH_COLL;
    }
    return (parts[part].computes ? flops >= 0.99 * flops_of(&s) : flops == 0) &&
           reduced == (parts[part].reduces ? assign(t, &s, bucket) : 0);
}

/* Fail unless a time that a program reports as measured lies between two events
 * of some rank that have that part of a step between them. */
static void judge_measured(const struct judge_task *t, int iteration, int part,
                           struct judge_verdict *v)
{
    const char *const name = parts[part].name;
    const double ms =
        evidence_metric(t->evidence, 0, t->case_no, (unsigned)iteration, name);
    if (!calls_measured(t, iteration, ms * 1000, covers, &part))
        judge_fail_method(
            v,
            "%s is reported as %g ms, but no two events of any rank are "
            "that far apart and have %s%s%s between them: measure each "
            "part once, with two events",
            name, ms, parts[part].computes ? "both passes" : "",
            part == 2 ? " and " : "",
            parts[part].reduces ? "an all-reduce of each bucket" : "");
}

static void judge_measure(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations && v->pass; i++)
        for (int part = 0; part < 3; part++)
            judge_measured(t, i, part, v);
    for (int r = 0; r < t->nranks; r++) {
        const double compute = judge3_metric(t, r, "compute"),
                     comm = judge3_metric(t, r, "comm"),
                     both = judge3_metric(t, r, "both"),
                     hidden = judge3_metric(t, r, "hidden"),
                     exposed = judge3_metric(t, r, "exposed");
        if (!(compute > 0) || !(comm > 0) || !(both > 0))
            judge_fail(v, "rank %d measured %g, %g and %g ms", r, compute, comm,
                       both);
        if (!(fabs(exposed - (both - compute)) <= 1e-6 * both) ||
            !(fabs(hidden - (comm - exposed)) <= 1e-6 * both))
            judge_fail(v,
                       "rank %d: compute %g, comm %g and both %g ms imply "
                       "hidden %g and exposed %g, not %g and %g",
                       r, compute, comm, both, comm - (both - compute),
                       both - compute, hidden, exposed);
        if (t->nranks > 1 && !(both >= compute && both <= compute + comm))
            judge_fail(v,
                       "rank %d: a step of %g ms is not between compute (%g) "
                       "and compute + comm (%g)",
                       r, both, compute, compute + comm);
        if (r > 0 && both != judge3_metric(t, 0, "both"))
            judge_fail(v,
                       "rank %d reports %g ms, rank 0 %g: all ranks should "
                       "report the slowest rank's time",
                       r, both, judge3_metric(t, 0, "both"));
    }
}

static void judge_cap(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const struct cap_ask ask =
                cap_ask_of(t->c, judge_input_seed(t, r, i));
            const double best = sqrt(ask.nbytes * ask.a_us * ask.bytes_per_us);
            const double cap =
                evidence_metric(t->evidence, r, t->case_no, (unsigned)i, "cap");
            const double cost =
                ask.nbytes / cap * ask.a_us + cap / ask.bytes_per_us;
            const double least =
                ask.nbytes / best * ask.a_us + best / ask.bytes_per_us;
            if (!(cost <= 1.01 * least))
                judge_fail_method(
                    v,
                    "with %.0f bytes of gradients and all-reduces of "
                    "%g us + bytes / %g, buckets of %.0f bytes cost "
                    "%.1f us in startup times and for the last bucket; "
                    "%.1f us are possible",
                    ask.nbytes, ask.a_us, ask.bytes_per_us, cap, cost, least);
        }
}

static int draw_cap(const struct draw_from *from, const int64_t *arg, void *out,
                    size_t nbytes)
{
    struct cap_ask *const ask = out;
    (void)arg;
    if (nbytes != sizeof *ask)
        return -1;
    *ask = cap_ask_of(from->c, from->seed);
    return 0;
}

static const struct judge_kind kinds[] = {
    {.name = "assign", .judge = judge_assign},
    {.name = "views", .judge = judge_views},
    {.name = "train", .judge = judge_train},
    {.name = "overlap", .judge = judge_overlap, .limit_us = overlap_limit},
    {.name = "measure", .judge = judge_measure},
    {.name = "cap", .judge = judge_cap},
    {.name = "owners", .judge = judge3_owners},
    {.name = "zero", .judge = judge3_zero},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"assign", "ddp_assign() in views.c", NULL, NULL},
    {"views", "ddp_views() in views.c", NULL, NULL},
    {"train",
     "ddp_launch(), ddp_ready(), ddp_finish() and ddp_step() in hooks.c", NULL,
     NULL},
    {"overlap", "ddp_launch() and ddp_ready() in hooks.c", NULL, NULL},
    {"measure", "overlap_measure() in overlap.c", NULL, NULL},
    {"cap", "overlap_cap() in overlap.c", NULL, NULL},
    {"owners", "zero_assign() in zero.c", NULL, NULL},
    {"zero", "zero_step() in zero.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

_Static_assert((int)DRAW_CAP == (int)NN_DRAWS, "rows of nn/draws.h come first");
static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 0},
                                        [NN_DRAW_BYTES] = {nn_draw_bytes, 0},
                                        [DRAW_CAP] = {draw_cap, 0},
                                        {0}};

extern const struct judge_lab judge_lab3;
const struct judge_lab judge_lab3 = {.lab = "lab3-ddp-overlap",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws};
