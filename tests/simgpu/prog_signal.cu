// Kernels of several ranks that wait for each other while they run: through
// release and acquire, through volatile words and fences, through atomics.
//
//     mpirun -n N prog_signal [rounds]
//     mpirun -n N prog_signal rounds one-shot         known waits alone
//     mpirun -n N prog_signal 0 never|later-block     mistakes
//     mpirun -n N prog_signal 0 last-block|barriers   more of them
//     mpirun -n N prog_signal 0 claim RANK            RANK claims words first
#include <cuda_runtime.h>
#include <lab/sync.cuh>
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { MAX_RANKS = 8, COUNT = 1000, THREADS = 64 };

struct peers { // the same arrays of all ranks
    float *data[MAX_RANKS];
    unsigned *flags[MAX_RANKS];
    int rank, nranks;
};

// All ranks' kernels meet: each sets its flag at every peer and awaits theirs.
__device__ void meet(struct peers p, unsigned round)
{
    __syncthreads();
    const int peer = threadIdx.x;
    if (peer < p.nranks) {
        sync_store(&p.flags[peer][p.rank], round);
        sync_wait_reached(&p.flags[p.rank][peer], round);
    }
    __syncthreads();
}

// One-shot all-reduce: every rank reads the data of all.
__global__ void one_shot(struct peers p, float *out, unsigned round)
{
    for (int i = threadIdx.x; i < COUNT; i += blockDim.x)
        p.data[p.rank][i] = (float)(p.rank + 1 + i % 7 + (int)round);
    meet(p, 2 * round - 1);
    for (int i = threadIdx.x; i < COUNT; i += blockDim.x) {
        float sum = 0;
        for (int r = 0; r < p.nranks; r++)
            sum += p.data[r][i];
        out[i] = sum;
    }
    meet(p, 2 * round); // no rank overwrites what others still read
}

// The same order by hand: a fence and a volatile flag, read in a loop.
__global__ void volatile_ring(struct peers p, unsigned round)
{
    volatile unsigned *const mine = p.flags[p.rank] + MAX_RANKS;
    const int next = (p.rank + 1) % p.nranks;
    volatile unsigned *const theirs = p.flags[next] + MAX_RANKS;
    if (p.rank == 0) {
        p.data[next][0] = (float)round;
    } else {
        while (*mine != round)
            ;
        __threadfence_system();
        p.data[next][0] = p.data[p.rank][0] + 1;
    }
    __threadfence_system();
    *theirs = round;
    if (p.rank == 0) {
        while (*mine != round)
            __nanosleep(20);
        __threadfence_system();
        p.data[0][1] = p.data[0][0];
    }
}

// A counter on rank 0 that all threads of all ranks add to, and a lock.
__global__ void count(struct peers p, unsigned *lock, unsigned *total)
{
    atomicAdd_system(&p.flags[0][2 * MAX_RANKS], 1u);
    while (atomicCAS_system(lock, 0u, 1u) != 0)
        ;
    __threadfence_system();
    *total += 1;
    __threadfence_system();
    atomicExch_system(lock, 0u);
}

// A word of rank 0's for each thread of each rank: the first free one from the
// same one on, counted where it began.
__global__ void claim(struct peers p, unsigned *words, unsigned *count)
{
    const unsigned me = 1 + p.rank * blockDim.x + threadIdx.x;
    unsigned slot = threadIdx.x;
    while (atomicCAS_system(&words[slot], 0u, me) != 0)
        slot++;
    atomicAdd_system(&count[threadIdx.x], 1u);
}

__global__ void wait_for_later_block(unsigned *flag)
{
    if (blockIdx.x == 0)
        sync_wait_equal(flag, 1);
    else
        sync_store(flag, 1);
}

// The last thread of the last block waits for a flag that no thread sets, or
// half of its warp at one barrier and half at another.
__global__ void last_block(unsigned *flag, int barriers)
{
    if (blockIdx.x + 1 < gridDim.x || blockIdx.y + 1 < gridDim.y ||
        blockIdx.z + 1 < gridDim.z)
        return;
    if (barriers && threadIdx.x < warpSize / 2)
        __syncwarp();
    else if (barriers)
        __syncthreads();
    else if (threadIdx.x + 1 == blockDim.x)
        sync_wait_equal(flag, 1);
}

