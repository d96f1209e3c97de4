/*
 * report_fp8.c: lab 7's command --fp8. Given: nothing to edit here.
 *
 * The same dispatch with 4 bytes for each element and, by part 8, with 1, at
 * the size of --latency. What arrives is compared with what was sent.
 */
#include <math.h>             /* fabs */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */
#include <stdio.h>            /* printf */
#include <stdlib.h>           /* malloc */

#include "base/must.h"
#include "cases.h"
#include "judge/judge.h" /* judge_seed */
#include "lab/try.h"     /* LAB_TRY */

enum { N = LATENCY_TOKENS, DIM = LATENCY_ELEMENTS };

enum form { FORM_FLOATS, FORM_FP8, FORMS };

static const char *const names[] = {"floats", "fp8"};
static const char *const spans[] = {"dispatch floats", "dispatch fp8"};

/* Element i of a rank's tokens: from -1 to 1. */
static float element(int rank, size_t i)
{
    const uint64_t h = judge_seed((uint64_t)rank + 1000, i);
    return (float)((double)(int64_t)h / 9223372036854775808.0);
}

static float *tokens_of(int rank)
{
    float *const x = malloc((size_t)N * DIM * sizeof *x);
    for (size_t i = 0; i < (size_t)N * DIM; i++)
        x[i] = element(rank, i);
    return x;
}

/* ---- errors -------------------------------------------------------------- */

/* The largest |y - x| / |x| of a token, of those elements that e4m3 has normal
 * numbers for: from 2^-6 scales on. */
static double token_error(const float *x, const float *y)
{
    double worst = 0;
    for (int g = 0; g < DIM; g += FP8_GROUP) {
        double most = 0;
        for (int i = g; i < g + FP8_GROUP; i++)
            most = fmax(most, fabs(x[i]));
        for (int i = g; i < g + FP8_GROUP; i++)
            if (fabs(x[i]) >= most / FP8_LARGEST / 64)
                worst = fmax(worst, fabs(y[i] - x[i]) / fabs(x[i]));
    }
    return worst;
}

/* Compare the tokens from rank s for an expert, block after block of `most`
 * rows; -1 if their number is wrong. */
static double block_error(const float *block, const float *x, const int *expert,
                          int e, int count)
{
    float *const y = malloc(DIM * sizeof *y);
    double worst = 0;
    int n = 0;
    for (int i = 0; i < N * LATENCY_CHOICES; i++) {
        if (expert[i] != e || n++ >= count)
            continue;
        CUDA_MUST(cudaMemcpy(y, block + (size_t)(n - 1) * DIM, DIM * sizeof *y,
                             cudaMemcpyDeviceToHost));
        const float *const token = x + (size_t)(i / LATENCY_CHOICES) * DIM;
        worst = fmax(worst, token_error(token, y));
    }
    free(y);
    return n == count ? worst : INFINITY;
}

/* The largest error of what has arrived here; infinite if a number of tokens is
 * wrong. */
static double arrived_error(const struct direct *d, const float *tokens)
{
    const int nblocks = d->each * d->nranks;
    int *const count = malloc((size_t)nblocks * sizeof *count);
    int expert[N * LATENCY_CHOICES];
    double worst = 0;
    CUDA_MUST(cudaMemcpy(count, d->count, (size_t)nblocks * sizeof *count,
                         cudaMemcpyDeviceToHost));
    for (int s = 0; s < d->nranks; s++) {
        float *const x = tokens_of(s);
        latency_choices(s, N, expert);
        for (int l = 0; l < d->each; l++) {
            const int b = l * d->nranks + s;
            worst =
                fmax(worst, block_error(tokens + (size_t)b * N * DIM, x, expert,
                                        d->rank * d->each + l, count[b]));
        }
        free(x);
    }
    free(count);
    return worst;
}

/* ---- the table ----------------------------------------------------------- */

/* The choices of this rank's tokens that are on other ranks. */
static int choices_away(const struct lab_run *r, const int *expert)
{
    const int each = LATENCY_EXPERTS / r->nranks;
    int n = 0;
    for (int i = 0; i < N * LATENCY_CHOICES; i++)
        n += expert[i] / each != r->rank;
    return n;
}

enum { STEPS = 3 }; /* quantise, dispatch, dequantise */

struct figures {
    double us[STEPS], error;
};

