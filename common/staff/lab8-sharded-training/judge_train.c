#include "judge_train.h"

#include <stdio.h> /* snprintf */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge_split.h"
#include "judge_trace.h"
#include "nn/task.h"

/* AdamW divides by the gradient's magnitude, so its error is relative. */
static void judge_values(const struct judge_task *t, const struct nn_task *k,
                         struct judge_verdict *v)
{
    nn_task_judge(t, k, 1e-5, 1e-5, v);
}

/* ---- memory -------------------------------------------------------------- */

enum { SLACK = 512 }; /* bytes, for small allocations such as a norm */

/* A rank may hold its shares of values, gradients, m and v; the gradients of
 * two units; all values (ZeRO-2) or those of two units (ZeRO-3); in mixed
 * precision also one unit's values in bf16, and the rank's own; and of a
 * transformer, E and its gradient. */
static void judge_memory(const struct judge_task *t, const struct split *s,
                         int all_values, struct judge_verdict *v)
{
    const double shares = 4.0 * 4 * (double)s->total;
    const double units = 2.0 * 4 * (double)s->widest;
    const double values =
        all_values ? 4.0 * s->nranks * (double)s->total : units;
    const struct nn_task k = nn_task_of(t->c); // its own network has been freed
    const double given = 2.0 * 4 * (double)nn_param_count(&k.shape);
    const double narrow =
        k.narrow ? 2.0 * (double)(s->widest + s->widest / (size_t)s->nranks)
                 : 0;
    const double tied =
        k.shape.heads ? 2.0 * 4 * k.shape.out * k.shape.hidden : 0;
    const double most = shares + units + values + narrow + tied + SLACK;
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        const double held = judge_count(t, r, i, "peak_bytes", v) -
                            (judge_count(t, r, i, "before_bytes", v) - given);
        if (!(held <= most))
            judge_fail_method(
                v,
                "the result is right, but rank %d holds up to %.0f "
                "bytes: %.0f are its shares, %.0f the values of %s, and "
                "%.0f two units' gradients; %.0f are enough",
                r, held, shares, values, all_values ? "all units" : "two units",
                units, most);
    }
}

/* ---- bytes --------------------------------------------------------------- */

/* Elements that a rank has to send for one all-gather, or one reduce-scatter,
 * of units [0, nunits). */
static double once(const struct split *s, int nunits)
{
    double share = 0;
    for (int i = 0; i < nunits; i++)
        share += (double)s->unit[i].share;
    return share * (s->nranks - 1);
}

/* Bytes of an element that is gathered, and of one that is reduced. */
static double value_nbytes(const struct nn_task *k)
{
    return k->narrow ? 2 : 4;
}

enum { GRAD_NBYTES = 4 };

/* Bytes that a rank sends to reduce all its shares with its replicas. */
static double replica_bytes(const struct judge_task *t, const struct split *s)
{
    const double n = t->nranks / s->nranks;
    return 2 * (n - 1) / n * GRAD_NBYTES * (double)s->total;
}

/* The bytes of a step of ZeRO-3: values twice for each micro-batch, except for
 * the last unit, which is still in its slot; gradients once. */
static double zero3_bytes(const struct judge_task *t, const struct split *s,
                          const struct nn_task *k)
{
    const double all = once(s, s->nunits);
    return k->micro * (value_nbytes(k) * (all + once(s, s->nunits - 1)) +
                       GRAD_NBYTES * all + replica_bytes(t, s));
}

/*
 * The same with two slots, if units that are still in a slot aren't gathered
 * again: the last two in the backward pass, the first two in the next
 * micro-batch; and if replicas exchange gradients only after all micro-batches.
 */
static double least_bytes(const struct judge_task *t, const struct split *s,
                          const struct nn_task *k)
{
    const int there = s->nunits < 2 ? s->nunits : 2;
    const double all = once(s, s->nunits);
    const double gathered = k->micro * (all + once(s, s->nunits - there)) -
                            (k->micro - 1) * once(s, there);
    return value_nbytes(k) * gathered + k->micro * GRAD_NBYTES * all +
           replica_bytes(t, s);
}

/* least: the bytes that no step can do without. A rank that sends less gets
 * values or gradients in some other way. */
