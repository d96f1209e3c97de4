/*
 * 16 MiB all-reduced in float: ncclAllReduce on simgpu against MPICH's
 * MPI_Allreduce, in one run on one machine.
 *
 * What makes it fair: both read and write buffers of the same size that every
 * rank has filled, and both do so out of place, then in place; both are warmed
 * up; the two alternate, so that a machine that is busy for a while is busy for
 * both; and what is compared are medians. There are more ranks than cores, and
 * MPICH waits by spinning: so a run lasts from when the last rank calls until
 * the last one has the result, and ranks that are done sleep before they meet
 * the others in MPI, lest they keep these from their cores. The clock is the
 * machine's own, whatever MPI_Wtime says; and it is MPICH's own call (PMPI):
 * that which simgpu defines waits asleep.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/steady.h"

enum { COUNT = 4 << 20, WARMUP = 3, RUNS = 15, PAUSE_NS = 30000000 };

static int rank, nranks;
static ncclComm_t comm;
static int in_place;
static float *in, *out;     /* on the host */
static float *d_in, *d_out; /* on the device */

static void run_simgpu(void)
{
    ncclAllReduce(in_place ? d_out : d_in, d_out, COUNT, ncclFloat, ncclSum,
                  comm, 0);
    cudaDeviceSynchronize();
}

static void run_mpich(void)
{
    PMPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, COUNT, MPI_FLOAT, MPI_SUM,
                   MPI_COMM_WORLD);
}

/* Seconds from the last rank's call to the last rank's return. */
static double time_of(void (*run)(void))
{
    double own[2], last[2];
    MPI_Barrier(MPI_COMM_WORLD);
    own[0] = steady_sec();
    run();
    own[1] = steady_sec();
    nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    MPI_Allreduce(own, last, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last[1] - last[0];
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Elements of the results that aren't the sum of 1 ... nranks. */
static int wrong(void)
{
    int n = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COUNT; i++)
            n += out[i] != (float)(nranks * (nranks + 1) / 2);
        cudaMemcpy(out, d_out, COUNT * sizeof *out, cudaMemcpyDeviceToHost);
    }
    return n;
}

/* Warm up, alternate, print the medians and their ratio. */
static void compare(void)
{
    double simgpu[RUNS], mpich[RUNS];
    for (int i = -WARMUP; i < RUNS; i++) {
        const double a = time_of(run_simgpu), b = time_of(run_mpich);
        if (i >= 0)
            simgpu[i] = a, mpich[i] = b;
    }
    qsort(simgpu, RUNS, sizeof *simgpu, ascending);
    qsort(mpich, RUNS, sizeof *mpich, ascending);
    const double a = simgpu[RUNS / 2], b = mpich[RUNS / 2];
    const double gb = COUNT * sizeof(float) * 1e-9;
    if (rank == 0)
        printf("all-reduce of 16 MiB, %d ranks, %s, median of %d: simgpu %.2f "
               "GB/s, MPICH %.2f GB/s, ratio %.1f\n",
               nranks, in_place ? "in place" : "out of place", RUNS, gb / a,
               gb / b, b / a);
}

int main(int argc, char **argv)
{
    const size_t nbytes = COUNT * sizeof *in;
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaMalloc((void **)&d_in, nbytes);
    cudaMalloc((void **)&d_out, nbytes);
    in = malloc(nbytes);
    out = malloc(nbytes);
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(rank + 1);
    cudaMemcpy(d_in, in, nbytes, cudaMemcpyHostToDevice);
    compare();
    const int errors = wrong();
    in_place = 1; // sums of sums: still numbers, no longer checked
    compare();
    free(in);
    free(out);
    cudaFree(d_in);
    cudaFree(d_out);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return errors != 0;
}
