/*
 * In the orders that the argument says: collectives of two communicators, a of
 * all ranks, b without rank 0 if there are 3; or of one for each two neighbours.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <string.h>
#include <thread>

enum { COUNT = 100, TIMES = 3 };
static int rank, nranks;
static ncclComm_t a, b;
static cudaStream_t s, t;
static float *x, *y;

static void reduce_x(cudaStream_t stream)
{
    ncclAllReduce(x, x, COUNT, ncclFloat, ncclSum, a, stream);
}

static void reduce_y(cudaStream_t stream)
{
    if (b)
        ncclBroadcast(y, y, COUNT, ncclFloat, 0, b, stream);
}

static void both(bool x_first)
{
    if (x_first)
        reduce_x(s);
    reduce_y(t);
    if (!x_first)
        reduce_x(s);
}

static void crossed()
{
    for (int i = 0; i < TIMES; i++)
        both(rank != nranks - 1);
}

static void ordered()
{
    for (int i = 0; i < TIMES; i++)
        both(i % 2 == 0);
}

static void grouped()
{
    ncclGroupStart();
    both(rank != nranks - 1);
    ncclGroupEnd();
}

static void half_grouped() // only the last rank's calls have no order
{
    if (rank == nranks - 1)
        ncclGroupStart();
    both(rank != nranks - 1);
    if (rank == nranks - 1)
        ncclGroupEnd();
}

static void threaded()
{
    if (rank != nranks - 1)
        return both(true);
    std::thread([] {
        cudaSetDevice(rank);
        reduce_y(t);
    }).join();
    reduce_x(s);
}

static void on_one_stream()
{
    t = s;
    crossed();
}

// Each rank's communicator with the next one, and with the one before; the last
// of an ordered ring begins with the first.
static ncclComm_t with_next, with_last;

static void make_pairs()
{
    for (int i = 0; i < nranks; i++) {
        const int place = rank == i ? 0 : rank == (i + 1) % nranks ? 1 : -1;
        ncclComm_t pair = NULL;
        ncclCommSplit(a, place < 0 ? NCCL_SPLIT_NOCOLOR : 0, place, &pair,
                      NULL);
        if (place >= 0)
            (place ? with_last : with_next) = pair;
    }
}

#define REDUCE(pair, buf, stream)                                              \
    ncclAllReduce(buf, buf, COUNT, ncclFloat, ncclSum, pair, stream)

static void around(bool closed)
{
    make_pairs();
    if (rank < nranks - 1 || closed)
        REDUCE(with_next, x, s);
    REDUCE(with_last, y, t);
    if (rank == nranks - 1 && !closed)
        REDUCE(with_next, x, s);
    cudaDeviceSynchronize();
    ncclCommDestroy(with_next);
    ncclCommDestroy(with_last);
}

static void ring()
{
    around(true);
}

static void open_ring()
{
    around(false);
}

static ncclComm_t make(int first)
{
    ncclComm_t comm = NULL;
    MPI_Comm members;
    ncclUniqueId id;
    MPI_Comm_split(MPI_COMM_WORLD, rank >= first, rank, &members);
    if (rank >= first) {
        if (rank == first)
            ncclGetUniqueId(&id);
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, members);
        ncclCommInitRank(&comm, nranks - first, id, rank - first);
    }
    MPI_Comm_free(&members);
    return comm;
}

static float *zeros()
{
    float *p;
    cudaMalloc(&p, COUNT * sizeof *p);
    cudaMemset(p, 0, COUNT * sizeof *p);
    return p;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*f)();
    } ways[] = {{"crossed", crossed},   {"ordered", ordered},
                {"grouped", grouped},   {"half-grouped", half_grouped},
                {"threaded", threaded}, {"one-stream", on_one_stream},
                {"ring", ring},         {"open-ring", open_ring}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    a = make(0);
    b = make(nranks == 3);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    x = zeros();
    y = zeros();
    cudaDeviceSynchronize();
    for (const auto &w : ways)
        if (strcmp(argv[1], w.name) == 0)
            w.f();
    cudaDeviceSynchronize();
    ncclCommDestroy(a);
    ncclCommDestroy(b);
    cudaFree(x);
    cudaFree(y);
    MPI_Finalize();
    return 0;
}
