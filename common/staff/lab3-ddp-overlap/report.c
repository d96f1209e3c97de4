#include "report.h"

#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab3.h"
#include "nn/exercise.h"

struct request {
    long cap_mb, layers, width, rows;
    long iterations, warmup; /* --overlap-report's */
};

static int parse(const struct lab_run *r, int argc, char **argv,
                 struct request *q)
{
    const struct flag flags[] = {
        {"--bucket-cap-mb", FLAG_NUMBER, &q->cap_mb, 1, 4096},
        {"--layers", FLAG_NUMBER, &q->layers, 1, NN_MAX_DEPTH},
        {"--width", FLAG_NUMBER, &q->width, 1, 1 << 16},
        {"--rows", FLAG_NUMBER, &q->rows, 1, 1 << 16},
        {"--iterations", FLAG_NUMBER, &q->iterations, 1, 1000},
        {"--warmup", FLAG_NUMBER, &q->warmup, 0, 1000},
        {NULL, 0, NULL, 0, 0}};
    return flags_parse(r, argc, argv, flags);
}

static struct exercise *network(struct lab_run *r, const struct request *q,
                                enum nn_optimizer_kind optimizer)
{
    const struct nn_task k = {.shape = {.depth = (int)q->layers,
                                        .in = (int)q->width,
                                        .hidden = (int)q->width,
                                        .out = (int)q->width,
                                        .rows = (int)q->rows},
                              .steps = 1,
                              .micro = 1,
                              .optimizer = optimizer,
                              .hyper = {1e-3f, 0.9f, 0.99f, 1e-6f, 0.01f}};
    return exercise_of(r, &k);
}

/* ---- --overlap-report ---------------------------------------------------- */

/* Lab 2's step: an all-reduce for each gradient after the backward pass. */
static ncclResult_t step_after(struct exercise *e, const struct lab_run *r)
{
    struct nn *const m = &e->m;
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, exercise_batch(e, 0, 0)));
    LAB_TRY_CUDA(nn_backward(m, 1, NULL, NULL));
    for (int i = 0; i < m->nparams; i++)
        LAB_TRY(ncclAllReduce(m->param[i].grad, m->param[i].grad,
                              m->param[i].count, ncclFloat, ncclAvg, r->comm,
                              m->stream));
    return ncclSuccess;
}

static double time_after(struct exercise *e, const struct lab_run *r)
{
    float ms;
    double most;
    cudaEvent_t begin, end;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    NCCL_MUST(step_after(e, r));
    CUDA_MUST(cudaEventRecord(begin, e->m.stream));
    NCCL_MUST(step_after(e, r));
    CUDA_MUST(cudaEventRecord(end, e->m.stream));
    CUDA_MUST(cudaEventSynchronize(end));
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    most = ms;
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return most;
}

static void print_report(const struct ddp *d, const struct overlap_times *t,
                         double after)
{
    printf("%d bucket%s, %.1f MiB of gradients\n\n", d->nbuckets,
           d->nbuckets == 1 ? "" : "s",
           (double)d->m->count * sizeof(float) / (1 << 20));
    printf("compute        %9.3f ms\n", t->compute);
    printf("communication  %9.3f ms\n", t->comm);
    printf("  hidden       %9.3f ms   %.0f %% of it\n", t->hidden,
           100 * t->hidden / t->comm);
    printf("  exposed      %9.3f ms   comm ratio %.1f %% of the step\n",
           t->exposed, 100 * t->exposed / t->both);
    printf("step           %9.3f ms\n", t->both);
    printf("no overlap     %9.3f ms   %.2f times as long\n", after,
           after / t->both);
}

/*
 * The mean of n measurements, after `warmup` that don't count. Between two of
 * them all devices are idle at a barrier, so that simgpu replays each alone.
 */
static ncclResult_t mean_overlap(struct ddp *d, const struct lab_run *r,
                                 const struct nn_batch *batch, long n,
                                 long warmup, struct overlap_times *mean)
{
    struct overlap_times t;
    *mean = (struct overlap_times){0};
    for (long i = -warmup; i < n; i++) {
        if (i > -warmup) {
            LAB_TRY_CUDA(cudaDeviceSynchronize());
            MPI_MUST(MPI_Barrier(r->mpi_comm));
        }
        LAB_TRY(overlap_measure(d, batch, &t));
        const double part = i < 0 ? 0 : 1.0 / (double)n;
        mean->compute += part * t.compute;
        mean->comm += part * t.comm;
        mean->both += part * t.both;
        mean->hidden += part * t.hidden;
        mean->exposed += part * t.exposed;
    }
    return ncclSuccess;
}

int report_overlap(struct lab_run *r, int argc, char **argv)
{
    struct request q = {25, 16, 256, 256, 1, 0};
    struct overlap_times t;
    struct ddp d;
    if (parse(r, argc, argv, &q) != 0)
        return 2;
    struct exercise *const e = network(r, &q, NN_SGD);
    NCCL_MUST(ddp_init(&d, &e->m, r->comm, r->nranks, 1 << 20,
                       (size_t)q.cap_mb << 20));
    NCCL_MUST(mean_overlap(&d, r, exercise_batch(e, 0, 0), q.iterations,
                           q.warmup, &t));
    const double after = time_after(e, r);
    if (r->rank == 0)
        print_report(&d, &t, after);
    CUDA_MUST(cudaDeviceSynchronize());
    ddp_release(&d);
    exercise_release();
    return 0;
}

/* ---- --zero-report ------------------------------------------------------- */

int report_zero(struct lab_run *r, int argc, char **argv)
{
    struct request q = {25, 16, 256, 8, 1, 0};
    size_t before, after, total;
    struct zero z;
    if (parse(r, argc, argv, &q) != 0)
        return 2;
    struct exercise *const e = network(r, &q, NN_SGD);
    CUDA_MUST(cudaMemGetInfo(&before, &total));
    NCCL_MUST(zero_init(&z, &e->m, r->rank, r->nranks, &e->task.hyper));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaMemGetInfo(&after, &total));
    double most = (double)(before - after);
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    const double whole = 2.0 * sizeof(float) * (double)e->m.count;
    if (r->rank == 0)
        printf("%2d rank%s  AdamW whole %9.3f MiB, sharded at most %9.3f MiB "
               "(1/%.1f)\n",
               r->nranks, r->nranks == 1 ? " " : "s", whole / (1 << 20),
               most / (1 << 20), whole / most);
    zero_release(&z);
    exercise_release();
    return 0;
}
