/*
 * cases_norms.c: runs the cases of part 1. Given: nothing to edit here.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"
#include "cases.h"
#include "judge_cost.h"
#include "judge_layer.h"

static struct sp sp; /* the last one, until norms_release() */

void norms_release(void)
{
    if (sp.blas)
        cublasDestroy(sp.blas);
    memset(&sp, 0, sizeof sp);
}

/* This rank's part of a matrix: all rows of (rows, cols), columns from `col`.
 */
static float *weights(struct lab_run *r, enum layer_weights which, int layer,
                      const size_t shape[2], size_t row, size_t col,
                      size_t whole_cols)
{
    const size_t count = shape[0] * shape[1];
    float *const host = malloc(count * sizeof *host);
    for (size_t i = 0; i < count; i++)
        host[i] = layer_weight(which, layer,
                               (row + i / shape[1]) * whole_cols + col +
                                   i % shape[1]);
    float *const at = lab_upload(r, host, count * sizeof *host);
    free(host);
    return at;
}

static float *zeros(struct lab_run *r, size_t count)
{
    float *const at = lab_buffer(r, count * sizeof *at);
    CUDA_MUST(cudaMemsetAsync(at, 0, count * sizeof *at, r->stream));
    return at;
}

static float *room(struct lab_run *r, size_t count)
{
    return lab_buffer(r, count * sizeof(float));
}

static struct sp_layer layer_of(struct lab_run *r, const struct layers *k,
                                int l)
{
    const size_t width = (size_t)k->width, hidden = (size_t)k->hidden;
    const size_t n = (size_t)r->nranks, mine = hidden / n;
    const size_t at = (size_t)r->rank * mine, rows = (size_t)k->rows;
    const size_t gain[] = {1, width}, up[] = {width, mine},
                 down[] = {mine, width};
    return (struct sp_layer){
        .gain = weights(r, LAYER_GAIN, l, gain, 0, 0, width),
        .dgain = zeros(r, width),
        .up = weights(r, LAYER_UP, l, up, 0, at, hidden),
        .dup = zeros(r, width * mine),
        .down = weights(r, LAYER_DOWN, l, down, at, 0, width),
        .ddown = zeros(r, mine * width),
        .x = room(r, rows * width),
        .inv = room(r, rows),
        .z = room(r, n * rows * mine),
        .a = room(r, n * rows * mine),
    };
}

static void begin(struct lab_run *r, const struct layers *k)
{
    const size_t own = (size_t)k->rows * (size_t)k->width;
    norms_release();
    sp = (struct sp){.comm = r->comm,
                     .rank = r->rank,
                     .nranks = r->nranks,
                     .rows = k->rows,
                     .width = k->width,
                     .hidden = k->hidden,
                     .own = room(r, own),
                     .stream = r->stream};
    for (int i = 0; i < 3; i++)
        sp.whole[i] = room(r, (size_t)r->nranks * own);
    CUBLAS_MUST(cublasCreate(&sp.blas));
    CUBLAS_MUST(cublasSetStream(sp.blas, r->stream));
}

static ncclResult_t passes(struct lab_run *r, const struct layers *k,
                           struct sp_layer *layer, float *x, float *dx)
{
    lab_given(r);
    lab_begin(r);
    for (int l = 0; l < k->nlayers; l++)
        LAB_TRY(sp_forward(&sp, &layer[l], x));
    for (int l = k->nlayers - 1; l >= 0; l--)
        LAB_TRY(sp_backward(&sp, &layer[l], dx));
    lab_end(r);
    return ncclSuccess;
}

ncclResult_t run_norms(struct lab_run *r)
{
    const struct layers k = layers_of(r->c, r->nranks);
    const size_t own = (size_t)k.rows * (size_t)k.width;
    const size_t up = (size_t)k.width * (size_t)(k.hidden / r->nranks);
    struct sp_layer layer[NORMS_LAYERS];
    begin(r, &k);
    for (int l = 0; l < k.nlayers; l++)
        layer[l] = layer_of(r, &k, l);
    const float *const in = cases_input(r, 2 * own);
    float *const x = room(r, own), *const dx = room(r, own);
    CUDA_MUST(cudaMemcpyAsync(x, in, own * sizeof *x, cudaMemcpyDeviceToDevice,
                              r->stream));
    CUDA_MUST(cudaMemcpyAsync(dx, in + own, own * sizeof *x,
                              cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    LAB_TRY(passes(r, &k, layer, x, dx));
    lab_output(r, "x", x, own * sizeof *x);
    lab_output(r, "dx", dx, own * sizeof *x);
    for (int l = 0; l < k.nlayers; l++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "dgain.%d", l);
        lab_output(r, name, layer[l].dgain, (size_t)k.width * sizeof(float));
        snprintf(name, sizeof name, "dup.%d", l);
        lab_output(r, name, layer[l].dup, up * sizeof(float));
    }
    return ncclSuccess;
}
