/*
 * judge.c: the judges of lab 2's cases
 *
 * Parameters and gradients are compared with those of one device that has all
 * ranks' rows, computed here in double (nn/reference.h); replicas are compared
 * with each other, bit for bit. In addition, a case is judged by its cost: the
 * number of collectives, their bytes, and who sends to whom.
 */
#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "base/ranks.h" /* LAB_MAX_RANKS */
#include "graph/record/read.h"
#include "judge/data.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/links.h"
#include "judge/graph/spans.h"
#include "judge/needs.h"
#include "nn/draws.h"
#include "nn/reference.h"
#include "nn/task.h"

static double metric(const struct judge_task *t, int rank, const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

/* The number of trained parameters, each once; *count: their elements. */
static int trained(const struct nn_shape *s, size_t *count)
{
    int n = 0;
    *count = 0;
    for (int l = 0; l < s->depth; l++)
        if (nn_layer_param(s, l) == l && !nn_is_frozen(s, l)) {
            *count += nn_layer_count(s, l);
            n++;
        }
    return n;
}

/* ---- counts -------------------------------------------------------------- */

struct promise { /* the most that any rank may do; -1: not judged */
    double collectives, bytes;
    double traffic; /* and all ranks together may send, by any collectives;
                       0: not judged */
};

/* The bytes of a rank's collectives, from the graph; NaN without one. */
static double collective_bytes(const struct judge_task *t, int rank)
{
    struct spans_window w;
    double sum = 0;
    if (spans_window(t, rank, 0, &w) != 0)
        return NAN;
    for (uint32_t at = w.first; at <= w.last; at++)
        if (t->graph->nodes[at].node.kind == GRAPH_COLL)
            sum += (double)t->graph->nodes[at].node.bytes;
    return sum;
}

static void keep_promise(const struct judge_task *t, const struct promise *most,
                         struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double calls = judge_count(t, r, 0, "collectives", v);
        const double bytes = collective_bytes(t, r);
        if (most->collectives >= 0 && !(calls <= most->collectives))
            judge_fail_method(v,
                              "the result is right, but rank %d calls %.0f "
                              "collectives; %.0f are enough",
                              r, calls, most->collectives);
        if (most->bytes >= 0 && bytes > most->bytes)
            judge_fail_method(
                v,
                "the result is right, but rank %d's collectives move "
                "%.0f bytes; %.0f are enough",
                r, bytes, most->bytes);
    }
    double traffic = 0;
    for (int r = 0; r < t->nranks; r++)
        traffic += spans_traffic_bytes(t, r, 0);
    if (v->pass && most->traffic > 0 && traffic > most->traffic * (1 + 1e-9))
        judge_fail_method(
            v,
            "the result is right, but the collectives that are called "
            "send %.0f bytes between ranks; %.0f are enough",
            traffic, most->traffic);
}

/* What all ranks together send to broadcast all parameters, or to all-reduce
 * `bytes` of gradients. */
static double broadcast_bytes(const struct judge_task *t,
                              const struct nn_shape *s)
{
    return (t->nranks - 1) * 4.0 * (double)nn_param_count(s);
}

