// A rank with a window and a device communicator, for mistakes with NCCL's
// device API.
#ifndef TESTS_HAZARDS_DEVICE_API_CUH
#define TESTS_HAZARDS_DEVICE_API_CUH

#include <cuda_runtime.h>

#include "case.h"
#include "devcomm.h"
#include "ranks.cuh"

enum { N = 256, THREADS = 32 };

static cudaStream_t stream;
static float *mem, *out;
static ncclWindow_t win; // of mem, 2 * N floats
static ncclDevComm dev;  // one barrier of each kind, one signal, one counter

static ncclWindow_t window_of(float *p, int flags)
{
    ncclWindow_t w = NULL;
    ncclCommWindowRegister(comm, p, 2 * N * sizeof *p, &w, flags);
    return w;
}

static void setup(int *argc, char ***argv)
{
    join(argc, argv);
    cudaStreamCreate(&stream);
    ncclMemAlloc((void **)&mem, 2 * N * sizeof *mem);
    cudaMalloc(&out, 2 * N * sizeof *out);
    cudaMemset(mem, 0, 2 * N * sizeof *mem);
    cudaDeviceSynchronize();
    win = window_of(mem, NCCL_WIN_COLL_SYMMETRIC);
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = reqs.barrierCount = 1;
    reqs.worldGinBarrierCount = reqs.railGinBarrierCount = 1;
    reqs.ginSignalCount = 1;
    reqs.ginCounterCount = 1;
    reqs.ginContextCount = 2;
    reqs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    ncclDevCommCreate(comm, &reqs, &dev);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, &dev);
    if (win)
        ncclCommWindowDeregister(comm, win);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(mem);
    cudaFree(out);
    ncclCommDestroy(comm);
    MPI_Finalize();
}

__global__ void use(const float *from, float *to)
{
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = from[i];
}

__global__ void make(float *to)
{
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = (float)i;
}

static int run_cases(const struct hazard_case *cases, size_t n, int argc,
                     char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return run_case(cases, n, argc, argv);
    setup(&argc, &argv);
    const int status = run_case(cases, n, argc, argv);
    teardown();
    return status;
}

#endif
