#include "nn/train.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* malloc */
#include <string.h> /* strerror */
#include <unistd.h> /* isatty */

#include "base/must.h"
#include "base/steady.h"
#include "lab/flags.h"

enum { CONTEXT = 8, WIDTH = 96, DEPTH = 4, REPORTS = 10 };
static const double PROGRESS_SEC = 1; /* between lines of progress */

struct request {
    const char *path;
    long steps, batch;
};

struct data { /* the bytes of a file */
    uint8_t *byte;
    size_t nbytes;
};

struct buffers { /* the buffers of a batch, on the host and on the device */
    float *x, *device_x;
    uint8_t *target, *device_target;
};

/* ---- the command line ---------------------------------------------------- */

/* Returns 0, or -1 after naming the option that is refused or missing. */
static int parse(const struct lab_run *r, int argc, char **argv,
                 struct request *q)
{
    const struct flag flags[] = {
        {"--data", FLAG_TEXT, &q->path, 0, 0},
        {"--steps", FLAG_NUMBER, &q->steps, 1, 1000000},
        {"--batch", FLAG_NUMBER, &q->batch, 1, 1 << 20},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return -1;
    if (q->path && q->batch % r->nranks == 0)
        return 0;
    if (r->rank == 0 && !q->path)
        fprintf(stderr, "%s: %s: --data FILE is missing\n", lab.name, argv[0]);
    else if (r->rank == 0)
        fprintf(stderr, "%s: %s: --batch %ld: not a multiple of the %d ranks\n",
                lab.name, argv[0], q->batch, r->nranks);
    return -1;
}

static int load(const char *path, struct data *d, char *err, size_t err_nbytes)
{
    FILE *const f = fopen(path, "rb");
    long n = -1;
    if (f && fseek(f, 0, SEEK_END) == 0)
        n = ftell(f);
    if (n >= 0) {
        rewind(f);
        d->byte = malloc((size_t)n + 1);
        d->nbytes = d->byte ? fread(d->byte, 1, (size_t)n, f) : 0;
    }
    if (n < 0 || !d->byte)
        snprintf(err, err_nbytes, "cannot read %s: %s", path, strerror(errno));
    else if (d->nbytes <= CONTEXT)
        snprintf(err, err_nbytes, "%s has %zu bytes; at least %d are needed",
                 path, d->nbytes, CONTEXT + 1);
    if (f)
        fclose(f);
    return n >= 0 && d->byte && d->nbytes > CONTEXT ? 0 : -1;
}

/* ---- batches ------------------------------------------------------------- */

/* The i-th random position over all steps: that of the byte to predict. */
static size_t position(const struct data *d, uint64_t i)
{
    return CONTEXT + (size_t)(judge_seed(1, i) % (d->nbytes - CONTEXT));
}

static void fill(const struct data *d, uint64_t first, int rows, float *x,
                 uint8_t *target)
{
    for (int row = 0; row < rows; row++) {
        const size_t at = position(d, first + (uint64_t)row);
        for (int i = 0; i < CONTEXT * 8; i++)
            x[row * CONTEXT * 8 + i] =
                d->byte[at - CONTEXT + (size_t)i / 8] >> i % 8 & 1 ? 1 : -1;
        target[row] = d->byte[at];
    }
}

static struct buffers make_buffers(const struct nn_shape *s)
{
    struct buffers buf;
    const size_t rows = (size_t)s->rows;
    buf.x = malloc(rows * (size_t)s->in * sizeof *buf.x);
    buf.target = malloc(rows);
    if (!buf.x || !buf.target)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    CUDA_MUST(cudaMalloc((void **)&buf.device_x,
                         rows * (size_t)s->in * sizeof *buf.x));
    CUDA_MUST(cudaMalloc((void **)&buf.device_target, rows));
    return buf;
}

static void free_buffers(struct buffers *buf)
{
    CUDA_MUST(cudaFree(buf->device_x));
    CUDA_MUST(cudaFree(buf->device_target));
    free(buf->x);
    free(buf->target);
}

static struct nn_batch next_batch(const struct data *d, struct buffers *buf,
                                  const struct nn *m, uint64_t first)
{
    const size_t rows = (size_t)m->shape.rows;
    fill(d, first, m->shape.rows, buf->x, buf->target);
    CUDA_MUST(cudaMemcpyAsync(buf->device_x, buf->x,
                              rows * (size_t)m->shape.in * sizeof *buf->x,
                              cudaMemcpyHostToDevice, m->stream));
    CUDA_MUST(cudaMemcpyAsync(buf->device_target, buf->target, rows,
                              cudaMemcpyHostToDevice, m->stream));
    return (struct nn_batch){.x = buf->device_x, .target = buf->device_target};
}

/* ---- output -------------------------------------------------------------- */

/* The mean of all ranks' losses. */
static double mean_loss(struct lab_run *r, struct nn *m)
{
    double loss;
    CUDA_MUST(nn_read_loss(m, &loss));
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM,
                           r->mpi_comm));
    return loss / r->nranks;
}

