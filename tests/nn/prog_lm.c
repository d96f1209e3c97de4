/* links: nn nnref judge graph topo base */
/* The transformer on a device, compared with the reference in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/lm.h"
#include "nn/lm_reference.h"
#include "nn/mlp.h"
#include "nn/ops.h"
#include "nn/shape.h" /* nn_data_seed */
#include "rule.h"

static cudaStream_t stream;

static const struct nn_hyper hyper = {0.003f, 0.9f, 0.99f, 1e-3f, 0.01f};
enum { STEPS = 5 };

static void *device_memory(size_t nbytes)
{
    void *d;
    if (cudaMalloc(&d, nbytes) != cudaSuccess)
        exit(3);
    return d;
}

static void from_device(void *h, const void *d, size_t nbytes)
{
    cudaMemcpyAsync(h, d, nbytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
}

/* Tokens, then targets, of a seed. */
static struct lm_batch batch_of(const struct lm_shape *s, uint64_t seed)
{
    const size_t rows = (size_t)lm_rows(s);
    uint8_t *const h = malloc(2 * rows), *const d = device_memory(2 * rows);
    for (size_t i = 0; i < rows; i++) {
        h[i] = lm_token(s, seed, i);
        h[rows + i] = lm_target(s, seed, i);
    }
    cudaMemcpyAsync(d, h, 2 * rows, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    free(h);
    return (struct lm_batch){d, d + rows};
}

/* |got - want| / |want|, of vectors */
static double distance(const double *want, const float *got, size_t n)
{
    double off = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        off += (got[i] - want[i]) * (got[i] - want[i]);
        all += want[i] * want[i];
    }
    return sqrt(off / all);
}

/* How far a parameter's gradients (values) are from the reference's, at the
 * worst over all parameters. */
static double worst(const struct lm *m, const struct lm_reference *ref,
                    int values, int print)
{
    double most = 0;
    float *const h = malloc(m->count * sizeof *h);
    for (int p = 0; p < m->nparams; p++) {
        const struct lm_param *const q = &m->param[p];
        from_device(h, values ? q->value : q->grad, q->count * sizeof *h);
        const double off =
            distance((values ? ref->w : ref->grad) + lm_param_at(&m->shape, p),
                     h, q->count);
        if (print)
            printf("%s %.1e\n", q->name, off);
        if (!(off <= most))
            most = off;
    }
    free(h);
    return most;
}

static int announced[2 + LM_OF_LAYER * LM_MAX_LAYERS + 1];

static int note(void *arg, int param)
{
    announced[param] += ++*(int *)arg > 0;
    return 0;
}

static void update(struct lm *m, float *state, int step)
{
    for (int p = 0; p < m->nparams; p++) {
        const struct lm_param *const q = &m->param[p];
        const size_t at = lm_param_at(&m->shape, p);
        nn_adamw(q->value, q->grad, state + at, state + m->count + at, step + 1,
                 &hyper, q->count, stream);
    }
}

/* A step of both. Returns how far apart the losses are. */
static double take_step(struct lm *m, float *state, struct lm_reference *ref,
                        int step, double *off_grad)
{
    const uint64_t seed = nn_data_seed(9, step, 0);
    const struct lm_batch b = batch_of(&m->shape, seed);
    double loss = 0;
    int n = 0;
    memset(announced, 0, sizeof announced);
    RULE(lm_narrow(m) == cudaSuccess && lm_zero_grad(m) == cudaSuccess &&
             lm_forward(m, &b) == cudaSuccess &&
             lm_backward(m, 0.5f, note, &n) == cudaSuccess &&
             lm_read_loss(m, &loss) == cudaSuccess,
         "a step");
    int once = n == m->nparams;
    for (int p = 0; p < m->nparams; p++)
        once &= announced[p] == 1;
    RULE(once, "gradients are announced once each");
    lm_reference_zero_grad(ref);
    const double want = lm_reference_pass_seed(ref, seed, 0.5);
    *off_grad = fmax(*off_grad, worst(m, ref, 0, step == 0));
    update(m, state, step);
    lm_reference_adamw(ref, hyper.lr, hyper.beta1, hyper.beta2, hyper.eps,
                       hyper.decay);
    cudaStreamSynchronize(stream);
    cudaFree((void *)b.token);
    return fabs(loss - want) / want;
}

struct bounds {
    double loss, grad, value;
};

/*
 * fp32: what a float keeps, times a few roundings. bf16: as close until sums in
 * float tip an operand over to its other neighbour, 2^-8 away; after some steps
 * there are a few of these in everything.
 */
static const struct bounds bounds[] = {
    [LM_FP32] = {1e-6, 4e-6, 4e-6}, [LM_BF16] = {1e-3, 0x1p-6, 1e-3}};

static void check_run(const struct lm_shape *s)
{
    struct lm m;
    const struct bounds *const most = &bounds[s->precision];
    double off = 0, off_grad = 0;
    RULE(lm_init(&m, s, stream) == cudaSuccess && lm_fill(&m, 3) == cudaSuccess,
         "a transformer is made");
    struct lm_reference *const ref = lm_reference_new(s, 3);
    float *const state = device_memory(2 * m.count * sizeof *state);
    cudaMemsetAsync(state, 0, 2 * m.count * sizeof *state, stream);
    for (int step = 0; step < STEPS; step++)
        off = fmax(off, take_step(&m, state, ref, step, &off_grad));
    const double off_value = worst(&m, ref, 1, 0);
    printf("%d layers, %s: loss off by %.1e, gradients %.1e, values %.1e\n",
           s->layers, s->precision == LM_BF16 ? "bf16" : "fp32", off, off_grad,
           off_value);
    RULE(off < most->loss, "losses agree");
    RULE(off_grad < most->grad, "gradients agree");
    RULE(off_value < most->value, "parameters agree after five steps");
    cudaFree(state);
    lm_reference_free(ref);
    lm_release(&m);
}

/* ---- piece by piece ------------------------------------------------------ */

struct moved { /* a model whose parameters are elsewhere, and mostly nowhere */
    struct lm m;
    const struct lm *whole;
    char *room; /* values, halves and gradients of what is there */
};

/* Put parameters `from` to `to` there, with gradients as in sum[]. */
static void bring(struct moved *v, int from, int to, float *const sum[])
{
    char *next = v->room;
    for (int p = 0; p < v->m.nparams; p++) {
        struct lm_param *const q = &v->m.param[p];
        const struct lm_param *const home = &v->whole->param[p];
        const size_t room = (q->count * sizeof(float) + 15) / 16 * 16;
        // E is always there: two pieces use it
        const int here = p == LM_EMBED || (p >= from && p <= to);
        q->grad = here ? sum[p] : NULL;
        q->value = here ? (float *)next : NULL;
        q->half = here && home->half ? (uint16_t *)(next + room) : NULL;
        if (!here)
            continue;
        cudaMemcpyAsync(q->value, home->value, q->count * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream);
        if (q->half)
            cudaMemcpyAsync(q->half, home->half, q->count * sizeof *q->half,
                            cudaMemcpyDeviceToDevice, stream);
        next += 2 * room;
    }
}

static void pass_in_pieces(struct moved *v, const struct lm_batch *b,
                           float *const sum[])
{
    struct lm *const m = &v->m;
    const int layers = m->shape.layers, last = lm_param_last(&m->shape);
    lm_begin(m, b);
    bring(v, LM_EMBED, LM_PLACE, sum);
    lm_embed(m);
    for (int l = 0; l < layers; l++) {
        bring(v, lm_param_of(l, LM_NORM1), lm_param_of(l, LM_OUT), sum);
        lm_attend(m, l);
        bring(v, lm_param_of(l, LM_NORM2), lm_param_of(l, LM_DOWN), sum);
        lm_feed(m, l);
    }
    bring(v, last, last, sum);
    lm_head(m);
    lm_head_backward(m, 0.5f);
    for (int l = layers - 1; l >= 0; l--) {
        bring(v, lm_param_of(l, LM_NORM2), lm_param_of(l, LM_DOWN), sum);
        lm_feed_backward(m, l);
        bring(v, lm_param_of(l, LM_NORM1), lm_param_of(l, LM_OUT), sum);
        lm_attend_backward(m, l);
    }
    bring(v, LM_EMBED, LM_PLACE, sum);
    lm_embed_backward(m);
}

static void check_pieces(const struct lm_shape *s)
{
    struct lm whole;
    struct moved v = {.whole = &whole};
    const struct lm_batch b = batch_of(s, 5);
    int same = 1;
    lm_init(&whole, s, stream);
    lm_fill(&whole, 3);
    lm_narrow(&whole);
    lm_zero_grad(&whole);
    lm_forward(&whole, &b);
    lm_backward(&whole, 0.5f, NULL, NULL);
    lm_init(&v.m, s, stream);
    v.room = device_memory(2 * (whole.count + 64) * sizeof(float));
    const size_t nbytes = whole.count * sizeof(float);
    float *const sums = device_memory(nbytes),
                 **const sum = calloc(64, sizeof *sum);
    cudaMemsetAsync(sums, 0, nbytes, stream);
    for (int p = 0; p < whole.nparams; p++)
        sum[p] = sums + lm_param_at(s, p);
    pass_in_pieces(&v, &b, sum);
    float *const want = malloc(nbytes), *const got = malloc(nbytes);
    for (int p = 0; p < whole.nparams; p++) {
        const size_t n = whole.param[p].count * sizeof *got;
        from_device(want, whole.param[p].grad, n);
        from_device(got, sum[p], n);
        same &= memcmp(want, got, n) == 0;
    }
    RULE(same, "passes piece by piece are those of the model");
    free(want);
    free(got);
    free(sum);
    cudaFree(sums);
    cudaFree(v.room);
    cudaFree((void *)b.token);
    lm_release(&v.m);
    lm_release(&whole);
}

/* ---- as a network of layers ---------------------------------------------- */

/* The same transformer, for labs that train a struct nn. */
static struct nn_shape layers_of(const struct lm_shape *s)
{
    return (struct nn_shape){.depth = s->layers + 2,
                             .in = 1,
                             .hidden = s->width,
                             .out = s->vocabulary,
                             .rows = lm_rows(s),
                             .loss = NN_CROSS_ENTROPY,
                             .heads = s->heads,
                             .context = s->context,
                             .feed = s->hidden};
}

static int next_from_the_last(void *arg, int param)
{
    return param == --*(int *)arg ? 0 : -1;
}

/* A pass whose last layer has E elsewhere gives the same gradients, once both
 * parts are added up. */
static float *pass_as_layers(struct nn *m, const struct nn_batch *b)
{
    const size_t ne = (size_t)m->shape.out * (size_t)m->shape.hidden;
    float *const h = malloc((m->count + ne) * sizeof *h);
    float *const e = device_memory(2 * ne * sizeof *e);
    int next = m->nparams;
    cudaMemsetAsync(e + ne, 0, ne * sizeof *e, stream);
    cudaMemcpyAsync(e, m->param[0].value, ne * sizeof *e,
                    cudaMemcpyDeviceToDevice, stream);
    m->head_value = e;
    m->head_grad = e + ne;
    RULE(nn_zero_grad(m) == cudaSuccess && nn_forward(m, b) == cudaSuccess &&
             nn_backward(m, 0.5f, next_from_the_last, &next) == cudaSuccess &&
             next == 0,
         "each layer's gradient is announced, the embedding's last");
    from_device(h, m->param[0].grad, m->count * sizeof *h);
    from_device(h + m->count, m->head_grad, ne * sizeof *h);
    for (size_t i = 0; i < ne; i++)
        h[i] += h[m->count + i];
    cudaFree(e);
    return h;
}

static void check_layers(const struct lm_shape *s, int recompute)
{
    struct nn m;
    const struct nn_shape shape = layers_of(s);
    const struct lm_batch b = batch_of(s, 5);
    const struct nn_batch batch = {.token = b.token, .target = b.target};
    const struct lm_how how = {.recompute = recompute};
    RULE(nn_init_how(&m, &shape, stream, &how) == cudaSuccess &&
             nn_fill(&m, 3) == cudaSuccess,
         "a network of blocks is made");
    struct lm_reference *const ref = lm_reference_new(s, 3);
    lm_reference_zero_grad(ref);
    const double want = lm_reference_pass_seed(ref, 5, 0.5);
    float *const got = pass_as_layers(&m, &batch);
    double loss;
    RULE(nn_read_loss(&m, &loss) == cudaSuccess &&
             fabs(loss - want) < 1e-6 * want,
         "its loss is the transformer's");
    RULE(m.count == ref->count &&
             distance(ref->grad, got, m.count) < bounds[LM_FP32].grad,
         "so are its gradients");
    free(got);
    lm_reference_free(ref);
    cudaFree((void *)b.token);
    nn_release(&m);
}

int main(void)
{
    static const struct lm_shape shapes[] = {
        {7, 4, 1, 5, 1, 3, 1, LM_FP32},     {256, 24, 3, 50, 3, 7, 2, LM_FP32},
        {11, 32, 4, 96, 2, 9, 3, LM_FP32},  {7, 4, 1, 5, 1, 3, 1, LM_BF16},
        {256, 24, 3, 50, 3, 7, 2, LM_BF16}, {11, 32, 4, 96, 2, 9, 3, LM_BF16},
    };
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_run(&shapes[i]);
        check_pieces(&shapes[i]);
        if (shapes[i].precision == LM_FP32)
            for (int recompute = 0; recompute < 2; recompute++)
                check_layers(&shapes[i], recompute);
    }
    struct lm m;
    RULE(lm_init(&m, &(struct lm_shape){0}, stream) == cudaErrorInvalidValue,
         "an impossible shape");
    cudaStreamDestroy(stream);
    return rule_status();
}
