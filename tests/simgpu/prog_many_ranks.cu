/*
 * Any number of ranks, with a GPU each: they reduce, pass a block around the
 * ring, run kernels, and compare all results. The ranks among the arguments
 * make two mistakes besides: a kernel reads memory that nothing wrote, and
 * another does not wait for the copy whose target it reads.
 *
 *     mpirun -n 128 prog_many_ranks [RANK...]
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, NBYTES = N * sizeof(int) };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream, other; // non-blocking
static int *h;                     // N, pinned

static void check(int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void join(int *argc, char ***argv)
{
    ncclUniqueId id;
    int ndevices = 0;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(ncclCommInitRank(&comm, nranks, id, rank) == ncclSuccess,
          "no communicator");
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMallocHost(&h, NBYTES);
}

__global__ void fill(int *out, int value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add(const int *a, int *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] += a[i];
}

static int *array(int value)
{
    int *d;
    cudaMalloc(&d, NBYTES);
    fill<<<N / 100, 100, 0, stream>>>(d, value);
    return d;
}

static int all_are(const int *d, int value)
{
    cudaMemcpyAsync(h, d, NBYTES, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < N; i++)
        if (h[i] != value)
            return 0;
    return 1;
}

static void work(void)
{
    const int next = (rank + 1) % nranks, before = (rank + nranks - 1) % nranks;
    int *const own = array(rank), *const sum = array(-1), *const got = array(5);
    ncclAllReduce(own, sum, N, ncclInt, ncclSum, comm, stream);
    check(all_are(sum, nranks * (nranks - 1) / 2), "a wrong sum");
    ncclGroupStart();
    ncclSend(own, N, ncclInt, next, comm, stream);
    ncclRecv(got, N, ncclInt, before, comm, stream);
    ncclGroupEnd();
    check(all_are(got, before), "a wrong neighbour's block");
    add<<<N / 100, 100, 0, stream>>>(sum, got);
    check(all_are(got, before + nranks * (nranks - 1) / 2), "a wrong kernel");
    cudaFree(own);
    cudaFree(sum);
    cudaFree(got);
}

static void mistakes(void)
{
    int *unwritten, *late = array(0), *const sum = array(0);
    cudaMalloc(&unwritten, NBYTES);
    add<<<N / 100, 100, 0, stream>>>(unwritten, sum);
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(late, h, NBYTES, cudaMemcpyHostToDevice, other);
    add<<<N / 100, 100, 0, stream>>>(late, sum);
    cudaDeviceSynchronize();
    cudaFree(unwritten);
    cudaFree(late);
    cudaFree(sum);
}

int main(int argc, char **argv)
{
    join(&argc, &argv);
    work();
    for (int i = 1; i < argc; i++)
        if (atoi(argv[i]) == rank)
            mistakes();
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommDestroy(comm);
    cudaFreeHost(h);
    if (rank == 0)
        printf("%d ranks are fine\n", nranks);
    return MPI_Finalize();
}
