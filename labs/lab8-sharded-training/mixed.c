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
    // Yours to write: part 7: memory (about 3 lines)
    // s->narrow has plan.widest elements; shard_release() frees it.
    LAB_HOLE("part 7: memory");
}

ncclResult_t mixed_gather(struct shard *s, int unit, float *whole,
                          cudaStream_t stream)
{
    // Yours to write: part 7: gather (about 10 lines)
    // nn_narrow, nn_widen. An all-gather works in place, if a rank's part
    // is where the result will have it.
    LAB_HOLE("part 7: gather");
}
