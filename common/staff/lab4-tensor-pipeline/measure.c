#include "measure.h"

#include <math.h>             /* fmax */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include "base/must.h"
#include "lab/meter.h"
#include "report.h"

/* ---- time ---------------------------------------------------------------- */

struct step { /* one step of a hybrid run */
    struct hybrid *h;
    const struct nn_batch *batch;
};

static ncclResult_t whole_step(void *arg)
{
    const struct step *const k = arg;
    return hybrid_step(k->h, k->batch);
}

/* Run the passes of all micro-batches one after the other, as if this rank were
 * alone. */
static ncclResult_t passes_alone(void *arg)
{
    struct hybrid *const h = ((const struct step *)arg)->h;
    stage_hook *const hook = h->stage.hook;
    h->stage.hook = NULL;
    LAB_TRY(stage_begin(&h->stage, ((const struct step *)arg)->batch));
    for (int m = 0; m < h->stage.c.nmicro; m++) {
        for (int k = 0; k < h->stage.c.nchunks; k++)
            LAB_TRY(stage_forward(&h->stage, k, m));
        for (int k = h->stage.c.nchunks - 1; k >= 0; k--)
            LAB_TRY(stage_backward(&h->stage, k, m));
    }
    h->stage.hook = hook;
    return ncclSuccess;
}

static ncclResult_t update_alone(void *arg)
{
    return hybrid_update(((const struct step *)arg)->h);
}

double measure_largest(double x, MPI_Comm comm)
{
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, comm));
    return x;
}

double measure_time(const char *name, measure_fn *work, void *arg,
                    cudaStream_t stream, MPI_Comm comm)
{
    float ms;
    cudaEvent_t begin, end;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(comm));
    CUDA_MUST(cudaEventRecord(begin, stream));
    nvtxRangePushA(name);
    NCCL_MUST(work(arg));
    nvtxRangePop();
    CUDA_MUST(cudaEventRecord(end, stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return measure_largest(ms, comm);
}

/* ---- parts of a step ----------------------------------------------------- */

/* Time the passes with tensor-parallel groups of a single rank, which keeps its
 * small parts of the matrices: all-reduces then cost nothing. */
static double compute_of(const struct step *k, ncclComm_t comm, int rank,
                         MPI_Comm mpi_comm)
{
    struct hybrid *const h = k->h;
    ncclComm_t alone;
    NCCL_MUST(ncclCommSplit(comm, rank, 0, &alone, NULL));
    h->stage.tp.comm = alone;
    const double ms = measure_time("passes", passes_alone, (void *)k,
                                   h->stage.stream, mpi_comm);
    h->stage.tp.comm = h->tp_comm;
    NCCL_MUST(ncclCommDestroy(alone));
    return ms;
}

struct measured measure(struct lab_run *r, const struct hybrid_config *c,
                        struct effort e, MPI_Comm mpi_comm, ncclComm_t comm,
                        int rank, int nranks)
{
    struct nn_batch batch[STAGE_MAX_MICRO];
    struct measured m = {.step = 0};
    struct hybrid h;
    NCCL_MUST(hybrid_init(&h, c, rank, nranks, comm, r->stream));
    CUDA_MUST(cudaMemsetAsync(h.stage.weights, 0, h.stage.count * sizeof(float),
                              r->stream));
    report_batch(r, &c->shape, c->nmicro, batch);
    struct step k = {&h, batch};
    const uint64_t before = meter_memory().live;
    for (int i = 0; i < e.warmup; i++)
        NCCL_MUST(hybrid_step(&h, batch));
    m.activations =
        measure_largest((double)(meter_memory().live - before), mpi_comm);
    for (int i = 0; i < e.iterations; i++)
        m.step += measure_time("step", whole_step, &k, r->stream, mpi_comm) /
                  e.iterations;
    m.update = measure_time("update", update_alone, &k, r->stream, mpi_comm);
    m.compute = compute_of(&k, comm, rank, mpi_comm);
    m.bubble = m.compute * (c->pp - 1) / (h.stage.c.nchunks * c->nmicro);
    m.comm = fmax(0, m.step - m.compute - m.update - m.bubble);
    hybrid_release(&h);
    lab_free_buffers();
    return m;
}
