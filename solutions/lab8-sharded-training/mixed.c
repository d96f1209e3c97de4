/*
 * Part 7: mixed precision.
 *
 *     share, fp32   --round-->   bf16   --all-gather-->   unit, bf16   --> fp32
 *     update, fp32  <-----------  reduce-scatter, fp32  <-----------  gradients
 *
 * Eight bits of precision are enough for the values that a layer computes with,
 * but not for updates: most are smaller than half the spacing of bf16 numbers
 * at the value, and would be lost. So the shares stay in fp32, and the copies
 * that travel to the layers take half the bytes.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_narrow, nn_widen */

ncclResult_t mixed_open(struct shard *s)
{
    // BEGIN HOLE part 7: memory (about 3 lines)
    // HINT: s->narrow has plan.widest elements; shard_release() frees it.
    LAB_TRY_CUDA(
        cudaMalloc((void **)&s->narrow, s->plan.widest * sizeof *s->narrow));
    return fsdp_open(s);
    // END HOLE
}

ncclResult_t mixed_gather(struct shard *s, int unit, float *whole,
                          cudaStream_t stream)
{
    // BEGIN HOLE part 7: gather (about 10 lines)
    // HINT: nn_narrow, nn_widen. An all-gather works in place, if a rank's part
    // HINT: is where the result will have it.
    const struct shard_unit *const u = &s->plan.unit[unit];
    const size_t count = (size_t)s->plan.nranks * u->share;
    uint16_t *const mine = s->narrow + (size_t)s->rank * u->share;
    LAB_TRY_CUDA(
        nn_narrow(mine, s->value + u->begin, u->share, NN_BF16, stream));
    LAB_TRY(ncclAllGather(mine, s->narrow, u->share, ncclBfloat16, s->comm,
                          stream));
    LAB_TRY_CUDA(nn_widen(whole, s->narrow, count, NN_BF16, stream));
    return ncclSuccess;
    // END HOLE
}
