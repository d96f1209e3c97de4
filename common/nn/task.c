#include "nn/task.h"

#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "base/narrow.h"
#include "judge/advice.h"
#include "judge/graph/calls.h"
#include "nn/reference.h"

static enum nn_loss loss_named(const char *name)
{
    return strcmp(name, "mse") == 0             ? NN_MSE
           : strcmp(name, "cross_entropy") == 0 ? NN_CROSS_ENTROPY
                                                : NN_MEAN_SQUARES;
}

struct nn_task nn_task_of(const struct plan_case *c)
{
    const int frozen = (int)plan_int(c, "frozen", 0);
    struct nn_task k = {
        .shape = {.depth = (int)plan_int(c, "depth", 4),
                  .in = (int)plan_int(c, "in", 12),
                  .hidden = (int)plan_int(c, "hidden", 16),
                  .out = (int)plan_int(c, "out", 8),
                  .rows = (int)plan_int(c, "rows", 6),
                  .loss = loss_named(plan_text(c, "loss", "mean_squares")),
                  .tied = (int)plan_int(c, "tied", 0),
                  .tied_to = (int)plan_int(c, "tied_to", 0),
                  .frozen = frozen ? UINT64_C(1) << frozen : 0,
                  .heads = (int)plan_int(c, "heads", 0),
                  .context = (int)plan_int(c, "context", 0),
                  .feed = (int)plan_int(c, "feed", 0)},
        .steps = (int)plan_int(c, "steps", 5),
        .micro = (int)plan_int(c, "micro", 1),
        .unused = (int)plan_int(c, "unused", 0),
        .clip = strtod(plan_text(c, "clip", "0"), NULL),
        .resume = (int)plan_int(c, "resume", 0),
        .onto = (int)plan_int(c, "onto", 0),
        .late = (int)plan_int(c, "late", 0),
        .narrow = (int)plan_int(c, "narrow", 0),
        .hyper = {.beta1 = 0.9f, .beta2 = 0.99f, .eps = 1e-3f, .decay = 0.01f},
    };
    const int adamw = strcmp(plan_text(c, "optimizer", "sgd"), "adamw") == 0;
    k.optimizer = adamw ? NN_ADAMW : NN_SGD;
    k.hyper.lr = strtof(plan_text(c, "lr", "0.01"), NULL);
    return k;
}

uint64_t nn_task_skip(const struct nn_task *k, int rank, int step)
{
    return k->unused && (rank + step) % 2 ? UINT64_C(1) << k->unused : 0;
}

const char *nn_task_output(int step, char out[NN_OUTPUT_NAME])
{
    snprintf(out, NN_OUTPUT_NAME, "params.%d", step);
    return out;
}

/* ---- judging ------------------------------------------------------------- */

/* Store a step's gradients in `past`, which holds late + 1 steps, and replace
 * them by those that are due. Returns 0 if none are due yet. */
static int take_due(struct reference *r, int step, int late, double *past)
{
    const size_t nslots = (size_t)late + 1;
    memcpy(past + (size_t)step % nslots * r->count, r->grad,
           r->count * sizeof *past);
    if (step >= late)
        memcpy(r->grad, past + (size_t)(step - late) % nslots * r->count,
               r->count * sizeof *past);
    return step >= late;
}

/*
 * Give the reference the parameters that passes see, rounded to bf16, and
 * return its own. If a value lies halfway between two bf16 values, its last
 * bits decide how it is rounded. So this rounds rank 0's parameters after the
 * last step, which have been judged, bit for bit. NULL if rank 0 recorded none.
 */
static double *see_narrow(const struct judge_task *t, int iteration, int step,
                          struct reference *r, struct judge_verdict *v)
{
    char name[NN_OUTPUT_NAME];
    double *const own = r->w, *const seen = malloc(r->count * sizeof *seen);
    const float *last = NULL;
    if (step > 0)
        last = judge_output(t, 0, iteration, nn_task_output(step - 1, name),
                            r->count * sizeof *last, v);
    if (!seen || (step > 0 && !last)) {
        free(seen);
        return NULL;
    }
    for (size_t i = 0; i < r->count; i++) {
        const float x = last ? last[i] : (float)own[i];
        seen[i] =
            narrow_to_float(narrow_from_float(x, NARROW_BF16), NARROW_BF16);
    }
    r->w = seen;
    return own;
}

