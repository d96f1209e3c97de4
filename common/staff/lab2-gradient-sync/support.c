#include "support.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"

/* Collect nbytes of every rank's device memory in a lab_buffer() of rank 0. */
static void *gather(struct lab_run *r, const void *mine, size_t nbytes)
{
    void *d = NULL;
    const size_t all = r->rank == 0 ? (size_t)r->nranks * nbytes : 0;
    char *const h = malloc(nbytes + 1), *const whole = malloc(all + 1);
    if (!h || !whole)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    CUDA_MUST(
        cudaMemcpyAsync(h, mine, nbytes, cudaMemcpyDeviceToHost, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    MPI_MUST(MPI_Gather(h, (int)nbytes, MPI_BYTE, whole, (int)nbytes, MPI_BYTE,
                        0, r->mpi_comm));
    if (r->rank == 0) {
        d = lab_buffer(r, all);
        CUDA_MUST(
            cudaMemcpyAsync(d, whole, all, cudaMemcpyHostToDevice, r->stream));
        CUDA_MUST(cudaStreamSynchronize(r->stream));
    }
    free(h);
    free(whole);
    return d;
}

void support_gather(struct lab_run *r, const struct exercise *e,
                    struct nn_batch all[EXERCISE_STEPS])
{
    const struct nn_shape *const s = &e->m.shape;
    const size_t x_nbytes = (size_t)s->rows * (size_t)s->in * sizeof(float);
    const size_t target_nbytes = nn_target_count(s) * nn_target_size(s);
    for (int i = 0; i < e->task.steps; i++) {
        const struct nn_batch *const b = exercise_batch(e, i, 0);
        all[i].x = gather(r, b->x, x_nbytes);
        all[i].target = b->target ? gather(r, b->target, target_nbytes) : NULL;
    }
}

/* ---- replicas ------------------------------------------------------------ */

static void make_replica(struct replica *r, int device,
                         const struct exercise *e)
{
    const struct nn_shape *const s = &e->m.shape;
    memset(r, 0, sizeof *r);
    r->device = device;
    CUDA_MUST(cudaSetDevice(device));
    CUDA_MUST(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreateWithFlags(&r->event, cudaEventDisableTiming));
    CUDA_MUST(nn_init(&r->m, s, r->stream));
    CUDA_MUST(nn_fill(&r->m, (uint64_t)device)); // not device 0's
    CUDA_MUST(cudaMalloc((void **)&r->x,
                         (size_t)s->rows * (size_t)s->in * sizeof *r->x));
    if (nn_target_count(s))
        CUDA_MUST(
            cudaMalloc(&r->target, nn_target_count(s) * nn_target_size(s)));
}

void support_make_replicas(struct replica *r, int n, const struct exercise *e)
{
    for (int d = n - 1; d >= 0; d--)
        make_replica(&r[d], d, e);
    CUDA_MUST(nn_values(&e->m, r[0].m.weights));
    CUDA_MUST(cudaStreamSynchronize(e->m.stream));
}

void support_drop_replicas(struct replica *r, int n)
{
    for (int d = n - 1; d >= 0; d--) {
        CUDA_MUST(cudaSetDevice(r[d].device));
        CUDA_MUST(cudaStreamSynchronize(r[d].stream));
        nn_release(&r[d].m);
        CUDA_MUST(cudaFree(r[d].x));
        CUDA_MUST(cudaFree(r[d].target));
        CUDA_MUST(cudaEventDestroy(r[d].event));
        CUDA_MUST(cudaStreamDestroy(r[d].stream));
    }
}
