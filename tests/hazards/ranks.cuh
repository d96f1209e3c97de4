// A rank of a program: its number, its device, and a communicator of all ranks.
#ifndef TESTS_HAZARDS_RANKS_CUH
#define TESTS_HAZARDS_RANKS_CUH

#include <mpi.h>
#include <nccl.h>

static int rank, nranks, next, before;
static ncclComm_t comm;

static void join(int *argc, char ***argv)
{
    ncclUniqueId id;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    next = (rank + 1) % nranks;
    before = (rank + nranks - 1) % nranks;
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
}

#endif
