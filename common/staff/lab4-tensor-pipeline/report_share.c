/*
 * report_share.c: products that run next to collectives in chunks, for several
 * shares of the GPU that the collectives may use
 *
 * Two sequence-parallel products of a transformer's layer, in bf16:
 *
 *     gather     x, (rows/n, width), is gathered; all @ up: (rows, 2 hidden/n)
 *     scatter    h, (rows, hidden/n); the sum of h @ down is scattered
 *
 * up holds the columns of two matrices, as where one gates the other. The
 * kernels between the two products, and attention, are left out. With m chunks,
 * the rows of a chunk are consecutive: chunk c has part c of every rank's rows,
 * so that one all-gather and one reduce-scatter serve it. A product treats each
 * row by itself, so this order changes no result.
 *
 *     stream         [ product 0 ][ product 1 ][ product 2 ]
 *     comm_stream [g0][g1][g2]                     gather
 *     comm_stream                 [ s0 ]       [ s1 ]       [ s2 ]   scatter
 *
 * Each CTA of a collective occupies a multiprocessor, which the product lacks
 * meanwhile. Buffers have no contents.
 */
#include <stdint.h> /* uint16_t */
#include <stdio.h>  /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab/try.h"
#include "lab4.h"
#include "measure.h"
#include "report.h"

enum { MAX_CHUNKS = 64 };

struct layer {
    int rank, nranks, nchunks;
    size_t rows, width, hidden; /* summed over ranks */
    uint16_t *x, *all;          /* (rows/n, width), (rows, width) */
    uint16_t *up, *out;         /* (width, 2 hidden/n), (rows, 2 hidden/n) */
    uint16_t *h, *down;         /* (rows, hidden/n), (hidden/n, width) */
    uint16_t *part, *y;         /* (rows, width), (rows/n, width) */
    ncclComm_t comm;
    cublasHandle_t blas;
    cudaStream_t stream, comm_stream;
    cudaEvent_t begun, ready[MAX_CHUNKS]; /* ready: chunk's first half is */
};

/* y (m, n) = a (m, k) @ b (k, n), stored by rows. */
static ncclResult_t product(const struct layer *l, const uint16_t *a,
                            const uint16_t *b, uint16_t *y, size_t m, size_t n,
                            size_t k)
{
    const float one = 1, zero = 0;
    const cublasStatus_t s = cublasGemmEx(
        l->blas, CUBLAS_OP_N, CUBLAS_OP_N, (int)n, (int)m, (int)k, &one, b,
        CUDA_R_16BF, (int)n, a, CUDA_R_16BF, (int)k, &zero, y, CUDA_R_16BF,
        (int)n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    return s == CUBLAS_STATUS_SUCCESS ? ncclSuccess : ncclInternalError;
}

/* Let the work of one stream that is enqueued from now on wait for that of the
 * other that is enqueued already. */
static ncclResult_t order(cudaStream_t first, cudaStream_t then,
                          cudaEvent_t event)
{
    LAB_TRY_CUDA(cudaEventRecord(event, first));
    LAB_TRY_CUDA(cudaStreamWaitEvent(then, event, 0));
    return ncclSuccess;
}

static ncclResult_t gather(void *arg)
{
    const struct layer *const l = arg;
    const size_t n = (size_t)l->nranks, m = (size_t)l->nchunks;
    const size_t rows = l->rows / m, cols = 2 * l->hidden / n;
    const size_t own = rows / n * l->width;
    LAB_TRY(order(l->stream, l->comm_stream, l->begun));
    for (size_t c = 0; c < m; c++) {
        LAB_TRY(ncclAllGather(l->x + c * own, l->all + c * n * own, own,
                              ncclBfloat16, l->comm, l->comm_stream));
        LAB_TRY(order(l->comm_stream, l->stream, l->ready[c]));
        LAB_TRY(product(l, l->all + c * n * own, l->up,
                        l->out + c * rows * cols, rows, cols, l->width));
    }
    return ncclSuccess;
}

static ncclResult_t scatter(void *arg)
{
    const struct layer *const l = arg;
    const size_t n = (size_t)l->nranks, m = (size_t)l->nchunks;
    const size_t rows = l->rows / m, cols = l->hidden / n;
    const size_t own = rows / n * l->width;
    for (size_t c = 0; c < m; c++) {
        uint16_t *const part = l->part + c * n * own;
        LAB_TRY(product(l, l->h + c * rows * cols, l->down, part, rows,
                        l->width, cols));
        LAB_TRY(order(l->stream, l->comm_stream, l->ready[c]));
        LAB_TRY(ncclReduceScatter(part, l->y + c * own, own, ncclBfloat16,
                                  ncclSum, l->comm, l->comm_stream));
    }
    return order(l->comm_stream, l->stream, l->begun);
}

/* ---- one line of the table ----------------------------------------------- */

struct times { /* milliseconds */
    double gather, scatter;
};

/* Time both products; ctas 0 leaves the number of CTAs to NCCL. */
static struct times times_of(struct lab_run *r, struct layer *l, int nchunks,
                             int ctas)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    struct times t;
    if (ctas > 0)
        config.minCTAs = config.maxCTAs = ctas;
    NCCL_MUST(ncclCommSplit(r->comm, 0, l->rank, &l->comm, &config));
    l->nchunks = nchunks;
    NCCL_MUST(gather(l)); // to warm up
    NCCL_MUST(scatter(l));
    t.gather = measure_time("gather", gather, l, r->stream, r->mpi_comm);
    t.scatter = measure_time("scatter", scatter, l, r->stream, r->mpi_comm);
    NCCL_MUST(ncclCommDestroy(l->comm));
    return t;
}

