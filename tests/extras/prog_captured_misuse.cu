/* links: -lcublas -lcurand
 * Mistakes with captured calls, by argument; and what is none. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <string.h>

enum { N = 64 };

static cudaStream_t s, other;
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static float *x, *y;
static cublasHandle_t h;
static const float one = 1;

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void start()
{
    cudaMalloc((void **)&x, N * sizeof *x);
    cudaMalloc((void **)&y, N * sizeof *y);
    cudaMemset(x, 0, N * sizeof *x);
    cudaMemset(y, 0, N * sizeof *y);
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cublasCreate(&h);
    cudaDeviceSynchronize();
}

/* Two branches add to y; "ordered": one after the other. */
static void branches(int ordered)
{
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (!ordered)
        cudaEventRecord(fork, s);
    cublasSetStream(h, s);
    cublasSaxpy(h, N, &one, x, 1, y, 1);
    if (ordered)
        cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork, 0);
    cublasSetStream(h, other);
    cublasSaxpy(h, N, &one, x, 1, y, 1);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(s, join, 0);
    cudaStreamEndCapture(s, &graph);
}

static void one_call()
{
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cublasSetStream(h, s);
    cublasSaxpy(h, N, &one, x, 1, y, 1);
    cudaStreamEndCapture(s, &graph);
}

static void numbers()
{
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetStream(g, s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    curandGenerateUniform(g, x, N);
    cudaStreamEndCapture(s, &graph);
    curandDestroyGenerator(g);
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    start();
    if (is(what, "race") || is(what, "ordered"))
        branches(is(what, "ordered"));
    else if (is(what, "generator"))
        numbers();
    else
        one_call();
    if (is(what, "freed") || is(what, "again"))
        cudaFree(x);
    if (is(what, "again")) { // the same address
        cudaMalloc((void **)&x, N * sizeof *x);
        cudaMemset(x, 0, N * sizeof *x);
        cudaDeviceSynchronize();
    }
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cublasDestroy(h);
    cudaFree(y);
    if (!is(what, "freed"))
        cudaFree(x);
    return 0;
}
