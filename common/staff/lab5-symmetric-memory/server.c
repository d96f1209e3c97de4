#include "server.h"

#include "lab/try.h" /* LAB_TRY */

ncclResult_t server_open(struct server *p, struct symm *s, size_t count,
                         int nservers)
{
    const size_t n = (size_t)s->view.nranks;
    const size_t shard = (count + (size_t)nservers - 1) / (size_t)nservers;
    *p = (struct server){
        .s = s, .nservers = nservers, .count = count, .shard = shard};
    LAB_TRY(symm_alloc(s, count * sizeof *p->weights, (void **)&p->weights));
    LAB_TRY(symm_alloc(s, n * shard * sizeof *p->inbox, (void **)&p->inbox));
    LAB_TRY(symm_alloc(s, n * sizeof *p->sent, (void **)&p->sent));
    return symm_alloc(s, n * sizeof *p->updated, (void **)&p->updated);
}

/* The floats of a shard; the last ones may be short or empty. */
static size_t floats_of(const struct server *p, int server)
{
    const size_t begin = (size_t)server * p->shard;
    const size_t left = begin < p->count ? p->count - begin : 0;
    return left < p->shard ? left : p->shard;
}

/* As a server: add up the shard's gradients, update it, send it to all. */
static ncclResult_t serve(struct server *p, const struct nn_hyper *hyper,
                          cudaStream_t stream)
{
    const struct symm_view *const v = &p->s->view;
    const size_t count = floats_of(p, v->rank);
    float *const own = p->weights + (size_t)v->rank * p->shard;
    for (int r = 0; r < v->nranks; r++) {
        LAB_TRY(symm_wait(p->s, &p->sent[r], p->steps, stream));
        if (r > 0)
            LAB_TRY_CUDA(nn_add(p->inbox, p->inbox + (size_t)r * p->shard,
                                count, stream));
    }
    LAB_TRY_CUDA(nn_sgd(own, p->inbox, hyper, count, stream));
    for (int i = 1; i <= v->nranks; i++) {
        const int to = (v->rank + i) % v->nranks;
        if (to != v->rank)
            LAB_TRY(symm_put(p->s, own, own, count * sizeof *own, to, stream));
        LAB_TRY(symm_signal(p->s, &p->updated[v->rank], p->steps, to, stream));
    }
    return ncclSuccess;
}

ncclResult_t server_step(struct server *p, const float *grads,
                         const struct nn_hyper *hyper, cudaStream_t stream)
{
    const struct symm_view *const v = &p->s->view;
    p->steps++;
    for (int i = 1; i <= v->nranks; i++) {
        const int k = (v->rank + i) % v->nranks;
        if (k >= p->nservers)
            continue;
        LAB_TRY(symm_put(p->s, p->inbox + (size_t)v->rank * p->shard,
                         grads + (size_t)k * p->shard,
                         floats_of(p, k) * sizeof *grads, k, stream));
        LAB_TRY(symm_signal(p->s, &p->sent[v->rank], p->steps, k, stream));
    }
    if (v->rank < p->nservers)
        LAB_TRY(serve(p, hyper, stream));
    for (int k = 0; k < p->nservers; k++)
        LAB_TRY(symm_wait(p->s, &p->updated[k], p->steps, stream));
    return ncclSuccess;
}
