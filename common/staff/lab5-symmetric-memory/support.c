/*
 * support.c: initialisation for parts 3 to 5. Given: nothing to edit here.
 */
#include "lab5.h"

#include <stdint.h> /* SIZE_MAX */

#include "base/must.h"
#include "lab/try.h" /* LAB_TRY */

ncclResult_t symm_reducer_init(struct symm_reducer *a, struct symm *s,
                               ncclComm_t nccl)
{
    *a = (struct symm_reducer){.s = s,
                               .nccl = nccl,
                               .one_shot_most = SIZE_MAX,
                               .two_shot_most = SIZE_MAX};
    LAB_TRY(
        symm_alloc(s, SYMM_MAX_RANKS * sizeof *a->flags, (void **)&a->flags));
    return symm_alloc(s, 2 * sizeof *a->local, (void **)&a->local);
}

static ncclResult_t reduce_by(struct symm_reducer *a, enum symm_algo algo,
                              const float *sendbuf, float *recvbuf,
                              size_t count, cudaStream_t stream)
{
    switch (algo) {
    case SYMM_ONE_SHOT:
        return symm_one_shot(a, sendbuf, recvbuf, count, stream);
    case SYMM_TWO_SHOT:
        return symm_two_shot(a, sendbuf, recvbuf, count, stream);
    default: break;
    }
    if (!a->nccl)
        return ncclInvalidUsage;
    return ncclAllReduce(sendbuf, recvbuf, count, ncclFloat, ncclSum, a->nccl,
                         stream);
}

ncclResult_t symm_reduce_by(struct symm_reducer *a, enum symm_algo algo,
                            const float *sendbuf, float *recvbuf, size_t count,
                            cudaStream_t stream)
{
    LAB_TRY(reduce_by(a, algo, sendbuf, recvbuf, count, stream));
    if (a->more)
        LAB_TRY_CUDA(cudaMemsetAsync(a->more, 0, a->more_nbytes, stream));
    return ncclSuccess;
}

ncclResult_t symm_after(cudaStream_t behind, cudaStream_t ahead)
{
    cudaEvent_t mark;
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventRecord(mark, ahead));
    LAB_TRY_CUDA(cudaStreamWaitEvent(behind, mark, 0));
    LAB_TRY_CUDA(cudaEventDestroy(mark));
    return ncclSuccess;
}

/* ---- part 5 -------------------------------------------------------------- */

ncclResult_t handoff_open(struct handoff *h, struct symm *s, size_t count)
{
    *h = (struct handoff){.s = s, .count = count};
    LAB_TRY(symm_alloc(s, HANDOFF_SLOTS * count * sizeof *h->slots,
                       (void **)&h->slots));
    LAB_TRY(symm_alloc(s, sizeof *h->full, (void **)&h->full));
    return symm_alloc(s, sizeof *h->empty, (void **)&h->empty);
}

ncclResult_t tpgemm_open(struct tpgemm *g, struct symm *s, cudaStream_t compute)
{
    *g = (struct tpgemm){.s = s, .compute = compute};
    CUDA_MUST(cudaStreamCreateWithFlags(&g->puts, cudaStreamNonBlocking));
    CUBLAS_MUST(cublasCreate(&g->blas));
    CUBLAS_MUST(cublasSetStream(g->blas, compute));
    const size_t nbytes = (size_t)s->view.nranks * sizeof *g->ready;
    LAB_TRY(symm_alloc(s, nbytes, (void **)&g->ready));
    return symm_alloc(s, nbytes, (void **)&g->added);
}

void tpgemm_close(struct tpgemm *g)
{
    CUBLAS_MUST(cublasDestroy(g->blas));
    CUDA_MUST(cudaStreamDestroy(g->puts));
}

ncclResult_t late_open(struct late *l, struct symm *s, const struct nn *m,
                       int late)
{
    const size_t nranks = (size_t)s->view.nranks;
    *l = (struct late){
        .s = s, .late = late, .grads = m->grads, .count = m->count};
    CUDA_MUST(cudaStreamCreateWithFlags(&l->puts, cudaStreamNonBlocking));
    LAB_TRY(
        symm_alloc(s, ((size_t)late + 1) * nranks * l->count * sizeof *l->slots,
                   (void **)&l->slots));
    LAB_TRY(symm_alloc(s, nranks * sizeof *l->sent, (void **)&l->sent));
    return symm_alloc(s, nranks * sizeof *l->freed, (void **)&l->freed);
}

void late_close(struct late *l)
{
    CUDA_MUST(cudaStreamDestroy(l->puts));
}

ncclResult_t ring_open(struct ring *r, struct symm *s, size_t count)
{
    *r = (struct ring){.s = s, .count = count};
    LAB_TRY(symm_alloc(s, RING_SLOTS * count * sizeof *r->slots,
                       (void **)&r->slots));
    LAB_TRY(symm_alloc(s, sizeof *r->head, (void **)&r->head));
    return symm_alloc(s, sizeof *r->tail, (void **)&r->tail);
}

ncclResult_t pcache_open(struct pcache *c, struct symm *s, float *home,
                         size_t count)
{
    *c = (struct pcache){.s = s, .count = count, .home = home};
    const unsigned flags = cudaEventDisableTiming;
    CUDA_MUST(cudaMalloc((void **)&c->slots,
                         PCACHE_SLOTS * count * sizeof *c->slots));
    CUDA_MUST(cudaStreamCreateWithFlags(&c->fetch, cudaStreamNonBlocking));
    for (int i = 0; i < PCACHE_SLOTS; i++) {
        c->id[i] = -1;
        CUDA_MUST(cudaEventCreateWithFlags(&c->here[i], flags));
        CUDA_MUST(cudaEventCreateWithFlags(&c->idle[i], flags));
    }
    return ncclSuccess;
}

void pcache_close(struct pcache *c)
{
    for (int i = 0; i < PCACHE_SLOTS; i++) {
        CUDA_MUST(cudaEventDestroy(c->here[i]));
        CUDA_MUST(cudaEventDestroy(c->idle[i]));
    }
    CUDA_MUST(cudaStreamDestroy(c->fetch));
    CUDA_MUST(cudaFree(c->slots));
}

ncclResult_t hashmap_open(struct hashmap *h, struct symm *s, unsigned nslots)
{
    *h = (struct hashmap){.s = s, .nslots = nslots};
    LAB_TRY(symm_alloc(s, nslots * sizeof *h->keys, (void **)&h->keys));
    return symm_alloc(s, nslots * sizeof *h->sums, (void **)&h->sums);
}
