/*
 * judge.c: the judges of lab 3's cases
 *
 * Parameters are compared with those of one device that has all ranks' rows,
 * computed in double (nn/task.h). The execution graph tells how much of the
 * communication was hidden behind computation, and how much could have been.
 */
#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include "base/ranks.h" /* LAB_MAX_RANKS */
#include "graph/record/read.h"
#include "judge/counts.h"
#include "judge/links.h"
#include "judge/spans.h"
#include "nn/draws.h"
#include "nn/task.h"

static double metric(const struct judge_task *t, int rank, const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

static int is_trained(const struct nn_shape *s, int l)
{
    return nn_layer_param(s, l) == l && !nn_is_frozen(s, l);
}

static const char *layer_name(int l, char name[24])
{
    snprintf(name, 24, "layer%d.weight", l);
    return name;
}

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
        if (!is_trained(s, l))
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
        if (metric(t, r, "buckets") != n)
            judge_fail(v, "rank %d makes %.0f buckets, should make %d", r,
                       metric(t, r, "buckets"), n);
        for (int l = 0; l < s.depth; l++)
            if (metric(t, r, layer_name(l, name)) != want[l])
                judge_fail(v, "%s is in bucket %.0f, should be in %d", name,
                           metric(t, r, name), want[l]);
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
            if (metric(t, 0, name) != facts[k].want)
                judge_fail(v, "bucket %d's %s is %.0f, should be %.0f", b,
                           facts[k].what, metric(t, 0, name), facts[k].want);
        }
    }
    for (int l = 0; l < s.depth; l++) {
        const double got = metric(t, 0, layer_name(l, name));
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

static double absolute_of(const struct nn_task *k)
{
    // AdamW divides by the gradient's magnitude, so its error is relative
    return k->optimizer == NN_ADAMW ? 1e-5 : 1e-8;
}

/* Exactly one all-reduce per bucket and step. */
static void count_collectives(const struct judge_task *t, double want,
                              struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double calls = judge_count(t, r, 0, "collectives", v);
        if (calls != want)
            judge_fail(v,
                       "the result is right, but rank %d calls %.0f "
                       "collectives, should call %.0f: one for each bucket",
                       r, calls, want);
    }
}

static void judge_train(const struct judge_task *t, struct judge_verdict *v)
{
    int bucket[NN_MAX_DEPTH];
    const struct nn_task k = nn_task_of(t->c);
    nn_task_judge(t, &k, 1e-5, absolute_of(&k), v);
    count_collectives(t, (double)assign(t, &k.shape, bucket) * k.steps, v);
}

/* ---- part 4 -------------------------------------------------------------- */

/* What can be hidden follows from the times at which the buckets are
 * complete. */
static void judge_overlap(const struct judge_task *t, struct judge_verdict *v)
{
    const double least = (double)plan_int(t->c, "percent", 90) / 100;
    const struct nn_task k = nn_task_of(t->c);
    int bucket[NN_MAX_DEPTH];
    nn_task_judge(t, &k, 1e-5, absolute_of(&k), v);
    if (plan_int(t->c, "choose", 0) || t->nranks == 1)
        return; // the choice is judged by its time
    count_collectives(t, assign(t, &k.shape, bucket), v);
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

/* True if `us` is the time between two of a rank's event records, to the
 * precision of a float in milliseconds. */
static int is_between_events(const struct judge_task *t, int rank,
                             int iteration, double us)
{
    struct spans_window w;
    const struct replay_time *const time = spans_times(t->spans);
    const double error = 1e-3 + 1e-6 * us;
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t a = w.first; a <= w.last; a++)
        for (uint32_t b = a + 1; b <= w.last; b++)
            if (t->graph->nodes[a].node.kind == GRAPH_MARK &&
                t->graph->nodes[b].node.kind == GRAPH_MARK &&
                fabs(((double)time[b].end_ps - (double)time[a].end_ps) * 1e-6 -
                     us) <= error)
                return 1;
    return 0;
}

/* Fail unless a time that a program reports as measured lies between two events
 * of some rank. */
static void judge_measured(const struct judge_task *t, int iteration,
                           const char *name, struct judge_verdict *v)
{
    const double ms =
        evidence_metric(t->evidence, 0, t->case_no, (unsigned)iteration, name);
    int found = !t->spans;
    for (int r = 0; r < t->nranks && !found; r++)
        found = is_between_events(t, r, iteration, ms * 1000);
    if (!found)
        judge_fail(v,
                   "%s is reported as %g ms, but no two events of any rank are "
                   "that far apart: measure each once, with two events",
                   name, ms);
}

