/*
 * report_dual.c: the bubbles of 1F1B, zero-h1 and DualPipe
 *
 * A pass is a run of equal products, as many as its length says, so that F, B,
 * W and F&B can be chosen and a bubble is a number of products. The network has
 * no contents, and its messages are short next to a product.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "dual.h"
#include "lab/flags.h"
#include "lab/try.h"
#include "measure.h"
#include "report.h"

enum way { WAY_1F1B, WAY_H1, WAY_DUAL, WAYS };

static const char *const ways[] = {"1f1b", "zero-h1", "dualpipe"};

struct lengths { /* the passes', in products */
    long forward, inputs, weights;
    long both; /* a forward and a whole backward pass that run together */
};

enum { KINDS = 2 /* forward, backward */, BUFFERS = 4 };

struct lane { /* messages of one kind in one direction */
    ncclComm_t comm;
    cudaStream_t send;
    int from, to;               /* ranks; -1: none */
    struct matrix in;           /* what has been received last */
    struct matrix out[BUFFERS]; /* what is being sent: in turns */
    cudaEvent_t ready, sent[BUFFERS];
    int nsent;
};

struct turn {
    int lane[KINDS]; /* directions, or -1 */
    long n[KINDS];   /* products */
};

struct line { /* a pipeline */
    struct tp tp;
    struct lane lane[KINDS][DUAL_DIRECTIONS];
    struct matrix w, in, out; /* weights; input and output of no message */
    struct turn turn[DUAL_MAX_TURNS];
    int nturns;
    int most; /* micro-batches in flight at once */
    long n;   /* products of this rank */
};

/* ---- messages ------------------------------------------------------------ */

static struct matrix rows_of(struct lab_run *r, int rows, int width)
{
    const size_t nbytes = (size_t)rows * (size_t)width * sizeof(float);
    return (struct matrix){lab_buffer(r, nbytes), rows, width};
}

