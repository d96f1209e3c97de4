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
    // BEGIN HOLE part 6: window (host, about 10 lines)
    // HINT: ncclCommWindowRegister() with NCCL_WIN_COLL_SYMMETRIC. The device
    // HINT: communicator needs nothing besides the initial requirements.
    ncclDevCommRequirements needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
    if (ncclTeamLsa(d->comm).nRanks != d->nranks)
        return ncclInvalidUsage;
    LAB_TRY(ncclMemAlloc((void **)&v->base, nbytes));
    LAB_TRY(ncclCommWindowRegister(d->comm, v->base, nbytes, &v->window,
                                   NCCL_WIN_COLL_SYMMETRIC));
    return ncclDevCommCreate(d->comm, &needs, &d->nccl->dev);
    // END HOLE
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
    // BEGIN HOLE part 6: address (device, about 2 lines)
    // HINT: ncclGetLsaPointer() takes the distance from the window's start.
    return (T *)ncclGetLsaPointer(v.window, (size_t)((char *)own - v.base), r);
    // END HOLE
}

/*
 * All blocks of all ranks' kernels meet: afterwards every thread sees what any
 * thread of any rank stored before. flags: in the window, one for each rank;
 * they are `round` afterwards. All threads of the grid call it.
 */
static __device__ void meet(const struct direct_view &v, unsigned *flags,
                            unsigned round)
{
    // BEGIN HOLE part 6: meet (device, about 10 lines)
    // HINT: thread r of block 0 sets this rank's flag at rank r by
    // HINT: sync_store(), then waits for rank r's flag here. What do the other
    // HINT: blocks wait for before that, and after it?
    const auto grid = cooperative_groups::this_grid();
    const int r = threadIdx.x;
    grid.sync();
    if (blockIdx.x == 0) {
        if (r < v.nranks)
            sync_store(at_rank(v, flags + v.rank, r), round);
        __syncthreads();
        if (r < v.nranks)
            sync_wait_reached(flags + r, round);
    }
    grid.sync();
    // END HOLE
}

__global__ void dispatch(struct direct_view v, const float4 *in,
                         const int *expert, int ntokens, unsigned round)
{
    // BEGIN HOLE part 6: dispatch (device, about 18 lines)
    // HINT: block e looks for its expert among all choices. Which block of the
    // HINT: expert's rank is this rank's? The number of tokens goes there, too.
    const int e = blockIdx.x, r = e / v.each;
    const int block = e % v.each * v.nranks + v.rank;
    float4 *const slots =
        at_rank(v, v.arrived + (size_t)block * v.most * v.n, r);
    int count = 0;
    for (int c = 0; c < ntokens * v.k; c++) {
        if (expert[c] != e)
            continue;
        for (int i = threadIdx.x; i < v.n; i += blockDim.x)
            slots[(size_t)count * v.n + i] = in[(size_t)(c / v.k) * v.n + i];
        if (threadIdx.x == 0)
            v.place[c] = e * v.most + count;
        count++;
    }
    if (threadIdx.x == 0)
        *at_rank(v, v.count + block, r) = count;
    meet(v, v.flags, round);
    // END HOLE
}

__global__ void combine(struct direct_view v, const float *gate, int ntokens,
                        float4 *out, unsigned round)
{
    // BEGIN HOLE part 6: combine (device, about 22 lines)
    // HINT: the same way back: block b has tokens of rank b % nranks, whose
    // HINT: slots in returned are those of this rank's expert b / nranks. The
    // HINT: second half of the flags is for this way.
    const int b = blockIdx.x, r = b % v.nranks;
    const int e = v.rank * v.each + b / v.nranks;
    float4 *const back = at_rank(v, v.returned + (size_t)e * v.most * v.n, r);
    const float4 *const done = v.processed + (size_t)b * v.most * v.n;
    for (int i = threadIdx.x; i < v.count[b] * v.n; i += blockDim.x)
        back[i] = done[i];
    meet(v, v.flags + v.nranks, round);
    for (int t = b; t < ntokens; t += gridDim.x)
        for (int i = threadIdx.x; i < v.n; i += blockDim.x) {
            float4 sum = make_float4(0, 0, 0, 0);
            for (int c = t * v.k; c < (t + 1) * v.k; c++) {
                const float4 x = v.returned[(size_t)v.place[c] * v.n + i];
                sum.x += gate[c] * x.x;
                sum.y += gate[c] * x.y;
                sum.z += gate[c] * x.z;
                sum.w += gate[c] * x.w;
            }
            out[(size_t)t * v.n + i] = sum;
        }
    // END HOLE
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
