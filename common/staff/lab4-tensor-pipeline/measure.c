#include "measure.h"

#include <math.h>             /* fmax */
#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include "base/must.h"
#include "lab/meter.h"

/* ---- time ---------------------------------------------------------------- */

/* A function to time. */
typedef ncclResult_t work_fn(struct hybrid *h, const struct nn_batch *batch);

/* The passes of all micro-batches, one after the other, as if this rank were
 * alone. */
static ncclResult_t passes_alone(struct hybrid *h, const struct nn_batch *batch)
{
    stage_hook *const hook = h->stage.hook;
    h->stage.hook = NULL;
    LAB_TRY(stage_begin(&h->stage, batch));
    for (int m = 0; m < h->stage.c.nmicro; m++) {
        for (int k = 0; k < h->stage.c.nchunks; k++)
            LAB_TRY(stage_forward(&h->stage, k, m));
        for (int k = h->stage.c.nchunks - 1; k >= 0; k--)
            LAB_TRY(stage_backward(&h->stage, k, m));
    }
    h->stage.hook = hook;
    return ncclSuccess;
}

static ncclResult_t update_alone(struct hybrid *h, const struct nn_batch *batch)
{
    (void)batch;
    return hybrid_update(h);
}

static double largest(double x, MPI_Comm comm)
{
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, comm));
    return x;
}

/* Milliseconds on the slowest rank. Makes a range of that name in timelines. */
static double time_of(const char *name, work_fn *work, struct hybrid *h,
                      const struct nn_batch *batch, MPI_Comm comm)
{
    float ms;
    cudaEvent_t begin, end;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(comm));
    CUDA_MUST(cudaEventRecord(begin, h->stage.stream));
    nvtxRangePushA(name);
    NCCL_MUST(work(h, batch));
    nvtxRangePop();
    CUDA_MUST(cudaEventRecord(end, h->stage.stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return largest(ms, comm);
}

/* ---- parts of a step ----------------------------------------------------- */

/* Time the passes with tensor-parallel groups of a single rank, though each
 * rank keeps its small parts: all-reduces then cost nothing. */
static double compute_of(struct hybrid *h, const struct nn_batch *batch,
                         ncclComm_t comm, int rank, MPI_Comm mpi_comm)
{
    ncclComm_t alone;
    NCCL_MUST(ncclCommSplit(comm, rank, 0, &alone, NULL));
    h->stage.tp.comm = alone;
    const double ms = time_of("passes", passes_alone, h, batch, mpi_comm);
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
    const size_t nx = (size_t)c->shape.rows * (size_t)c->shape.in;
    NCCL_MUST(hybrid_init(&h, c, rank, nranks, comm, r->stream));
    CUDA_MUST(cudaMemsetAsync(h.stage.weights, 0, h.stage.count * sizeof(float),
                              r->stream));
    batch[0].x = lab_buffer(r, nx * sizeof(float));
    for (int j = 1; j < c->nmicro; j++)
        batch[j] = batch[0];
    const uint64_t before = meter_memory().live;
    for (int i = 0; i < e.warmup; i++)
        NCCL_MUST(hybrid_step(&h, batch));
    m.activations = largest((double)(meter_memory().live - before), mpi_comm);
    for (int i = 0; i < e.iterations; i++)
        m.step +=
            time_of("step", hybrid_step, &h, batch, mpi_comm) / e.iterations;
    m.update = time_of("update", update_alone, &h, batch, mpi_comm);
    m.compute = compute_of(&h, batch, comm, rank, mpi_comm);
    m.bubble = m.compute * (c->pp - 1) / (h.stage.c.nchunks * c->nmicro);
    m.comm = fmax(0, m.step - m.compute - m.update - m.bubble);
    hybrid_release(&h);
    lab_free_buffers();
    return m;
}