static void lane_init(struct lane *l, struct lab_run *r, int kind,
                      int direction, struct matrix like)
{
    const int step = kind == direction ? 1 : -1; // both or neither reversed
    const int from = r->rank - step, to = r->rank + step;
    *l = (struct lane){.from = from < 0 || from >= r->nranks ? -1 : from,
                       .to = to < 0 || to >= r->nranks ? -1 : to,
                       .in = rows_of(r, like.rows, like.cols)};
    NCCL_MUST(ncclCommSplit(r->comm, 0, r->rank, &l->comm, NULL));
    CUDA_MUST(cudaStreamCreateWithFlags(&l->send, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreateWithFlags(&l->ready, cudaEventDisableTiming));
    for (int i = 0; i < BUFFERS; i++) {
        l->out[i] = rows_of(r, like.rows, like.cols);
        CUDA_MUST(
            cudaEventCreateWithFlags(&l->sent[i], cudaEventDisableTiming));
    }
}

static void lane_release(struct lane *l)
{
    for (int i = 0; i < BUFFERS; i++)
        CUDA_MUST(cudaEventDestroy(l->sent[i]));
    CUDA_MUST(cudaEventDestroy(l->ready));
    CUDA_MUST(cudaStreamDestroy(l->send));
    NCCL_MUST(ncclCommDestroy(l->comm));
}

static ncclResult_t receive(struct lane *l, cudaStream_t stream)
{
    if (l->from >= 0)
        LAB_TRY(ncclRecv(l->in.data, matrix_count(l->in), ncclFloat, l->from,
                         l->comm, stream));
    if (l->to >= 0) // what was in the buffer has left
        LAB_TRY_CUDA(
            cudaStreamWaitEvent(stream, l->sent[l->nsent % BUFFERS], 0));
    return ncclSuccess;
}

static ncclResult_t send(struct lane *l, cudaStream_t stream)
{
    const int i = l->nsent++ % BUFFERS;
    if (l->to < 0)
        return ncclSuccess;
    LAB_TRY_CUDA(cudaEventRecord(l->ready, stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(l->send, l->ready, 0));
    LAB_TRY(ncclSend(l->out[i].data, matrix_count(l->out[i]), ncclFloat, l->to,
                     l->comm, l->send));
    LAB_TRY_CUDA(cudaEventRecord(l->sent[i], l->send));
    return ncclSuccess;
}

/* ---- a step -------------------------------------------------------------- */

/* Run the products of one kind: from what has been received to what will be
 * sent. */
static ncclResult_t products(const struct line *k, const struct lane *l, long n)
{
    const struct matrix in = l && l->from >= 0 ? l->in : k->in;
    const struct matrix out =
        l && l->to >= 0 ? l->out[l->nsent % BUFFERS] : k->out;
    for (long i = 0; i < n; i++)
        LAB_TRY_CUDA(dense_linear(&k->tp, in, k->w, out));
    return ncclSuccess;
}

static ncclResult_t line_step(void *arg)
{
    struct line *const k = arg;
    for (int i = 0; i < k->nturns; i++) {
        const struct turn *const t = &k->turn[i];
        struct lane *lane[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            const int at = t->lane[kind];
            lane[kind] = at < 0 ? NULL : &k->lane[kind][at];
            if (lane[kind])
                LAB_TRY(receive(lane[kind], k->tp.stream));
        }
        for (int kind = 0; kind < KINDS; kind++)
            LAB_TRY(products(k, lane[kind], t->n[kind]));
        for (int kind = 0; kind < KINDS; kind++)
            if (lane[kind])
                LAB_TRY(send(lane[kind], k->tp.stream));
    }
    return ncclSuccess;
}

/* ---- turns --------------------------------------------------------------- */

/* What a turn of DualPipe is in products. */
static struct turn turn_of(const struct dual_turn *t, const struct lengths *l)
{
    struct turn turn = {{t->forward, t->backward}, {0, 0}};
    if (t->forward >= 0)
        turn.n[0] = l->forward;
    if (t->backward >= 0)
        turn.n[1] = l->inputs + (t->defers ? 0 : l->weights);
    if (t->forward >= 0 && t->backward >= 0)
        turn.n[1] = l->both - l->forward;
    if (t->weights)
        turn.n[1] = l->weights;
    return turn;
}

/* Write lab 4's own lists as turns of one direction. */
static int list_of(enum way way, const struct lab_run *r, int nmicro,
                   struct dual_turn *out)
{
    static struct pipe_action a[DUAL_MAX_TURNS];
    if (way == WAY_DUAL)
        return dual_list(r->nranks, r->rank, nmicro, out);
    const int n = way == WAY_H1
                      ? schedule_zero_h1(r->nranks, r->rank, nmicro, a)
                      : schedule_1f1b(r->nranks, r->rank, nmicro, a);
    for (int i = 0; i < n; i++)
        out[i] = (struct dual_turn){
            .forward = a[i].kind == PIPE_FORWARD ? 0 : -1,
            .backward = a[i].kind == PIPE_BACKWARD ? 0 : -1,
            .defers = way == WAY_H1 && a[i].kind == PIPE_BACKWARD,
            .weights = a[i].kind == PIPE_WEIGHTS};
    return n;
}

static void set_turns(struct line *k, const struct dual_turn *list, int n,
                      const struct lengths *l)
{
    int live = 0;
    k->nturns = n;
    k->most = 0;
    k->n = 0;
    for (int i = 0; i < n; i++) {
        k->turn[i] = turn_of(&list[i], l);
        k->n += k->turn[i].n[0] + k->turn[i].n[1];
        live += list[i].forward >= 0;
        k->most = live > k->most ? live : k->most;
        live -= list[i].weights || (list[i].backward >= 0 && !list[i].defers);
    }
}

/* ---- the table ----------------------------------------------------------- */

/* The published bubble, in products; B is a whole backward pass. */
static double published(enum way way, int nranks, const struct lengths *l)
{
    const long f = l->forward, w = l->weights, b = l->inputs + w;
    switch (way) {
    case WAY_1F1B: return (double)((nranks - 1) * (f + b));
    case WAY_H1: return (double)((nranks - 1) * (f + b - 2 * w));
    default: return (nranks / 2.0 - 1) * (double)(l->both + b - 3 * w);
    }
}

static ncclResult_t ten_products(void *arg)
{
    return products(arg, NULL, 10);
}

static void print_row(struct lab_run *r, struct line *k, enum way way,
                      const struct lengths *l, int nmicro)
{
    static struct dual_turn list[DUAL_MAX_TURNS];
    set_turns(k, list, list_of(way, r, nmicro, list), l);
    NCCL_MUST(line_step(k));
    const double one =
        measure_time("products", ten_products, k, k->tp.stream, r->mpi_comm) /
        10;
    const double step =
        measure_time(ways[way], line_step, k, k->tp.stream, r->mpi_comm);
    const double least = -measure_largest((double)-k->n, r->mpi_comm);
    const double most = measure_largest(k->most, r->mpi_comm);
    if (r->rank == 0)
        printf("%-9s %9.1f %8.1f %10.0f %10d %11.0f\n", ways[way], step,
               step / one - least, published(way, r->nranks, l),
               way == WAY_DUAL ? 2 : 1, most);
}

static void table(struct lab_run *r, const struct lengths *l, int nmicro)
{
    enum { ROWS = 128, WIDTH = 32768 };
    static struct line k;
    k.tp = (struct tp){NULL, 0, 1, NULL, r->stream};
    k.w = rows_of(r, WIDTH, WIDTH);
    k.in = rows_of(r, ROWS, WIDTH);
    k.out = rows_of(r, ROWS, WIDTH);
    CUBLAS_MUST(cublasCreate(&k.tp.blas));
    CUBLAS_MUST(cublasSetStream(k.tp.blas, r->stream));
    for (int i = 0; i < KINDS * DUAL_DIRECTIONS; i++)
        lane_init(&k.lane[i / 2][i % 2], r, i / 2, i % 2, k.in);
    if (r->rank == 0)
        printf("%d ranks, %d micro-batches; in products F %ld, B %ld, W %ld, "
               "F&B %ld\n\n"
               "            step ms   bubble  published  parameters  "
               "activations\n",
               r->nranks, nmicro, l->forward, l->inputs + l->weights,
               l->weights, l->both);
    for (int w = 0; w < WAYS; w++)
        print_row(r, &k, (enum way)w, l, nmicro);
    for (int i = 0; i < KINDS * DUAL_DIRECTIONS; i++)
        lane_release(&k.lane[i / 2][i % 2]);
    CUBLAS_MUST(cublasDestroy(k.tp.blas));
    lab_free_buffers();
}

int report_dual(struct lab_run *r, int argc, char **argv)
{
    struct lengths l = {.forward = 10, .inputs = 10, .weights = 8, .both = 24};
    long micro = 2L * r->nranks + 4;
    const struct flag flags[] = {
        {"--microbatches", FLAG_NUMBER, &micro, 2, STAGE_MAX_MICRO},
        {"--forward", FLAG_NUMBER, &l.forward, 1, 1000},
        {"--inputs", FLAG_NUMBER, &l.inputs, 1, 1000},
        {"--weights", FLAG_NUMBER, &l.weights, 1, 1000},
        {"--both", FLAG_NUMBER, &l.both, 1, 3000},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    const char *const why =
        r->nranks % 2 != 0 ? "DualPipe needs an even number of ranks"
        : micro % 2 != 0 || micro < 2L * r->nranks
            ? "--microbatches must be even, and at least twice the ranks"
        : l.both <= l.forward ? "--both must be more than --forward"
                              : NULL;
    if (why) {
        if (r->rank == 0)
            fprintf(stderr, "%d ranks: %s\n", r->nranks, why);
        return 2;
    }
    table(r, &l, (int)micro);
    return 0;
}