/* Returns the time of both products. */
static double show(const struct lab_run *r, const char *name, int ctas, int nsm,
                   struct times t, double whole_ms)
{
    const double ms = t.gather + t.scatter;
    char share[32] = "NCCL's      -";
    if (ctas > 0)
        snprintf(share, sizeof share, "%6d %4.1f %%", ctas, 100. * ctas / nsm);
    if (r->rank == 0)
        printf("%-9s %13s %8.3f ms %8.3f ms %8.3f ms %14.2f\n", name, share,
               t.gather, t.scatter, ms, (whole_ms > 0 ? whole_ms : ms) / ms);
    return ms;
}

/* ---- the command --------------------------------------------------------- */

static uint16_t *room(struct lab_run *r, size_t rows, size_t cols)
{
    return lab_buffer(r, rows * cols * sizeof(uint16_t));
}

static void layer_init(struct layer *l, struct lab_run *r)
{
    const size_t n = (size_t)r->nranks, rows = l->rows, width = l->width;
    l->rank = r->rank;
    l->nranks = r->nranks;
    l->stream = r->stream;
    l->x = room(r, rows / n, width);
    l->all = room(r, rows, width);
    l->up = room(r, width, 2 * l->hidden / n);
    l->out = room(r, rows, 2 * l->hidden / n);
    l->h = room(r, rows, l->hidden / n);
    l->down = room(r, l->hidden / n, width);
    l->part = room(r, rows, width);
    l->y = room(r, rows / n, width);
    CUBLAS_MUST(cublasCreate(&l->blas));
    CUBLAS_MUST(cublasSetStream(l->blas, r->stream));
    CUDA_MUST(
        cudaStreamCreateWithFlags(&l->comm_stream, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreateWithFlags(&l->begun, cudaEventDisableTiming));
    for (int c = 0; c < MAX_CHUNKS; c++)
        CUDA_MUST(
            cudaEventCreateWithFlags(&l->ready[c], cudaEventDisableTiming));
}

static void layer_release(struct layer *l)
{
    CUDA_MUST(cudaDeviceSynchronize());
    for (int c = 0; c < MAX_CHUNKS; c++)
        CUDA_MUST(cudaEventDestroy(l->ready[c]));
    CUDA_MUST(cudaEventDestroy(l->begun));
    CUDA_MUST(cudaStreamDestroy(l->comm_stream));
    CUBLAS_MUST(cublasDestroy(l->blas));
    lab_free_buffers();
}

/* Print the table, and the fastest of the numbers of CTAs. */
static void compare(struct lab_run *r, struct layer *l, int nchunks,
                    const struct flag_list *ctas)
{
    int device, nsm, best = 0;
    double best_ms = 0;
    CUDA_MUST(cudaGetDevice(&device));
    CUDA_MUST(
        cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount, device));
    const double whole = show(r, "whole", 0, nsm, times_of(r, l, 1, 0), 0);
    show(r, "in chunks", 0, nsm, times_of(r, l, nchunks, 0), whole);
    for (int i = 0; i < ctas->n; i++) {
        const int n = (int)ctas->number[i];
        const double ms =
            show(r, "in chunks", n, nsm, times_of(r, l, nchunks, n), whole);
        if (best == 0 || ms < best_ms) {
            best = n;
            best_ms = ms;
        }
    }
    if (r->rank == 0)
        printf("\nbest: %d CTAs on %d SMs, %.3f ms, %.2f times as fast\n", best,
               nsm, best_ms, whole / best_ms);
}

int report_share(struct lab_run *r, int argc, char **argv)
{
    struct flag_list ctas = {11, {1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64}};
    long nchunks = 4, rows = 8192, width = 8192, hidden = 28672;
    const struct flag flags[] = {
        {"--ctas", FLAG_LIST, &ctas, 1, 64},
        {"--chunks", FLAG_NUMBER, &nchunks, 1, MAX_CHUNKS},
        {"--rows", FLAG_NUMBER, &rows, 1, 1 << 17},
        {"--width", FLAG_NUMBER, &width, 1, 1 << 16},
        {"--hidden", FLAG_NUMBER, &hidden, 1, 1 << 18},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (rows % (r->nranks * nchunks) != 0 || hidden % r->nranks != 0) {
        if (r->rank == 0)
            fprintf(stderr,
                    "--share needs --rows that are a multiple of ranks times "
                    "chunks, %d, and --hidden that is one of %d: they are %ld "
                    "and %ld\n",
                    (int)(r->nranks * nchunks), r->nranks, rows, hidden);
        return 2;
    }
    struct layer l = {
        .rows = (size_t)rows, .width = (size_t)width, .hidden = (size_t)hidden};
    layer_init(&l, r);
    if (r->rank == 0)
        printf("two products of a layer, in bf16, on %d ranks: %ld rows, width "
               "%ld, hidden 2 x %ld and %ld; %ld chunks\n\n"
               "collectives   CTAs of SMs      gather     scatter        both  "
               "times as fast\n",
               r->nranks, rows, width, hidden, hidden, nchunks);
    compare(r, &l, (int)nchunks, &ctas);
    layer_release(&l);
    return 0;
}
