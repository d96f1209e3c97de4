/*
 * cases_window.c: runs lab 5's cases of parts 6 to 8. Given: nothing to edit
 * here.
 */
#include <stdio.h> /* snprintf */

#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include "base/must.h"
#include "cases.h"
#include "judge/data.h" /* DATA_FLOAT */
#include "nn/ops.h"     /* nn_add */

static struct window window; /* the current iteration's */

static size_t size_param(const struct lab_run *r, const char *key,
                         int64_t value)
{
    return (size_t)plan_int(r->c, key, value);
}

static void copy(struct lab_run *r, float *to, const float *from, size_t count)
{
    CUDA_MUST(cudaMemcpyAsync(to, from, count * sizeof *to,
                              cudaMemcpyDeviceToDevice, r->stream));
}

/* True if ranks share a GPU: then there is no NCCL, and nothing to run. */
static int has_no_nccl(struct lab_run *r)
{
    lab_metric(r, "has_nccl", r->comm != NULL);
    return !r->comm;
}

/* Open the window and fill its send vector with `in`. Blocks. */
static ncclResult_t open_with(struct lab_run *r, const float *in, size_t count,
                              int multimem)
{
    LAB_TRY(window_open(&window, r->comm, count, multimem));
    copy(r, window.send, in, count);
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    return ncclSuccess;
}

static void close_window(struct lab_run *r)
{
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    window_close(&window);
}

/* Several all-reduces in a row; the input of number i is i times the first
 * one. */
ncclResult_t run_window(struct lab_run *r)
{
    const size_t count = size_param(r, "count", 1000);
    const size_t calls = size_param(r, "calls", 3);
    const int multimem = (int)plan_int(r->c, "multimem", 0);
    if (has_no_nccl(r))
        return ncclSuccess;
    const float *const in = lab_input(r, count, DATA_FLOAT);
    float *const out = lab_buffer(r, calls * count * sizeof *out);
    LAB_TRY(open_with(r, in, count, multimem));
    lab_begin(r);
    for (size_t i = 0; i < calls; i++) {
        LAB_TRY((multimem ? window_multimem : window_two_shot)(&window, count,
                                                               r->stream));
        if (calls > 1) {
            CUDA_MUST(nn_add(window.send, in, count, r->stream));
            copy(r, out + i * count, window.recv, count);
        }
    }
    lab_end(r);
    if (calls == 1)
        copy(r, out, window.recv, count);
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_output(r, "out", out, calls * count * sizeof *out);
    close_window(r);
    return ncclSuccess;
}

/* An all-reduce in each of the two ways, in ranges that the judge finds in the
 * graph. */
ncclResult_t run_window_race(struct lab_run *r)
{
    static const char *const names[] = {"by loads", "by switch"};
    char name[EVIDENCE_NAME];
    const size_t count = size_param(r, "count", 1000);
    if (has_no_nccl(r))
        return ncclSuccess;
    float *const out = lab_buffer(r, 2 * count * sizeof *out);
    LAB_TRY(open_with(r, lab_input(r, count, DATA_FLOAT), count, 1));
    lab_begin(r);
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s #%d", names[k], r->iteration);
        nvtxRangePushA(name);
        LAB_TRY(
            (k ? window_multimem : window_two_shot)(&window, count, r->stream));
        nvtxRangePop();
        copy(r, out + (size_t)k * count, window.recv, count);
    }
    lab_end(r);
    lab_output(r, "out", out, 2 * count * sizeof *out);
    close_window(r);
    return ncclSuccess;
}

/* Layers in a row: each one adds to the residual of the one before. The input
 * is x, the residual, and the gain. */
ncclResult_t run_fused(struct lab_run *r)
{
    const size_t rows = size_param(r, "rows", 4);
    const size_t width = size_param(r, "width", 64), count = rows * width;
    const size_t calls = size_param(r, "calls", 3);
    if (has_no_nccl(r))
        return ncclSuccess;
    const float *const in = lab_input(r, 2 * count + width, DATA_FLOAT);
    float *const residual = lab_buffer(r, count * sizeof *residual);
    float *const out = lab_buffer(r, calls * count * sizeof *out);
    LAB_TRY(open_with(r, in, count, 0));
    copy(r, residual, in + count, count);
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_begin(r);
    for (size_t i = 0; i < calls; i++) {
        LAB_TRY(fused_norm(&window, residual, in + 2 * count, out + i * count,
                           rows, width, 1e-5f, r->stream));
        if (i + 1 < calls)
            CUDA_MUST(nn_add(window.send, in, count, r->stream));
    }
    lab_end(r);
    lab_output(r, "residual", residual, count * sizeof *residual);
    lab_output(r, "out", out, calls * count * sizeof *out);
    close_window(r);
    return ncclSuccess;
}
