/*
 * latency.c: lab 7's command --latency. Given: nothing to edit here.
 *
 * Dispatch and combine of part 6 at the size at which DeepEP's low-latency
 * kernels were measured on 8 H100s: 8 of 256 experts, 7168 elements per token,
 * one byte each on the way there (fp8) and two on the way back (bf16). Tokens
 * here are floats, so they are a quarter and half as long; --fp8 (report_fp8.c)
 * sends elements of one byte.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "cases.h"
#include "judge/judge.h" /* judge_seed */
#include "lab/flags.h"

static const struct {
    int ntokens;
    double dispatch_us, combine_us;
} published[] = {{1, 13.19, 14.4},
                 {8, 14.79, 16.49},
                 {32, 18.0, 26.26},
                 {128, 36.72, 66.98}};

void latency_choices(int rank, int ntokens, int *expert)
{
    for (int i = 0; i < ntokens * LATENCY_CHOICES; i++) {
        uint64_t h = judge_seed((uint64_t)rank, (uint64_t)i);
        for (int first = i / LATENCY_CHOICES * LATENCY_CHOICES, j = first;
             j < i; j++)
            if (expert[j] == (int)(h % LATENCY_EXPERTS)) { // taken: the next
                h++;
                j = first - 1;
            }
        expert[i] = (int)(h % LATENCY_EXPERTS);
    }
}

static int *choices_of(struct lab_run *r, int ntokens)
{
    int expert[LATENCY_TOKENS * LATENCY_CHOICES];
    latency_choices(r->rank, ntokens, expert);
    return lab_upload(r, expert,
                      (size_t)(ntokens * LATENCY_CHOICES) * sizeof *expert);
}

double latency_us(struct lab_run *r, cudaEvent_t from, cudaEvent_t to)
{
    float ms;
    double us;
    CUDA_MUST(cudaEventElapsedTime(&ms, from, to));
    us = ms * 1e3;
    MPI_MUST(
        MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    return us;
}

/* Dispatch and combine tokens of `dim` floats: the time of one of them. */
static ncclResult_t measure(struct lab_run *r, int ntokens, int dim, int back,
                            double *us)
{
    const struct moe m = {.comm = r->comm,
                          .rank = r->rank,
                          .nranks = r->nranks,
                          .each = LATENCY_EXPERTS / r->nranks,
                          .k = LATENCY_CHOICES,
                          .dim = dim};
    const size_t nbytes = (size_t)(ntokens * dim) * sizeof(float);
    const size_t choices = (size_t)(ntokens * LATENCY_CHOICES) * sizeof(float);
    struct direct d;
    cudaEvent_t event[2];
    float *const in = lab_buffer(r, nbytes), *const out = lab_buffer(r, nbytes);
    float *const gate = lab_buffer(r, choices);
    const int *const expert = choices_of(r, ntokens);
    float *const weight =
        lab_buffer(r, (size_t)(m.each * dim) * sizeof *weight);
    CUDA_MUST(cudaMemset(weight, 0, (size_t)(m.each * dim) * sizeof *weight));
    CUDA_MUST(cudaMemset(in, 0, nbytes));
    CUDA_MUST(cudaMemset(gate, 0, choices));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventCreate(&event[i]));
    LAB_TRY(direct_open(&d, &m, ntokens));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventRecord(event[0], r->stream));
    LAB_TRY(direct_dispatch(&d, in, expert, ntokens, r->stream));
    CUDA_MUST(cudaEventRecord(event[1], r->stream));
    if (back) {
        LAB_TRY(direct_experts(&d, weight, 1, r->stream));
        CUDA_MUST(cudaStreamSynchronize(r->stream));
        MPI_MUST(MPI_Barrier(r->mpi_comm));
        CUDA_MUST(cudaEventRecord(event[0], r->stream));
        LAB_TRY(direct_combine(&d, gate, ntokens, out, r->stream));
        CUDA_MUST(cudaEventRecord(event[1], r->stream));
    }
    CUDA_MUST(cudaDeviceSynchronize());
    *us = latency_us(r, event[0], event[1]);
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    direct_close(&d);
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventDestroy(event[i]));
    lab_free_buffers();
    return ncclSuccess;
}

int latency_print(struct lab_run *r, int argc, char **argv)
{
    long most = 128;
    const struct flag flags[] = {
        {"--max-tokens", FLAG_NUMBER, &most, 1, 128},
        {NULL, 0, NULL, 0, 0},
    };
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (!r->comm || LATENCY_EXPERTS % r->nranks) {
        if (r->rank == 0)
            fprintf(stderr, "--latency: use 2, 4 or 8 ranks with a GPU each\n");
        return 2;
    }
    if (r->rank == 0)
        printf(
            "# 8 of 256 experts, %d ranks; us (measured on 8 H100s: DeepEP)\n"
            "#  tokens  dispatch  measured   combine  measured\n",
            r->nranks);
    for (size_t i = 0; i < sizeof published / sizeof *published &&
                       published[i].ntokens <= most;
         i++) {
        double us[2];
        for (int back = 0; back < 2; back++)
            if (measure(r, published[i].ntokens,
                        LATENCY_ELEMENTS / (back ? 2 : 4), back,
                        &us[back]) != ncclSuccess)
                return 1;
        if (r->rank == 0)
            printf("%9d %9.1f %9.1f %9.1f %9.1f\n", published[i].ntokens, us[0],
                   published[i].dispatch_us, us[1], published[i].combine_us);
    }
    return 0;
}
