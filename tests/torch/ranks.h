/*
 * ranks.h: what a program has to have that uses a lab's solution without the
 * runner; included once
 */
#ifndef TORCH_RANKS_H
#define TORCH_RANKS_H

#include <mpi.h>
#include <stdio.h>

#include "base/must.h"
#include "lab/try.h" /* lab_note_error */

/* In place of the runner's: a failed call ends the program. */
ncclResult_t lab_note_error(ncclResult_t err, const char *call,
                            const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
            ncclGetErrorString(err));
    return err;
}

ncclResult_t lab_note_cuda_error(cudaError_t err, const char *call,
                                 const char *file, int line)
{
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
            cudaGetErrorString(err));
    return ncclUnhandledCudaError;
}

/* A communicator of all ranks, each with the device of its number. */
static void open_ranks(ncclComm_t *comm, int *rank, int *nranks)
{
    ncclUniqueId id;
    MPI_MUST(MPI_Comm_rank(MPI_COMM_WORLD, rank));
    MPI_MUST(MPI_Comm_size(MPI_COMM_WORLD, nranks));
    CUDA_MUST(cudaSetDevice(*rank));
    if (*rank == 0)
        NCCL_MUST(ncclGetUniqueId(&id));
    MPI_MUST(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
    NCCL_MUST(ncclCommInitRank(comm, *nranks, id, *rank));
}

#endif
