// One device per thread: each thread of one process is a rank of its own.
#include <cuda_runtime.h>
#include <nccl.h>

#include <atomic>
#include <thread>
#include <vector>

#include "rule.h"

constexpr int devices = 4, count = 50000;

static std::atomic<int> errors{0};

static void check(bool holds)
{
    errors += !holds;
}

// Rank `rank` of a communicator over all threads.
static void run(int rank, ncclUniqueId id)
{
    ncclComm_t comm;
    cudaStream_t stream;
    int *data, *all;
    std::vector<int> host(count, rank);
    check(cudaSetDevice(rank) == cudaSuccess);
    check(ncclCommInitRank(&comm, devices, id, rank) == ncclSuccess);
    check(cudaStreamCreate(&stream) == cudaSuccess);
    cudaMalloc(&data, count * sizeof(int));
    cudaMalloc(&all, devices * count * sizeof(int));
    for (int round = 0; round < 20; round++) {
        cudaMemcpyAsync(data, host.data(), count * sizeof(int),
                        cudaMemcpyHostToDevice, stream);
        check(ncclAllGather(data, all, count, ncclInt32, comm, stream) ==
              ncclSuccess);
        check(ncclReduceScatter(all, data, count, ncclInt32, ncclSum, comm,
                                stream) == ncclSuccess);
        cudaMemcpyAsync(host.data(), data, count * sizeof(int),
                        cudaMemcpyDeviceToHost, stream);
        check(cudaStreamSynchronize(stream) == cudaSuccess);
        for (int &v : host) {
            check(v == devices * rank); // all ranks had the same block `rank`
            v = rank;
        }
    }
    cudaFree(data);
    cudaFree(all);
    cudaStreamDestroy(stream);
    check(ncclCommDestroy(comm) == ncclSuccess);
}

int main()
{
    ncclUniqueId id;
    std::vector<std::thread> threads;
    RULE(ncclGetUniqueId(&id) == ncclSuccess, "one thread makes the id");
    for (int rank = 0; rank < devices; rank++)
        threads.emplace_back(run, rank, id);
    for (auto &t : threads)
        t.join();
    RULE(errors == 0, "threads are ranks, each with its device");
    return rule_status();
}
