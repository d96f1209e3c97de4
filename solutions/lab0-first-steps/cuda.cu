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
    // BEGIN HOLE part 4: there and back (about 8 lines)
    // HINT: cudaMalloc, cudaMemcpy up, given_double on stream 0, cudaMemcpy
    // HINT: down, cudaFree. How many bytes are count floats?
    const size_t nbytes = count * sizeof *in;
    float *x;
    LAB_TRY_CUDA(cudaMalloc((void **)&x, nbytes));
    LAB_TRY_CUDA(cudaMemcpy(x, in, nbytes, cudaMemcpyHostToDevice));
    LAB_TRY(given_double(x, count, 0));
    LAB_TRY_CUDA(cudaMemcpy(out, x, nbytes, cudaMemcpyDeviceToHost));
    LAB_TRY_CUDA(cudaFree(x));
    return ncclSuccess;
    // END HOLE
}

static __global__ void axpy(float a, const float *x, float *y, size_t count)
{
    // BEGIN HOLE part 5: the kernel (device, about 3 lines)
    // HINT: blockIdx.x, blockDim.x, threadIdx.x: which element is this
    // HINT: thread's? Is there one for each thread?
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
    // END HOLE
}

ncclResult_t first_axpy(float a, const float *x, float *y, size_t count,
                        cudaStream_t stream)
{
    // BEGIN HOLE part 5: the launch (about 4 lines)
    // HINT: axpy<<<blocks, threads, 0, stream>>>: how many blocks do `count`
    // HINT: threads need? cudaGetLastError says whether the launch worked.
    const unsigned threads = 256;
    const unsigned blocks = (unsigned)((count + threads - 1) / threads);
    axpy<<<blocks, threads, 0, stream>>>(a, x, y, count);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
    // END HOLE
}

ncclResult_t first_order(float *x, size_t count, cudaStream_t one,
                         cudaStream_t two)
{
    // BEGIN HOLE part 6: a race (about 7 lines)
    // HINT: Run order, and read the report: which event does it ask for?
    // HINT: cudaEventCreate, cudaEventRecord on one stream,
    // HINT: cudaStreamWaitEvent on the other. cudaEventDestroy does not wait.
    // START: LAB_TRY(given_double(x, count, one));
    // START: LAB_TRY(given_increment(x, count, two));
    // START: return ncclSuccess;
    cudaEvent_t doubled;
    LAB_TRY_CUDA(cudaEventCreate(&doubled));
    LAB_TRY(given_double(x, count, one));
    LAB_TRY_CUDA(cudaEventRecord(doubled, one));
    LAB_TRY_CUDA(cudaStreamWaitEvent(two, doubled, 0));
    LAB_TRY(given_increment(x, count, two));
    LAB_TRY_CUDA(cudaEventDestroy(doubled));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t first_overlap(const struct first_work *w)
{
    // BEGIN HOLE part 7: overlap (about 14 lines)
    // HINT: for each piece: cudaMemcpyAsync on w->up, given_double and
    // HINT: cudaMemcpyAsync on w->down, and between them what part 6 taught.
    const size_t n = w->count / (size_t)w->npieces, nbytes = n * sizeof(float);
    cudaEvent_t here;
    LAB_TRY_CUDA(cudaEventCreate(&here));
    for (size_t at = 0; at < w->count; at += n) {
        float *const x = w->device + at;
        LAB_TRY_CUDA(cudaMemcpyAsync(x, w->in + at, nbytes,
                                     cudaMemcpyHostToDevice, w->up));
        LAB_TRY_CUDA(cudaEventRecord(here, w->up));
        LAB_TRY_CUDA(cudaStreamWaitEvent(w->down, here, 0));
        LAB_TRY(given_double(x, n, w->down));
        LAB_TRY_CUDA(cudaMemcpyAsync(w->out + at, x, nbytes,
                                     cudaMemcpyDeviceToHost, w->down));
    }
    LAB_TRY_CUDA(cudaEventDestroy(here));
    return ncclSuccess;
    // END HOLE
}
