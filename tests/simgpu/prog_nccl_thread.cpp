// One device per thread: each thread of one process is a rank of its own. With
// an argument: several threads use one communicator, in the way it names.
#include <cuda_runtime.h>
#include <nccl.h>

#include <atomic>
#include <mutex>
#include <string>
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

// ---- one communicator for two threads ---------------------------------------

static ncclComm_t shared;
static float *sums;
static std::mutex turn;
static std::atomic<bool> is_open{false}, is_done{false};

static void reduce()
{
    check(ncclAllReduce(sums, sums, 1, ncclFloat, ncclSum, shared, 0) ==
          ncclSuccess);
}

static void reduce_often(bool in_turn)
{
    cudaSetDevice(0);
    for (int i = 0; i < 100; i++)
        if (in_turn) {
            const std::lock_guard<std::mutex> hold(turn);
            reduce();
        } else {
            reduce();
        }
}

// Hold a group open while main makes a call.
static void hold_group()
{
    cudaSetDevice(0);
    ncclGroupStart();
    reduce();
    is_open = true;
    while (!is_done)
        std::this_thread::yield();
    ncclGroupEnd();
}

static void meanwhile(const std::string &call)
{
    ncclResult_t state;
    int n;
    while (!is_open)
        std::this_thread::yield();
    if (call == "reduce")
        reduce();
    if (call == "destroy")
        ncclCommDestroy(shared);
    if (call == "query")
        check(ncclCommCount(shared, &n) == ncclSuccess && n == 1 &&
              ncclCommGetAsyncError(shared, &state) == ncclSuccess);
    is_done = true;
}

static int share(const std::string &how)
{
    ncclUniqueId id;
    std::vector<std::thread> threads;
    ncclGetUniqueId(&id);
    ncclCommInitRank(&shared, 1, id, 0);
    cudaMalloc(&sums, sizeof *sums);
    cudaMemset(sums, 0, sizeof *sums);
    if (how == "race" || how == "turns") {
        for (int i = 0; i < 2; i++)
            threads.emplace_back(reduce_often, how == "turns");
    } else if (how == "join") {
        for (int i = 0; i < 2; i++)
            std::thread(reduce_often, false).join();
    } else {
        threads.emplace_back(hold_group);
        meanwhile(how);
    }
    for (auto &t : threads)
        t.join();
    check(cudaDeviceSynchronize() == cudaSuccess);
    return errors != 0;
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    std::vector<std::thread> threads;
    if (argc > 1)
        return share(argv[1]);
    RULE(ncclGetUniqueId(&id) == ncclSuccess, "one thread makes the id");
    for (int rank = 0; rank < devices; rank++)
        threads.emplace_back(run, rank, id);
    for (auto &t : threads)
        t.join();
    RULE(errors == 0, "threads are ranks, each with its device");
    return rule_status();
}
