#include "stage.h"

#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* calloc */
#include <string.h>           /* memset */

#include "judge_model.h" /* model_first_block */
#include "lab/lab.h"
#include "lab4.h"

static cudaError_t floats(float **out, size_t count)
{
    return cudaMalloc((void **)out, count * sizeof **out);
}

/* Device memory for a matrix (rows, cols). */
static cudaError_t make(struct matrix *m, int rows, int cols)
{
    *m = (struct matrix){NULL, rows, cols};
    return floats(&m->data, matrix_count(*m));
}

/* ---- making a stage ------------------------------------------------------ */

/* The run of the network that a chunk of this stage holds. */
static int run_of(const struct stage *s, int chunk)
{
    return model_run(s->c.nstages, s->c.vee, s->c.index, chunk);
}

/* The number in the network of block i of this stage. */
static int number_of(const struct stage *s, int i)
{
    const struct stage_config *const c = &s->c;
    const int nblocks = c->shape.depth / 2, runs = c->nstages * c->nchunks;
    int chunk = 0;
    while (i >= s->begin[chunk + 1])
        chunk++;
    return model_first_block(nblocks, run_of(s, chunk), runs) + i -
           s->begin[chunk];
}

/* Set begin[] of each chunk. 0, or -1 if a chunk has no block. */
static int share_blocks(struct stage *s)
{
    const struct stage_config *const c = &s->c;
    const int nblocks = c->shape.depth / 2, runs = c->nstages * c->nchunks;
    for (int k = 0; k < c->nchunks; k++) {
        const int v = run_of(s, k);
        const int n = model_first_block(nblocks, v + 1, runs) -
                      model_first_block(nblocks, v, runs);
        if (n < 1)
            return -1;
        s->begin[k + 1] = s->begin[k] + n;
    }
    s->nblocks = s->begin[c->nchunks];
    return 0;
}

/* Set the shapes of all blocks, and s->count. */
static void size_blocks(struct stage *s)
{
    const struct nn_shape *const shape = &s->c.shape;
    for (int i = 0; i < s->nblocks; i++) {
        struct block *const b = &s->block[i];
        const int l = 2 * number_of(s, i);
        const int mine = nn_layer_out(shape, l) / s->tp.nranks;
        b->a = (struct matrix){NULL, nn_layer_in(shape, l), mine};
        b->b = (struct matrix){NULL, mine, nn_layer_out(shape, l + 1)};
        b->last = l + 2 == shape->depth;
        s->count += matrix_count(b->a) + matrix_count(b->b);
    }
}

static void place_blocks(struct stage *s)
{
    size_t at = 0;
    for (int i = 0; i < s->nblocks; i++) {
        struct block *const b = &s->block[i];
        b->da = b->a;
        b->db = b->b;
        b->a.data = s->weights + at;
        b->da.data = s->grads + at;
        at += matrix_count(b->a);
        b->b.data = s->weights + at;
        b->db.data = s->grads + at;
        at += matrix_count(b->b);
    }
}

static int widest(const struct nn_shape *s)
{
    const int most = s->in > s->hidden ? s->in : s->hidden;
    return most > s->out ? most : s->out;
}

static ncclResult_t make_buffers(struct stage *s)
{
    const size_t rows = (size_t)s->c.shape.rows;
    const size_t all = rows * (size_t)widest(&s->c.shape);
    float **const rows_of[] = {&s->y, &s->dy, &s->dx, &s->scratch};
    LAB_TRY_CUDA(floats(&s->weights, s->count));
    LAB_TRY_CUDA(floats(&s->grads, s->count));
    LAB_TRY_CUDA(floats(&s->row_loss, rows));
    for (int i = 0; i < 4; i++)
        LAB_TRY_CUDA(floats(rows_of[i], all));
    return ncclSuccess;
}

