// A rank's call waits for a peer that will never make it. Another thread of the
// rank notices and aborts the communicator: both threads continue.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "rule.h"

enum { COUNT = 1000 };

static int rank, nranks;
static float *data;
static cudaStream_t stream;
static std::atomic<ncclComm_t> comm;

static ncclUniqueId share_id()
{
    ncclUniqueId id = {};
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    return id;
}

static void join()
{
    ncclComm_t made;
    RULE(ncclCommInitRank(&made, nranks, share_id(), rank) == ncclSuccess,
         "all ranks join");
    RULE(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, made, stream) ==
             ncclSuccess,
         "and connect");
    RULE(cudaStreamSynchronize(stream) == cudaSuccess, "and reduce");
    comm = made;
}

// All ranks but 0 wait in a call, until a thread of theirs aborts.
static void abort_while(const std::function<void()> &wait)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        std::atomic<int> waits{0};
        std::thread watchdog([&] {
            while (!waits || !comm)
                usleep(1000);
            usleep(100000); // the call should be waiting by now
            RULE(ncclCommAbort(comm) == ncclSuccess, "the other thread aborts");
        });
        waits = 1;
        wait();
        watchdog.join();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && comm)
        RULE(ncclCommAbort(comm) == ncclSuccess, "the peer aborts, too");
    comm = nullptr;
}

static ncclComm_t made; // by the call that is aborted

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(reinterpret_cast<void **>(&data), COUNT * sizeof *data);
    cudaMemset(data, 0, COUNT * sizeof *data);
    cudaDeviceSynchronize();

    join();
    abort_while([] {
        ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
        RULE(cudaStreamSynchronize(stream) == cudaSuccess,
             "a synchronisation ends");
    });
    join();
    abort_while([] {
        RULE(ncclCommSplit(comm, 0, rank, &made, nullptr) != ncclSuccess &&
                 !made,
             "a split ends with an error");
    });
    join();
    abort_while([] {
        ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
        RULE(ncclCommFinalize(comm) == ncclSuccess, "finalizing ends");
    });
    join();
    abort_while([] {
        ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream);
        RULE(ncclCommDestroy(comm) == ncclSuccess, "destroying ends");
    });
    // NCCL sets the variable before it waits for the other ranks
    made = nullptr;
    const ncclUniqueId id = share_id();
    abort_while([&] {
        std::thread look([] {
            while (!static_cast<volatile ncclComm_t &>(made))
                usleep(1000);
            comm = made;
        });
        RULE(ncclCommInitRank(&made, nranks, id, rank) != ncclSuccess && !made,
             "creating a communicator ends with an error");
        look.join();
    });
    join();
    RULE(ncclCommDestroy(comm) == ncclSuccess, "a new one works as ever");
    cudaFree(data);
    MPI_Finalize();
    return rule_status();
}
