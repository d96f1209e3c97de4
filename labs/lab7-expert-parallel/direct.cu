/*
 * Part 6: dispatch and combine without the host.
 *
 *     kernel     block b of B                             called by
 *     dispatch   stores the tokens for expert b, and      direct_dispatch()
 *                their number; all ranks meet
 *     combine    returns block b of processed; all        direct_combine()
 *                ranks meet; adds up tokens b, b + B, ...
 *
 * Launch: a block of DIRECT_THREADS for each expert of all ranks. Block b of
 * arrived and processed are the tokens of rank b % nranks for this rank's
 * expert number b / nranks. Blocks wait for blocks of other ranks, so all have
 * to be resident at the same time: the kernels are cooperative.
 */
#include "lab7.h"

#include <string.h> /* memset */

#include <cooperative_groups.h> /* this_grid */
#include <nccl_device.h>        /* ncclGetLsaPointer */

#include <lab/hole.cuh>
#include <lab/sync.cuh> /* sync_store, sync_wait_reached */

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

struct direct_view { /* a struct direct as kernels see it */
    ncclWindow_t window;
    char *base; /* this rank's part of it */
    float4 *arrived, *returned, *processed;
    int *count, *place;
    unsigned *flags;
    int rank, nranks, each, k, most;
    int n; /* float4 of a token */
};

struct direct_nccl {
    struct direct_view view;
    ncclDevComm dev;
};

/* ---- memory -------------------------------------------------------------- */

/*
 * Allocate nbytes by ncclMemAlloc(), register them as a symmetric window, and
 * create the device communicator d->nccl->dev: v->base and v->window are set.
 * The ranks that loads and stores reach are the LSA team: if these are not all
 * ranks, return ncclInvalidUsage.
 */
static ncclResult_t window_make(struct direct *d, size_t nbytes,
                                struct direct_view *v)
{
    // Yours to write: part 6: window (host, about 10 lines)
    // ncclCommWindowRegister() with NCCL_WIN_COLL_SYMMETRIC. The device
    // communicator needs nothing besides the initial requirements.
    LAB_HOLE("part 6: window (host, about 10 lines)");
}

/* Divide the window, and allocate this rank's own memory. */
static ncclResult_t memory_make(struct direct *d, struct direct_view *v)
{
    const size_t nexperts = (size_t)d->nranks * d->each;
    const size_t rows = nexperts * d->most * d->dim * sizeof(float);
    const size_t counts = nexperts * sizeof *d->count;
    const size_t flags = 2 * (size_t)d->nranks * sizeof *d->flags;
    LAB_TRY(window_make(d, 2 * rows + counts + flags, v));
    d->arrived = (float *)v->base;
    d->returned = (float *)(v->base + rows);
    d->count = (int *)(v->base + 2 * rows);
    d->flags = (unsigned *)(v->base + 2 * rows + counts);
    LAB_TRY_CUDA(cudaMemset(d->flags, 0, flags));
    LAB_TRY_CUDA(cudaMalloc((void **)&d->processed, rows));
    LAB_TRY_CUDA(cudaMalloc((void **)&d->place,
                            (size_t)d->most * d->k * sizeof *d->place));
    LAB_TRY_CUDA(cudaDeviceSynchronize());
    return ncclSuccess;
}

ncclResult_t direct_open(struct direct *d, const struct moe *m, int most)
{
    memset(d, 0, sizeof *d);
    d->comm = m->comm;
    d->rank = m->rank;
    d->nranks = m->nranks;
    d->each = m->each;
    d->k = m->k;
    d->dim = m->dim;
    d->most = most;
    d->nccl = new direct_nccl();
    struct direct_view *const v = &d->nccl->view;
    const ncclResult_t err = memory_make(d, v);
    if (err != ncclSuccess) {
        direct_close(d);
        return err;
    }
    v->arrived = (float4 *)d->arrived;
    v->returned = (float4 *)d->returned;
    v->processed = (float4 *)d->processed;
    v->flags = d->flags;
    v->count = d->count;
    v->place = d->place;
    v->rank = d->rank;
    v->nranks = d->nranks;
    v->each = d->each;
    v->k = d->k;
    v->most = most;
    v->n = d->dim / 4;
    return ncclSuccess;
}

void direct_close(struct direct *d)
{
    if (!d->nccl)
        return;
    const struct direct_view &v = d->nccl->view;
    if (d->nccl->dev.nRanks > 0)
        ncclDevCommDestroy(d->comm, &d->nccl->dev);
    if (v.window)
        ncclCommWindowDeregister(d->comm, v.window);
    ncclMemFree(v.base);
    cudaFree(d->processed);
    cudaFree(d->place);
    delete d->nccl;
    memset(d, 0, sizeof *d);
}

/* ---- kernels ------------------------------------------------------------- */

/* Rank r's copy of what this rank has at `own`, in the window. */
template <class T>
static __device__ T *at_rank(const struct direct_view &v, T *own, int r)
{
    // Yours to write: part 6: address (device, about 2 lines)
    // ncclGetLsaPointer() takes the distance from the window's start.
    LAB_DEVICE_HOLE("part 6: address");
}

/*
 * All blocks of all ranks' kernels meet: afterwards every thread sees what any
 * thread of any rank stored before. flags: in the window, one for each rank;
 * they are `round` afterwards. All threads of the grid call it.
 */
static __device__ void meet(const struct direct_view &v, unsigned *flags,
                            unsigned round)
{
    // Yours to write: part 6: meet (device, about 10 lines)
    // thread r of block 0 sets this rank's flag at rank r by
    // sync_store(), then waits for rank r's flag here. What do the other
    // blocks wait for before that, and after it?
    LAB_DEVICE_HOLE("part 6: meet");
}

__global__ void dispatch(struct direct_view v, const float4 *in,
                         const int *expert, int ntokens, unsigned round)
{
    // Yours to write: part 6: dispatch (device, about 18 lines)
    // block e looks for its expert among all choices. Which block of the
    // expert's rank is this rank's? The number of tokens goes there, too.
    LAB_DEVICE_HOLE("part 6: dispatch");
}

__global__ void combine(struct direct_view v, const float *gate, int ntokens,
                        float4 *out, unsigned round)
{
    // Yours to write: part 6: combine (device, about 22 lines)
    // the same way back: block b has tokens of rank b % nranks, whose
    // slots in returned are those of this rank's expert b / nranks. The
    // second half of the flags is for this way.
    LAB_DEVICE_HOLE("part 6: combine");
}

/* ---- launches ------------------------------------------------------------ */

static ncclResult_t launch(const void *kernel, const struct direct *d,
                           void **args, cudaStream_t stream)
{
    LAB_TRY_CUDA(cudaLaunchCooperativeKernel(kernel, d->nranks * d->each,
                                             DIRECT_THREADS, args, 0, stream));
    return ncclSuccess;
}

ncclResult_t direct_dispatch(struct direct *d, const float *in,
                             const int *expert, int ntokens,
                             cudaStream_t stream)
{
    d->round++;
    void *args[] = {&d->nccl->view, &in, &expert, &ntokens, &d->round};
    return launch((const void *)dispatch, d, args, stream);
}

ncclResult_t direct_combine(struct direct *d, const float *gate, int ntokens,
                            float *out, cudaStream_t stream)
{
    void *args[] = {&d->nccl->view, &gate, &ntokens, &out, &d->round};
    return launch((const void *)combine, d, args, stream);
}