ncclResult_t stage_init(struct stage *s, const struct stage_config *c)
{
    memset(s, 0, sizeof *s);
    s->c = *c;
    s->tp = c->tp;
    s->stream = c->tp.stream;
    if (nn_shape_problem(&c->shape) || c->shape.depth % 2 != 0 ||
        c->shape.hidden % c->tp.nranks != 0 || c->nchunks < 1 ||
        c->nchunks > STAGE_MAX_CHUNKS || (c->vee && c->nchunks != 2) ||
        c->nmicro < 1 || c->nmicro > STAGE_MAX_MICRO || share_blocks(s) != 0)
        return ncclInvalidArgument;
    LAB_TRY_CUDA(nn_error(cublasCreate(&s->tp.blas)));
    LAB_TRY_CUDA(nn_error(cublasSetStream(s->tp.blas, s->stream)));
    size_blocks(s);
    LAB_TRY(make_buffers(s));
    place_blocks(s);
    return ncclSuccess;
}

/* ---- weights ------------------------------------------------------------- */

/* Write layer l's elements from (row, col) on, as many as m has, to out. */
static int take_weights(const struct nn_shape *shape, struct lab_run *r, int l,
                        int row, int col, struct matrix m, float *out)
{
    const size_t cols = (size_t)nn_layer_out(shape, l);
    const size_t count = (size_t)nn_layer_in(shape, l) * cols;
    const struct draw_ask d = {.what = NN_DRAW_FLOATS,
                               .of_root = 1,
                               .npath = 1,
                               .path = {(uint64_t)nn_layer_param(shape, l)},
                               .arg = {nn_draw_factor(nn_reach(shape, l))}};
    float *const whole = malloc(count * sizeof *whole);
    if (!whole)
        return -1;
    lab_draw(r, &d, whole, count * sizeof *whole);
    for (int i = 0; i < m.rows; i++)
        memcpy(out + (size_t)i * (size_t)m.cols,
               whole + (size_t)(row + i) * cols + (size_t)col,
               (size_t)m.cols * sizeof *out);
    free(whole);
    return 0;
}

ncclResult_t stage_fill(struct stage *s, struct lab_run *r)
{
    float *const h = malloc(s->count * sizeof *h);
    if (!h)
        return ncclSystemError;
    for (int i = 0; i < s->nblocks; i++) {
        const struct block *const b = &s->block[i];
        const int l = 2 * number_of(s, i);
        if (take_weights(&s->c.shape, r, l, 0, s->tp.rank * b->a.cols, b->a,
                         h + (b->a.data - s->weights)) != 0 ||
            take_weights(&s->c.shape, r, l + 1, s->tp.rank * b->b.rows, 0, b->b,
                         h + (b->b.data - s->weights)) != 0) {
            free(h);
            return ncclSystemError;
        }
    }
    cudaError_t err = cudaMemcpyAsync(s->weights, h, s->count * sizeof *h,
                                      cudaMemcpyHostToDevice, s->stream);
    if (err == cudaSuccess)
        err = cudaStreamSynchronize(s->stream);
    free(h);
    LAB_TRY_CUDA(err);
    return ncclSuccess;
}

/* ---- slots --------------------------------------------------------------- */

int stage_is_first(const struct stage *s, int chunk)
{
    return run_of(s, chunk) == 0;
}

int stage_is_last(const struct stage *s, int chunk)
{
    return run_of(s, chunk) == s->c.nstages * s->c.nchunks - 1;
}

ncclResult_t slot_make_input(struct stage *s, struct slot *k)
{
    const struct block *const b = &s->block[s->begin[k->chunk]];
    if (!stage_is_first(s, k->chunk)) // otherwise the input is the batch's
        LAB_TRY_CUDA(make(&k->x[0], s->c.shape.rows, b->a.rows));
    return ncclSuccess;
}

ncclResult_t slot_make_rest(struct stage *s, struct slot *k)
{
    const int n = s->begin[k->chunk + 1] - s->begin[k->chunk];
    const int rows = s->c.shape.rows;
    for (int i = 0; i < n; i++) {
        const struct block *const b = &s->block[s->begin[k->chunk] + i];
        if (i > 0)
            LAB_TRY_CUDA(make(&k->x[i], rows, b->a.rows));
        LAB_TRY_CUDA(make(&k->saved[i].z, rows, b->a.cols));
        LAB_TRY_CUDA(make(&k->saved[i].h, rows, b->a.cols));
        LAB_TRY_CUDA(make(&k->saved[i].u, rows, b->b.cols));
    }
    return ncclSuccess;
}

