/*
 * support.c: shares, slots, passes and the update. Given: nothing to edit here.
 */
#include <string.h> /* memset */

#include "lab8.h"

#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_adamw */

static ncclResult_t zeros(float **out, size_t count, cudaStream_t stream)
{
    LAB_TRY_CUDA(cudaMalloc((void **)out, count * sizeof **out));
    LAB_TRY_CUDA(cudaMemsetAsync(*out, 0, count * sizeof **out, stream));
    return ncclSuccess;
}

ncclResult_t shard_init(struct shard *s, struct nn *m, ncclComm_t comm,
                        int rank, int nranks, int per_unit,
                        const struct nn_hyper *hyper)
{
    memset(s, 0, sizeof *s);
    s->m = m;
    s->comm = comm;
    s->rank = rank;
    s->hyper = *hyper;
    s->compute = m->stream;
    LAB_TRY_CUDA(
        cudaStreamCreateWithFlags(&s->comm_stream, cudaStreamNonBlocking));
    flat_plan(&m->shape, nranks, per_unit, &s->plan);
    LAB_TRY(zeros(&s->value, s->plan.total, s->compute));
    LAB_TRY(zeros(&s->grad, s->plan.total, s->compute));
    LAB_TRY(zeros(&s->adam_m, s->plan.total, s->compute));
    LAB_TRY(zeros(&s->adam_v, s->plan.total, s->compute));
    LAB_TRY(zeros(&s->squares, 1, s->compute));
    for (int u = 0; u < s->plan.nunits && m->weights; u++)
        LAB_TRY(flat_take(s, u));
    LAB_TRY_CUDA(cudaStreamSynchronize(s->compute));
    nn_drop_params(m);
    return ncclSuccess;
}

void shard_release(struct shard *s)
{
    for (int i = 0; i < NN_MAX_DEPTH; i++) {
        cudaFree(s->slot[i].value);
        cudaFree(s->slot[i].grad);
        if (i >= s->nslots)
            continue;
        cudaEventDestroy(s->slot[i].gathered);
        cudaEventDestroy(s->slot[i].reduced);
    }
    if (s->comm_stream)
        cudaStreamDestroy(s->comm_stream);
    cudaFree(s->value);
    cudaFree(s->grad);
    cudaFree(s->adam_m);
    cudaFree(s->adam_v);
    cudaFree(s->squares);
    cudaFree(s->whole);
    cudaFree(s->narrow);
    cudaFree(s->tied_value);
    cudaFree(s->tied_grad);
    memset(s, 0, sizeof *s);
}

ncclResult_t shard_slots(struct shard *s, int n)
{
    const size_t nbytes = s->plan.widest * sizeof(float);
    for (; s->nslots < n; s->nslots++) {
        struct shard_slot *const k = &s->slot[s->nslots];
        k->unit = -1;
        LAB_TRY_CUDA(cudaMalloc((void **)&k->value, nbytes));
        LAB_TRY_CUDA(cudaMalloc((void **)&k->grad, nbytes));
        LAB_TRY_CUDA(
            cudaEventCreateWithFlags(&k->gathered, cudaEventDisableTiming));
        LAB_TRY_CUDA(
            cudaEventCreateWithFlags(&k->reduced, cudaEventDisableTiming));
    }
    return ncclSuccess;
}

ncclResult_t shard_after(cudaStream_t later, cudaStream_t earlier)
{
    cudaEvent_t so_far;
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&so_far, cudaEventDisableTiming));
    cudaError_t err = cudaEventRecord(so_far, earlier);
    if (err == cudaSuccess)
        err = cudaStreamWaitEvent(later, so_far, 0);
    cudaEventDestroy(so_far); // the wait keeps what it needs
    LAB_TRY_CUDA(err);
    return ncclSuccess;
}

ncclResult_t shard_forward(struct shard *s, int unit)
{
    const struct shard_unit *const u = &s->plan.unit[unit];
    if (s->tied_value && unit == 0)
        LAB_TRY(tied_keep(s));
    for (int l = u->first; l < u->first + u->nlayers; l++)
        LAB_TRY_CUDA(nn_layer_forward(s->m, l));
    return ncclSuccess;
}

ncclResult_t shard_backward(struct shard *s, int unit)
{
    const struct shard_unit *const u = &s->plan.unit[unit];
    for (int l = u->first + u->nlayers - 1; l >= u->first; l--)
        LAB_TRY_CUDA(nn_layer_backward(s->m, l));
    if (s->tied_value && unit == 0)
        LAB_TRY(tied_add(s));
    return ncclSuccess;
}

ncclResult_t shard_update(struct shard *s)
{
    if (s->max_norm > 0)
        LAB_TRY(shard_clip(s));
    s->step++;
    LAB_TRY_CUDA(nn_adamw(s->value, s->grad, s->adam_m, s->adam_v, s->step,
                          &s->hyper, s->plan.total, s->compute));
    return ncclSuccess;
}
