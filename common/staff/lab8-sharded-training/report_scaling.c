/*
 * report_scaling.c: one step of sharded training on ever more ranks. Given:
 * nothing to edit here.
 *
 * The transformer's blocks are units (solution of parts 4, 7 and 9), and their
 * contents are not kept. By default it is the model of a published run, Llama 3
 * with 8 billion parameters on H100s, 2 sequences of 8192 tokens on each: 32
 * blocks of 218 million parameters (torchtitan, docs/performance.md, December
 * 2024). Its vocabulary is one of bytes, so E is small.
 *
 * Products have operands rounded to bf16, and run on the matrix units.
 * Attention is charged as flash attention, 4 flops for each pair, head and
 * element of the width forward, 10 backward, at the rate of version 2 on an
 * H100 with a causal mask and width 128 (Shah et al., "FlashAttention-3", 2024,
 * figure 5).
 *
 * A whole training step has more work than products: --tokens-per-s N charges
 * what a GPU of the first group would then need for N tokens a second, in equal
 * parts in all blocks, a third of it forward. What follows from the model alone
 * is how a step on more ranks compares.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "charge.h"
#include "lab/flags.h"
#include "lab/meter.h"
#include "lab8.h"
#include "nn/lm.h"
#include "report.h"

/* TFLOPS of bf16 products on dgx-h100, and of attention. */
static const double products = 989 * 0.8, masked = 333;

enum { FIRST = 8 }; // ranks of the first group: a node

struct request {
    long layers, width, feed, context, sequences, recompute, rate;
};

struct scaling {
    struct nn_shape shape;
    int recompute;
    double more_flops; /* what a block's forward pass is charged with besides */
    cudaStream_t stream;
    struct nn m;
    struct nn_batch batch;
    struct shard s;
};

struct row {
    int nranks;
    double ms, state, activations; /* bytes: of shares and slots; and those */
};

/* ---- a block's attention, and the rest ----------------------------------- */

static double attention_flops(const struct scaling *k)
{
    const double context = k->shape.context;
    return 4 * (k->shape.rows * context / 2) * k->shape.hidden * products /
           masked;
}

static cudaError_t forward(void *arg, int l, float *y, const float *qkv)
{
    const struct scaling *const k = arg;
    (void)l, (void)y, (void)qkv;
    return charge(attention_flops(k) + k->more_flops, k->stream);
}

static cudaError_t backward(void *arg, int l, float *dqkv, const float *qkv,
                            const float *dy)
{
    const struct scaling *const k = arg;
    (void)l, (void)dqkv, (void)qkv, (void)dy;
    return charge(2.5 * attention_flops(k) + 2 * k->more_flops, k->stream);
}

/* ---- a step -------------------------------------------------------------- */

static ncclResult_t step(void *arg)
{
    struct scaling *const k = arg;
    return fsdp_step(&k->s, &k->batch, 1);
}

/* A step in groups of `size` ranks, each of which trains by itself. */
static struct row measure(struct lab_run *r, struct scaling *k, int size)
{
    static const struct nn_hyper hyper = {
        .lr = 0.001F, .beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F, .decay = 0};
    const struct lm_attention attention = {forward, backward, k};
    const struct lm_how how = {.attention = &attention,
                               .compute = CUBLAS_COMPUTE_32F_FAST_16BF,
                               .recompute = k->recompute,
                               .bare = 1};
    ncclComm_t comm;
    NCCL_MUST(ncclCommSplit(r->comm, r->rank / size, r->rank, &comm, NULL));
    k->batch.token = lab_buffer(r, (size_t)k->shape.rows);
    k->batch.target = lab_buffer(r, (size_t)k->shape.rows);
    k->stream = r->stream;
    meter_memory_begin();
    const double before = (double)meter_memory().live;
    CUDA_MUST(nn_init_how(&k->m, &k->shape, r->stream, &how));
    const double activations = (double)meter_memory().live - before;
    NCCL_MUST(shard_init(&k->s, &k->m, comm, r->rank % size, size, 1, &hyper));
    NCCL_MUST(mixed_open(&k->s));
    NCCL_MUST(tied_open(&k->s));
    meter_memory_begin();
    const struct report_cost c = report_second_step(r, step, k);
    const struct row row = {.nranks = size,
                            .ms = c.ms,
                            .activations = activations,
                            .state = c.held - before - activations};
    shard_release(&k->s);
    nn_release(&k->m);
    lab_free_buffers();
    NCCL_MUST(ncclCommDestroy(comm));
    return row;
}

