/*
 * setup.c: a device, a stream and a communicator for each rank
 */
#include <stdio.h> /* fprintf */

#include "base/must.h"
#include "judge/needs.h"
#include "lab/guard.h"
#include "lab/run.h"
#include "lab/watch.h"

/* The setting that models enough nodes, ": SIMGPU_TOPO=8x:dgx-h100"; "" on
 * GPUs. */
static const char *more_nodes(const struct lab_run *r, char *text, int nbytes)
{
    const int ngpus = judge_place_of(PLAN_TOPO, r->nranks).ngpus;
    text[0] = 0;
    if (watch_machine() && ngpus)
        snprintf(text, (size_t)nbytes, ": SIMGPU_TOPO=%dx:" PLAN_TOPO,
                 (r->nranks + ngpus - 1) / ngpus);
    return text;
}

/* Rank 0 reports why the lab cannot run here. */
static void say_too_few(const struct lab_run *r, int ndevices, cudaError_t err)
{
    char text[64];
    const int least = judge_labs[0]->least_gpus;
    if (err != cudaSuccess)
        fprintf(stderr, "%s: no GPU can be used: %s\n", lab.name,
                cudaGetErrorString(err));
    else if (ndevices < least)
        fprintf(
            stderr,
            "%s: this lab needs %d GPUs in a node, but this one has %d: try "
            "another SIMGPU_TOPO, or another node\n",
            lab.name, least, ndevices);
    else
        fprintf(stderr,
                "%s: %d ranks on a node that has %d GPUs: each rank needs one, "
                "so start fewer ranks, or on more nodes%s\n",
                lab.name, r->ranks_per_node, ndevices,
                more_nodes(r, text, sizeof text));
}

/* True if every rank has a device of its own on its node, or ranks may share.
 * *shared is set if they do share. */
static int enough_devices(struct lab_run *r, int *shared)
{
    enum { TOO_FEW, SHARED, ENOUGH };
    const struct judge_lab *const judge = judge_labs[0];
    int ndevices = 0, all;
    const cudaError_t err = cudaGetDeviceCount(&ndevices);
    if (err != cudaSuccess)
        ndevices = 0;
    const int mine = ndevices == 0 || ndevices < judge->least_gpus ? TOO_FEW
                     : r->ranks_per_node <= ndevices               ? ENOUGH
                     : judge->shares_gpus                          ? SHARED
                                                                   : TOO_FEW;
    MPI_MUST(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, r->mpi_comm));
    *shared = all == SHARED;
    r->device = all != TOO_FEW ? r->local_rank % ndevices : 0;
    if (all == TOO_FEW && r->rank == 0)
        say_too_few(r, ndevices, err);
    return all != TOO_FEW;
}

int run_setup(struct lab_run *r, MPI_Comm comm)
{
    MPI_Comm node;
    ncclUniqueId id;
    int shared;
    r->mpi_comm = comm;
    guard_mpi(comm);
    MPI_MUST(MPI_Comm_rank(comm, &r->rank));
    MPI_MUST(MPI_Comm_size(comm, &r->nranks));
    MPI_MUST(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, r->rank,
                                 MPI_INFO_NULL, &node));
    MPI_MUST(MPI_Comm_rank(node, &r->local_rank));
    MPI_MUST(MPI_Comm_size(node, &r->ranks_per_node));
    MPI_MUST(MPI_Comm_free(&node));
    if (!enough_devices(r, &shared))
        return -1;
    run_own_comm(comm);
    CUDA_MUST(cudaSetDevice(r->device));
    CUDA_MUST(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    r->comm = NULL;
    if (shared)
        return 0;
    if (r->rank == 0)
        NCCL_MUST(ncclGetUniqueId(&id));
    MPI_MUST(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
    NCCL_MUST(ncclCommInitRank(&r->comm, r->nranks, id, r->rank));
    return 0;
}

void run_teardown(struct lab_run *r)
{
    lab_free_events();
    if (lab.release)
        lab.release();
    if (r->comm)
        NCCL_MUST(ncclCommDestroy(r->comm));
    CUDA_MUST(cudaStreamDestroy(r->stream));
    run_own_comm(MPI_COMM_NULL);
}
