/* links: nn nnref judge graph topo base
 * The transformer's training, for PyTorch to repeat: as JSON, a shape, the
 * weights it starts from, the tokens of five steps of AdamW, and the losses of
 * these steps by the reference and on the device.
 *
 *     prog_dump fp32|bf16
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/lm.h"
#include "nn/lm_reference.h"
#include "nn/ops.h"
#include "nn/shape.h" /* nn_data_seed */

enum { STEPS = 5, WEIGHTS = 3, DATA = 9 }; /* seeds */

static const struct nn_hyper hyper = {0.003f, 0.9f, 0.99f, 1e-3f, 0.01f};

#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != cudaSuccess) {                                           \
            fprintf(stderr, "prog_dump: %s\n", #call);                         \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static void print_weights(const struct lm_shape *s)
{
    for (int p = 0; p < lm_params(s); p++) {
        printf("%s[", p ? ",\n" : "");
        for (size_t i = 0; i < lm_param_count(s, p); i++)
            printf("%s%.17g", i ? "," : "",
                   (double)lm_weight(s, WEIGHTS, p, i));
        printf("]");
    }
}

static void print_bytes(const struct lm_shape *s,
                        uint8_t of(const struct lm_shape *, uint64_t, size_t))
{
    for (int step = 0; step < STEPS; step++) {
        printf("%s[", step ? ",\n" : "");
        for (size_t i = 0; i < (size_t)lm_rows(s); i++)
            printf("%s%d", i ? "," : "", of(s, nn_data_seed(DATA, step, 0), i));
        printf("]");
    }
}

static void print_reference(const struct lm_shape *s)
{
    struct lm_reference *const r = lm_reference_new(s, WEIGHTS);
    for (int step = 0; step < STEPS; step++) {
        lm_reference_zero_grad(r);
        printf("%s%.15g", step ? "," : "",
               lm_reference_pass_seed(r, nn_data_seed(DATA, step, 0), 1));
        lm_reference_adamw(r, hyper.lr, hyper.beta1, hyper.beta2, hyper.eps,
                           hyper.decay);
    }
    lm_reference_free(r);
}

static double device_step(struct lm *m, float *state, uint8_t *bytes, int step)
{
    const size_t rows = (size_t)lm_rows(&m->shape);
    const uint64_t seed = nn_data_seed(DATA, step, 0);
    uint8_t *const h = malloc(2 * rows);
    double loss;
    for (size_t i = 0; i < rows; i++) {
        h[i] = lm_token(&m->shape, seed, i);
        h[rows + i] = lm_target(&m->shape, seed, i);
    }
    MUST(
        cudaMemcpyAsync(bytes, h, 2 * rows, cudaMemcpyHostToDevice, m->stream));
    MUST(lm_narrow(m));
    MUST(lm_zero_grad(m));
    MUST(lm_forward(m, &(struct lm_batch){bytes, bytes + rows}));
    MUST(lm_backward(m, 1, NULL, NULL));
    MUST(lm_read_loss(m, &loss));
    for (int p = 0; p < m->nparams; p++) {
        float *const of_p = state + 2 * lm_param_at(&m->shape, p);
        MUST(nn_adamw(m->param[p].value, m->param[p].grad, of_p,
                      of_p + m->param[p].count, step + 1, &hyper,
                      m->param[p].count, m->stream));
    }
    free(h);
    return loss;
}

static void print_device(const struct lm_shape *s)
{
    cudaStream_t stream;
    struct lm m;
    float *state;
    uint8_t *bytes;
    MUST(cudaStreamCreate(&stream));
    MUST(lm_init(&m, s, stream));
    MUST(lm_fill(&m, WEIGHTS));
    MUST(cudaMalloc((void **)&bytes, 2 * (size_t)lm_rows(s)));
    MUST(cudaMalloc((void **)&state, 2 * m.count * sizeof *state));
    MUST(cudaMemsetAsync(state, 0, 2 * m.count * sizeof *state, stream));
    for (int step = 0; step < STEPS; step++)
        printf("%s%.9g", step ? "," : "", device_step(&m, state, bytes, step));
    MUST(cudaStreamSynchronize(stream));
    lm_release(&m);
    cudaFree(state);
    cudaFree(bytes);
    cudaStreamDestroy(stream);
}

int main(int argc, char **argv)
{
    struct lm_shape s = {31, 24, 3, 50, 3, 7, 4, LM_FP32};
    if (argc != 2 || (strcmp(argv[1], "fp32") && strcmp(argv[1], "bf16"))) {
        fprintf(stderr, "usage: prog_dump fp32|bf16\n");
        return 2;
    }
    s.precision = strcmp(argv[1], "bf16") == 0 ? LM_BF16 : LM_FP32;
    printf("{\"vocabulary\": %d, \"width\": %d, \"heads\": %d, \"hidden\": %d, "
           "\"layers\": %d, \"context\": %d, \"sequences\": %d, \"bf16\": %s,\n"
           "\"lr\": %.17g, \"betas\": [%.17g, %.17g], \"eps\": %.17g, "
           "\"decay\": %.17g,\n\"weights\": [",
           s.vocabulary, s.width, s.heads, s.hidden, s.layers, s.context,
           s.sequences, s.precision == LM_BF16 ? "true" : "false",
           (double)hyper.lr, (double)hyper.beta1, (double)hyper.beta2,
           (double)hyper.eps, (double)hyper.decay);
    print_weights(&s);
    printf("],\n\"tokens\": [");
    print_bytes(&s, lm_token);
    printf("],\n\"targets\": [");
    print_bytes(&s, lm_target);
    printf("],\n\"reference\": [");
    print_reference(&s);
    printf("],\n\"device\": [");
    print_device(&s);
    printf("]}\n");
    return 0;
}
