/*
 * Parts 4 to 7: a GPU has its own memory, and runs what it is given later.
 *
 *     kernel   computes                    called by
 *     axpy     y = a x + y, count floats   first_axpy()
 *
 * Each thread handles one element. Launch: enough blocks for all.
 */
#include "lab0.h"

#include "lab/hole.cuh" /* LAB_DEVICE_HOLE */
#include "lab/try.h"    /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */

ncclResult_t first_trip(const float *in, float *out, size_t count)
{
    // Yours to write: part 4: there and back (about 8 lines)
    // cudaMalloc, cudaMemcpy up, given_double on stream 0, cudaMemcpy
    // down, cudaFree. How many bytes are count floats?
    LAB_HOLE("part 4: there and back");
}

static __global__ void axpy(float a, const float *x, float *y, size_t count)
{
    // Yours to write: part 5: the kernel (device, about 3 lines)
    // blockIdx.x, blockDim.x, threadIdx.x: which element is this
    // thread's? Is there one for each thread?
    LAB_DEVICE_HOLE("part 5: the kernel");
}

ncclResult_t first_axpy(float a, const float *x, float *y, size_t count,
                        cudaStream_t stream)
{
    // Yours to write: part 5: the launch (about 4 lines)
    // axpy<<<blocks, threads, 0, stream>>>: how many blocks do `count`
    // threads need? cudaGetLastError says whether the launch worked.
    LAB_HOLE("part 5: the launch");
}

ncclResult_t first_order(float *x, size_t count, cudaStream_t one,
                         cudaStream_t two)
{
    // Yours to mend: part 6: a race (about 7 lines)
    // Run order, and read the report: which event does it ask for?
    // cudaEventCreate, cudaEventRecord on one stream,
    // cudaStreamWaitEvent on the other. cudaEventDestroy does not wait.
    LAB_TRY(given_double(x, count, one));
    LAB_TRY(given_increment(x, count, two));
    return ncclSuccess;
}

ncclResult_t first_overlap(const struct first_work *w)
{
    // Yours to write: part 7: overlap (about 14 lines)
    // for each piece: cudaMemcpyAsync on w->up, given_double and
    // cudaMemcpyAsync on w->down, and between them what part 6 taught.
    LAB_HOLE("part 7: overlap");
}