/* Free x[0] and, if whole, everything else. */
static void slot_free(struct slot *k, int whole)
{
    cudaFree(k->x[0].data);
    for (int i = 0; whole && i < STAGE_MAX_BLOCKS; i++) {
        if (i > 0)
            cudaFree(k->x[i].data);
        cudaFree(k->saved[i].z.data);
        cudaFree(k->saved[i].h.data);
        cudaFree(k->saved[i].u.data);
    }
}

/* Make another slot for a chunk. Returns NULL if memory runs out. */
static struct slot *slot_new(struct stage *s, int chunk)
{
    if (s->nslots == STAGE_MAX_SLOTS)
        return NULL;
    struct slot *const k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    s->slot[s->nslots++] = k;
    k->chunk = chunk;
    if (s->c.checkpoint)
        return checkpoint_slot(s, k) == ncclSuccess ? k : NULL;
    return slot_make_input(s, k) == ncclSuccess &&
                   slot_make_rest(s, k) == ncclSuccess
               ? k
               : NULL;
}

struct slot *stage_slot(struct stage *s, int chunk, int micro)
{
    struct slot *unused = NULL;
    for (int i = 0; i < s->nslots; i++) {
        struct slot *const k = s->slot[i];
        if (k->chunk == chunk && k->in_use && k->micro == micro)
            return k;
        if (k->chunk == chunk && !k->in_use && !unused)
            unused = k;
    }
    if (!unused)
        unused = slot_new(s, chunk);
    if (!unused)
        return NULL;
    unused->micro = micro;
    unused->in_use = 1;
    unused->input = unused->x[0];
    if (stage_is_first(s, chunk))
        unused->input = (struct matrix){(float *)s->batch[micro].x,
                                        s->c.shape.rows, s->c.shape.in};
    return unused;
}

void stage_release(struct stage *s)
{
    cudaDeviceSynchronize();
    for (int i = 0; i < s->nslots; i++) {
        slot_free(s->slot[i], !s->c.checkpoint);
        free(s->slot[i]);
    }
    slot_free(&s->work, 1);
    if (s->tp.blas)
        cublasDestroy(s->tp.blas);
    float *const all[] = {s->weights, s->grads,   s->row_loss, s->y,
                          s->dy,      s->scratch, s->dx};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cudaFree(all[i]);
    memset(s, 0, sizeof *s);
}

/* ---- passes -------------------------------------------------------------- */

ncclResult_t stage_begin(struct stage *s, const struct nn_batch *batch)
{
    s->batch = batch;
    for (int k = 0; k < s->c.nchunks; k++)
        s->left[k] = s->c.nmicro;
    LAB_TRY_CUDA(
        cudaMemsetAsync(s->grads, 0, s->count * sizeof(float), s->stream));
    return ncclSuccess;
}

ncclResult_t slot_forward(struct stage *s, struct slot *k, float *y)
{
    const int first = s->begin[k->chunk], n = s->begin[k->chunk + 1] - first;
    for (int i = 0; i < n; i++) {
        const struct block *const b = &s->block[first + i];
        const struct matrix x = i == 0 ? k->input : k->x[i];
        const struct matrix out = i < n - 1 ? k->x[i + 1]
                                  : b->last
                                      ? k->saved[i].u
                                      : (struct matrix){y, x.rows, b->b.cols};
        LAB_TRY(s->tp.nranks == 1
                    ? dense_forward(&s->tp, b, x, &k->saved[i], out)
                    : tp_block_forward(&s->tp, b, x, &k->saved[i], out));
    }
    return ncclSuccess;
}