static double all_reduce_bytes(const struct judge_task *t, double bytes)
{
    return 2 * (t->nranks - 1) * bytes;
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_broadcast(const struct judge_task *t, struct judge_verdict *v)
{
    struct nn_task k = nn_task_of(t->c);
    size_t nparams = 0;
    k.hyper.lr = 0; // so the parameters after step 0 are the initial ones
    nn_task_judge(t, &k, 0, 0, v);
    for (int l = 0; l < k.shape.depth; l++)
        nparams += nn_layer_param(&k.shape, l) == l;
    keep_promise(t,
                 &(struct promise){(double)nparams,
                                   4.0 * (double)nn_param_count(&k.shape),
                                   broadcast_bytes(t, &k.shape)},
                 v);
}

static void compare_gradients(const struct judge_task *t, int iteration,
                              const struct reference *ref, int l,
                              struct judge_verdict *v)
{
    char name[24];
    const size_t count = nn_layer_count(&ref->shape, l);
    const double *const want = ref->grad + reference_at(ref, l);
    snprintf(name, sizeof name, "layer%d.weight", l);
    for (int rank = 0; rank < t->nranks; rank++) {
        const float *const got =
            judge_output(t, rank, iteration, name, count * sizeof *got, v);
        for (size_t i = 0; got && i < count; i++)
            if (!(fabs(got[i] - want[i]) <= 1e-7 + 1e-5 * fabs(want[i]))) {
                judge_fail(v,
                           "the gradient of %s[%zu] is %.9g on rank %d, should "
                           "be %.9g, the mean of all ranks'",
                           name, i, got[i], rank, want[i]);
                break;
            }
        judge_descent(t, rank, iteration, name, 0, count * sizeof *got,
                      judge_everybody(t), v);
    }
}

static void judge_gradients(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    size_t count;
    const int n = trained(&k.shape, &count);
    for (int i = 0; i < t->iterations && v->pass; i++) {
        struct reference *const ref =
            reference_new(&k.shape, judge_input_seed(t, 0, i));
        for (int rank = 0; ref && rank < t->nranks; rank++)
            reference_pass_seed(
                ref, nn_data_seed(judge_input_seed(t, rank, i), 0, 0),
                1.0 / t->nranks, 0);
        for (int l = 0; ref && l < k.shape.depth; l++)
            if (nn_layer_param(&k.shape, l) == l && !nn_is_frozen(&k.shape, l))
                compare_gradients(t, i, ref, l, v);
        reference_free(ref);
    }
    keep_promise(t,
                 &(struct promise){n, 4.0 * (double)count,
                                   all_reduce_bytes(t, 4.0 * (double)count)},
                 v);
}

/* ---- part 3: buckets, again ---------------------------------------------- */

/* bucket_assign(), as its contract in lab2.h says. */
static int assign(const struct nn_shape *s, double cap, double size,
                  int *bucket)
{
    int n = 0;
    double filled = 0;
    for (int l = s->depth - 1; l >= 0; l--) {
        const double nbytes = (double)nn_layer_count(s, l) * size;
        bucket[l] = -1;
        if (nn_layer_param(s, l) != l || nn_is_frozen(s, l))
            continue;
        if (n == 0 || filled + nbytes > cap) {
            n++;
            filled = 0;
        }
        filled += nbytes;
        bucket[l] = n - 1;
    }
    return n;
}

static int assign_case(const struct judge_task *t, const struct nn_shape *s,
                       int *bucket)
{
    const int type = data_type(plan_text(t->c, "type", "float"));
    return assign(s, (double)plan_int(t->c, "cap", 1 << 20),
                  (double)data_size((enum data_type)type), bucket);
}

static void judge_assign(const struct judge_task *t, struct judge_verdict *v)
{
    int want[NN_MAX_DEPTH];
    char name[24];
    const struct nn_shape s = nn_task_of(t->c).shape;
    const int n = assign_case(t, &s, want);
    for (int r = 0; r < t->nranks; r++) {
        if (metric(t, r, "buckets") != n)
            judge_fail(v, "rank %d makes %.0f buckets, should make %d", r,
                       metric(t, r, "buckets"), n);
        for (int l = 0; l < s.depth; l++) {
            snprintf(name, sizeof name, "layer%d.weight", l);
            if (metric(t, r, name) != want[l])
                judge_fail(v, "%s is in bucket %.0f, should be in %d", name,
                           metric(t, r, name), want[l]);
        }
    }
}

/* ---- training ------------------------------------------------------------ */

/* The tolerance for parameters. Gradients sent in fewer bits have a larger
 * rounding error. */
static double absolute_of(const struct judge_task *t, const struct nn_task *k)
{
    const enum data_type type =
        (enum data_type)data_type(plan_text(t->c, "type", "float"));
    if (type != DATA_FLOAT)
        return 8 * data_epsilon(type) * k->hyper.lr; // errors of several steps
    // AdamW divides by the gradient's magnitude, so its error is relative
    return k->optimizer == NN_ADAMW ? 1e-5 : 1e-8;
}

static void judge_server(const struct judge_task *t, double bytes,
                         struct judge_verdict *v)
{
    char name[24];
    for (int r = 1; r < t->nranks; r++) {
        const double sent = judge_count(t, r, 0, "sent_bytes", v);
        const double to_server = judge_count(t, r, 0, "sent_to.0", v);
        snprintf(name, sizeof name, "sent_to.%d", r);
        const double back = judge_count(t, 0, 0, name, v);
        if (sent != bytes || to_server != bytes)
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes, "
                "%.0f of them to the server; its gradients are %.0f, "
                "all of them for the server",
                r, sent, to_server, bytes);
        if (back != bytes)
            judge_fail_method(
                v,
                "the result is right, but the server sends rank %d "
                "%.0f bytes; the new parameters are %.0f",
                r, back, bytes);
    }
}