/* ---- output -------------------------------------------------------------- */

static void print_head(const struct lab_run *r, const struct scaling *k)
{
    if (r->rank == 0)
        printf("%.2f billion parameters in %d blocks, %d tokens on each GPU%s"
               "\n\n%6s %10s %12s %10s %10s %10s\n",
               1e-9 * (double)nn_param_count(&k->shape), k->shape.depth - 2,
               k->shape.rows,
               k->recompute ? ", blocks recomputed in the backward pass" : "",
               "ranks", "state GiB", "activations", "ms/step", "tokens/s",
               "of first");
}

static void print_row(const struct lab_run *r, const struct scaling *k,
                      const struct row *row, double first_ms)
{
    const double gib = 1 << 30;
    if (r->rank == 0)
        printf("%6d %10.2f %12.2f %10.2f %10.0f %8.1f %%\n", row->nranks,
               row->state / gib, row->activations / gib, row->ms,
               1000 * k->shape.rows / row->ms, 100 * first_ms / row->ms);
}

/* What each block's forward pass lacks, in flops, of `want_ms` for a step. */
static double missing(const struct scaling *k, double ms, double want_ms)
{
    const double passes = k->recompute ? 4 : 3;
    return want_ms <= ms ? 0
                         : (want_ms - ms) / 1000 * products * 1e12 /
                               (passes * (k->shape.depth - 2));
}

int report_scaling(struct lab_run *r, int argc, char **argv)
{
    struct request q = {32, 4096, 18432, 8192, 2, 1, 0};
    const struct flag flags[] = {
        {"--layers", FLAG_NUMBER, &q.layers, 1, NN_MAX_DEPTH - 2},
        {"--width", FLAG_NUMBER, &q.width, 1, 1 << 14},
        {"--feed", FLAG_NUMBER, &q.feed, 1, 1 << 16},
        {"--context", FLAG_NUMBER, &q.context, 1, 1 << 16},
        {"--sequences", FLAG_NUMBER, &q.sequences, 1, 1 << 8},
        {"--recompute", FLAG_NUMBER, &q.recompute, 0, 1},
        {"--tokens-per-s", FLAG_NUMBER, &q.rate, 1, 1 << 24},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    struct scaling k = {.shape = {.depth = (int)q.layers + 2,
                                  .in = 1,
                                  .hidden = (int)q.width,
                                  .out = LM_VOCABULARY,
                                  .rows = (int)(q.context * q.sequences),
                                  .loss = NN_CROSS_ENTROPY,
                                  .heads = 1,
                                  .context = (int)q.context,
                                  .feed = (int)q.feed},
                        .recompute = (int)q.recompute};
    const int first = r->nranks < FIRST ? r->nranks : FIRST;
    print_head(r, &k);
    struct row row = measure(r, &k, first);
    if (q.rate) {
        k.more_flops =
            missing(&k, row.ms, 1000.0 * k.shape.rows / (double)q.rate);
        row = measure(r, &k, first);
    }
    const double first_ms = row.ms;
    print_row(r, &k, &row, first_ms);
    for (int size = 4 * first; size <= r->nranks; size *= 4) {
        if (r->nranks % size != 0)
            continue;
        row = measure(r, &k, size);
        print_row(r, &k, &row, first_ms);
    }
    return 0;
}