/* Run one step of the reference over all ranks' rows. For past see
 * take_due(). */
static void reference_step(const struct judge_task *t, const struct nn_task *k,
                           int iteration, int step, struct reference *r,
                           double *past, struct judge_verdict *v)
{
    double *const own = k->narrow ? see_narrow(t, iteration, step, r, v) : NULL;
    const int nranks = k->onto && step >= k->resume ? k->onto : t->nranks;
    const double scale = 1.0 / (nranks * k->micro);
    const struct nn_hyper *const h = &k->hyper;
    reference_zero_grad(r);
    for (int rank = 0; rank < nranks; rank++)
        for (int j = 0; j < k->micro; j++)
            reference_pass_seed(
                r, nn_data_seed(judge_input_seed(t, rank, iteration), step, j),
                scale, nn_task_skip(k, rank, step));
    if (own) {
        free(r->w);
        r->w = own;
    }
    if (!take_due(r, step, k->late, past))
        return;
    if (k->clip > 0)
        reference_clip(r, k->clip);
    if (k->optimizer == NN_ADAMW)
        reference_adamw(r, h->lr, h->beta1, h->beta2, h->eps, h->decay);
    else
        reference_sgd(r, h->lr);
}

/* The layer whose parameter contains element i of all; *own gets the
 * element's index in it. */
static int layer_of(const struct reference *r, size_t i, size_t *own)
{
    int l = r->shape.depth - 1;
    while (nn_layer_param(&r->shape, l) != l || reference_at(r, l) > i)
        l--;
    *own = i - reference_at(r, l);
    return l;
}

/* True if the difference exceeds the tolerance; NaN always does. */
static int is_off(double got, double want, double relative, double absolute)
{
    return !(fabs(got - want) <= absolute + relative * fabs(want));
}

/* Advice from the updates of the first step; later steps build on
 * wrong weights. */
static const char *advice_of_step(const struct advice *a, char *out,
                                  size_t nbytes)
{
    if (a->nzero < a->n)
        return advice_text(a, out, nbytes);
    snprintf(out, nbytes,
             "\nThese weights did not change: are their gradients computed, "
             "reduced and applied?");
    return out;
}

/* Compare a rank's parameters after a step. `before` is the weights at the
 * start of training. */
static void compare(const struct reference *r, const double *before,
                    const float *got, int step, double relative,
                    double absolute, struct judge_verdict *v)
{
    struct advice advice = {.n = 0};
    char text[256];
    size_t off = 0, first = 0, own;
    for (size_t i = r->count; i-- > 0;)
        if (is_off(got[i], r->w[i], relative, absolute)) {
            off++;
            first = i;
            if (step == 0)
                advice_see(&advice, (double)got[i] - before[i],
                           r->w[i] - before[i], &got[i], sizeof *got);
        }
    if (off == 0)
        return;
    const int l = layer_of(r, first, &own);
    judge_fail(v,
               "after step %d layer%d.weight[%zu] of rank 0 is %.9g, should be "
               "%.9g, as one device with all the rows has it (%zu of %zu "
               "differ)%s",
               step + 1, l, own, got[first], r->w[first], off, r->count,
               step == 0 ? advice_of_step(&advice, text, sizeof text) : "");
}

static void compare_ranks(const struct reference *r, const float *zero,
                          const float *got, int rank, int step,
                          struct judge_verdict *v)
{
    size_t i = 0, own;
    while (i < r->count && memcmp(&zero[i], &got[i], sizeof *got) == 0)
        i++;
    if (i == r->count)
        return;
    const int l = layer_of(r, i, &own);
    judge_fail(v,
               "after step %d layer%d.weight[%zu] is %.9g on rank %d and %.9g "
               "on rank 0: replicas must stay identical, bit for bit",
               step + 1, l, own, got[i], rank, zero[i]);
}

struct shown { /* ranks 0 .. nranks-1 record parameters, judged with this
                  tolerance */
    int nranks;
    double relative, absolute;
    const double *before; /* weights at the start of training */
    const struct nn_task *task;
};

