/*
 * cases_tensor.c: runs the cases of parts 1 and 6
 *
 * Whole matrices follow from rank 0's seed (judge_model.h); each rank takes its
 * part on the host, so that no case depends on a function that others test.
 */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "base/must.h"
#include "cases.h"
#include "judge/data.h" /* DATA_FLOAT */
#include "judge_model.h"
#include "lab4.h"

struct bench { /* the setting of a layer's case */
    struct lab_run *r;
    struct model_layer l;
    struct tp tp;
    int real; /* matrices of model_reals(), not model_integers() */
};

static struct bench bench_of(struct lab_run *r, int real)
{
    struct bench b = {.r = r,
                      .l = model_layer(r->c, r->nranks),
                      .tp = {r->comm, r->rank, r->nranks, NULL, r->stream},
                      .real = real};
    lab_share_seed(r);
    CUBLAS_MUST(cublasCreate(&b.tp.blas));
    CUBLAS_MUST(cublasSetStream(b.tp.blas, r->stream));
    return b;
}

static void bench_release(struct bench *b)
{
    CUBLAS_MUST(cublasDestroy(b->tp.blas));
}

/* The nrows x ncols elements of a matrix from (row, col) on. */
struct window {
    int row, nrows, col, ncols;
};

static void draw_whole(const struct bench *b, enum model_what what,
                       size_t count, float *out)
{
    const struct draw_ask integers = {.what = MODEL_DRAW_INTEGERS,
                                      .of_root = 1,
                                      .npath = 1,
                                      .path = {what},
                                      .arg = {DATA_FLOAT}};
    const struct draw_ask reals = {.what = NN_DRAW_FLOATS,
                                   .of_root = 1,
                                   .npath = 2,
                                   .path = {what, NN_PATH_INPUT},
                                   .arg = {nn_draw_factor(1)}};
    lab_draw(b->r, b->real ? &reals : &integers, out, count * sizeof *out);
}

/* A window of the whole matrix (rows, cols), on the device. */
static struct matrix part_of(const struct bench *b, enum model_what what,
                             int rows, int cols, struct window w)
{
    const size_t count = (size_t)rows * (size_t)cols;
    struct matrix m = {NULL, w.nrows, w.ncols};
    float *const whole = malloc((count + matrix_count(m)) * sizeof *whole);
    if (!whole)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    float *const part = whole + count;
    draw_whole(b, what, count, whole);
    for (int i = 0; i < w.nrows; i++)
        memcpy(part + (size_t)i * (size_t)w.ncols,
               whole + (size_t)(w.row + i) * (size_t)cols + w.col,
               (size_t)w.ncols * sizeof *part);
    m.data = lab_upload(b->r, part, matrix_count(m) * sizeof *part);
    free(whole);
    return m;
}

static struct matrix whole_of(const struct bench *b, enum model_what what,
                              int rows, int cols)
{
    return part_of(b, what, rows, cols, (struct window){0, rows, 0, cols});
}

static struct matrix columns_of(const struct bench *b, enum model_what what,
                                int rows, int cols)
{
    const int mine = cols / b->tp.nranks;
    return part_of(b, what, rows, cols,
                   (struct window){0, rows, b->tp.rank * mine, mine});
}

static struct matrix rows_of(const struct bench *b, enum model_what what,
                             int rows, int cols)
{
    const int mine = rows / b->tp.nranks;
    return part_of(b, what, rows, cols,
                   (struct window){b->tp.rank * mine, mine, 0, cols});
}

static struct matrix room(struct lab_run *r, int rows, int cols)
{
    struct matrix m = {NULL, rows, cols};
    m.data = lab_buffer(r, matrix_count(m) * sizeof *m.data);
    return m;
}

static void show(struct lab_run *r, const char *name, struct matrix m)
{
    lab_output(r, name, m.data, matrix_count(m) * sizeof *m.data);
}

/* ---- layers -------------------------------------------------------------- */

