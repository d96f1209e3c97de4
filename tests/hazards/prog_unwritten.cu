// What only moves memory that nothing has written, receives a message as
// another type, or passes an argument that is gone, on two ranks: a warning, as
// what comes of it is not known.
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdlib.h>

#include "case.h"
#include "kernels.cuh"
#include "ranks.cuh"

static float *a, *b, *h, *g; // a is what is read

static float *array(int is_written)
{
    float *d;
    cudaMalloc(&d, BYTES * nranks);
    if (is_written)
        cudaMemset(d, 0, BYTES * nranks);
    cudaDeviceSynchronize(); // MPI calls are the host's
    return d;
}

#define MOVES(name, ...)                                                       \
    static void name(int fixed)                                                \
    {                                                                          \
        a = array(fixed);                                                      \
        b = array(1);                                                          \
        FIRST __VA_ARGS__;                                                     \
        cudaDeviceSynchronize();                                               \
    }

MOVES(to_the_host, cudaMemcpy(h, a, BYTES, cudaMemcpyDeviceToHost))
MOVES(to_the_host_later, cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDefault, 0))
MOVES(to_the_host_by_the_driver, cuMemcpyDtoH(h, (CUdeviceptr)a, BYTES))
MOVES(vector_to_the_host, cublasGetVector(N, sizeof *a, a, 1, h, 1))

// Without its last two elements, which a grid that is too small leaves out.
static void end_to_the_host(int fixed)
{
    a = array(0);
    b = array(0);
    cudaMemset(a, 0, BYTES - (fixed ? 0 : 2 * sizeof *a));
    FIRST cudaMemcpy(h, a, BYTES, cudaMemcpyDeviceToHost);
    // elements with padding, which no kernel writes: not a mistake
    for (int i = 0; i < 3; i++)
        cudaMemset(b + 4 * i, 0, 3 * sizeof *b);
    cudaMemcpy(h, b, 12 * sizeof *b, cudaMemcpyDeviceToHost);
}

MOVES(reduced, ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, 0))
MOVES(reduced_in_place, ncclAllReduce(a, a, N, ncclFloat, ncclSum, comm, 0))
MOVES(gathered, ncclAllGather(a, b, N, ncclFloat, comm, 0))
MOVES(scattered, ncclReduceScatter(a, b, N, ncclFloat, ncclSum, comm, 0))
MOVES(broadcast, ncclBroadcast(a, a, N, ncclFloat, 0, comm, 0))
MOVES(sent, {
    ncclGroupStart();
    ncclSend(a, N, ncclFloat, next, comm, 0);
    ncclRecv(b, N, ncclFloat, before, comm, 0);
    ncclGroupEnd();
})

