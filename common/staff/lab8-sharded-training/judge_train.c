#include "judge_train.h"

#include <string.h> /* strncmp */

#include "graph/read.h"
#include "judge/counts.h"
#include "judge/spans.h"
#include "judge_split.h"
#include "nn/task.h"

/* AdamW divides by the gradient's magnitude, so its error is relative. */
static void judge_values(const struct judge_task *t, const struct nn_task *k,
                         struct judge_verdict *v)
{
    nn_task_judge(t, k, 1e-5, 1e-5, v);
}

/* ---- memory -------------------------------------------------------------- */

enum { SLACK = 512 }; /* bytes, for what is small: a norm, say */

/* A rank holds its shares of values, gradients, m and v; two units' gradients,
 * and all values (ZeRO-2) or two units' (ZeRO-3). */
static void judge_memory(const struct judge_task *t, const struct split *s,
                         int all_values, struct judge_verdict *v)
{
    const double shares = 4.0 * 4 * (double)s->total;
    const double units = 2.0 * 4 * (double)s->widest;
    const double values =
        all_values ? 4.0 * t->nranks * (double)s->total : units;
    const double most = shares + units + values + SLACK;
    const struct nn_task k = nn_task_of(t->c); // its network has been freed
    const double given = 2.0 * 4 * (double)nn_param_count(&k.shape);
    for (int r = 0; r < t->nranks; r++) {
        const double held = judge_count(t, r, 0, "peak_bytes", v) -
                            (judge_count(t, r, 0, "before_bytes", v) - given);
        if (!(held <= most))
            judge_fail(v,
                       "the result is right, but rank %d holds up to %.0f "
                       "bytes: %.0f are its shares, %.0f the values of %s, and "
                       "%.0f two units' gradients; %.0f are enough",
                       r, held, shares, values,
                       all_values ? "all units" : "two units", units, most);
    }
}

/* ---- bytes --------------------------------------------------------------- */

/* Bytes that a rank has to send for one all-gather, or one reduce-scatter, of
 * units [0, nunits). */
static double once_bytes(const struct split *s, int nunits)
{
    double share = 0;
    for (int i = 0; i < nunits; i++)
        share += (double)s->unit[i].share;
    return 4 * share * (s->nranks - 1);
}

/* Of a step of ZeRO-3: values twice for each micro-batch, except that the last
 * unit is still there; gradients once. */
static double zero3_bytes(const struct split *s, const struct nn_task *k)
{
    const double all = once_bytes(s, s->nunits);
    return k->micro * (2 * all + once_bytes(s, s->nunits - 1));
}

/* The same with two slots, if what is still there is not gathered again: the
 * last two units backward, the first two in the next micro-batch. */
static double least_bytes(const struct split *s, const struct nn_task *k)
{
    const int there = s->nunits < 2 ? s->nunits : 2;
    const double all = once_bytes(s, s->nunits);
    const double again = once_bytes(s, s->nunits - there);
    return k->micro * (2 * all + again) - (k->micro - 1) * once_bytes(s, there);
}

/* least: what a step can't do without. A rank that sends less has values or
 * gradients from somewhere else. */
static void judge_bytes(const struct judge_task *t, double want, double least,
                        const char *formula, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const double norms = k.clip > 0 ? 8.0 * k.steps : 0;
    for (int r = 0; r < t->nranks; r++) {
        const double sent = spans_traffic_bytes(t, r, 0);
        if (sent > want + norms)
            judge_fail(v,
                       "the result is right, but rank %d sends %.0f bytes; "
                       "%s are %.0f",
                       r, sent, formula, want);
        if (sent < least - 0.5) // quotients are rounded
            judge_fail(v,
                       "the result is right, but rank %d sends %.0f bytes, "
                       "where %.0f are the least (%s are %.0f): where do the "
                       "other ranks' shares come from?",
                       r, sent, least, formula, want);
    }
}

/* ---- host memory --------------------------------------------------------- */

/* The host's memory is no place to keep units, nor to send them from: the meter
 * of memory and the tally of bytes wouldn't see it. */
static void judge_host(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const struct graph_view *const n = spans_on_host(t, r, i);
            if (n)
                judge_fail(v,
                           "the result is right, but %s at %s (rank %d) uses "
                           "host memory: a step's values and gradients stay "
                           "on the devices",
                           n->name, n->site, r);
        }
}

/* ---- kinds --------------------------------------------------------------- */

void judge_zero2(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = split_of(t->c, t->nranks);
    const double all = once_bytes(&s, s.nunits);
    judge_values(t, &k, v);
    judge_host(t, v);
    judge_memory(t, &s, 1, v);
    const double sum = all + k.steps * (k.micro + 1) * all;
    judge_bytes(t, sum, sum,
                "one all-gather of all values at first and in each step, and "
                "one reduce-scatter for each micro-batch",
                v);
}

/* Memory and bytes of ZeRO-3. */
static void judge_costs(const struct judge_task *t, const struct nn_task *k,
                        const struct split *s, struct judge_verdict *v)
{
    judge_host(t, v);
    judge_memory(t, s, 0, v);
    judge_bytes(t, k->steps * zero3_bytes(s, k), k->steps * least_bytes(s, k),
                "two all-gathers of all values, without the last unit the "
                "second time, and one reduce-scatter for each micro-batch",
                v);
}

void judge_zero3(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = split_of(t->c, t->nranks);
    judge_values(t, &k, v);
    judge_costs(t, &k, &s, v);
}

/*
 * A network so large that its contents are not kept: the graph shows that a
 * rank computes all products of its rows (two for each layer backward, but one
 * for the first). That this is done right is judged by other cases.
 */
static void judge_work(const struct judge_task *t, const struct nn_task *k,
                       struct judge_verdict *v)
{
    double want = -(double)nn_layer_count(&k->shape, 0);
    for (int l = 0; l < k->shape.depth; l++)
        want += 3 * (double)nn_layer_count(&k->shape, l);
    want *= 2.0 * k->shape.rows * k->micro;
    for (int r = 0; r < t->nranks; r++) {
        struct spans_window w;
        double flops = 0;
        if (spans_window(t, r, 0, &w) != 0)
            return; // real GPUs: no graph
        for (uint32_t at = w.first; at <= w.last; at++)
            if (strncmp(t->graph->nodes[at].name, "cublas", 6) == 0)
                flops += t->graph->nodes[at].node.flops;
        if (flops < want)
            judge_fail(v,
                       "rank %d computes %.4g of %.4g flops: the step is not "
                       "complete",
                       r, flops, want);
    }
}

void judge_overlap(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = split_of(t->c, t->nranks);
    judge_work(t, &k, v);
    judge_costs(t, &k, &s, v);
    spans_judge_hidden(t, (double)plan_int(t->c, "percent", 90) / 100, v);
}

double overlap_limit_us(const struct judge_task *t)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = split_of(t->c, t->nranks);
    return k.steps * zero3_bytes(&s, &k) / spans_out_rate(t) * 1e6;
}

/* A checkpoint goes through the host, where origins can't be followed. */
void judge_resume(const struct judge_task *t, struct judge_verdict *v)
{
    struct nn_task k = nn_task_of(t->c);
    k.one_sided = 1;
    k.onto = k.onto < t->nranks ? k.onto : t->nranks;
    judge_values(t, &k, v);
}
