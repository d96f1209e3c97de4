// One process with several devices: all in one thread, then a thread each. In
// C++, with its conveniences.
#include <cuda_runtime.h>
#include <nccl.h>

#include <thread>
#include <vector>

#include "rule.h"

enum { DEVICES = 4, COUNT = 10000 };

static ncclComm_t comms[DEVICES];
static cudaStream_t streams[DEVICES];
static float *bufs[DEVICES];

static void fill(int device)
{
    std::vector<float> ones(COUNT, 1.0f);
    cudaSetDevice(device);
    cudaMemcpy(bufs[device], ones.data(), COUNT * sizeof(float),
               cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

static bool holds(int device, float want)
{
    std::vector<float> h(COUNT);
    cudaSetDevice(device);
    cudaStreamSynchronize(streams[device]);
    cudaMemcpy(h.data(), bufs[device], COUNT * sizeof(float),
               cudaMemcpyDeviceToHost);
    for (float v : h)
        if (v != want)
            return false;
    return true;
}

int main()
{
    RULE(ncclCommInitAll(comms, DEVICES, nullptr) == ncclSuccess,
         "one thread makes communicators of all devices");
    for (int i = 0; i < DEVICES; i++) {
        cudaSetDevice(i);
        cudaStreamCreate(&streams[i]);
        RULE(cudaMalloc(&bufs[i], COUNT * sizeof(float)) == cudaSuccess,
             "cudaMalloc takes a typed pointer");
        fill(i);
    }
    ncclGroupStart();
    for (int i = 0; i < DEVICES; i++)
        ncclAllReduce(bufs[i], bufs[i], COUNT, ncclFloat, ncclSum, comms[i],
                      streams[i]);
    RULE(ncclGroupEnd() == ncclSuccess, "a group of one collective a device");
    for (int i = 0; i < DEVICES; i++)
        RULE(holds(i, DEVICES), "each device has the sum");

    std::vector<std::thread> threads;
    for (int i = 0; i < DEVICES; i++)
        threads.emplace_back([i] {
            cudaSetDevice(i);
            ncclAllReduce(bufs[i], bufs[i], COUNT, ncclFloat, ncclSum, comms[i],
                          streams[i]);
            cudaStreamSynchronize(streams[i]);
        });
    for (auto &t : threads)
        t.join();
    for (int i = 0; i < DEVICES; i++)
        RULE(holds(i, DEVICES * DEVICES), "so it is with a thread a device");
    for (int i = 0; i < DEVICES; i++)
        RULE(ncclCommDestroy(comms[i]) == ncclSuccess, "all are destroyed");
    ncclUniqueId id;
    ncclComm_t twice[2];
    ncclGetUniqueId(&id);
    cudaSetDevice(0);
    ncclGroupStart();
    ncclCommInitRank(&twice[0], 2, id, 0);
    ncclCommInitRank(&twice[1], 2, id, 1);
    RULE(ncclGroupEnd() == ncclInvalidUsage,
         "a device is in a communicator once");
    return rule_status();
}
