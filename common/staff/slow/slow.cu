// slow.cu: right programs that are slow, to be profiled before a lab is written
//
//     mpirun -n 8 build/slow lab3      also: lab4, lab5, lab8
//
// Each step computes with real shapes and communicates what the lab's step
// does. Find out why it is slow: SIMGPU_GRAPH=run saves it for commgraph.
#include <cublas_v2.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS = 8, WIDTH = 2048, COUNT = WIDTH * WIDTH, STEPS = 3 };

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;
static cublasHandle_t blas;
static float *weight[LAYERS], *grad[LAYERS], *act, *out;

/* out (rows, WIDTH) = act (rows, WIDTH) times a layer's weights. */
static void product(int rows, const float *w)
{
    const float one = 1, zero = 0;
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, WIDTH, rows, WIDTH, &one, w,
                WIDTH, act, WIDTH, &zero, out, WIDTH);
}

/* A layer's backward pass: the gradients of its weights and of its input. */
static void products_back(int rows, const float *w, float *dw)
{
    const float one = 1, zero = 0;
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, WIDTH, WIDTH, rows, &one, act,
                WIDTH, out, WIDTH, &zero, dw, WIDTH);
    product(rows, w);
}

/* Data parallel: each rank has its own rows, and gradients are summed. */
static void lab3(void)
{
    for (int l = 0; l < LAYERS; l++)
        product(WIDTH, weight[l]);
    for (int l = LAYERS - 1; l >= 0; l--)
        products_back(WIDTH, weight[l], grad[l]);
    for (int l = LAYERS - 1; l >= 0; l--)
        ncclAllReduce(grad[l], grad[l], COUNT, ncclFloat, ncclSum, comm,
                      stream);
}

/* A pipeline: each rank has two layers, and passes activations on. */
static void lab4(void)
{
    for (int micro = 0; micro < 4; micro++) {
        if (rank > 0)
            ncclRecv(act, COUNT, ncclFloat, rank - 1, comm, stream);
        for (int l = 0; l < 2; l++)
            product(WIDTH, weight[l]);
        if (rank < nranks - 1) {
            ncclSend(out, COUNT, ncclFloat, rank + 1, comm, stream);
            ncclRecv(out, COUNT, ncclFloat, rank + 1, comm, stream);
        }
        for (int l = 1; l >= 0; l--)
            products_back(WIDTH, weight[l], grad[l]);
        if (rank > 0)
            ncclSend(act, COUNT, ncclFloat, rank - 1, comm, stream);
    }
}

/* Tensor parallel, one token: each layer ends in a sum over the ranks. */
static void lab5(void)
{
    for (int l = 0; l < LAYERS; l++) {
        product(1, weight[l]);
        ncclAllReduce(out, out, WIDTH, ncclFloat, ncclSum, comm, stream);
    }
}

/* Sharded: a rank owns 1/n of each layer, and gathers the layer it needs. */
static void lab8(void)
{
    const size_t share = COUNT / nranks;
    float *const whole = act + COUNT, *const dw = whole + COUNT;
    for (int l = 0; l < LAYERS; l++) {
        ncclAllGather(weight[l], whole, share, ncclFloat, comm, stream);
        product(WIDTH, whole);
    }
    for (int l = LAYERS - 1; l >= 0; l--) {
        ncclAllGather(weight[l], whole, share, ncclFloat, comm, stream);
        products_back(WIDTH, whole, dw);
        ncclReduceScatter(dw, grad[l], share, ncclFloat, ncclSum, comm, stream);
    }
}

static void set_up(void)
{
    ncclUniqueId id;
    cudaSetDevice(rank);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    ncclCommInitRank(&comm, nranks, id, rank);
    cudaStreamCreate(&stream);
    cublasCreate(&blas);
    cublasSetStream(blas, stream);
    for (int l = 0; l < LAYERS; l++) {
        cudaMalloc((void **)&weight[l], COUNT * sizeof *act);
        cudaMalloc((void **)&grad[l], COUNT * sizeof *act);
    }
    cudaMalloc((void **)&act, 3 * COUNT * sizeof *act);
    cudaMalloc((void **)&out, COUNT * sizeof *act);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*step)(void);
    } all[] = {{"lab3", lab3}, {"lab4", lab4}, {"lab5", lab5}, {"lab8", lab8}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    set_up();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int n = 0; n < STEPS && argc == 2; n++)
            if (strcmp(argv[1], all[i].name) == 0) {
                nvtxRangePushA("step");
                all[i].step();
                cudaStreamSynchronize(stream);
                nvtxRangePop();
            }
    MPI_Finalize();
}
