/*
 * ranks.cuh: the start and the end of programs whose ranks each have a GPU, a
 * stream, and memory that kernels of all ranks reach
 *
 * ranks_begin() comes first, ranks_end() last; all ranks call them. A call that
 * fails ends the run with a line on standard error.
 */
#ifndef COMMLAB_TESTS_PROBES_RANKS_CUH
#define COMMLAB_TESTS_PROBES_RANKS_CUH

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "devcomm.h"

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;

// End all ranks, unless a call of CUDA or NCCL has returned 0.
static void ranks_must(int err, const char *call)
{
    if (err == 0)
        return;
    fprintf(stderr, "rank %d: %s returned %d\n", rank, call, err);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) ranks_must((int)(call), #call)

static void ranks_begin(int *argc, char ***argv)
{
    ncclUniqueId id;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    int ndevices = 1;
    MUST(cudaGetDeviceCount(&ndevices));
    MUST(cudaSetDevice(rank % ndevices));
    MUST(cudaStreamCreate(&stream));
    if (rank == 0)
        MUST(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    MUST(ncclCommInitRank(&comm, nranks, id, rank));
}

static void ranks_end()
{
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(ncclCommDestroy(comm));
    MPI_Finalize();
}

// Memory of this rank, zeroed, in a window of all ranks.
struct shared {
    char *p;
    size_t nbytes;
    ncclWindow_t win;
};

static shared shared_make(size_t nbytes)
{
    shared s = {NULL, nbytes, NULL};
    MUST(ncclMemAlloc((void **)&s.p, nbytes));
    MUST(cudaMemset(s.p, 0, nbytes));
    MUST(cudaDeviceSynchronize());
    MUST(ncclCommWindowRegister(comm, s.p, nbytes, &s.win,
                                NCCL_WIN_COLL_SYMMETRIC));
    return s;
}

// All ranks' kernels have to be done with it.
static void shared_free(shared *s)
{
    MUST(ncclCommWindowDeregister(comm, s->win));
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(ncclMemFree(s->p));
}

// Microseconds of a second `run` that follows a first one on all ranks'
// streams; modelled, on simgpu.
template <class F> static double ranks_time_us(F run)
{
    float ms = 0;
    cudaEvent_t first, last;
    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&last));
    MUST(cudaStreamSynchronize(stream));
    MPI_Barrier(MPI_COMM_WORLD);
    run();
    MUST(cudaEventRecord(first, stream));
    run();
    MUST(cudaEventRecord(last, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaEventElapsedTime(&ms, first, last));
    MUST(cudaEventDestroy(first));
    MUST(cudaEventDestroy(last));
    return 1000. * (double)ms;
}

#endif
