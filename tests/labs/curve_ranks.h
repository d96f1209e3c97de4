/*
 * curve_ranks.h: ranks, data and output of a program that trains curve.h's
 * transformer; included once
 */
#ifndef LABS_CURVE_RANKS_H
#define LABS_CURVE_RANKS_H

#include <stdlib.h>

#include "../torch/ranks.h"
#include "curve.h"
#include "nn/lm.h"

struct curve {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t stream;
};

static void curve_open(struct curve *c)
{
    MPI_MUST(MPI_Init(NULL, NULL));
    open_ranks(&c->comm, &c->rank, &c->nranks);
    CUDA_MUST(cudaStreamCreate(&c->stream));
}

static void curve_close(struct curve *c)
{
    NCCL_MUST(ncclCommDestroy(c->comm));
    CUDA_MUST(cudaStreamDestroy(c->stream));
    MPI_MUST(MPI_Finalize());
}

static void *curve_memory(size_t nbytes)
{
    void *d;
    CUDA_MUST(cudaMalloc(&d, nbytes));
    CUDA_MUST(cudaMemset(d, 0, nbytes));
    return d;
}

/* Of a step's CURVE_SEQUENCES sequences, tokens [from, from + n) of each of
 * `count` sequences from `first` on. Free its tokens. */
static struct lm_batch curve_tokens(int step, int first, int count, int from,
                                    int n)
{
    const size_t rows = (size_t)count * (size_t)n;
    uint8_t *const h = malloc(2 * rows), *const d = curve_memory(2 * rows);
    for (size_t i = 0; i < rows; i++) {
        const size_t sequence = (size_t)first + i / (size_t)n;
        const size_t at =
            sequence * CURVE_CONTEXT + (size_t)from + i % (size_t)n;
        h[i] = lm_token(&curve_shape, curve_batch(step), at);
        h[rows + i] = lm_target(&curve_shape, curve_batch(step), at);
    }
    CUDA_MUST(cudaMemcpy(d, h, 2 * rows, cudaMemcpyHostToDevice));
    free(h);
    return (struct lm_batch){d, d + rows};
}

/* Rank 0 prints a step's loss, the mean of all ranks'. */
static void curve_print(const struct curve *c, double loss)
{
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD));
    if (c->rank == 0)
        printf("%.9f\n", loss / c->nranks);
}

#endif
