/*
 * Part 5: a hash map distributed over ranks.
 *
 * No rank owns an insertion: any thread of any rank may claim a free slot, in
 * any rank's memory, with a compare-and-swap of the key. A thread that loses
 * has either found its own key, which is just as good, or tries the next slot.
 * Sums are updated atomically as well, at system scope, because threads of
 * several devices add to them.
 *
 *     kernel     computes                        called by
 *     add_all    the sums of n keys += values    hashmap_add()
 *     find_all   out = the sums of n keys        hashmap_find()
 *
 * Each thread handles one key at a time. Launch: enough blocks of THREADS
 * threads, at most MAX_BLOCKS.
 */
#include "device.cuh"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* Enough threads to hide the latency of atomics on a peer's memory. */
static const unsigned THREADS = 128, MAX_BLOCKS = 64;

/* A key, well mixed (the finisher of MurmurHash3). */
static __device__ unsigned hash(unsigned key)
{
    key = (key ^ key >> 16) * 0x85ebca6bu;
    key = (key ^ key >> 13) * 0xc2b2ae35u;
    return key ^ key >> 16;
}

static __device__ int hash_owner(unsigned key, int nranks)
{
    return (int)(hash(key) % (unsigned)nranks);
}

static __device__ unsigned hash_slot(unsigned key, int nranks, unsigned nslots)
{
    return hash(key) / (unsigned)nranks % nslots;
}

/* Add value to key's sum. */
static __device__ void add_one(const struct symm_view &v,
                               const struct hashmap &h, unsigned key,
                               unsigned value)
{
    // Yours to write: part 5: add one (device, about 12 lines)
    // atomicCAS_system(&keys[slot], 0u, key) returns what was there.
    LAB_DEVICE_HOLE("part 5: add one");
}

/* The sum of key, 0 if it has none. */
static __device__ void find_one(const struct symm_view &v,
                                const struct hashmap &h, unsigned key,
                                unsigned *out)
{
    // Yours to write: part 5: find one (device, about 10 lines)
    // a free slot ends the search.
    LAB_DEVICE_HOLE("part 5: find one");
}

__global__ void add_all(struct symm_view v, struct hashmap h,
                        const unsigned *keys, const unsigned *values, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        add_one(v, h, keys[i], values[i]);
}

__global__ void find_all(struct symm_view v, struct hashmap h,
                         const unsigned *keys, unsigned *out, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        find_one(v, h, keys[i], &out[i]);
}

static unsigned blocks_for(size_t n)
{
    const size_t full = (n + THREADS - 1) / THREADS;
    return full < MAX_BLOCKS ? (unsigned)full : MAX_BLOCKS;
}

ncclResult_t hashmap_add(const struct hashmap *h, const unsigned *keys,
                         const unsigned *values, size_t n, cudaStream_t stream)
{
    if (n == 0)
        return ncclSuccess;
    add_all<<<blocks_for(n), THREADS, 0, stream>>>(h->s->view, *h, keys, values,
                                                   n);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}

ncclResult_t hashmap_find(const struct hashmap *h, const unsigned *keys,
                          unsigned *out, size_t n, cudaStream_t stream)
{
    if (n == 0)
        return ncclSuccess;
    find_all<<<blocks_for(n), THREADS, 0, stream>>>(h->s->view, *h, keys, out,
                                                    n);
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}