static void judge_measure(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++) {
        judge_measured(t, i, "compute", v);
        judge_measured(t, i, "comm", v);
        judge_measured(t, i, "both", v);
    }
    for (int r = 0; r < t->nranks; r++) {
        const double compute = metric(t, r, "compute"),
                     comm = metric(t, r, "comm"), both = metric(t, r, "both"),
                     hidden = metric(t, r, "hidden"),
                     exposed = metric(t, r, "exposed");
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
        if (r > 0 && both != metric(t, 0, "both"))
            judge_fail(v,
                       "rank %d reports %g ms, rank 0 %g: all ranks should "
                       "report the slowest rank's time",
                       r, both, metric(t, 0, "both"));
    }
}

static void judge_cap(const struct judge_task *t, struct judge_verdict *v)
{
    const double nbytes = (double)plan_int(t->c, "nbytes", 1 << 24);
    const double a = (double)plan_int(t->c, "a_us", 15);
    const double rate = (double)plan_int(t->c, "MBps", 290000);
    const double best = sqrt(nbytes * a * rate), cap = metric(t, 0, "cap");
    const double least = nbytes / best * a + best / rate;
    const double cost = nbytes / cap * a + cap / rate;
    if (!(cost <= 1.01 * least))
        judge_fail(v,
                   "buckets of %.0f bytes cost %.1f us in startup times and "
                   "for the last bucket; %.1f us are possible",
                   cap, cost, least);
}

/* ---- part 5 -------------------------------------------------------------- */

static void owners(const struct nn_shape *s, int nranks, int *owner,
                   double *count)
{
    for (int r = 0; r < nranks; r++)
        count[r] = 0;
    for (int l = 0; l < s->depth; l++) {
        owner[l] = -1;
        if (!is_trained(s, l))
            continue;
        int least = 0;
        for (int r = 1; r < nranks; r++)
            if (count[r] < count[least])
                least = r;
        owner[l] = least;
        count[least] += (double)nn_layer_count(s, l);
    }
}

static void judge_owners(const struct judge_task *t, struct judge_verdict *v)
{
    int want[NN_MAX_DEPTH];
    double count[LAB_MAX_RANKS];
    char name[24];
    const struct nn_shape s = nn_task_of(t->c).shape;
    owners(&s, (int)plan_int(t->c, "over", t->nranks), want, count);
    for (int l = 0; l < s.depth; l++)
        if (metric(t, 0, layer_name(l, name)) != want[l])
            judge_fail(v, "%s goes to rank %.0f, should go to %d", name,
                       metric(t, 0, name), want[l]);
}

/* A rank may hold 1/n of the state plus that of one parameter, and a page for
 * small allocations. */
static void judge_state(const struct judge_task *t, const struct nn_shape *s,
                        struct judge_verdict *v)
{
    const double page = 4096, state = 2 * 4;
    double all = 0, largest = 0;
    for (int l = 0; l < s->depth; l++)
        if (is_trained(s, l)) {
            const double count = (double)nn_layer_count(s, l);
            all += count;
            largest = count > largest ? count : largest;
        }
    const double most = state * (all / t->nranks + largest) + page;
    for (int r = 0; r < t->nranks; r++) {
        const double held = judge_count(t, r, 0, "state_nbytes", v);
        if (!(held <= most))
            judge_fail(v,
                       "rank %d keeps %.0f bytes of optimizer state; an n-th "
                       "of it plus one parameter's is %.0f",
                       r, held, most);
    }
}

static void judge_zero(const struct judge_task *t, struct judge_verdict *v)
{
    char name[NN_OUTPUT_NAME];
    const struct nn_task k = nn_task_of(t->c);
    const size_t count = nn_param_count(&k.shape);
    nn_task_judge(t, &k, 1e-5, absolute_of(&k), v);
    judge_state(t, &k.shape, v);
    nn_task_output(k.steps - 1, name);
    for (int i = 0; i < t->iterations && v->pass; i++)
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, i, name, count * sizeof *got, v);
            const float *const want =
                judge_output(t, r, i, "unsharded", count * sizeof *want, v);
            for (size_t j = 0; got && want && j < count; j++)
                if (!(fabs((double)got[j] - (double)want[j]) <= 1e-7)) {
                    judge_fail(v,
                               "parameter %zu of rank %d is %.9g, but %.9g "
                               "with the unsharded optimizer",
                               j, r, got[j], want[j]);
                    break;
                }
        }
}

static const struct judge_kind kinds[] = {
    {.name = "assign", .judge = judge_assign},
    {.name = "views", .judge = judge_views},
    {.name = "train", .judge = judge_train},
    {.name = "overlap", .judge = judge_overlap, .limit_us = overlap_limit},
    {.name = "measure", .judge = judge_measure},
    {.name = "cap", .judge = judge_cap},
    {.name = "owners", .judge = judge_owners},
    {.name = "zero", .judge = judge_zero},
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

static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 0},
                                        [NN_DRAW_BYTES] = {nn_draw_bytes, 0},
                                        {0}};

extern const struct judge_lab judge_lab3;
const struct judge_lab judge_lab3 = {.lab = "lab3-ddp-overlap",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws};