static void open_peers(struct peers *p, float **data, unsigned **flags)
{
    cudaIpcMemHandle_t handle[MAX_RANKS][2];
    const size_t nbytes = 3 * MAX_RANKS * sizeof **flags;
    cudaMalloc(data, COUNT * sizeof **data);
    cudaMalloc(flags, nbytes);
    cudaMemset(*flags, 0, nbytes);
    cudaDeviceSynchronize();
    cudaIpcGetMemHandle(&handle[p->rank][0], *data);
    cudaIpcGetMemHandle(&handle[p->rank][1], *flags);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int r = 0; r < p->nranks; r++) {
        p->data[r] = *data;
        p->flags[r] = *flags;
        if (r == p->rank)
            continue;
        cudaIpcOpenMemHandle((void **)&p->data[r], handle[r][0],
                             cudaIpcMemLazyEnablePeerAccess);
        cudaIpcOpenMemHandle((void **)&p->flags[r], handle[r][1],
                             cudaIpcMemLazyEnablePeerAccess);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_one_shot(struct peers p, unsigned rounds)
{
    float *out, h[COUNT];
    int right = 1;
    cudaMalloc(&out, sizeof h);
    for (unsigned round = 1; round <= rounds; round++) {
        one_shot<<<1, THREADS>>>(p, out, round);
        if (round % 10 && round != rounds)
            continue;
        cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < COUNT; i++) {
            float sum = 0;
            for (int r = 0; r < p.nranks; r++)
                sum += (float)(r + 1 + i % 7 + (int)round);
            right &= h[i] == sum;
        }
    }
    RULE(right, "kernels of all ranks meet, and read each other's data");
    cudaFree(out);
}

static void check_volatile(struct peers p)
{
    float got = 0;
    for (unsigned round = 1; round <= 5; round++)
        volatile_ring<<<1, 1>>>(p, round);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    cudaMemcpy(&got, p.data[0] + 1, sizeof got, cudaMemcpyDefault);
    if (p.nranks > 1)
        RULE(got == (float)(5 + p.nranks - 1),
             "a value goes round a ring of volatile flags");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_atomics(struct peers p)
{
    unsigned *const words = p.flags[0] + 2 * MAX_RANKS, got[3];
    count<<<2, 16>>>(p, words + 1, words + 2);
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    cudaMemcpy(got, words, sizeof got, cudaMemcpyDefault);
    RULE(got[0] == 32u * (unsigned)p.nranks && got[2] == got[0] && got[1] == 0,
         "threads of all ranks count, with atomics and with a lock");
    MPI_Barrier(MPI_COMM_WORLD);
}

// One rank after the other, beginning with `first`: all find their words where
// those before them have left some, which says little in the graph.
static void claim_words(struct peers p, int first)
{
    unsigned *const words = p.flags[0];
    for (int i = 0; i < p.nranks; i++) {
        if (p.rank == (first + i) % p.nranks)
            claim<<<1, 4>>>(p, words, words + 2 * MAX_RANKS);
        cudaDeviceSynchronize();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct peers p = {};
    float *data;
    unsigned *flags;
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 30;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.nranks);
    cudaSetDevice(p.rank);
    open_peers(&p, &data, &flags);
    if (argc > 2 && strcmp(argv[2], "never") == 0 && p.rank == 0)
        one_shot<<<1, THREADS>>>(p, data, 1);
    if (argc > 2 && strcmp(argv[2], "last-block") == 0)
        last_block<<<dim3(3, 2, 4), 6>>>(flags + 1, 0);
    if (argc > 2 && strcmp(argv[2], "barriers") == 0)
        last_block<<<dim3(2, 4, 3), 32>>>(flags, 1);
    if (argc > 2 && strcmp(argv[2], "later-block") == 0)
        wait_for_later_block<<<4, 1>>>(flags);
    if (argc > 3 && strcmp(argv[2], "claim") == 0)
        claim_words(p, atoi(argv[3]));
    if (rounds)
        check_one_shot(p, rounds);
    if (rounds && argc < 3) {
        check_volatile(p);
        check_atomics(p);
    }
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return rule_status();
}
