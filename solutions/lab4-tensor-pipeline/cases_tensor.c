/*
 * cases_tensor.c: runs the cases of part 1
 *
 * Whole matrices follow from rank 0's seed (judge_model.h); each rank cuts its
 * part out on the host, so that no case depends on another's function.
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "cases.h"
#include "judge_model.h"
#include "lab4.h"
#include "must.h"

struct bench { /* what a layer is tried on */
    struct model_layer l;
    struct tp tp;
    uint64_t seed;
};

static struct bench bench_of(struct lab_run *r)
{
    struct bench b = {.l = model_layer(r->c, r->nranks),
                      .tp = {r->comm, r->rank, r->nranks, NULL, r->stream},
                      .seed = cases_seed(r)};
    CUBLAS_MUST(cublasCreate(&b.tp.blas));
    CUBLAS_MUST(cublasSetStream(b.tp.blas, r->stream));
    return b;
}

static void bench_release(struct bench *b)
{
    CUBLAS_MUST(cublasDestroy(b->tp.blas));
}

typedef void values_fn(uint64_t seed, enum model_what what, size_t count,
                       float *out);

/*
 * The part of a whole matrix (rows, cols) that is columns col .. col+ncols-1 of
 * rows row .. row+nrows-1, on the device.
 */
static float *part_of(struct lab_run *r, const struct bench *b,
                      values_fn *values, enum model_what what, int rows,
                      int cols, int row, int nrows, int col, int ncols)
{
    const size_t count = (size_t)rows * (size_t)cols;
    const size_t mine = (size_t)nrows * (size_t)ncols;
    float *const whole = malloc((count + mine) * sizeof *whole);
    if (!whole)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    float *const part = whole + count;
    values(b->seed, what, count, whole);
    for (int i = 0; i < nrows; i++)
        memcpy(part + (size_t)i * (size_t)ncols,
               whole + (size_t)(row + i) * (size_t)cols + col,
               (size_t)ncols * sizeof *part);
    float *const d = lab_upload(r, part, mine * sizeof *part);
    free(whole);
    return d;
}

static float *whole_of(struct lab_run *r, const struct bench *b,
                       values_fn *values, enum model_what what, int rows,
                       int cols)
{
    return part_of(r, b, values, what, rows, cols, 0, rows, 0, cols);
}

static float *columns_of(struct lab_run *r, const struct bench *b,
                         values_fn *values, enum model_what what, int rows,
                         int cols)
{
    const int mine = cols / r->nranks;
    return part_of(r, b, values, what, rows, cols, 0, rows, r->rank * mine,
                   mine);
}

static float *rows_of(struct lab_run *r, const struct bench *b,
                      values_fn *values, enum model_what what, int rows,
                      int cols)
{
    const int mine = rows / r->nranks;
    return part_of(r, b, values, what, rows, cols, r->rank * mine, mine, 0,
                   cols);
}

static float *room(struct lab_run *r, int rows, int cols)
{
    return lab_buffer(r, (size_t)rows * (size_t)cols * sizeof(float));
}

static void show(struct lab_run *r, const char *name, const float *d, int rows,
                 int cols)
{
    lab_output(r, name, d, (size_t)rows * (size_t)cols * sizeof *d);
}

/* ---- layers -------------------------------------------------------------- */

