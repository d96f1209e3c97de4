/* links: nn nnref judge graph topo base tests/support/minifloat.c */
/* The network on a device, compared with the reference in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minifloat.h"
#include "nn/mlp.h"
#include "nn/reference.h"
#include "rule.h"

static cudaStream_t stream;

static void *to_device(const void *h, size_t nbytes)
{
    void *d;
    if (cudaMalloc(&d, nbytes + 1) != cudaSuccess)
        exit(3);
    cudaMemcpyAsync(d, h, nbytes, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return d;
}

static void from_device(void *h, const void *d, size_t nbytes)
{
    cudaMemcpyAsync(h, d, nbytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
}

struct order { /* the order in which gradients were announced */
    int param[NN_MAX_DEPTH], n;
};

static int note(void *arg, int param)
{
    struct order *const o = arg;
    o->param[o->n++] = param;
    return 0;
}

/* True if each parameter that is trained and used was announced, and no
 * other. */
static int all_announced(const struct nn *m, const struct order *o)
{
    int n = 0;
    for (int l = m->shape.depth - 1; l >= 0; l--) {
        const int first = l == m->shape.tied && m->shape.tied_to;
        const int used = !(m->skip >> l & 1 && nn_may_skip(&m->shape, l)) ||
                         (first && !(m->skip >> m->shape.tied_to & 1));
        if (nn_is_trained(m, l) && used) {
            int at = 0;
            while (at < o->n && o->param[at] != l)
                at++;
            if (at == o->n)
                return 0;
            n++;
        }
    }
    return n == o->n;
}

static double farthest(const double *want, const float *got, size_t n)
{
    double worst = 0, largest = 1e-30;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs(got[i] - want[i]);
        if (!(off <= worst))
            worst = off;
        if (fabs(want[i]) > largest)
            largest = fabs(want[i]);
    }
    return worst / largest;
}

struct run {
    struct nn_shape shape;
    uint64_t skip;
    int adamw;
};

static void *targets(const struct nn_shape *s, uint64_t seed)
{
    const size_t n = nn_target_count(s);
    float *const h = malloc(n * sizeof *h + 1);
    for (size_t i = 0; i < n; i++)
        if (s->loss == NN_CROSS_ENTROPY)
            ((uint8_t *)h)[i] = nn_target_byte(s, seed, i);
        else
            h[i] = nn_target(seed, i);
    void *const d = to_device(h, n * nn_target_size(s));
    free(h);
    return d;
}

