/*
 * judge_measure.c: measurements, and what is computed from them
 */
#include <math.h> /* fabs */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge1.h"
#include "terms.h"

struct measurement { /* what was measured: calls of `nbytes` */
    int warmup, calls;
    uint64_t nbytes;
};

/* True if exactly m's calls, or one of them, lie between nodes a and b, and
 * those to warm up before a. */
static int covers(const struct judge_task *t, uint32_t a, uint32_t b,
                  const void *arg)
{
    const struct measurement *const m = arg;
    const uint32_t rank = t->graph->nodes[a].node.rank;
    int before = 0, between = 0, others = 0;
    struct spans_window w;
    if (spans_window(t, (int)rank, 0, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= b; at++) {
        const struct graph_node *const n = &t->graph->nodes[at].node;
        const int counts = n->kind == GRAPH_COLL && n->bytes == m->nbytes;
        before += counts && at < a;
        between += counts && at > a;
        others += n->kind == GRAPH_COLL && !counts && at > a;
    }
    return before >= m->warmup && others == 0 &&
           (between == 1 || between == m->calls);
}

/* Fail unless a time that rank 0 reports is that of its calls, alone or in
 * all. */
static void judge_time(const struct judge_task *t, double us,
                       struct judge_verdict *v)
{
    const struct measurement m = {
        .warmup = (int)plan_int(t->c, "warmup", 2),
        .calls = (int)plan_int(t->c, "iterations", 5),
        .nbytes = measure_count(judge_input_seed(t, 0, 0), t->nranks) *
                  sizeof(float)};
    if (!v->pass || calls_measured(t, 0, us, covers, &m) ||
        calls_measured(t, 0, us * m.calls, covers, &m))
        return;
    judge_fail_method(
        v,
        "%g us are reported, but no two events of any rank are that far "
        "apart with one call of sum_by() between them, after %d calls "
        "to warm up: record events around each call",
        us, m.warmup);
}

/* Fail unless a measurement makes all its calls: those to warm up and those
 * that count. */
void judge1_measure(const struct judge_task *t, struct judge_verdict *v)
{
    const int warmup = (int)plan_int(t->c, "warmup", 2);
    const double calls = (double)(warmup + plan_int(t->c, "iterations", 5));
    double first = NAN;
    for (int r = 0; r < t->nranks; r++) {
        const double us =
            evidence_metric(t->evidence, r, t->case_no, 0, "measured_us");
        const double made = judge_count(t, r, 0, "collectives", v);
        if (r == 0)
            first = us;
        if (!(us > 0))
            judge_fail(v, "rank %d measured %g us", r, us);
        else if (us != first)
            judge_fail(v,
                       "rank %d reports %g us, rank 0 %g: all ranks should "
                       "report the slowest rank's time",
                       r, us, first);
        // one more call finds the slowest rank
        if (made - 1 == calls - warmup)
            judge_fail_method(
                v,
                "rank %d made %.0f calls, should be %.0f: the warm-up is "
                "missing. First calls also set\nconnections up: make %d "
                "calls that are not counted before the %.0f that are.",
                r, made - 1, calls, warmup, calls - warmup);
        else if (made != calls + 1)
            judge_fail_method(
                v,
                "rank %d made %.0f calls, should be %.0f: %d to warm up, "
                "then %.0f that are counted",
                r, made - 1, calls, warmup, calls - warmup);
    }
    judge_time(t, first, v);
}

/* us = alpha + bytes / beta */
struct line {
    double alpha, beta;
};

static struct line line_of(uint64_t seed)
{
    return (struct line){5 + (double)(seed % 100) / 10,
                         1000.0 * (double)(1 + seed / 128 % 300)};
}

static int draw_points(const struct draw_from *from, const int64_t *arg,
                       void *out, size_t nbytes)
{
    const struct line l = line_of(from->seed);
    double *const us = out;
    (void)arg;
    if (nbytes % sizeof *us || nbytes > 16 * sizeof *us)
        return -1;
    for (size_t i = 0; i < nbytes / sizeof *us; i++)
        us[i] = l.alpha + fit_bytes((int)i) / l.beta;
    return 0;
}

static int draw_count(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    uint64_t *const count = out;
    (void)arg;
    if (nbytes != sizeof *count)
        return -1;
    *count = measure_count(from->seed, from->nranks);
    return 0;
}

const struct draw_row judge1_draws[] = {
    [FIT_POINTS] = {draw_points, 0}, [MEASURE_COUNT] = {draw_count, 1}, {0}};

void judge1_fit(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++)
        for (int i = 0; i < t->iterations; i++) {
            const uint64_t seed = judge_input_seed(t, r, i);
            const double alpha = line_of(seed).alpha;
            const double beta = line_of(seed).beta;
            const double a = evidence_metric(t->evidence, r, t->case_no,
                                             (unsigned)i, "alpha");
            const double b = evidence_metric(t->evidence, r, t->case_no,
                                             (unsigned)i, "beta");
            if (!(fabs(a / alpha - 1) < 1e-6) || !(fabs(b / beta - 1) < 1e-6))
                judge_fail(v,
                           "points on the line us = %g + bytes / %g give "
                           "alpha %g and beta %g",
                           alpha, beta, a, b);
        }
}
