/*
 * report_pieces.c: a sequence-parallel layer with whole collectives and with
 * products that hide their messages
 *
 * A layer's forward and backward pass: rows are gathered before A forward and
 * before B^T backward, sums scattered after B and after A^T. Buffers have no
 * contents.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab/try.h"
#include "lab4.h"
#include "measure.h"
#include "report.h"

struct layer {
    struct sp sp;
    struct matrix a, b, da, db; /* (width, hidden/n), (hidden/n, width) */
    struct matrix all, all_dy;  /* (rows, width) */
    struct matrix h, dh;        /* (rows, hidden/n) */
    struct matrix part, whole;  /* (rows/n, width), (rows, width) */
    float *space;
    int in_pieces;
};

static ncclResult_t gather_product(struct layer *l, struct matrix all,
                                   struct matrix w, int transposed,
                                   struct matrix y)
{
    const struct tp *const t = &l->sp.tp;
    const size_t piece = matrix_count(l->part);
    if (l->in_pieces)
        return sp_gather_product(&l->sp, all, w, transposed, y);
    LAB_TRY(ncclAllGather(all.data + (size_t)t->rank * piece, all.data, piece,
                          ncclFloat, t->comm, t->stream));
    return sp_product(&l->sp, all, w, transposed, y);
}

static ncclResult_t product_scatter(struct layer *l, struct matrix x,
                                    struct matrix w, int transposed)
{
    const struct tp *const t = &l->sp.tp;
    if (l->in_pieces)
        return sp_product_scatter(&l->sp, x, w, transposed, l->part, l->space);
    LAB_TRY(sp_product(&l->sp, x, w, transposed, l->whole));
    return ncclReduceScatter(l->whole.data, l->part.data, matrix_count(l->part),
                             ncclFloat, ncclSum, t->comm, t->stream);
}

static ncclResult_t both_passes(void *arg)
{
    struct layer *const l = arg;
    const struct tp *const t = &l->sp.tp;
    LAB_TRY(gather_product(l, l->all, l->a, 0, l->h));
    LAB_TRY(product_scatter(l, l->h, l->b, 0));
    LAB_TRY(gather_product(l, l->all_dy, l->b, 1, l->dh));
    LAB_TRY(product_scatter(l, l->dh, l->a, 1));
    LAB_TRY_CUDA(dense_linear_dw(t, l->h, l->all_dy, l->db));
    LAB_TRY_CUDA(dense_linear_dw(t, l->all, l->dh, l->da));
    return ncclSuccess;
}

static struct matrix room(struct lab_run *r, int rows, int cols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    return (struct matrix){lab_buffer(r, count * sizeof(float)), rows, cols};
}

/* Milliseconds of both passes, after others to warm up. */
static double layer_ms(struct lab_run *r, const struct tp *t, int rows,
                       int width, int in_pieces)
{
    const int n = t->nranks, hidden = 4 * width;
    struct layer l = {.a = room(r, width, hidden / n),
                      .b = room(r, hidden / n, width),
                      .da = room(r, width, hidden / n),
                      .db = room(r, hidden / n, width),
                      .all = room(r, rows, width),
                      .all_dy = room(r, rows, width),
                      .h = room(r, rows, hidden / n),
                      .dh = room(r, rows, hidden / n),
                      .part = room(r, rows / n, width),
                      .whole = room(r, rows, width),
                      .space = room(r, 4 * rows / n, width).data,
                      .in_pieces = in_pieces};
    NCCL_MUST(sp_init(&l.sp, t));
    NCCL_MUST(both_passes(&l));
    const double ms = measure_time(in_pieces ? "in pieces" : "whole",
                                   both_passes, &l, r->stream, r->mpi_comm);
    sp_release(&l.sp);
    lab_free_buffers();
    return ms;
}

int report_pieces(struct lab_run *r, int argc, char **argv)
{
    long rows = 4096;
    const struct flag flags[] = {{"--rows", FLAG_NUMBER, &rows, 1, 1 << 16},
                                 {NULL, FLAG_NUMBER, NULL, 0, 0}};
    struct tp t = {r->comm, r->rank, r->nranks, NULL, r->stream};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (rows % r->nranks != 0 || r->nranks > SP_MAX_RANKS) {
        if (r->rank == 0)
            fprintf(stderr,
                    "--pieces works with up to %d ranks, and --rows that are a "
                    "multiple of their number\n",
                    SP_MAX_RANKS);
        return 2;
    }
    CUBLAS_MUST(cublasCreate(&t.blas));
    CUBLAS_MUST(cublasSetStream(t.blas, r->stream));
    if (r->rank == 0)
        printf("a layer, forward and backward, on %d ranks; %ld rows\n\n"
               "width  whole collectives  in pieces  times as fast\n",
               r->nranks, rows);
    for (int width = 1024; width <= 8192; width *= 2) {
        const double whole = layer_ms(r, &t, (int)rows, width, 0);
        const double pieces = layer_ms(r, &t, (int)rows, width, 1);
        if (r->rank == 0)
            printf("%5d %15.3f ms %7.3f ms %14.2f\n", width, whole, pieces,
                   whole / pieces);
    }
    CUBLAS_MUST(cublasDestroy(t.blas));
    return 0;
}