struct progress { /* the progress line, shown on a terminal at most
                     once a second */
    double begin_sec, shown_sec;
};

static void progress(struct progress *p, const struct lab_run *r, long step,
                     const struct request *q)
{
    const double sec = steady_sec();
    if (r->rank != 0 || !isatty(STDERR_FILENO) ||
        sec < p->shown_sec + PROGRESS_SEC)
        return;
    p->shown_sec = sec;
    fprintf(stderr, "\rstep %ld of %ld, %.0f s to go   ", step, q->steps,
            (sec - p->begin_sec) / (double)step * (double)(q->steps - step));
}

static void report(const struct lab_run *r, long step, double loss)
{
    if (r->rank != 0)
        return;
    printf("%sstep %5ld   loss %.3f\n", isatty(STDERR_FILENO) ? "\r" : "", step,
           loss);
    fflush(stdout);
}

/* ---- training ------------------------------------------------------------ */

static void train(struct lab_run *r, const struct trainer *t,
                  const struct data *d, const struct request *q)
{
    const struct nn_shape shape = {.depth = DEPTH,
                                   .in = CONTEXT * 8,
                                   .hidden = WIDTH,
                                   .out = 256,
                                   .rows = (int)(q->batch / r->nranks),
                                   .loss = NN_CROSS_ENTROPY};
    const struct nn_hyper hyper = {3e-3f, 0.9f, 0.99f, 1e-6f, 0.01f};
    struct progress p = {.begin_sec = steady_sec()};
    struct nn m;
    struct nn_optimizer o;
    CUDA_MUST(nn_init(&m, &shape, r->stream));
    // begin() makes all ranks' parameters equal
    CUDA_MUST(nn_fill(&m, (uint64_t)r->rank));
    CUDA_MUST(nn_optimizer_init(&o, &m, NN_ADAMW, &hyper));
    struct buffers buf = make_buffers(&shape);
    if (t->begin)
        NCCL_MUST(t->begin(t->arg, &m));
    for (long step = 0; step < q->steps; step++) {
        const uint64_t first = (uint64_t)(step * q->batch) +
                               (uint64_t)r->rank * (uint64_t)shape.rows;
        const struct nn_batch b = next_batch(d, &buf, &m, first);
        NCCL_MUST(t->step(t->arg, &m, &b, &o));
        CUDA_MUST(cudaDeviceSynchronize());
        progress(&p, r, step + 1, q);
        const long every = q->steps < REPORTS ? 1 : q->steps / REPORTS;
        if (step == 0 || (step + 1) % every == 0)
            report(r, step + 1, mean_loss(r, &m));
    }
    free_buffers(&buf);
    nn_optimizer_release(&o);
    nn_release(&m);
}

int train_main(struct lab_run *r, const struct trainer *t, int argc,
               char **argv)
{
    struct request q = {.steps = 200, .batch = 64};
    struct data d = {NULL, 0};
    char err[512];
    if (parse(r, argc, argv, &q) != 0)
        return 2;
    if (load(q.path, &d, err, sizeof err) != 0) {
        if (r->rank == 0)
            fprintf(stderr, "%s\n", err);
        free(d.byte);
        return 2;
    }
    if (r->rank == 0)
        printf("%zu bytes of %s, %ld steps of %ld positions on %d rank%s\n",
               d.nbytes, q.path, q.steps, q.batch, r->nranks,
               r->nranks == 1 ? "" : "s");
    train(r, t, &d, &q);
    free(d.byte);
    return 0;
}