static float *inputs(const struct nn_shape *s, uint64_t seed)
{
    const size_t n = (size_t)s->rows * (size_t)s->in;
    float *const h = malloc(n * sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = nn_input(seed, i);
    float *const d = to_device(h, n * sizeof *h);
    free(h);
    return d;
}

static const struct nn_hyper sgd = {.lr = 0.25f},
                             adamw = {0.01f, 0.9f, 0.99f, 1e-3f, 0.01f};

static void update(struct nn *m, struct reference *ref, float *state, int step,
                   int with_adamw)
{
    size_t at = 0;
    for (int p = 0; p < m->nparams; p++) {
        const struct nn_param *const q = &m->param[p];
        if (q->tied >= 0)
            continue;
        if (!q->frozen && with_adamw)
            nn_adamw(q->value, q->grad, state + at, state + m->count + at,
                     step + 1, &adamw, q->count, stream);
        else if (!q->frozen)
            nn_sgd(q->value, q->grad, &sgd, q->count, stream);
        at += q->count;
    }
    if (with_adamw)
        reference_adamw(ref, adamw.lr, adamw.beta1, adamw.beta2, adamw.eps,
                        adamw.decay);
    else
        reference_sgd(ref, sgd.lr);
}

struct pair { /* the same network twice */
    struct nn m;
    float *state; /* AdamW's, on the device */
    struct reference *ref;
};

/* One step of both. True if all calls succeeded and gradients were announced;
 * *off: how far apart the losses are. */
static int take_step(struct pair *p, const struct run *r, int step, double *off)
{
    struct order o = {.n = 0};
    const struct nn_shape *const s = &r->shape;
    const uint64_t seed = nn_data_seed(9, step, 0);
    float *const x = inputs(s, seed);
    void *const target = targets(s, seed);
    double loss = 0;
    nn_zero_grad(&p->m);
    const int fine =
        nn_forward(&p->m, &(struct nn_batch){.x = x, .target = target}) ==
            cudaSuccess &&
        nn_backward(&p->m, 0.5f, note, &o) == cudaSuccess &&
        all_announced(&p->m, &o);
    nn_read_loss(&p->m, &loss);
    reference_zero_grad(p->ref);
    const double want = reference_pass_seed(p->ref, seed, 0.5, r->skip);
    *off = fabs(loss - want) / fabs(want);
    update(&p->m, p->ref, p->state, step, r->adamw);
    cudaFree(x);
    cudaFree(target);
    return fine;
}

/* Five steps on the device and by the reference. */
static void check_run(const struct run *r)
{
    struct pair p;
    double off, off_loss = 0, off_weights = 0;
    int order = 1;
    const struct nn_shape *const s = &r->shape;
    RULE(nn_init(&p.m, s, stream) == cudaSuccess &&
             nn_fill(&p.m, 3) == cudaSuccess,
         "a network is made");
    const size_t count = p.m.count;
    p.ref = reference_new(s, 3);
    p.state = to_device(calloc(2 * count, 4), 2 * count * 4);
    p.m.skip = r->skip;
    float *const values = to_device(calloc(count, 4), count * 4);
    float *const h = malloc(count * sizeof *h);
    for (int step = 0; step < 5; step++) {
        order &= take_step(&p, r, step, &off);
        off_loss = fmax(off_loss, off);
        nn_values(&p.m, values);
        from_device(h, values, count * sizeof *h);
        off_weights = fmax(off_weights, farthest(p.ref->w, h, count));
    }
    printf("depth %d, loss %d, skip %llx: loss off by %.1e, weights by %.1e\n",
           s->depth, s->loss, (unsigned long long)r->skip, off_loss,
           off_weights);
    RULE(order, "gradients are announced once each, when complete");
    RULE(off_loss < 2e-6, "losses agree");
    RULE(off_weights < 2e-6, "parameters agree after five steps");
    free(h);
    cudaFree(p.state);
    cudaFree(values);
    reference_free(p.ref);
    nn_release(&p.m);
}

/* Layer l's turn of a forward or a backward pass, with its matrix in memory
 * that all layers use one after the other. True if its gradient is that of
 * `whole`, bit for bit. */
static int take_turn(struct nn *m, const struct nn *whole, int l, int backward,
                     float *value, float *grad)
{
    static float want[8192], got[8192];
    struct nn_param *const p = &m->param[l];
    const size_t nbytes = p->count * sizeof *value;
    p->value = value;
    p->grad = grad;
    cudaMemcpyAsync(value, whole->param[l].value, nbytes,
                    cudaMemcpyDeviceToDevice, stream);
    if (!backward)
        return nn_layer_forward(m, l) == cudaSuccess;
    cudaMemsetAsync(grad, 0, nbytes, stream);
    nn_layer_backward(m, l);
    from_device(want, whole->param[l].grad, nbytes);
    from_device(got, grad, nbytes);
    return memcmp(want, got, nbytes) == 0;
}

static void check_layer_by_layer(const struct nn_shape *s)
{
    const struct nn_batch b = {.x = inputs(s, 5), .target = targets(s, 5)};
    struct nn whole, m;
    float *room[2];
    int same = 1;
    nn_init(&whole, s, stream);
    nn_fill(&whole, 3);
    nn_zero_grad(&whole);
    nn_forward(&whole, &b);
    nn_backward(&whole, 0.5f, NULL, NULL);
    nn_init(&m, s, stream);
    nn_drop_params(&m);
    for (int i = 0; i < 2; i++)
        cudaMalloc((void **)&room[i], m.count * sizeof(float));
    nn_begin(&m, &b);
    for (int l = 0; l < s->depth; l++)
        same &= take_turn(&m, &whole, l, 0, room[0], room[1]);
    nn_loss_backward(&m, 0.5f);
    for (int l = s->depth - 1; l >= 0; l--)
        same &= take_turn(&m, &whole, l, 1, room[0], room[1]);
    RULE(same, "passes layer by layer are those of the network");
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaFree(room[i]);
    nn_release(&whole);
    nn_release(&m);
}

static void check_16_bits(enum nn_half type, const struct minifloat *f,
                          const char *text)
{
    enum { ALL = 65536, MORE = 4 * ALL };
    static uint16_t bits[MORE], back[MORE];
    static float wide[MORE], x[MORE];
    int wrong = 0;
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    for (int i = 0; i < MORE; i++)
        x[i] = ldexpf(nn_input(1, (size_t)i), i % 60 - 40);
    uint16_t *const d16 = to_device(bits, sizeof bits);
    float *const d32 = to_device(x, sizeof x);
    nn_narrow(d16, d32, MORE, type, stream);
    from_device(back, d16, sizeof back);
    for (int i = 0; i < MORE; i++)
        wrong += back[i] != minifloat_encode(f, x[i]);
    cudaMemcpyAsync(d16, bits, sizeof bits, cudaMemcpyHostToDevice, stream);
    nn_widen(d32, d16, ALL, type, stream);
    from_device(wide, d32, sizeof wide);
    for (int i = 0; i < ALL; i++) {
        const double want = minifloat_decode(f, bits[i]);
        wrong += want != wide[i] && !(isnan(want) && isnan(wide[i]));
    }
    RULE(wrong == 0, text);
    cudaFree(d16);
    cudaFree(d32);
}

int main(void)
{
    static const struct run runs[] = {
        {{1, 3, 9, 2, 4, NN_MEAN_SQUARES, 0, 0, 0, 0, 0, 0}, 0, 0},
        {{6, 12, 16, 8, 6, NN_MEAN_SQUARES, 0, 0, 0, 0, 0, 0}, 0, 0},
        {{6, 12, 16, 8, 6, NN_MSE, 1, 4, 1u << 2, 0, 0, 0}, 0, 1},
        {{5, 16, 24, 200, 7, NN_CROSS_ENTROPY, 0, 0, 0, 0, 0, 0}, 1u << 2, 0},
        {{6, 16, 16, 16, 3, NN_MSE, 1, 4, 0, 0, 0, 0}, 1u << 4, 0},
        {{6, 16, 16, 16, 3, NN_MSE, 1, 4, 0, 0, 0, 0}, 1u << 1, 1},
        {{6, 16, 16, 16, 3, NN_MSE, 0, 0, 0, 0, 0, 0}, 1u << 3 | 1u << 0, 0},
    };
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        check_run(&runs[i]);
    check_layer_by_layer(&runs[1].shape);
    check_layer_by_layer(&runs[3].shape);
    check_16_bits(NN_FP16, &minifloat_half, "fp16 and back");
    check_16_bits(NN_BF16, &minifloat_bfloat, "bf16 and back");
    struct nn m;
    RULE(nn_init(&m, &(struct nn_shape){0}, stream) == cudaErrorInvalidValue,
         "an impossible shape");
    cudaStreamDestroy(stream);
    return rule_status();
}