MOVES(mpi_sent, MPI_Sendrecv(a, N, MPI_FLOAT, next, 0, b, N, MPI_FLOAT, before,
                             0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
MOVES(mpi_reduced, MPI_Allreduce(a, b, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD))
MOVES(mpi_reduced_in_place,
      MPI_Allreduce(MPI_IN_PLACE, a, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD))
MOVES(mpi_broadcast, MPI_Bcast(a, N, MPI_FLOAT, 0, MPI_COMM_WORLD))
MOVES(mpi_gathered,
      MPI_Gather(a, N, MPI_FLOAT, b, N, MPI_FLOAT, 0, MPI_COMM_WORLD))
// Received as the type that `fixed` says: of the same size, or of twice.
#define TYPES(name, sent, wrong, right, receive, ...)                          \
    static void name(int fixed)                                                \
    {                                                                          \
        const MPI_Datatype type = fixed ? right : wrong;                       \
        int size, count;                                                       \
        MPI_Request r;                                                         \
        MPI_Type_size(sent, &size);                                            \
        MPI_Isend(h, BYTES / size, sent, next, 7, MPI_COMM_WORLD, &r);         \
        MPI_Type_size(type, &size);                                            \
        count = BYTES / size;                                                  \
        FIRST receive(g, count, type, before, 7, MPI_COMM_WORLD, __VA_ARGS__); \
        MPI_Wait(&r, MPI_STATUS_IGNORE);                                       \
    }
static int receive_later(void *buf, int count, MPI_Datatype type, int source,
                         int tag, MPI_Comm of, MPI_Status *status)
{
    MPI_Request r;
    MPI_Irecv(buf, count, type, source, tag, of, &r);
    return MPI_Wait(&r, status);
}
TYPES(floats_as_integers, MPI_FLOAT, MPI_INT, MPI_FLOAT, MPI_Recv,
      MPI_STATUS_IGNORE)
TYPES(doubles_as_floats, MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE, receive_later,
      MPI_STATUS_IGNORE)
TYPES(integers_as_bytes, MPI_INT, MPI_SHORT, MPI_BYTE, MPI_Recv,
      MPI_STATUS_IGNORE)
TYPES(floats_as_longs, MPI_FLOAT, MPI_LONG, MPI_CHAR, MPI_Recv,
      MPI_STATUS_IGNORE)
TYPES(aliases, MPI_INT, MPI_INT64_T, MPI_INT32_T, MPI_Recv, MPI_STATUS_IGNORE)

MOVES(mpi_sent_later, {
    MPI_Request r[2];
    MPI_Isend(a, N, MPI_FLOAT, next, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(b, N, MPI_FLOAT, before, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
})

// ---- arguments of host functions -------------------------------------------

static void CUDART_CB look(void *argument)
{
    h[0] = *(const float *)argument;
}

static void capture_local(cudaStream_t s)
{
    float x = 1;
    FIRST cudaLaunchHostFunc(s, look, &x);
}

static void (*volatile capture)(cudaStream_t) = capture_local; // not inlined

// The graph runs when the variable is gone; the function may not read it.
static void argument_is_gone(int fixed)
{
    static float kept;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (rank != 0)
        return;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (fixed)
        cudaLaunchHostFunc(s, look, &kept);
    else
        capture(s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    SECOND cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
}

#define CASE(name, call)                                                       \
    {                                                                          \
#name, 2, call "~reads~them~at~prog_unwritten.cu:", name               \
    }
#define CASE_TYPES(name, as)                                                   \
    {                                                                          \
#name, 2, "receives~as~" as "~what~MPI_Isend~at", name                 \
    }
static const struct hazard_case cases[] = {
    CASE(to_the_host, "cudaMemcpy"),
    CASE(to_the_host_later, "cudaMemcpyAsync"),
    CASE(to_the_host_by_the_driver, "cudaMemcpy"),
    CASE(vector_to_the_host, "cudaMemcpy2D"),
    CASE(end_to_the_host, "cudaMemcpy"),
    CASE(reduced, "ncclAllReduce"),
    CASE(reduced_in_place, "ncclAllReduce"),
    CASE(gathered, "ncclAllGather"),
    CASE(scattered, "ncclReduceScatter"),
    CASE(broadcast, "ncclBroadcast"),
    CASE(sent, "ncclSend"),
    CASE(mpi_sent, "MPI_Sendrecv"),
    CASE(mpi_reduced, "MPI_Allreduce"),
    CASE(mpi_reduced_in_place, "MPI_Allreduce"),
    CASE(mpi_broadcast, "MPI_Bcast"),
    CASE(mpi_gathered, "MPI_Gather"),
    CASE(mpi_sent_later, "MPI_Isend"),
    {"argument_is_gone", 2,
     "the~host~function~of~cudaLaunchHostFunc~at~prog_unwritten.cu:",
     argument_is_gone},
    CASE_TYPES(floats_as_integers, "MPI_INT"),
    CASE_TYPES(doubles_as_floats, "MPI_FLOAT"),
    CASE_TYPES(integers_as_bytes, "MPI_SHORT"),
    CASE_TYPES(floats_as_longs, "MPI_LONG"),
    CASE_TYPES(aliases, "MPI_INT64_T"),
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    join(&argc, &argv);
    h = (float *)calloc(N, sizeof *h);
    g = (float *)calloc(N, sizeof *g);
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    cudaFree(a);
    cudaFree(b);
    free(h);
    free(g);
    ncclCommDestroy(comm);
    MPI_Finalize();
    return status;
}