/* Enqueue the steps, with an event before each and one after the last. */
static ncclResult_t run_steps(struct lab_run *r, struct fp8 *f,
                              struct direct *d, const float *in,
                              const int *expert, cudaEvent_t *event)
{
    const float *from = in;
    LAB_TRY_CUDA(cudaEventRecord(event[0], r->stream));
    if (f) {
        LAB_TRY(fp8_quantise(in, N, DIM, f->packets, r->stream));
        from = (const float *)f->packets;
    }
    LAB_TRY_CUDA(cudaEventRecord(event[1], r->stream));
    LAB_TRY(direct_dispatch(d, from, expert, N, r->stream));
    LAB_TRY_CUDA(cudaEventRecord(event[2], r->stream));
    if (f)
        LAB_TRY(fp8_dequantise(f, r->stream));
    LAB_TRY_CUDA(cudaEventRecord(event[3], r->stream));
    return ncclSuccess;
}

/* Dispatch once. */
static ncclResult_t measure(struct lab_run *r, enum form form, const float *in,
                            const int *expert, struct figures *out)
{
    const struct moe m = {.comm = r->comm,
                          .rank = r->rank,
                          .nranks = r->nranks,
                          .each = LATENCY_EXPERTS / r->nranks,
                          .k = LATENCY_CHOICES,
                          .dim = DIM};
    const int narrow = form == FORM_FP8;
    struct direct plain = {NULL};
    struct fp8 f = {.dim = 0};
    struct direct *const d = narrow ? &f.there : &plain;
    cudaEvent_t event[STEPS + 1];
    for (int i = 0; i <= STEPS; i++)
        CUDA_MUST(cudaEventCreate(&event[i]));
    LAB_TRY(narrow ? fp8_open(&f, &m, N) : direct_open(d, &m, N));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    nvtxRangePushA(spans[form]);
    LAB_TRY(run_steps(r, narrow ? &f : NULL, d, in, expert, event));
    nvtxRangePop();
    CUDA_MUST(cudaDeviceSynchronize());
    for (int i = 0; i < STEPS; i++)
        out->us[i] = latency_us(r, event[i], event[i + 1]);
    out->error = arrived_error(d, narrow ? f.back.arrived : d->arrived);
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &out->error, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    fp8_close(&f);
    direct_close(&plain);
    for (int i = 0; i <= STEPS; i++)
        CUDA_MUST(cudaEventDestroy(event[i]));
    return ncclSuccess;
}

static void print_row(enum form form, int away, const struct figures *f)
{
    const int nbytes = form == FORM_FP8 ? fp8_packet(DIM) : 4 * DIM;
    printf("%-6s %8d %8.2f ", names[form], nbytes, (double)away * nbytes / 1e6);
    if (form == FORM_FP8)
        printf("%9.1f %9.1f %11.1f", f->us[0], f->us[1], f->us[2]);
    else // no kernel runs before it or after it
        printf("%9s %9.1f %11s", "-", f->us[1], "-");
    printf(" %8.4f\n", f->error);
}

int fp8_print(struct lab_run *r, int argc, char **argv)
{
    int expert[N * LATENCY_CHOICES];
    (void)argc;
    (void)argv;
    if (!r->comm || LATENCY_EXPERTS % r->nranks) {
        if (r->rank == 0)
            fprintf(stderr, "--fp8: use 2, 4 or 8 ranks with a GPU each\n");
        return 2;
    }
    if (r->rank == 0)
        printf(
            "# dispatch of %d tokens to %d of %d experts, %d elements each, "
            "%d ranks, in us\n"
            "# MB: from the rank that sends most; error: the largest "
            "|y - x| / |x|\n"
            "# form   bytes       MB  quantise  dispatch  dequantise    error"
            "\n",
            N, LATENCY_CHOICES, LATENCY_EXPERTS, DIM, r->nranks);
    latency_choices(r->rank, N, expert);
    int away = choices_away(r, expert);
    MPI_MUST(
        MPI_Allreduce(MPI_IN_PLACE, &away, 1, MPI_INT, MPI_MAX, r->mpi_comm));
    float *const x = tokens_of(r->rank);
    const float *const in = lab_upload(r, x, (size_t)N * DIM * sizeof *x);
    free(x);
    const int *const choices = lab_upload(r, expert, sizeof expert);
    for (int form = 0; form < FORMS; form++) {
        struct figures f;
        NCCL_MUST(measure(r, (enum form)form, in, choices, &f));
        if (r->rank == 0)
            print_row((enum form)form, away, &f);
    }
    lab_free_buffers();
    return 0;
}
