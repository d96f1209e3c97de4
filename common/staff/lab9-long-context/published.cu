/*
 * published.cu: ring attention as a public benchmark computes it, next to what
 * it measured. Given: nothing to edit here.
 *
 * The benchmark of zhuzilin/ring-flash-attention, forward pass, on eight H800s:
 * 8192 tokens on each, 32 heads of queries and 8 of keys and values, of width
 * 128, in bf16. In each step a rank attends to one block by flash attention,
 * and folds the block's output into its own in PyTorch. This file charges the
 * costs of that sequence of kernels, which have no contents here:
 *
 *     flash attention   4 flops for each pair, head and element of the width
 *     the first block   out = block in fp32              6 bytes an element
 *     others            block in fp32                    6
 *                       out * weight, block * weight     8 each
 *                       out = their sum                  12
 *     part of the rows  these are copied back            8
 *     at the end        out in bf16                      6
 *
 * Rates are those of version 2 on an H100 at 8192 tokens and width 128, with a
 * causal mask and without (Shah et al., "FlashAttention-3", 2024, figure 5).
 *
 *     kernel    computes                            called by   launch
 *     charged   nothing; it has a modelled cost     charge()    one thread
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab9.h"
#include "nn/cost.cuh"
#include "report.h"

enum { TOKENS = 8192, HEADS = 32, KV_HEADS = 8, WIDTH = 128, RANKS = 8 };

// bf16 products of this many TFLOPS are those of dgx-h100; attention is slower.
static const double products = 989 * 0.8, masked = 333, unmasked = 370;

struct ring {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t compute, messages;
    cudaEvent_t arrived;
    char *keys[2], *values[2]; // in use, and arriving
};

__global__ void charged() {}

static void charge(double flops, double nbytes, cudaStream_t s)
{
    cost_begin_math("bf16 ", flops, nbytes);
    charged<<<1, 1, 0, s>>>();
    CUDA_MUST(cost_end());
}

// Attention of `rows` queries to `cols` keys. With a mask a row sees half of
// them.
static void attend(double rows, double cols, bool mask, cudaStream_t s)
{
    const double pairs = rows * cols * (mask ? 0.5 : 1);
    charge(4 * pairs * HEADS * WIDTH * products / (mask ? masked : unmasked), 0,
           s);
}

// One elementwise operation on the outputs of `rows`.
static void pass_over(double rows, int nbytes, cudaStream_t s)
{
    charge(0, rows * HEADS * WIDTH * nbytes, s);
}

static void fold(double rows, bool copied, cudaStream_t s)
{
    const int nbytes[] = {6, 8, 8, 12};
    for (int n : nbytes)
        pass_over(rows, n, s);
    if (copied)
        pass_over(rows, 8, s);
}

// Step j > 0 of rank r, which has the keys of rank r - j, or, if that is
// negative, of a later one.
static void step(enum seq_order order, bool later, cudaStream_t s)
{
    const double n = TOKENS;
    if (order == SEQ_STRIPED) {
        attend(n, n, true, s);
        fold(n, later, s);
    } else if (order == SEQ_ZIGZAG) {
        attend(later ? n / 2 : n, later ? n : n / 2, false, s);
        fold(later ? n / 2 : n, later, s);
    } else if (!later) {
        attend(n, n, false, s);
        fold(n, false, s);
    }
}

// Send the keys and values in use to the next rank, and receive those of the
// next step.
static void pass_on(const struct ring *r, int j)
{
    const size_t nbytes = (size_t)TOKENS * KV_HEADS * WIDTH * 2;
    const int to = (r->rank + 1) % r->nranks;
    const int from = (r->rank + r->nranks - 1) % r->nranks;
    char *const *const block[] = {r->keys, r->values};
    NCCL_MUST(ncclGroupStart());
    for (char *const *b : block) {
        NCCL_MUST(
            ncclSend(b[j % 2], nbytes, ncclChar, to, r->comm, r->messages));
        NCCL_MUST(ncclRecv(b[(j + 1) % 2], nbytes, ncclChar, from, r->comm,
                           r->messages));
    }
    NCCL_MUST(ncclGroupEnd());
}

static void forward(const struct ring *r, enum seq_order order)
{
    for (int j = 0; j < r->nranks; j++) {
        if (j + 1 < r->nranks) {
            NCCL_MUST(seq_after(r->messages, r->compute, r->arrived));
            pass_on(r, j);
        }
        if (j > 0) {
            step(order, j > r->rank, r->compute);
        } else {
            attend(TOKENS, TOKENS, true, r->compute);
            pass_over(TOKENS, 6, r->compute);
        }
        NCCL_MUST(seq_after(r->compute, r->messages, r->arrived));
    }
    pass_over(TOKENS, 6, r->compute);
}

struct pass {
    const struct ring *ring;
    enum seq_order order;
    bool alone; // an n-th of the whole sequence on one device
};

static ncclResult_t run_pass(void *arg)
{
    const pass *const p = (const pass *)arg;
    const ring *const k = p->ring;
    if (p->alone)
        attend((double)TOKENS * k->nranks, TOKENS, true, k->compute);
    else
        forward(k, p->order);
    return ncclSuccess;
}

static double time_of(const struct lab_run *r, struct pass p)
{
    return report_ms(r, run_pass, &p);
}

// False, with a message, on a machine with other rates: there, the charges are
// not those of the benchmark.
static bool is_known(const struct lab_run *r, double ideal_ms)
{
    const double pairs = 0.5 * TOKENS * r->nranks * TOKENS;
    const double want_ms = 4 * pairs * HEADS * WIDTH / (masked * 1e9);
    if (ideal_ms > 0.98 * want_ms && ideal_ms < 1.02 * want_ms)
        return true;
    if (r->rank == 0)
        fprintf(stderr,
                "%s: --published: its rates are those of simgpu's dgx-h100: "
                "run it with SIMGPU_TOPO=dgx-h100\n",
                lab.name);
    return false;
}

static int compare(const struct lab_run *r, const struct ring *k)
{
    static const struct { // iterations a second, of the benchmark
        const char *name;
        enum seq_order order;
        double rate;
    } orders[] = {{"plain", SEQ_PLAIN, 38.5},
                  {"zigzag", SEQ_ZIGZAG, 63.0},
                  {"striped", SEQ_STRIPED, 55.0}};
    const double ideal = time_of(r, {k, SEQ_PLAIN, true}), ideal_rate = 73.9;
    if (!is_known(r, ideal))
        return 2;
    if (r->rank == 0)
        printf("%d ranks, %d tokens each, %d heads of queries and %d of keys, "
               "width %d, bf16\n\n"
               "order         modelled  of ideal   measured  of ideal\n"
               "ideal     %9.2f ms             %6.2f ms\n",
               k->nranks, TOKENS, HEADS, KV_HEADS, WIDTH, ideal,
               1e3 / ideal_rate);
    for (const auto &o : orders) {
        const double ms = time_of(r, {k, o.order, false});
        if (r->rank == 0)
            printf("%-9s %9.2f ms   %5.1f %%   %6.2f ms   %5.1f %%\n", o.name,
                   ms, 100 * ideal / ms, 1e3 / o.rate,
                   100 * o.rate / ideal_rate);
    }
    return 0;
}

extern "C" int report_published(struct lab_run *r, int argc, char **argv)
{
    const struct flag flags[] = {{NULL, FLAG_NUMBER, NULL, 0, 0}};
    const size_t nbytes = (size_t)TOKENS * KV_HEADS * WIDTH * 2;
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (r->nranks != RANKS) {
        if (r->rank == 0)
            fprintf(stderr,
                    "%s: --published: measured on %d GPUs: run it with mpirun "
                    "-n %d\n",
                    lab.name, RANKS, RANKS);
        return 2;
    }
    struct ring k = {};
    k.comm = r->comm, k.rank = r->rank, k.nranks = r->nranks;
    k.compute = r->stream;
    for (int i = 0; i < 2; i++) {
        k.keys[i] = (char *)lab_buffer(r, nbytes);
        k.values[i] = (char *)lab_buffer(r, nbytes);
    }
    CUDA_MUST(cudaStreamCreateWithFlags(&k.messages, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreateWithFlags(&k.arrived, cudaEventDisableTiming));
    const int status = compare(r, &k);
    CUDA_MUST(cudaEventDestroy(k.arrived));
    CUDA_MUST(cudaStreamDestroy(k.messages));
    lab_free_buffers();
    return status;
}
