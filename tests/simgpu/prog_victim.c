/*
 * Ranks that are busy forever with everything that connects processes:
 * collectives, memory opened by peers, streams that wait for peers' values.
 * Each first writes its process id to FOLDER/RANK. Rank 1 may end in one of the
 * ways of `ends`.
 *
 *     mpirun -n 3 prog_victim FOLDER [HOW]
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 100000, MAX_RANKS = 16 };

static void say_where(const char *folder)
{
    char path[4096], part[4200];
    const char *const rank = getenv("PMI_RANK");
    snprintf(path, sizeof path, "%s/%s", folder, rank ? rank : "0");
    snprintf(part, sizeof part, "%s.part", path);
    FILE *const f = fopen(part, "w");
    if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0 ||
        rename(part, path) != 0)
        exit(2);
}

static void is_killed(void)
{
    raise(SIGKILL);
}

static void is_ended(void)
{
    raise(SIGTERM);
}

static void is_sent_a_fault(void)
{
    char command[64];
    snprintf(command, sizeof command, "kill -SEGV %d", (int)getpid());
    if (system(command) == 0)
        pause();
}

static void raises_a_fault(void)
{
    raise(SIGBUS);
}

static void fails(void)
{
    exit(3);
}

static void leaves(void)
{
    exit(0);
}

static void aborts(void)
{
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void errs(void)
{
    MPI_Send(NULL, 0, MPI_INT, 77, 0, MPI_COMM_WORLD); // there is no rank 77
}

static const struct {
    const char *name;
    void (*f)(void);
    int early; /* before the first call */
} ends[] = {
    {"killed", is_killed, 0},     {"killed-early", is_killed, 1},
    {"ended", is_ended, 0},       {"ended-early", is_ended, 1},
    {"sent", is_sent_a_fault, 0}, {"raises", raises_a_fault, 0},
    {"fails", fails, 0},          {"leaves", leaves, 0},
    {"aborts", aborts, 0},        {"errs", errs, 0},
};

static void end(const char *how, int early)
{
    const char *const rank = getenv("PMI_RANK");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (how && rank && strcmp(rank, "1") == 0 && early == ends[i].early &&
            strcmp(how, ends[i].name) == 0) {
            usleep(early ? 300000 : 0); // while it starts, Hydra may break
            ends[i].f();
        }
}

int main(int argc, char **argv)
{
    int rank, nranks;
    ncclUniqueId id;
    ncclComm_t comm;
    cudaIpcMemHandle_t handle[MAX_RANKS];
    float *own, *next;
    cudaStream_t s;
    if (argc < 2)
        return 2;
    say_where(argv[1]);
    end(argv[2], 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaStreamCreate(&s);
    cudaMalloc((void **)&own, COUNT * sizeof *own);
    cudaMemset(own, 0, COUNT * sizeof *own);
    cudaIpcGetMemHandle(&handle[rank], own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  MPI_COMM_WORLD);
    cudaIpcOpenMemHandle((void **)&next, handle[(rank + 1) % nranks],
                         cudaIpcMemLazyEnablePeerAccess);
    for (unsigned i = 1;; i++) {
        ncclAllReduce(own + 1, own + 1, COUNT - 1, ncclFloat, ncclSum, comm, s);
        cuStreamWriteValue32(s, (CUdeviceptr)(uintptr_t)next, i, 0);
        cuStreamWaitValue32(s, (CUdeviceptr)(uintptr_t)own, i, 0);
        cudaStreamSynchronize(s);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i == 3)
            end(argv[2], 0);
    }
}
