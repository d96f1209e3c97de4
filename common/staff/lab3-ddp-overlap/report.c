#include "report.h"

#include <stdio.h>  /* printf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "lab3.h"
#include "nn/exercise.h"

struct request {
    long cap_mb, layers, width, rows;
};

static int parse(const struct lab_run *r, int argc, char **argv,
                 struct request *q)
{
    const struct {
        const char *name;
        long *value;
    } options[] = {{"--bucket-cap-mb", &q->cap_mb},
                   {"--layers", &q->layers},
                   {"--width", &q->width},
                   {"--rows", &q->rows}};
    for (int i = 1; i < argc; i += 2) {
        long *value = NULL;
        for (int k = 0; k < 4; k++)
            if (strcmp(argv[i], options[k].name) == 0)
                value = options[k].value;
        if (!value || i + 1 == argc || (*value = atol(argv[i + 1])) < 1 ||
            q->layers > NN_MAX_DEPTH) {
            if (r->rank == 0)
                fprintf(stderr,
                        "usage: %s [--bucket-cap-mb N] [--layers N] [--width "
                        "N] [--rows N]: numbers >= 1, at most %d layers\n",
                        argv[0], NN_MAX_DEPTH);
            return -1;
        }
    }
    return 0;
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

int report_overlap(struct lab_run *r, int argc, char **argv)
{
    struct request q = {25, 16, 256, 256};
    struct overlap_times t;
    struct ddp d;
    if (parse(r, argc, argv, &q) != 0)
        return 2;
    struct exercise *const e = network(r, &q, NN_SGD);
    NCCL_MUST(ddp_init(&d, &e->m, r->comm, r->nranks, 1 << 20,
                       (size_t)q.cap_mb << 20));
    NCCL_MUST(overlap_measure(&d, exercise_batch(e, 0, 0), &t));
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
    struct request q = {25, 16, 256, 8};
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
