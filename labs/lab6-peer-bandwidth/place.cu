/*
 * Part 7: near and far memory.
 *
 * A GPU can read a buffer where it lies, with ordinary loads: in its own
 * memory, in a peer's, or in the host's. The host's memory is divided into NUMA
 * nodes, one or more for each CPU, and a GPU is behind one of the CPUs:
 *
 *     GPU 0 --- CPU 0 ===== CPU 1 --- GPU 4
 *                 |           |
 *               node 0      node 1       near GPU 0: node 0, far: node 1
 *
 *     kernel      computes               called by         launch
 *     add_words   *sum += all words of   measure_reads()   READ_BLOCKS blocks;
 *                 count uint4                              threads take the
 *                                                          uint4 in turn
 */
#include "lab6.h"

#include "lab/hole.cuh" /* LAB_DEVICE_HOLE */
#include "lab/try.h"    /* LAB_HOLE, LAB_OUT_CUDA, LAB_TRY_CUDA */

int host_node(const struct peers *p, int gpu, int far)
{
    // Yours to write: part 7: which NUMA node (about 10 lines)
    // cudaDeviceGetAttribute, cudaDevAttrHostNumaId. A far node is one
    // that another GPU is near.
    LAB_HOLE("part 7: which NUMA node");
}

ncclResult_t host_alloc(int gpu, int node, size_t nbytes, cudaStream_t stream,
                        struct host_buffer *out)
{
    struct cudaMemPoolProps props = {};
    struct cudaMemAccessDesc access = {};
    *out = (struct host_buffer){};
    // Yours to write: part 7: memory of one NUMA node (about 10 lines)
    // cudaMemPoolCreate, location type cudaMemLocationTypeHostNuma;
    // cudaMemPoolSetAccess for the GPU; cudaMallocFromPoolAsync.
    LAB_HOLE("part 7: memory of one NUMA node");
    return ncclSuccess;
}

/* Two blocks for each of an H100's 132 multiprocessors, with a quarter of its
 * 2048 threads each: enough loads in flight for any memory. */
enum { READ_BLOCKS = 264, READ_THREADS = 512 };

/* Add the sum of all words of `count` uint4 to *sum, modulo 2^32. */
__global__ void add_words(const uint4 *data, size_t count, unsigned *sum)
{
    unsigned mine = 0;
    // Yours to write: part 7: read all of it (device, about 6 lines)
    // neighbouring threads read neighbouring elements. The buffer has
    // more elements than the grid has threads.
    LAB_DEVICE_HOLE("part 7: read all of it");
    atomicAdd(sum, mine);
}

/* Enqueue a read of nbytes at `data`, in whichever memory it is. Given. */
static ncclResult_t read_once(const void *data, size_t nbytes, unsigned *sum,
                              cudaStream_t stream)
{
    add_words<<<READ_BLOCKS, READ_THREADS, 0, stream>>>(
        (const uint4 *)data, nbytes / sizeof(uint4), sum);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}

ncclResult_t measure_reads(const void *data, size_t nbytes, void *copy,
                           int nreads, unsigned *sum, cudaStream_t stream,
                           double *ms)
{
    ncclResult_t err = ncclSuccess;
    cudaEvent_t begin = NULL, end = NULL;
    float value = 0;
    LAB_OUT_CUDA(cudaEventCreate(&begin));
    LAB_OUT_CUDA(cudaEventCreate(&end));
    // Yours to write: part 7: in place, or copied first (about 10 lines)
    // read_once(). `copy` is NULL for reads in place; else what the
    // kernels read is the copy, and the copy is part of the time.
    LAB_HOLE("part 7: in place, or copied first");
    *ms = value;
out:
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    return err;
}

int reads_that_pay(double place_ms, double copy_ms, double own_ms)
{
    // Yours to write: part 7: from when on a copy pays (about 5 lines)
    // n reads in place take n place_ms.
    LAB_HOLE("part 7: from when on a copy pays");
}
