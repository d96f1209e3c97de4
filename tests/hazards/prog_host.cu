// Buffers of the host that are shorter than what is copied to or from them.
#include <cuda_runtime.h>
#include <mpi.h>

#include <cstdlib>
#include <vector>

#include "case.h"

enum { N = 1000, NBYTES = N * sizeof(float) };

static float kept[N], half[N / 2];
static float *device;

// Run a case with memory of the device that has been written.
static void with_device(void (*run)(int fixed), int fixed)
{
    cudaMalloc(&device, NBYTES);
    cudaMemset(device, 0, NBYTES);
    run(fixed);
    cudaDeviceSynchronize();
    cudaFree(device);
}

// The size is that of a pointer, or of the array's elements.
static void copy_to_block(int fixed)
{
    with_device(
        [](int fixed) {
            float *const host = (float *)malloc(fixed ? NBYTES : N);
            FIRST cudaMemcpy(host, device, NBYTES, cudaMemcpyDeviceToHost);
            free(host);
        },
        fixed);
}

// A block of its own mapping.
static void copy_to_large_block(int fixed)
{
    enum { LARGE = 1 << 20 };
    float *more;
    cudaMalloc(&more, LARGE);
    cudaMemset(more, 0, LARGE);
    std::vector<char> host(fixed ? LARGE : LARGE / 2);
    FIRST cudaMemcpy(host.data(), more, LARGE, cudaMemcpyDeviceToHost);
    cudaFree(more);
}

static void copy_from_block(int fixed)
{
    with_device(
        [](int fixed) {
            float *const host = (float *)calloc(fixed ? N : N / 4, 4);
            FIRST cudaMemcpy(device, host, NBYTES, cudaMemcpyHostToDevice);
            free(host);
        },
        fixed);
}

static void copy_to_variable(int fixed)
{
    with_device(
        [](int fixed) {
            FIRST cudaMemcpy(fixed ? kept : half, device, NBYTES,
                             cudaMemcpyDeviceToHost);
        },
        fixed);
}

// The end of a variable, from inside.
static void copy_from_variable(int fixed)
{
    with_device(
        [](int fixed) {
            FIRST cudaMemcpy(device, kept + (fixed ? 0 : 10), NBYTES,
                             cudaMemcpyHostToDevice);
        },
        fixed);
}

// The copy of a whole array to one element.
static void copy_to_local(int fixed)
{
    with_device(
        [](int fixed) {
            float one[4];
            FIRST cudaMemcpy(one, device, fixed ? sizeof one : sizeof kept,
                             cudaMemcpyDeviceToHost);
        },
        fixed);
}

// Rows that are further apart than the buffer has room for.
static void copy_rows(int fixed)
{
    enum { WIDTH = 40, ROWS = 20, PITCH = 200 };
    with_device(
        [](int fixed) {
            char *const host = (char *)malloc(ROWS * WIDTH);
            FIRST cudaMemcpy2D(host, fixed ? WIDTH : PITCH, device, PITCH,
                               WIDTH, ROWS, cudaMemcpyDeviceToHost);
            free(host);
        },
        fixed);
}

// ---- messages --------------------------------------------------------------

static int rank, nranks;

static void begin()
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
}

// Room for bytes where elements arrive.
static void receive_to_block(int fixed)
{
    begin();
    float *const host = (float *)malloc(fixed ? NBYTES : N);
    if (rank == 0)
        MPI_Send(kept, N, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        FIRST MPI_Recv(host, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
    }
    free(host);
    MPI_Finalize();
}

static void receive_later(int fixed)
{
    begin();
    MPI_Request r = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Send(kept, N, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        FIRST MPI_Irecv(fixed ? kept : half, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD,
                        &r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

// Every second element of the buffer, which has room for as many.
static void send_column(int fixed)
{
    begin();
    MPI_Datatype column;
    MPI_Type_vector(fixed ? N / 4 : N / 2, 1, 2, MPI_FLOAT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        FIRST MPI_Send(half, 1, column, 1, 0, MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Recv(kept, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
}

// One element for each rank, of which there is room for one.
static void gather(int fixed)
{
    begin();
    int *const all = (int *)malloc((size_t)(fixed ? nranks : 1) * 4 * N);
    int *const own = (int *)calloc(N, 4);
    FIRST MPI_Gather(own, N, MPI_INT, all, N, MPI_INT, 0, MPI_COMM_WORLD);
    free(own);
    free(all);
    MPI_Finalize();
}

static const struct hazard_case cases[] = {
    {"copy-to-block", 0, "with~room~for~1000~bytes", copy_to_block},
    {"copy-to-large-block", 0, "a~block~from~malloc()", copy_to_large_block},
    {"copy-from-block", 0, "reads~4000~bytes", copy_from_block},
    {"copy-to-variable", 0, "half,~a~variable~of~2000~bytes", copy_to_variable},
    {"copy-from-variable", 0, "(from~its~byte~40~on)", copy_from_variable},
    {"copy-to-local", 0, "the~stack~frame~of", copy_to_local},
    {"copy-rows", 0, "cudaMemcpy2D~at", copy_rows},
    {"receive-to-block", 2, "MPI_Recv~at", receive_to_block},
    {"receive-later", 2, "half,~a~variable~of~2000~bytes", receive_later},
    {"send-column", 2, "reads~3996~bytes", send_column},
    {"gather", 2, "MPI_Gather~at", gather},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