static void judge_train(const struct judge_task *t, struct judge_verdict *v)
{
    int bucket[NN_MAX_DEPTH];
    size_t count;
    const struct nn_task k = nn_task_of(t->c);
    const char *const way = plan_text(t->c, "way", "each");
    const int n = trained(&k.shape, &count), steps = k.steps;
    const int type = data_type(plan_text(t->c, "type", "float"));
    const double bytes =
        (double)(count * data_size((enum data_type)type)) * steps;
    struct promise most = {(double)n * steps, bytes,
                           all_reduce_bytes(t, bytes)};
    nn_task_judge(t, &k, 1e-5, absolute_of(t, &k), v);
    if (strcmp(way, "buckets") == 0)
        nn_task_judge_buckets(t, &k, bucket, assign_case(t, &k.shape, bucket),
                              data_size((enum data_type)type), v);
    if (strcmp(way, "server") == 0) {
        most = (struct promise){0, 0, 0};
        judge_server(t, bytes, v);
    }
    if (plan_int(t->c, "broadcast", 0)) { // every parameter, once
        for (int l = 0; l < k.shape.depth; l++)
            most.collectives += nn_layer_param(&k.shape, l) == l;
        most.bytes += 4.0 * (double)nn_param_count(&k.shape);
        most.traffic += broadcast_bytes(t, &k.shape);
    }
    keep_promise(t, &most, v);
}

/* In every step, each rank has to send 2(n-1)/n of the gradients' bytes. */
static double train_limit(const struct judge_task *t)
{
    size_t count;
    const struct nn_task k = nn_task_of(t->c);
    const double n = t->nranks;
    trained(&k.shape, &count);
    return k.steps * 2 * (n - 1) / n * 4.0 * (double)count / links_out_rate(t) *
           1e6;
}

struct share { /* one device's work in a run of DataParallel */
    double flops, received, to_first; /* bytes from others, to device 0 */
};

/* What the devices of rank 0, from place `first` on, do in an iteration. */
static int shares_of(const struct judge_task *t, int first, struct share *s)
{
    struct spans_window w;
    if (spans_window(t, 0, 0, &w) != 0)
        return -1;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const n = &t->graph->nodes[at];
        const int d = n->node.place - first;
        if (d >= 0 && d < t->nranks && n->part == 0)
            s[d].flops += n->node.flops;
        for (size_t i = 0; i < n->nmoves; i++) {
            const int from = n->moves[i].from - first;
            const int to = n->moves[i].to - first;
            if (from >= 0 && from < t->nranks && from != to && to > 0 &&
                to < t->nranks)
                s[to].received += (double)n->moves[i].nbytes;
            if (to == 0 && from > 0 && from < t->nranks)
                s[from].to_first += (double)n->moves[i].nbytes;
        }
    }
    return 0;
}

/* Every device computes the gradients of its own rows: parameters travel there,
 * perhaps by way of another device, and gradients go to device 0. */
static void judge_shares(const struct judge_task *t, const struct nn_task *k,
                         struct judge_verdict *v)
{
    struct share s[LAB_MAX_RANKS] = {{0}};
    size_t count;
    double flops = 0;
    if (shares_of(t, 0, s) != 0)
        return;
    trained(&k->shape, &count);
    const double grads = 4.0 * (double)count * k->steps;
    const double params = 4.0 * (double)nn_param_count(&k->shape) * k->steps;
    for (int d = 0; d < t->nranks; d++)
        flops += s[d].flops;
    for (int d = 0; d < t->nranks && v->pass; d++) {
        if (s[d].flops < 0.99 * flops / t->nranks)
            judge_fail_method(
                v,
                "the result is right, but device %d does %.0f of %.0f "
                "floating-point operations: its rows are an %d-th",
                d, s[d].flops, flops, t->nranks);
        else if (d > 0 && (s[d].received < params || s[d].to_first < grads))
            judge_fail_method(
                v,
                "the result is right, but device %d gets %.0f bytes "
                "from other devices and sends %.0f to device 0: its "
                "parameters are %.0f, its gradients %.0f",
                d, s[d].received, s[d].to_first, params, grads);
    }
}

static int from_device(const struct graph_node *later,
                       const struct graph_node *earlier, const void *arg)
{
    return later->place == 0 && earlier->place == *(const int *)arg;
}

static int from_first(const struct graph_node *later,
                      const struct graph_node *earlier, const void *arg)
{
    return later->place == *(const int *)arg && earlier->place == 0;
}

