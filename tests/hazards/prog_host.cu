// Buffers of the host that are shorter than what is copied to or from them,
// that change while MPI sends them, or that are gone.
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

// ---- messages under way -----------------------------------------------------

// The next values, while MPI may still read the last ones.
static void write_sent(int fixed)
{
    begin();
    MPI_Request r = MPI_REQUEST_NULL;
    if (rank == 0) {
        FIRST MPI_Isend(kept, N, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &r);
    }
    if (rank == 1)
        MPI_Recv(kept, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!fixed && rank == 0)
        kept[N / 2] = 1;
    SECOND MPI_Wait(&r, MPI_STATUS_IGNORE);
    kept[N / 2] = 2;
    MPI_Finalize();
}

// The same of a collective.
static void write_reduced(int fixed)
{
    static double in[8] = {1}, sum[8];
    begin();
    MPI_Request r;
    FIRST MPI_Iallreduce(in, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
    if (!fixed)
        in[7] = 2;
    SECOND MPI_Wait(&r, MPI_STATUS_IGNORE);
    in[7] = 3;
    MPI_Finalize();
}

// One buffer for the messages to all, each of which is complete at once.
static void write_next(int fixed)
{
    int own[2] = {0, 0};
    begin();
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < 2 && rank == 0; i++) {
        int *const p = &own[fixed ? i : 0];
        *p = i + 1;
        FIRST MPI_Isend(p, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
    }
    for (int i = 0; i < 2 && rank == 1; i++)
        MPI_Recv(own, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SECOND MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Finalize();
}

static void post_local(MPI_Request *r, int sends)
{
    int step = 1;
    if (sends) {
        FIRST MPI_Isend(&step, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, r);
    } else {
        FIRST MPI_Irecv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, r);
    }
}

static void (*volatile post)(MPI_Request *, int) = post_local; // not inlined

// A local variable of a function that returns before the wait.
static void with_local(int sends, int fixed)
{
    begin();
    int step = 1;
    MPI_Request r = MPI_REQUEST_NULL;
    if (!fixed && rank == (sends ? 0 : 1))
        post(&r, sends);
    else if (rank == 0)
        MPI_Isend(&step, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
    else if (rank == 1)
        MPI_Irecv(&step, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
    SECOND MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
}

static void send_local(int fixed)
{
    with_local(1, fixed);
}

static void receive_local(int fixed)
{
    with_local(0, fixed);
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
    {"write-sent", 2, "element~500~of~1000~has~changed", write_sent},
    {"write-reduced", 2, "element~7~of~8~has~changed", write_reduced},
    {"write-next", 2, "element~0~of~1~has~changed", write_next},
    {"send-local", 2, "MPI_Isend~at", send_local},
    {"receive-local", 2, "whose~local~variable~the~call~writes", receive_local},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