ncclResult_t case_split(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const int in = b.l.in, out = b.l.out, n = r->nranks;
    const float *const w = whole_of(r, &b, model_integers, MODEL_W, in, out);
    float *const columns = room(r, in, out / n), *const rows =
                                                     room(r, in / n, out);
    lab_begin(r);
    LAB_TRY(tp_split_columns(&b.tp, w, in, out, columns));
    LAB_TRY(tp_split_rows(&b.tp, w, in, out, rows));
    lab_end(r);
    show(r, "columns", columns, in, out / n);
    show(r, "rows", rows, in / n, out);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_column(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const int rows = b.l.rows, in = b.l.in, out = b.l.out,
              mine = out / r->nranks;
    values_fn *const v = model_integers;
    const float *const x = whole_of(r, &b, v, MODEL_X, rows, in);
    const float *const w = columns_of(r, &b, v, MODEL_W, in, out);
    const float *const dy = columns_of(r, &b, v, MODEL_DY, rows, out);
    float *const dw = columns_of(r, &b, v, MODEL_DW, in, out);
    float *const y = room(r, rows, mine), *const dx = room(r, rows, in);
    lab_begin(r);
    LAB_TRY(tp_column_forward(&b.tp, x, w, y, rows, in, out));
    LAB_TRY(tp_column_backward(&b.tp, x, w, dy, dw, dx, rows, in, out));
    lab_end(r);
    show(r, "y", y, rows, mine);
    show(r, "dw", dw, in, mine);
    show(r, "dx", dx, rows, in);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_row(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const int rows = b.l.rows, in = b.l.in, out = b.l.out,
              mine = in / r->nranks;
    values_fn *const v =
        plan_int(r->c, "real", 0) ? model_reals : model_integers;
    const float *const x = columns_of(r, &b, v, MODEL_X, rows, in);
    const float *const w = rows_of(r, &b, v, MODEL_W, in, out);
    const float *const dy = whole_of(r, &b, v, MODEL_DY, rows, out);
    float *const dw = rows_of(r, &b, v, MODEL_DW, in, out);
    float *const y = room(r, rows, out), *const dx = room(r, rows, mine);
    lab_begin(r);
    LAB_TRY(tp_row_forward(&b.tp, x, w, y, rows, in, out));
    LAB_TRY(tp_row_backward(&b.tp, x, w, dy, dw, dx, rows, in, out));
    lab_end(r);
    show(r, "y", y, rows, out);
    show(r, "dw", dw, mine, out);
    show(r, "dx", dx, rows, mine);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_gather(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const int rows = b.l.rows, in = b.l.in, out = b.l.out,
              mine = out / r->nranks;
    values_fn *const v = model_integers;
    const float *const x = whole_of(r, &b, v, MODEL_X, rows, in);
    const float *const w = columns_of(r, &b, v, MODEL_W, in, out);
    const float *const dy = whole_of(r, &b, v, MODEL_DY, rows, out);
    float *const dw = columns_of(r, &b, v, MODEL_DW, in, out);
    float *const y = room(r, rows, out), *const dx = room(r, rows, in);
    float *const space = room(r, rows, out);
    lab_begin(r);
    LAB_TRY(tp_gather_forward(&b.tp, x, w, y, space, rows, in, out));
    LAB_TRY(tp_gather_backward(&b.tp, x, w, dy, dw, dx, space, rows, in, out));
    lab_end(r);
    show(r, "y", y, rows, out);
    show(r, "dw", dw, in, mine);
    show(r, "dx", dx, rows, in);
    bench_release(&b);
    return ncclSuccess;
}

/* ---- a block ------------------------------------------------------------- */

/*
 * A block whose hidden width is the layer's `out`, and whose own is its `in`.
 */
static struct block block_of(struct lab_run *r, const struct bench *b)
{
    const int in = b->l.in, hidden = b->l.out;
    return (struct block){
        .rows = b->l.rows,
        .in = in,
        .hidden = hidden,
        .out = in,
        .last = (int)plan_int(r->c, "last", 0),
        .a = columns_of(r, b, model_reals, MODEL_W, in, hidden),
        .b = rows_of(r, b, model_reals, MODEL_B, hidden, in),
        .da = columns_of(r, b, model_reals, MODEL_DW, in, hidden),
        .db = rows_of(r, b, model_reals, MODEL_DB, hidden, in),
    };
}

static struct saved saved_of(struct lab_run *r, const struct block *b)
{
    const int mine = b->hidden / r->nranks;
    return (struct saved){.z = room(r, b->rows, mine),
                          .h = room(r, b->rows, mine),
                          .u = room(r, b->rows, b->out)};
}

ncclResult_t case_block_forward(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const struct block k = block_of(r, &b);
    const struct saved s = saved_of(r, &k);
    const float *const x = whole_of(r, &b, model_reals, MODEL_X, k.rows, k.in);
    float *const y = room(r, k.rows, k.out);
    lab_begin(r);
    LAB_TRY(tp_block_forward(&b.tp, &k, x, &s, y));
    lab_end(r);
    show(r, "y", y, k.rows, k.out);
    show(r, "z", s.z, k.rows, k.hidden / r->nranks);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_block_backward(struct lab_run *r)
{
    struct bench b = bench_of(r);
    const struct block k = block_of(r, &b);
    const struct saved s = saved_of(r, &k);
    const int mine = k.hidden / r->nranks;
    const float *const x = whole_of(r, &b, model_reals, MODEL_X, k.rows, k.in);
    float *const dy = whole_of(r, &b, model_reals, MODEL_DY, k.rows, k.out);
    float *const y = room(r, k.rows, k.out), *const dx = room(r, k.rows, k.in);
    float *const scratch = room(r, k.rows, mine);
    LAB_TRY(tp_block_forward(&b.tp, &k, x, &s, y));
    lab_begin(r);
    LAB_TRY(tp_block_backward(&b.tp, &k, x, &s, dy, scratch, dx));
    lab_end(r);
    show(r, "dx", dx, k.rows, k.in);
    show(r, "da", k.da, k.in, mine);
    show(r, "db", k.db, mine, k.out);
    bench_release(&b);
    return ncclSuccess;
}
