/*
 * report_costs.c: prints what a rank holds and sends, next to the formulas.
 * Given: nothing to edit here.
 *
 * Formulas are in the bytes b of a block, on n ranks. Everything that a
 * function is given and allocates counts, and everything that its messages
 * carry.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab/meter.h"
#include "report.h"
#include "support.h"

enum { FORWARD_BLOCKS = 4, BACK_BLOCKS = 7 }; /* inputs and outputs */

struct cost { /* this rank's; the same on all others */
    double held, sent;
};

static struct seq sequence(struct lab_run *r, long tokens, long heads,
                           long width)
{
    return (struct seq){.comm = r->comm,
                        .rank = r->rank,
                        .nranks = r->nranks,
                        .rows = (int)(tokens / r->nranks / 2 * 2),
                        .a = {(int)heads, (int)width, 1},
                        .compute = r->stream};
}

/* The peak of all memory since `before`, and the messages. */
static struct cost cost_since(struct lab_run *r, uint64_t before)
{
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    return (struct cost){(double)(meter_memory().peak - before),
                         (double)meter.sent_bytes};
}

static uint64_t begin(void)
{
    meter = (struct meter){0};
    meter_memory_begin();
    return meter_memory().live;
}

static void take_blocks(struct lab_run *r, const struct seq *s, float **block,
                        int n)
{
    for (int i = 0; i < n; i++)
        block[i] = lab_buffer(r, seq_block(s) * sizeof *block[i]);
}

static struct cost heads_cost(struct lab_run *r, struct seq s)
{
    const uint64_t before = begin();
    float *b[FORWARD_BLOCKS];
    struct seq_heads h = {0};
    NCCL_MUST(seq_init(&s));
    NCCL_MUST(seq_heads_init(&h, &s, s.nranks));
    take_blocks(r, &s, b, FORWARD_BLOCKS);
    NCCL_MUST(heads_forward(&s, &h, b[0], b[1], b[2], b[3]));
    const struct cost c = cost_since(r, before);
    seq_heads_release(&h);
    seq_release(&s);
    lab_free_buffers();
    return c;
}

static struct cost ring_cost(struct lab_run *r, struct seq s, int back)
{
    const uint64_t before = begin();
    float *b[BACK_BLOCKS];
    struct nn_attend_state st = {0};
    NCCL_MUST(seq_init(&s));
    NCCL_MUST(seq_state_init(&st, s.rows, &s.a));
    take_blocks(r, &s, b, back ? BACK_BLOCKS : FORWARD_BLOCKS - 1);
    float *const delta =
        lab_buffer(r, (size_t)s.rows * (size_t)s.a.heads * sizeof *delta);
    if (back)
        NCCL_MUST(ring_backward(&s, b[0], b[1], b[2], &st, delta, b[3], b[4],
                                b[5], b[6]));
    else
        NCCL_MUST(ring_forward(&s, b[0], b[1], b[2], &st));
    const struct cost c = cost_since(r, before);
    seq_state_release(&st);
    seq_release(&s);
    lab_free_buffers();
    return c;
}

static void print_cost(const char *what, struct cost c, double block,
                       double formula)
{
    const double mib = 1 << 20;
    printf("%-14s %9.1f MiB %6.2f blocks   %9.1f MiB  formula %9.1f MiB\n",
           what, c.held / mib, c.held / block, c.sent / mib, formula / mib);
}

int report_costs(struct lab_run *r, int argc, char **argv)
{
    long tokens = 65536, heads = 32, width = 128;
    const struct flag flags[] = {
        {"--tokens", FLAG_NUMBER, &tokens, 128, 1 << 24},
        {"--heads", FLAG_NUMBER, &heads, 1, 1 << 10},
        {"--width", FLAG_NUMBER, &width, 1, NN_ATTEND_WIDTH},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    const struct seq s = sequence(r, tokens, heads, width);
    const double n = s.nranks, block = 4.0 * (double)seq_block(&s);
    const struct cost all = heads_cost(r, s), ring = ring_cost(r, s, 0),
                      back = ring_cost(r, s, 1);
    if (r->rank != 0)
        return 0;
    printf("%d rank%s, %d tokens each, blocks of %.1f MiB\n\n", s.nranks,
           s.nranks == 1 ? "" : "s", s.rows, block / (1 << 20));
    printf("%-14s %13s %13s   %13s\n", "", "holds", "", "sends");
    print_cost("heads", all, block, 4 * block * (n - 1) / n);
    print_cost("ring", ring, block, 2 * block * (n - 1));
    print_cost("ring, backward", back, block,
               s.nranks > 1 ? 2 * block * (2 * n - 1) : 0);
    return 0;
}
