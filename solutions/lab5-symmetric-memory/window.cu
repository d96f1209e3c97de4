/*
 * Parts 6 and 7: all-reduce in memory that NCCL has mapped.
 *
 * The vectors are n float4. Rank r of R has part r of R, and
 * block b of B the elements b * T + t, (B + b) * T + t, ... of that part, where
 * t is the thread's number and T the number of threads in a block.
 *
 *     kernel             computes                         called by
 *     two_shot           part r: load from all ranks,     window_two_shot()
 *                        add, store to all ranks
 *     switch_two_shot    part r: load the sum from the    window_multimem()
 *                        switch, store it through the
 *                        switch
 */
#include "window.cuh"

#include <string.h> /* memset */

#include "lab/multimem.cuh" /* multimem_load_sum, multimem_store */
#include "lab/try.h"        /* LAB_HOLE, LAB_TRY */

/* ---- part 6 -------------------------------------------------------------- */

/*
 * Allocate w->send and w->recv, nbytes each, by ncclMemAlloc(); register each
 * as a symmetric window, v->send and v->recv; and create the device
 * communicator v->dev, which has one LSA barrier and, if w->multimem is set,
 * multimem. The ranks that load and store reach are the LSA team: if these
 * are not all ranks, return ncclInvalidUsage.
 */
static ncclResult_t window_make(struct window *w, size_t nbytes,
                                struct window_view *v)
{
    // BEGIN HOLE part 6: window (host, about 15 lines)
    // HINT: ncclCommWindowRegister() with NCCL_WIN_COLL_SYMMETRIC. Requirements
    // HINT: start as NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER; set what you need.
    ncclDevCommRequirements needs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
    int nranks;
    LAB_TRY(ncclCommCount(w->comm, &nranks));
    if (ncclTeamLsa(w->comm).nRanks != nranks)
        return ncclInvalidUsage;
    LAB_TRY(ncclMemAlloc((void **)&w->send, nbytes));
    LAB_TRY(ncclMemAlloc((void **)&w->recv, nbytes));
    LAB_TRY(ncclCommWindowRegister(w->comm, w->send, nbytes, &v->send,
                                   NCCL_WIN_COLL_SYMMETRIC));
    LAB_TRY(ncclCommWindowRegister(w->comm, w->recv, nbytes, &v->recv,
                                   NCCL_WIN_COLL_SYMMETRIC));
    needs.lsaBarrierCount = 1;
    needs.lsaMultimem = w->multimem != 0;
    return ncclDevCommCreate(w->comm, &needs, &v->dev);
    // END HOLE
}

ncclResult_t window_open(struct window *w, ncclComm_t comm, size_t count,
                         int multimem)
{
    memset(w, 0, sizeof *w);
    w->comm = comm;
    w->multimem = multimem;
    w->nccl = new window_nccl();
    const size_t nbytes = (count + 3) / 4 * sizeof(float4);
    const ncclResult_t err = window_make(w, nbytes, &w->nccl->view);
    if (err != ncclSuccess) {
        window_close(w);
        return err;
    }
    LAB_TRY_CUDA(cudaMemset(w->send, 0, nbytes));
    LAB_TRY_CUDA(cudaMemset(w->recv, 0, nbytes));
    LAB_TRY_CUDA(cudaDeviceSynchronize());
    return ncclSuccess;
}

void window_close(struct window *w)
{
    if (!w->nccl)
        return;
    const struct window_view &v = w->nccl->view;
    if (v.dev.nRanks > 0)
        ncclDevCommDestroy(w->comm, &v.dev);
    if (v.send)
        ncclCommWindowDeregister(w->comm, v.send);
    if (v.recv)
        ncclCommWindowDeregister(w->comm, v.recv);
    ncclMemFree(w->send);
    ncclMemFree(w->recv);
    delete w->nccl;
    memset(w, 0, sizeof *w);
}

__global__ void two_shot(struct window_view v, size_t n)
{
    // BEGIN HOLE part 6: two-shot (device, about 18 lines)
    // HINT: ncclGetLsaPointer() returns rank r's copy of a window. When may
    // HINT: this rank read, and when may it return?
    const int nranks = v.dev.lsaSize, rank = v.dev.lsaRank;
    const size_t end = window_part(n, nranks, rank + 1);
    const size_t step = (size_t)gridDim.x * blockDim.x;
    window_meet(v);
    for (size_t i = window_part(n, nranks, rank) +
                    (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < end; i += step) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (int r = 0; r < nranks; r++) {
            const float4 x =
                ((const float4 *)ncclGetLsaPointer(v.send, 0, r))[i];
            sum.x += x.x;
            sum.y += x.y;
            sum.z += x.z;
            sum.w += x.w;
        }
        for (int k = 0; k < nranks; k++) {
            const int r = (rank + k) % nranks;
            ((float4 *)ncclGetLsaPointer(v.recv, 0, r))[i] = sum;
        }
    }
    window_meet(v);
    // END HOLE
}

/* ---- part 7 -------------------------------------------------------------- */

__global__ void switch_two_shot(struct window_view v, size_t n)
{
    // BEGIN HOLE part 7: two-shot by the switch (device, about 12 lines)
    // HINT: multimem_load_sum() and multimem_store() of lab/multimem.cuh, at
    // HINT: addresses of ncclGetLsaMultimemPointer().
    const size_t end = window_part(n, v.dev.lsaSize, v.dev.lsaRank + 1);
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const float4 *const send =
        (const float4 *)ncclGetLsaMultimemPointer(v.send, 0, v.dev);
    float4 *const recv = (float4 *)ncclGetLsaMultimemPointer(v.recv, 0, v.dev);
    window_meet(v);
    for (size_t i = window_part(n, v.dev.lsaSize, v.dev.lsaRank) +
                    (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < end; i += step)
        multimem_store(recv + i, multimem_load_sum(send + i));
    window_meet(v);
    // END HOLE
}

/* ---- launches ------------------------------------------------------------ */

/* Launch a kernel of these with enough blocks for a rank's part. */
static ncclResult_t launch(const void *kernel, const struct window *w,
                           size_t count, cudaStream_t stream)
{
    size_t n = (count + 3) / 4;
    const size_t part = n / (size_t)w->nccl->view.dev.lsaSize;
    const size_t full = (part + WINDOW_THREADS - 1) / WINDOW_THREADS;
    const size_t most = WINDOW_BLOCKS;
    const unsigned blocks = (unsigned)(full < 1      ? 1
                                       : full < most ? full
                                                     : most);
    void *args[] = {&w->nccl->view, &n};
    LAB_TRY_CUDA(cudaLaunchCooperativeKernel(kernel, blocks, WINDOW_THREADS,
                                             args, 0, stream));
    return ncclSuccess;
}

ncclResult_t window_two_shot(const struct window *w, size_t count,
                             cudaStream_t stream)
{
    return launch((const void *)two_shot, w, count, stream);
}

ncclResult_t window_multimem(const struct window *w, size_t count,
                             cudaStream_t stream)
{
    return launch((const void *)switch_two_shot, w, count, stream);
}