static void judge_bytes(const struct judge_task *t, double want, double least,
                        const char *formula, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const double norms = k.clip > 0 ? 8.0 * k.steps : 0;
    // half a byte: quotients are rounded
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        const double sent = spans_traffic_bytes(t, r, i);
        if (sent > want + norms + 0.5)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes; "
                "%s are %.0f",
                r, sent, formula, want);
        if (sent < least - 0.5)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes, "
                "where %.0f are the least (%s are %.0f): where do the "
                "other ranks' shares come from?",
                r, sent, least, formula, want);
    }
}

/* ---- host memory --------------------------------------------------------- */

/* Units must not be kept in the host's memory or sent from there: the counts of
 * device memory and of bytes sent would miss it. */
static void judge_host(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const struct graph_view *const n = spans_from_host(t, r, i);
            if (n)
                judge_fail_method(
                    v,
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
    const double all = GRAD_NBYTES * once(&s, s.nunits);
    judge_values(t, &k, v);
    judge_host(t, v);
    judge_memory(t, &s, 1, v);
    const double sum = all + k.steps * (k.micro + 1) * all;
    judge_bytes(t, sum, sum,
                "one all-gather of all values at first and in each step, and "
                "one reduce-scatter for each micro-batch",
                v);
}

/* Judge memory and bytes of ZeRO-3. */
static void judge_costs(const struct judge_task *t, const struct nn_task *k,
                        const struct split *s, struct judge_verdict *v)
{
    char formula[256];
    snprintf(formula, sizeof formula,
             "two all-gathers of all values%s, without the last unit the "
             "second time, and one reduce-scatter%s for each micro-batch",
             k->narrow ? " in bf16" : "",
             t->nranks > s->nranks
                 ? " inside the node and one all-reduce of the share between "
                   "nodes"
                 : "");
    judge_host(t, v);
    judge_memory(t, s, 0, v);
    judge_bytes(t, k->steps * zero3_bytes(t, s, k),
                k->steps * least_bytes(t, s, k), formula, v);
}

/* How the network is split among a node's ranks. */
static struct split own_split(const struct judge_task *t)
{
    return split_of(t->c, split_per_node(t->c, t->nranks));
}

void judge_zero3(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = own_split(t);
    judge_values(t, &k, v);
    judge_costs(t, &k, &s, v);
}

void judge_fsdp(const struct judge_task *t, struct judge_verdict *v)
{
    judge_zero3(t, v);
    judge_enqueues_ahead(t, "only events order the streams", v);
}

/*
 * Judge a network so large that its contents are not kept. The graph shows
 * whether a rank computes all products of its rows (two for each layer in the
 * backward pass, one for the first). Other cases judge whether they are right.
 */
static void judge_work(const struct judge_task *t, const struct nn_task *k,
                       struct judge_verdict *v)
{
    double want = -(double)nn_layer_count(&k->shape, 0);
    for (int l = 0; l < k->shape.depth; l++)
        want += 3 * (double)nn_layer_count(&k->shape, l);
    want *= 2.0 * k->shape.rows * k->micro;
    for (int r = 0; r < t->nranks; r++) {
        const double flops = spans_flops(t, r, 0, "cublas");
        if (flops < want) // NaN on real GPUs, without a graph
            judge_fail(v,
                       "rank %d computes %.4g of %.4g flops: the step is not "
                       "complete",
                       r, flops, want);
    }
}

void judge_overlap(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = own_split(t);
    judge_work(t, &k, v);
    trace_shares(t, &s, v);
    judge_costs(t, &k, &s, v);
    judge_enqueues_ahead(t, "only events order the streams", v);
    spans_judge_hidden(t, (double)plan_int(t->c, "percent", 90) / 100, v);
}

double overlap_limit_us(const struct judge_task *t)
{
    const struct nn_task k = nn_task_of(t->c);
    const struct split s = own_split(t);
    return k.steps * zero3_bytes(t, &s, &k) / links_out_rate(t) * 1e6;
}

/* A checkpoint goes through the host, where origins can't be followed. */
void judge_resume(const struct judge_task *t, struct judge_verdict *v)
{
    struct nn_task k = nn_task_of(t->c);
    k.no_descent = 1;
    k.onto = k.onto < t->nranks ? k.onto : t->nranks;
    judge_values(t, &k, v);
}
