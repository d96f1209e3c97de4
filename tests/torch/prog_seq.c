/* links: nn base
 * links: solutions/lab9-long-context/
 * links: common/staff/lab9-long-context/support.c
 *
 * Attention over ranks, for PyTorch to repeat: as JSON, a shape, the order of
 * the rows, the inputs, and what lab 9's solution makes of them, forward and
 * backward. Blocks come rank after rank, as ranks hold them.
 *
 *     mpirun -n N prog_seq plain|zigzag|striped|heads
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "ranks.h"
#include "support.h"

enum { LENGTH = 96, HEADS = 4, WIDTH = 24, BLOCKS = 8 };

static const char *const names[BLOCKS] = {"q", "k",  "v",  "dout",
                                          "o", "dq", "dk", "dv"};

static int order_of(const char *name, enum seq_order *order)
{
    static const char *const orders[] = {"plain", "zigzag", "striped"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, orders[i]) == 0) {
            *order = (enum seq_order)i;
            return 1;
        }
    return strcmp(name, "heads") == 0; /* in plain order */
}

/* In [-2, 2), with all 24 bits of a float. */
static void fill(float *h, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        h[i] = (float)(mix_nth(seed, i) >> 40) * 0x1p-22f - 2;
}

static void ring(struct seq *s, float *const *b)
{
    struct nn_attend_state st;
    float *delta;
    NCCL_MUST(seq_state_init(&st, s->rows, &s->a));
    CUDA_MUST(
        cudaMalloc((void **)&delta, (size_t)s->rows * HEADS * sizeof *delta));
    NCCL_MUST(ring_forward(s, b[0], b[1], b[2], &st));
    CUDA_MUST(cudaMemcpyAsync(b[4], st.o, seq_block(s) * sizeof(float),
                              cudaMemcpyDeviceToDevice, s->compute));
    CUDA_MUST(nn_attend_delta(&s->a, delta, b[3], st.o, s->rows, s->compute));
    NCCL_MUST(
        ring_backward(s, b[0], b[1], b[2], &st, delta, b[3], b[5], b[6], b[7]));
    CUDA_MUST(cudaStreamSynchronize(s->compute));
    CUDA_MUST(cudaFree(delta));
    seq_state_release(&st);
}

static void heads(struct seq *s, float *const *b)
{
    struct seq_heads h;
    NCCL_MUST(seq_heads_init(&h, s, s->nranks));
    NCCL_MUST(heads_forward(s, &h, b[0], b[1], b[2], b[4]));
    NCCL_MUST(heads_backward(s, &h, b[3], b[5], b[6], b[7]));
    CUDA_MUST(cudaStreamSynchronize(s->compute));
    seq_heads_release(&h);
}

/* Blocks of all ranks, on rank 0. */
static void print_block(const struct seq *s, const char *name, const float *d)
{
    const size_t count = seq_block(s), all = count * (size_t)s->nranks;
    float *const mine = malloc(count * sizeof *mine);
    float *const whole = malloc(all * sizeof *whole);
    CUDA_MUST(
        cudaMemcpy(mine, d, count * sizeof *mine, cudaMemcpyDeviceToHost));
    MPI_MUST(MPI_Gather(mine, (int)count, MPI_FLOAT, whole, (int)count,
                        MPI_FLOAT, 0, MPI_COMM_WORLD));
    if (s->rank == 0) {
        printf(",\n\"%s\": [", name);
        for (size_t i = 0; i < all; i++)
            printf("%s%.9g", i ? "," : "", (double)whole[i]);
        printf("]");
    }
    free(mine);
    free(whole);
}

static void open_seq(struct seq *s)
{
    open_ranks(&s->comm, &s->rank, &s->nranks);
    CUDA_MUST(cudaStreamCreate(&s->compute));
    s->rows = LENGTH / s->nranks;
    NCCL_MUST(seq_init(s));
}

int main(int argc, char **argv)
{
    struct seq s = {.a = {HEADS, WIDTH, 1 / sqrtf(WIDTH)}};
    float *b[BLOCKS];
    if (argc != 2 || !order_of(argv[1], &s.order)) {
        fprintf(stderr, "usage: prog_seq plain|zigzag|striped|heads\n");
        return 2;
    }
    MPI_MUST(MPI_Init(&argc, &argv));
    open_seq(&s);
    const size_t nbytes = seq_block(&s) * sizeof(float);
    float *const h = malloc(nbytes);
    for (int i = 0; i < BLOCKS; i++) {
        CUDA_MUST(cudaMalloc((void **)&b[i], nbytes));
        fill(h, seq_block(&s), (uint64_t)(i * s.nranks + s.rank + 1));
        CUDA_MUST(cudaMemcpy(b[i], h, nbytes, cudaMemcpyHostToDevice));
    }
    free(h);
    (strcmp(argv[1], "heads") == 0 ? heads : ring)(&s, b);
    if (s.rank == 0)
        printf("{\"order\": \"%s\", \"ranks\": %d, \"length\": %d, "
               "\"heads\": %d, \"width\": %d",
               argv[1], s.nranks, LENGTH, HEADS, WIDTH);
    for (int i = 0; i < BLOCKS; i++) {
        print_block(&s, names[i], b[i]);
        CUDA_MUST(cudaFree(b[i]));
    }
    if (s.rank == 0)
        printf("}\n");
    NCCL_MUST(ncclCommDestroy(s.comm));
    CUDA_MUST(cudaStreamDestroy(s.compute));
    seq_release(&s);
    MPI_MUST(MPI_Finalize());
    return 0;
}