ncclResult_t slot_loss(struct stage *s, const struct slot *k)
{
    const int n = s->begin[k->chunk + 1] - s->begin[k->chunk];
    const float *const y = k->saved[n - 1].u.data;
    const struct nn_shape *const shape = &s->c.shape;
    const void *const target = s->batch[k->micro].target;
    const float scale = 1.0f / (float)s->c.nmicro;
    const int rows = shape->rows, out = shape->out;
    switch (shape->loss) {
    case NN_MSE:
        LAB_TRY_CUDA(
            nn_mse(y, target, s->dy, s->row_loss, scale, rows, out, s->stream));
        break;
    case NN_CROSS_ENTROPY:
        LAB_TRY_CUDA(nn_cross_entropy(y, target, s->dy, s->row_loss, scale,
                                      rows, out, s->stream));
        break;
    default:
        LAB_TRY_CUDA(nn_mean_squares(y, s->dy, s->row_loss, scale, rows, out,
                                     s->stream));
    }
    return ncclSuccess;
}

/* Block i backward: from s->dy to s->dx. */
static ncclResult_t block_back(struct stage *s, const struct slot *k, int i)
{
    const struct block *const b = &s->block[s->begin[k->chunk] + i];
    const struct matrix x = i == 0 ? k->input : k->x[i];
    const struct matrix dy = {s->dy, x.rows, b->b.cols};
    const struct matrix scratch = {s->scratch, x.rows, b->a.cols};
    const struct matrix dx = {s->dx, x.rows, x.cols};
    const struct saved *const saved = &k->saved[i];
    return s->tp.nranks == 1
               ? dense_backward(&s->tp, b, x, saved, dy, scratch, dx)
               : tp_block_backward(&s->tp, b, x, saved, dy, scratch, dx);
}

ncclResult_t slot_backward(struct stage *s, struct slot *k)
{
    const int first = s->begin[k->chunk], n = s->begin[k->chunk + 1] - first;
    if (stage_is_last(s, k->chunk))
        LAB_TRY(slot_loss(s, k));
    for (int i = n - 1; i >= 0; i--) {
        LAB_TRY(block_back(s, k, i));
        if (s->hook && s->left[k->chunk] == 1)
            LAB_TRY(s->hook(s->hook_arg, first + i));
        if (i > 0) { // the output of this block is the input of the previous
            float *const dy = s->dy;
            s->dy = s->dx;
            s->dx = dy;
        }
    }
    s->left[k->chunk]--;
    return ncclSuccess;
}

void stage_enter(const struct stage *s, int kind, int chunk, int micro)
{
    static const char *const names[] = {[PIPE_FORWARD] = "forward",
                                        [PIPE_BACKWARD] = "backward",
                                        [PIPE_WEIGHTS] = "weights"};
    char name[32];
    snprintf(name, sizeof name, "%s %d.%d", names[kind], micro, chunk);
    nvtxRangePushA(name);
    if (s->trace)
        s->trace(s->trace_arg, kind, chunk, micro, 0);
}

void stage_leave(const struct stage *s, int kind, int chunk, int micro)
{
    if (s->trace)
        s->trace(s->trace_arg, kind, chunk, micro, 1);
    nvtxRangePop();
}

ncclResult_t stage_forward(struct stage *s, int chunk, int micro)
{
    struct slot *const k = stage_slot(s, chunk, micro);
    if (!k)
        return ncclSystemError;
    stage_enter(s, PIPE_FORWARD, chunk, micro);
    const ncclResult_t err = slot_forward(s, k, s->y);
    stage_leave(s, PIPE_FORWARD, chunk, micro);
    return err;
}

ncclResult_t stage_backward(struct stage *s, int chunk, int micro)
{
    struct slot *const k = stage_slot(s, chunk, micro);
    if (!k)
        return ncclSystemError;
    stage_enter(s, PIPE_BACKWARD, chunk, micro);
    const ncclResult_t err =
        s->c.checkpoint ? checkpoint_backward(s, k) : slot_backward(s, k);
    stage_leave(s, PIPE_BACKWARD, chunk, micro);
    k->in_use = 0;
    return err;
}