/* A trained parameter must descend from the rows of all ranks; with a learning
 * rate of 0, from rank 0's value. */
static void judge_descents(const struct judge_task *t, const struct nn_task *k,
                           int rank, int iteration, const char *name,
                           struct judge_verdict *v)
{
    size_t at = 0;
    for (int l = 0; l < k->shape.depth; l++) {
        const size_t begin = at;
        if (nn_layer_param(&k->shape, l) != l)
            continue;
        at += nn_layer_count(&k->shape, l) * sizeof(float);
        if (k->hyper.lr == 0)
            judge_descent(t, rank, iteration, name, begin, at, rank_set_of(0),
                          v);
        else if (!nn_is_frozen(&k->shape, l) && !(k->unused && l == k->unused))
            judge_descent(t, rank, iteration, name, begin, at,
                          judge_everybody(t), v);
    }
}

static void judge_step(const struct judge_task *t, int iteration, int step,
                       const struct reference *r, const struct shown *s,
                       struct judge_verdict *v)
{
    char name[NN_OUTPUT_NAME];
    const size_t nbytes = r->count * sizeof(float);
    nn_task_output(step, name);
    const float *const zero = judge_output(t, 0, iteration, name, nbytes, v);
    if (!zero)
        return;
    for (int rank = 1; rank < s->nranks; rank++) {
        const float *const got =
            judge_output(t, rank, iteration, name, nbytes, v);
        if (got)
            compare_ranks(r, zero, got, rank, step, v);
    }
    compare(r, s->before, zero, step, s->relative, s->absolute, v);
    for (int rank = 0; rank < s->nranks && s->task->on_devices; rank++)
        judge_origin(t, rank, iteration, name, 0, nbytes,
                     (struct rank_set){{0}}, v);
    for (int rank = 0; rank < s->nranks && !s->task->no_descent; rank++)
        judge_descents(t, s->task, rank, iteration, name, v);
}

static void judge_shown(const struct judge_task *t, const struct nn_task *k,
                        struct shown *s, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations && v->pass; i++) {
        const uint64_t seed = judge_input_seed(t, 0, i);
        struct reference *const r = reference_new(&k->shape, seed);
        struct reference *const first = reference_new(&k->shape, seed);
        double *const past =
            r ? malloc(((size_t)k->late + 1) * r->count * sizeof *past) : NULL;
        if (!r || !first || !past) {
            judge_fail(v, "the plan's network: %s",
                       nn_shape_problem(&k->shape) ? nn_shape_problem(&k->shape)
                                                   : "no memory");
            return;
        }
        for (int step = 0; step < k->steps && v->pass; step++) {
            reference_step(t, k, i, step, r, past, v);
            s->before = first->w;
            judge_step(t, i, step, r, s, v);
        }
        free(past);
        reference_free(first);
        reference_free(r);
    }
}

void nn_task_judge(const struct judge_task *t, const struct nn_task *k,
                   double relative, double absolute, struct judge_verdict *v)
{
    judge_shown(t, k, &(struct shown){t->nranks, relative, absolute, NULL, k},
                v);
}

void nn_task_judge_alone(const struct judge_task *t, const struct nn_task *k,
                         double relative, double absolute,
                         struct judge_verdict *v)
{
    struct nn_task alone = *k;
    alone.no_descent = 1; // rank 0 drives all devices
    judge_shown(t, k, &(struct shown){1, relative, absolute, NULL, &alone}, v);
}

void nn_task_judge_buckets(const struct judge_task *t, const struct nn_task *k,
                           const int *bucket, int nbuckets, size_t size,
                           struct judge_verdict *v)
{
    const size_t n = (size_t)nbuckets, all = n * (size_t)k->steps;
    struct calls_coll *const want = calloc(all + 1, sizeof *want);
    for (size_t i = 0; want && i < all; i++)
        want[i].op = TOPO_OP_ALLREDUCE;
    for (int l = 0; want && l < k->shape.depth; l++)
        for (size_t i = 0; i < (size_t)k->steps && bucket[l] >= 0; i++)
            want[i * n + (size_t)bucket[l]].nbytes +=
                nn_layer_count(&k->shape, l) * size;
    if (want && v->pass)
        judge_collectives(t, want, all, v);
    free(want);
}
