// Operations on the buffers of messages and collectives under way, or that a
// host function passes, one way a run, as named on the command line.
// test_mpi_graph checks what is reported.
#include <cuda_runtime.h>
#include <mpi.h>

#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 16 };
static int rank;
static float *device, *pinned, *other;
static cudaStream_t stream;

__global__ void add(float *p, const float *q)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i] += q[i];
}

static void CUDART_CB wait(void *request)
{
    MPI_Wait((MPI_Request *)request, MPI_STATUS_IGNORE);
}

static void copy_to(float *to)
{
    cudaMemcpyAsync(to, other, COUNT * sizeof *to, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
}

static void add_to(float *to, const float *from)
{
    add<<<COUNT / 256, 256, 0, stream>>>(to, from);
    cudaStreamSynchronize(stream);
}

static void touch(const char *way, MPI_Request *request)
{
    if (strcmp(way, "copy-into-sent") == 0 && rank == 0)
        copy_to(pinned);
    if (strcmp(way, "kernel-into-sent") == 0 && rank == 0)
        add_to(device, other);
    if (strcmp(way, "kernel-reads-received") == 0 && rank == 1)
        add_to(other, device);
    if (strcmp(way, "kernel-reads-sent") == 0 && rank == 0) // allowed
        add_to(other, device);
    if (strcmp(way, "freed") == 0 && rank == 0) {
        cudaFree(device);
        device = NULL;
    }
    if (strcmp(way, "beside") == 0)
        add_to(device + COUNT, other);
    if (strcmp(way, "waited") == 0) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        add_to(device, other);
        copy_to(pinned);
    }
    if (strcmp(way, "host-function") == 0 && rank == 0) {
        cudaLaunchHostFunc(stream, wait, request);
        add_to(device, other);
    }
}

static void message(const char *way)
{
    float *const buffer = strncmp(way, "copy", 4) == 0 ? pinned : device;
    MPI_Request request;
    if (rank == 0)
        MPI_Isend(buffer, COUNT, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(buffer, COUNT, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &request);
    touch(way, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void CUDART_CB send_or_receive(void *buffer)
{
    if (rank == 0)
        MPI_Send(buffer, COUNT, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, COUNT, MPI_FLOAT, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

// Host functions in the stream of what they follow, or not.
static void in_stream(cudaStream_t before)
{
    const size_t nbytes = COUNT * sizeof *pinned;
    if (rank == 0)
        cudaMemcpyAsync(pinned, device, nbytes, cudaMemcpyDefault, before);
    cudaLaunchHostFunc(stream, send_or_receive, pinned);
    if (rank == 0)
        cudaMemsetAsync(pinned, 0, nbytes, stream);
    else
        cudaMemcpyAsync(device, pinned, nbytes, cudaMemcpyDefault, stream);
    cudaDeviceSynchronize();
}

// Collectives whose buffers are used before a wait finds them complete.
static void collective(const char *way)
{
    MPI_Request request;
    if (strncmp(way, "bcast", 5) == 0)
        MPI_Ibcast(device, COUNT, MPI_FLOAT, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Iallreduce(device, other, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                       &request);
    if (strcmp(way, "reduce-then-read") == 0)
        add_to(device + COUNT, other);
    if (strcmp(way, "reduce-then-write") == 0)
        cudaMemsetAsync(device, 0, COUNT * sizeof *device, stream);
    if (strcmp(way, "bcast-then-read") == 0) // allowed on the root
        add_to(device + COUNT, device);
    if (strcmp(way, "reduce-beside") == 0) // MPI reads it, too
        add_to(device + COUNT, device);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    cudaStreamSynchronize(stream);
    add_to(device, other);
}

int main(int argc, char **argv)
{
    const char *const way = argc > 1 ? argv[1] : "";
    int threads;
    cudaStream_t second;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaMalloc(&device, 2 * COUNT * sizeof *device);
    cudaMalloc(&other, COUNT * sizeof *other);
    cudaMallocHost(&pinned, COUNT * sizeof *pinned);
    cudaMemset(device, 0, 2 * COUNT * sizeof *device);
    cudaMemset(other, 0, COUNT * sizeof *other);
    memset(pinned, 0, COUNT * sizeof *pinned);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    if (strcmp(way, "in-stream") == 0)
        in_stream(stream);
    else if (strcmp(way, "beside-stream") == 0)
        in_stream(second);
    else if (strstr(way, "reduce-") || strstr(way, "bcast-"))
        collective(way);
    else
        message(way);
    cudaStreamDestroy(second);
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFree(other);
    cudaFreeHost(pinned);
    MPI_Finalize();
    return 0;
}
