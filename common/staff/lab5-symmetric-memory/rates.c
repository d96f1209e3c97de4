/*
 * rates.c: the last lines of lab 5's --benchmark. Given: nothing to edit here.
 */
#include "rates.h"

#include <stdio.h>  /* printf */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "drawn.h"

static struct symm *const heap = &cases_heap;

/* Operations per second over all ranks, from a barrier to a barrier. */
static double per_second(struct lab_run *r, double begin, double amount)
{
    CUDA_MUST(cudaDeviceSynchronize());
    const double mine = MPI_Wtime() - begin;
    double sec;
    MPI_MUST(MPI_Allreduce(&mine, &sec, 1, MPI_DOUBLE, MPI_MAX, r->mpi_comm));
    return amount * r->nranks / sec;
}

static double start(struct lab_run *r)
{
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    return MPI_Wtime();
}

static ncclResult_t ring_rate(struct lab_run *r, size_t item_nbytes,
                              unsigned nitems)
{
    const size_t count = item_nbytes / sizeof(float4);
    const size_t nbytes = nitems * item_nbytes;
    float4 *const src = lab_buffer(r, nbytes), *const dst =
                                                   lab_buffer(r, nbytes);
    struct ring ring;
    cudaStream_t consumer;
    CUDA_MUST(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    LAB_TRY(cases_open(r, RING_SLOTS * item_nbytes + (1 << 20)));
    LAB_TRY(ring_open(&ring, heap, count));
    const double begin = start(r);
    LAB_TRY(ring_produce(&ring, src, nitems, r->stream));
    LAB_TRY(ring_consume(&ring, dst, nitems, consumer));
    const double items = per_second(r, begin, nitems);
    if (r->rank == 0)
        printf("  ring buffer, items of %6zu bytes   %7.2f million items/s  "
               "%7.2f GB/s\n",
               item_nbytes, items * 1e-6, items * (double)item_nbytes * 1e-9);
    CUDA_MUST(cudaStreamDestroy(consumer));
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

/* The slot of a key depends on which rank inserts first, and the cost of
 * finding it on the slot. So ranks add their keys one after the other. */
static ncclResult_t add_in_turns(struct lab_run *r, const struct hashmap *h,
                                 const unsigned *keys, size_t n)
{
    for (int rank = 0; rank < r->nranks; rank++) {
        if (r->rank == rank)
            LAB_TRY(hashmap_add(h, keys, keys + n, n, r->stream));
        CUDA_MUST(cudaDeviceSynchronize());
        MPI_MUST(MPI_Barrier(r->mpi_comm));
    }
    return ncclSuccess;
}

/* n keys per rank, different ones on each. */
static ncclResult_t map_rate(struct lab_run *r, size_t n)
{
    const int range = 1 << 30;
    unsigned *const host = malloc(2 * n * sizeof *host);
    struct hashmap h, in_turns;
    for (size_t i = 0; i < n; i++) {
        host[i] = drawn_key((uint64_t)r->rank, (int)i, range);
        host[n + i] = 1;
    }
    unsigned *const d = lab_buffer(r, 2 * n * sizeof *d),
                    *const out = lab_buffer(r, n * sizeof *out);
    CUDA_MUST(cudaMemcpy(d, host, 2 * n * sizeof *d, cudaMemcpyHostToDevice));
    free(host);
    LAB_TRY(cases_open(r, 64 * n + (1 << 20)));
    LAB_TRY(hashmap_open(&h, heap, 4 * (unsigned)n));
    double begin = start(r);
    LAB_TRY(hashmap_add(&h, d, d + n, n, r->stream));
    const double adds = per_second(r, begin, (double)n);
    LAB_TRY(hashmap_open(&in_turns, heap, h.nslots));
    LAB_TRY(add_in_turns(r, &in_turns, d, n));
    begin = start(r);
    LAB_TRY(hashmap_find(&in_turns, d, out, n, r->stream));
    const double finds = per_second(r, begin, (double)n);
    if (r->rank == 0)
        printf("  hash map, %zu keys/rank      %8.2f million adds/s  %8.2f "
               "million finds/s\n",
               n, adds * 1e-6, finds * 1e-6);
    cases_close();
    lab_free_buffers();
    return ncclSuccess;
}

ncclResult_t rates_print(struct lab_run *r)
{
    if (r->rank == 0)
        printf("\nAll %d ranks together:\n", r->nranks);
    LAB_TRY(ring_rate(r, 256, 200));
    LAB_TRY(ring_rate(r, 65536, 40));
    return map_rate(r, 8192);
}