ncclResult_t case_split(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    const int in = b.l.in, out = b.l.out, n = r->nranks;
    const struct matrix w = whole_of(&b, MODEL_W, in, out);
    const struct matrix columns = room(r, in, out / n);
    const struct matrix rows = room(r, in / n, out);
    lab_begin(r);
    LAB_TRY(tp_split_columns(&b.tp, w, columns));
    LAB_TRY(tp_split_rows(&b.tp, w, rows));
    lab_end(r);
    show(r, "columns", columns);
    show(r, "rows", rows);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_column(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    const int rows = b.l.rows, in = b.l.in, out = b.l.out;
    const struct matrix x = whole_of(&b, MODEL_X, rows, in);
    const struct matrix w = columns_of(&b, MODEL_W, in, out);
    const struct matrix dy = columns_of(&b, MODEL_DY, rows, out);
    const struct matrix dw = columns_of(&b, MODEL_DW, in, out);
    const struct matrix y = room(r, rows, out / r->nranks);
    const struct matrix dx = room(r, rows, in);
    lab_begin(r);
    LAB_TRY(tp_column_forward(&b.tp, x, w, y));
    LAB_TRY(tp_column_backward(&b.tp, x, w, dy, dw, dx));
    lab_end(r);
    show(r, "y", y);
    show(r, "dw", dw);
    show(r, "dx", dx);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_row(struct lab_run *r)
{
    struct bench b = bench_of(r, (int)plan_int(r->c, "real", 0));
    const int rows = b.l.rows, in = b.l.in, out = b.l.out;
    const struct matrix x = columns_of(&b, MODEL_X, rows, in);
    const struct matrix w = rows_of(&b, MODEL_W, in, out);
    const struct matrix dy = whole_of(&b, MODEL_DY, rows, out);
    const struct matrix dw = rows_of(&b, MODEL_DW, in, out);
    const struct matrix y = room(r, rows, out);
    const struct matrix dx = room(r, rows, in / r->nranks);
    lab_begin(r);
    LAB_TRY(tp_row_forward(&b.tp, x, w, y));
    LAB_TRY(tp_row_backward(&b.tp, x, w, dy, dw, dx));
    lab_end(r);
    show(r, "y", y);
    show(r, "dw", dw);
    show(r, "dx", dx);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_gather(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    const int rows = b.l.rows, in = b.l.in, out = b.l.out;
    const struct matrix x = whole_of(&b, MODEL_X, rows, in);
    const struct matrix w = columns_of(&b, MODEL_W, in, out);
    const struct matrix dy = whole_of(&b, MODEL_DY, rows, out);
    const struct matrix dw = columns_of(&b, MODEL_DW, in, out);
    const struct matrix y = room(r, rows, out), dx = room(r, rows, in);
    float *const space = room(r, rows, out).data;
    lab_begin(r);
    LAB_TRY(tp_gather_forward(&b.tp, x, w, y, space));
    LAB_TRY(tp_gather_backward(&b.tp, x, w, dy, dw, dx, space));
    lab_end(r);
    show(r, "y", y);
    show(r, "dw", dw);
    show(r, "dx", dx);
    bench_release(&b);
    return ncclSuccess;
}

/* ---- a block ------------------------------------------------------------- */

/*
 * A block whose hidden width is the layer's `out` and whose width is its `in`.
 */
static struct block block_of(const struct bench *b)
{
    const int in = b->l.in, hidden = b->l.out;
    return (struct block){
        .a = columns_of(b, MODEL_W, in, hidden),
        .b = rows_of(b, MODEL_B, hidden, in),
        .da = columns_of(b, MODEL_DW, in, hidden),
        .db = rows_of(b, MODEL_DB, hidden, in),
        .last = (int)plan_int(b->r->c, "last", 0),
    };
}

static struct saved saved_of(const struct bench *b)
{
    const int rows = b->l.rows, mine = b->l.out / b->tp.nranks;
    return (struct saved){.z = room(b->r, rows, mine),
                          .h = room(b->r, rows, mine),
                          .u = room(b->r, rows, b->l.in)};
}

ncclResult_t case_block_forward(struct lab_run *r)
{
    struct bench b = bench_of(r, 1);
    const struct block block = block_of(&b);
    const struct saved s = saved_of(&b);
    const struct matrix x = whole_of(&b, MODEL_X, b.l.rows, b.l.in);
    const struct matrix y = room(r, b.l.rows, b.l.in);
    lab_begin(r);
    LAB_TRY(tp_block_forward(&b.tp, &block, x, &s, y));
    lab_end(r);
    show(r, "y", y);
    show(r, "z", s.z);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_block_backward(struct lab_run *r)
{
    struct bench b = bench_of(r, 1);
    const int rows = b.l.rows, in = b.l.in;
    const struct block block = block_of(&b);
    const struct saved s = saved_of(&b);
    const struct matrix x = whole_of(&b, MODEL_X, rows, in);
    const struct matrix dy = whole_of(&b, MODEL_DY, rows, in);
    const struct matrix y = room(r, rows, in), dx = room(r, rows, in);
    const struct matrix scratch = room(r, rows, b.l.out / r->nranks);
    LAB_TRY(tp_block_forward(&b.tp, &block, x, &s, y));
    lab_begin(r);
    LAB_TRY(tp_block_backward(&b.tp, &block, x, &s, dy, scratch, dx));
    lab_end(r);
    show(r, "dx", dx);
    show(r, "da", block.da);
    show(r, "db", block.db);
    bench_release(&b);
    return ncclSuccess;
}

/* ---- part 6: in pieces --------------------------------------------------- */

ncclResult_t case_sp_gather(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    struct sp s;
    const int n = r->nranks, rows = b.l.rows * n, in = b.l.in, out = b.l.out;
    const struct matrix own = rows_of(&b, MODEL_X, rows, in);
    const struct matrix w = columns_of(&b, MODEL_W, in, out);
    const struct matrix all = room(r, rows, in), y = room(r, rows, out / n);
    LAB_TRY(sp_init(&s, &b.tp));
    LAB_TRY_CUDA(cudaMemcpyAsync(all.data + (size_t)r->rank * matrix_count(own),
                                 own.data, matrix_count(own) * sizeof(float),
                                 cudaMemcpyDeviceToDevice, r->stream));
    lab_begin(r);
    LAB_TRY(sp_gather_product(&s, all, w, 0, y));
    lab_end(r);
    show(r, "all", all);
    show(r, "y", y);
    sp_release(&s);
    bench_release(&b);
    return ncclSuccess;
}

ncclResult_t case_sp_scatter(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    struct sp s;
    const int n = r->nranks, rows = b.l.rows * n, in = b.l.in, out = b.l.out;
    const struct matrix x = columns_of(&b, MODEL_X, rows, in);
    const struct matrix w = rows_of(&b, MODEL_W, in, out);
    const struct matrix y = room(r, rows / n, out);
    float *const space = room(r, 4 * rows / n, out).data;
    LAB_TRY(sp_init(&s, &b.tp));
    lab_begin(r);
    LAB_TRY(sp_product_scatter(&s, x, w, 0, y, space));
    lab_end(r);
    show(r, "y", y);
    sp_release(&s);
    bench_release(&b);
    return ncclSuccess;
}

/* A block's forward pass on buffers without contents. */
ncclResult_t case_sp_speed(struct lab_run *r)
{
    struct bench b = bench_of(r, 0);
    struct sp s;
    const int n = r->nranks, rows = b.l.rows * n, in = b.l.in, out = b.l.out;
    const struct matrix a = room(r, in, out / n), c = room(r, out / n, in);
    const struct matrix all = room(r, rows, in), h = room(r, rows, out / n);
    const struct matrix y = room(r, rows / n, in);
    float *const space = room(r, 4 * rows / n, in).data;
    LAB_TRY(sp_init(&s, &b.tp));
    LAB_TRY(sp_gather_product(&s, all, a, 0, h)); // to warm up
    LAB_TRY_CUDA(cudaStreamSynchronize(r->stream));
    const size_t own = (size_t)b.l.rows * (size_t)in;
    lab_source(r, "x", all.data + (size_t)r->rank * own, own * sizeof(float));
    lab_source(r, "a", a.data, matrix_count(a) * sizeof(float));
    lab_source(r, "b", c.data, matrix_count(c) * sizeof(float));
    lab_begin(r);
    LAB_TRY(sp_gather_product(&s, all, a, 0, h));
    LAB_TRY(sp_product_scatter(&s, h, c, 0, y, space));
    lab_end(r);
    lab_result(r, "all", all.data, matrix_count(all) * sizeof(float));
    lab_result(r, "h", h.data, matrix_count(h) * sizeof(float));
    lab_result(r, "y", y.data, matrix_count(y) * sizeof(float));
    sp_release(&s);
    bench_release(&b);
    return ncclSuccess;
}