/* In every step, device 0 waits for an event of every other device, and these
 * for one of device 0. */
static void judge_events(const struct judge_task *t, int steps,
                         struct judge_verdict *v)
{
    for (int d = 1; d < t->nranks && t->graph && v->pass; d++) {
        const int there = calls_events(t, 0, 0, from_first, &d);
        const int back = calls_events(t, 0, 0, from_device, &d);
        if (there < steps || back < steps)
            judge_fail_method(
                v,
                "the result is right, but in %d steps device %d waits "
                "for %d events of device 0, which waits for %d of its: "
                "what orders them is the host, which should not wait",
                steps, d, there, back);
    }
}

static void judge_data_parallel(const struct judge_task *t,
                                struct judge_verdict *v)
{
    const struct nn_task k = nn_task_of(t->c);
    nn_task_judge_alone(t, &k, 1e-5, absolute_of(t, &k), v);
    keep_promise(t, &(struct promise){0, 0, 0}, v);
    judge_shares(t, &k, v);
    judge_events(t, k.steps, v);
}

/* ---- part 5 -------------------------------------------------------------- */

static void judge_comms(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1024);
    const double made =
        plan_int(t->c, "reuse", 1) ? 1 : (double)plan_int(t->c, "steps", 3);
    float *const want = malloc(count * sizeof *want);
    double *const sum = malloc(count * sizeof *sum);
    for (int i = 0; i < t->iterations && want && sum; i++) {
        memset(sum, 0, count * sizeof *sum);
        for (int r = 0; r < t->nranks; r++) {
            const uint64_t seed = judge_input_seed(t, r, i);
            for (size_t k = 0; k < count; k++)
                sum[k] += data_value(seed, k, DATA_FLOAT);
        }
        for (size_t k = 0; k < count; k++)
            want[k] = (float)(sum[k] / t->nranks);
        for (int r = 0; r < t->nranks; r++) {
            const void *const got =
                judge_output(t, r, i, "mean", count * sizeof *want, v);
            if (got)
                data_compare_near(got, want, count, DATA_FLOAT, 1e-6, 1e-6, r,
                                  v);
            judge_descent(t, r, i, "mean", 0, count * sizeof *want,
                          judge_everybody(t), v);
        }
    }
    free(sum);
    free(want);
    for (int r = 0; r < t->nranks; r++) {
        const double comms = judge_count(t, r, 0, "comms", v);
        if (comms != made)
            judge_fail_method(
                v, "rank %d makes %.0f communicators, should make %.0f", r,
                comms, made);
    }
}

static const struct judge_kind kinds[] = {
    {.name = "broadcast", .judge = judge_broadcast},
    {.name = "gradients", .judge = judge_gradients},
    {.name = "train", .judge = judge_train, .limit_us = train_limit},
    {.name = "assign", .judge = judge_assign},
    {.name = "data_parallel",
     .judge = judge_data_parallel,
     .several_streams = 1},
    {.name = "comms", .judge = judge_comms},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"broadcast", "sync_broadcast() in replicas.c", NULL, NULL},
    {"gradients", "sync_gradients() in replicas.c", NULL, NULL},
    {"train", "sync_accumulate() in replicas.c", "way", "accumulate"},
    {"train", "bucket_sync() in buckets.c", "way", "buckets"},
    {"train", "server_step() in server.c", "way", "server"},
    {"train", "sync_step() in replicas.c", NULL, NULL},
    {"assign", "bucket_assign() in buckets.c", NULL, NULL},
    {"data_parallel",
     "dp_replicate(), dp_scatter() and dp_reduce() in dataparallel.c", NULL,
     NULL},
    {"comms", "mean_with_new_comms() in comms.c", "reuse", "0"},
    {"comms", "mean_with_one_comm() in comms.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 0},
                                        [NN_DRAW_BYTES] = {nn_draw_bytes, 0},
                                        {0}};

/* In data_parallel, rank 0 drives a device of its own node for each rank. */
static int needs(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes)
{
    if (strcmp(c->kind, "data_parallel") != 0 || p->ngpus == 0 ||
        p->nranks <= p->ngpus)
        return 0;
    snprintf(text, nbytes,
             "at most %d ranks: rank 0 drives one GPU of its node for each",
             p->ngpus);
    return 1;
}

extern const struct judge_lab judge_lab2;
const struct judge_lab judge_lab2 = {.lab = "lab2-gradient-sync",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws,
                                     .needs = needs};
