// links: -lcublas -lcublasLt -lcufft -lcurand
// Calls of libraries on captured streams: nodes of the graph, which run at each
// launch.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <curand.h>

#include "probe.h"

#define FINE(call) CHECK((call) == 0)

// CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: the runtime has no name for it
enum { N = 8, BATCH_MEM_OP = 12 };

__global__ void add_one(float *x)
{
    x[threadIdx.x] += 1;
}

// A stream, and what is captured between begin() and end().
struct recorder {
    cudaStream_t s;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    recorder()
    {
        OK(cudaStreamCreate(&s));
    }
    ~recorder()
    {
        if (exec)
            OK(cudaGraphExecDestroy(exec));
        if (graph)
            OK(cudaGraphDestroy(graph));
        OK(cudaStreamDestroy(s));
    }
    void begin()
    {
        OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    }
    void end()
    {
        OK(cudaStreamEndCapture(s, &graph));
        OK(cudaGraphInstantiate(&exec, graph, 0));
    }
    void launch()
    {
        OK(cudaGraphLaunch(exec, s));
        OK(cudaStreamSynchronize(s));
    }
    // How many nodes the graph has of this type, and of others.
    void expect(unsigned type, size_t count, size_t others)
    {
        cudaGraphNode_t node[16];
        size_t n = 16, found = 0;
        OK(cudaGraphGetNodes(graph, node, &n));
        for (size_t i = 0; i < n; i++) {
            cudaGraphNodeType is;
            OK(cudaGraphNodeGetType(node[i], &is));
            found += (unsigned)is == type;
        }
        CHECK(found == count && n == count + others);
    }
};

static cublasHandle_t blas_on(cudaStream_t s)
{
    cublasHandle_t h;
    FINE(cublasCreate(&h));
    FINE(cublasSetStream(h, s));
    return h;
}

// The identity times i + 1, in columns.
static void diagonal(array<float> &m)
{
    for (int i = 0; i < N; i++)
        m.h[i * N + i] = (float)(i + 1);
    m.put();
}

static bool is_diagonal(array<float> &m, float factor)
{
    m.get();
    for (int i = 0; i < N * N; i++)
        if (m.h[i] != (i % (N + 1) == 0 ? factor * (float)(i / N + 1) : 0))
            return false;
    return true;
}

PROBE(a_product_waits_for_its_launch)
{
    array<float> a(N * N), b(N * N), c(N * N);
    recorder r;
    cublasHandle_t h = blas_on(r.s);
    float alpha = 2, beta = 1;
    diagonal(a);
    for (int i = 0; i < N; i++)
        b.h[i * N + i] = 1;
    b.put();
    r.begin();
    FINE(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &alpha, a.d, N, b.d,
                     N, &beta, c.d, N));
    alpha = beta = 100; // the graph has what they were
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 1, 0);
    CHECK(is_diagonal(c, 0));
    r.launch();
    CHECK(is_diagonal(c, 2));
    r.launch();
    CHECK(is_diagonal(c, 4));
    FINE(cublasDestroy(h));
    r.launch(); // the handle isn't needed any more
    CHECK(is_diagonal(c, 6));
}

PROBE(scalars_of_the_device_are_read_at_each_launch)
{
    array<float> x(N), y(N), alpha(1), sum(1);
    recorder r;
    cublasHandle_t h = blas_on(r.s);
    FINE(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    for (int i = 0; i < N; i++)
        x.h[i] = (float)i;
    x.put();
    r.begin();
    FINE(cublasSaxpy(h, N, alpha.d, x.d, 1, y.d, 1));
    FINE(cublasSdot(h, N, x.d, 1, y.d, 1, sum.d));
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 2, 0);
    for (int k = 1; k <= 2; k++) {
        alpha.h[0] = (float)k;
        alpha.put();
        r.launch();
        CHECK(sum.get()[0] == (k == 1 ? 140 : 420)); // 1 + 2 times 140
    }
    FINE(cublasDestroy(h));
}

PROBE(a_product_follows_kernels_and_other_streams)
{
    array<float> x(N), y(N);
    recorder r;
    cudaStream_t other;
    cudaEvent_t fork, join;
    const float one = 1;
    OK(cudaStreamCreate(&other));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    cublasHandle_t h = blas_on(other);
    r.begin();
    add_one<<<1, N, 0, r.s>>>(x.d);
    OK(cudaEventRecord(fork, r.s));
    OK(cudaStreamWaitEvent(other, fork, 0));
    FINE(cublasSaxpy(h, N, &one, x.d, 1, y.d, 1));
    OK(cudaEventRecord(join, other));
    OK(cudaStreamWaitEvent(r.s, join, 0));
    add_one<<<1, N, 0, r.s>>>(x.d);
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 3, 0);
    r.launch();
    r.launch();
    CHECK(x.get()[N - 1] == 4 && y.get()[N - 1] == 1 + 3);
    FINE(cublasDestroy(h));
    OK(cudaStreamDestroy(other));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
}

PROBE(products_by_pointers_and_factors)
{
    array<float> a(N * N), b(N * N), c(N * N);
    array<float *> pa(1), pb(1), pc(1);
    array<int> pivots(N), info(1);
    recorder r;
    cublasHandle_t h = blas_on(r.s);
    const float one = 1, zero = 0;
    diagonal(a);
    pa.h[0] = a.d, pb.h[0] = b.d, pc.h[0] = c.d;
    pa.put(), pb.put(), pc.put();
    r.begin();
    FINE(cublasSgetrfBatched(h, N, pa.d, N, pivots.d, info.d, 1));
    FINE(cublasSgetriBatched(h, N, pa.d, N, pivots.d, pb.d, N, info.d, 1));
    FINE(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, pa.d, N,
                            pb.d, N, &zero, pc.d, N, 1));
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 3, 0);
    for (int k = 0; k < 2; k++) {
        OK(cudaMemset(c.d, 0, N * N * sizeof(float)));
        r.launch();
        c.get();
        for (int i = 0; i < N * N; i++)
            CHECK(c.h[i] == (i % (N + 1) == 0));
    }
    FINE(cublasDestroy(h));
}

PROBE(a_new_capture_updates_the_graph)
{
    array<float> x(N), y(N), z(N);
    recorder r;
    cudaGraph_t changed;
    cudaGraphExecUpdateResultInfo info;
    const float one = 1;
    cublasHandle_t h = blas_on(r.s);
    for (int i = 0; i < N; i++)
        x.h[i] = 1;
    x.put();
    r.begin();
    FINE(cublasSaxpy(h, N, &one, x.d, 1, y.d, 1));
    r.end();
    r.launch();
    r.begin();
    FINE(cublasSaxpy(h, N, &one, x.d, 1, z.d, 1));
    OK(cudaStreamEndCapture(r.s, &changed));
    OK(cudaGraphExecUpdate(r.exec, changed, &info));
    OK(cudaGraphDestroy(changed));
    r.launch();
    r.launch();
    CHECK(y.get()[0] == 1 && z.get()[0] == 2);
    FINE(cublasDestroy(h));
}

// cuBLAS would have to wait for the result.
PROBE(a_result_in_host_memory_ends_the_capture)
{
    array<float> x(N);
    recorder r;
    float sum = 7;
    cudaGraph_t g = NULL;
    cublasHandle_t h = blas_on(r.s);
    r.begin();
    CHECK(cublasSdot(h, N, x.d, 1, x.d, 1, &sum) != CUBLAS_STATUS_SUCCESS);
    CHECK(cudaStreamEndCapture(r.s, &g) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    CHECK(sum == 7 && !g);
    FINE(cublasSdot(h, N, x.d, 1, x.d, 1, &sum));
    CHECK(sum == 0);
    FINE(cublasDestroy(h));
}

PROBE(the_legacy_stream_ends_the_capture)
{
    array<float> x(N);
    recorder r;
    const float two = 2;
    cudaGraph_t g = NULL;
    cublasHandle_t h = blas_on(0);
    r.begin();
    CHECK(cublasSscal(h, N, &two, x.d, 1) != CUBLAS_STATUS_SUCCESS);
    CHECK(cudaStreamEndCapture(r.s, &g) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    FINE(cublasDestroy(h));
}

PROBE(cublaslt_captures)
{
    array<float> a(N * N), b(N * N), c(N * N);
    recorder r;
    cublasLtHandle_t h;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t square;
    const float one = 1;
    FINE(cublasLtCreate(&h));
    FINE(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    FINE(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, N, N, N));
    diagonal(a);
    for (int i = 0; i < N; i++)
        b.h[i * N + i] = 1;
    b.put();
    r.begin();
    FINE(cublasLtMatmul(h, desc, &one, a.d, square, b.d, square, &one, c.d,
                        square, c.d, square, NULL, NULL, 0, r.s));
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 1, 0);
    r.launch();
    r.launch();
    CHECK(is_diagonal(c, 2));
    FINE(cublasLtMatrixLayoutDestroy(square));
    FINE(cublasLtMatmulDescDestroy(desc));
    FINE(cublasLtDestroy(h));
}

PROBE(transforms_capture)
{
    array<cufftComplex> x(N);
    recorder r;
    cufftHandle plan;
    FINE(cufftPlan1d(&plan, N, CUFFT_C2C, 1));
    FINE(cufftSetStream(plan, r.s));
    x.h[1] = make_float2(1, 2);
    x.put();
    r.begin();
    FINE(cufftExecC2C(plan, x.d, x.d, CUFFT_FORWARD));
    FINE(cufftExecC2C(plan, x.d, x.d, CUFFT_INVERSE));
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 2, 0);
    CHECK(x.get()[1].y == 2);
    r.launch();
    CHECK(x.get()[1].y > N * 2 - .001f && x.h[1].y < N * 2 + .001f);
    r.launch();
    CHECK(x.get()[1].y > N * N * 2 - .01f && x.h[1].y < N * N * 2 + .01f);
    FINE(cufftDestroy(plan));
}

static curandGenerator_t generator_on(cudaStream_t s)
{
    curandGenerator_t g;
    FINE(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW));
    FINE(curandSetPseudoRandomGeneratorSeed(g, 5));
    FINE(curandGenerateSeeds(g));
    FINE(curandSetStream(g, s));
    return g;
}

// Each launch draws the next numbers.
PROBE(random_numbers_capture)
{
    array<float> x(N), all(3 * N);
    recorder r;
    curandGenerator_t g = generator_on(r.s);
    for (int i = 0; i < 3; i++)
        FINE(curandGenerateUniform(g, all.d + i * N, N));
    OK(cudaStreamSynchronize(r.s));
    FINE(curandDestroyGenerator(g));
    all.get();
    g = generator_on(r.s);
    r.begin();
    FINE(curandGenerateUniform(g, x.d, N));
    r.end();
    r.expect(cudaGraphNodeTypeKernel, 1, 0);
    CHECK(x.get()[0] == 0);
    for (int i = 0; i < 3; i++) {
        r.launch();
        CHECK(memcmp(x.get(), all.h + i * N, N * sizeof(float)) == 0);
    }
    FINE(curandDestroyGenerator(g));
}

PROBE(operations_on_memory_capture)
{
    array<unsigned> word(4);
    recorder r;
    CUstreamBatchMemOpParams both[2] = {};
    const CUdeviceptr at = (CUdeviceptr)word.d;
    for (int i = 0; i < 2; i++) {
        both[i].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        both[i].writeValue.address = at + 8 + 4 * (unsigned)i;
        both[i].writeValue.value = 7 + (unsigned)i;
    }
    r.begin();
    FINE(cuStreamWaitValue32(r.s, at, 1, CU_STREAM_WAIT_VALUE_EQ));
    FINE(cuStreamWriteValue32(r.s, at + 4, 5, 0));
    FINE(cuStreamBatchMemOp(r.s, 2, both, 0));
    r.end();
    r.expect(BATCH_MEM_OP, 3, 0);
    CHECK(word.get()[1] == 0);
    for (int k = 0; k < 2; k++) {
        memset(word.h, 0, 4 * sizeof(unsigned));
        word.put();
        OK(cudaDeviceSynchronize());
        OK(cudaGraphLaunch(r.exec, r.s));
        CHECK(cudaStreamQuery(r.s) == cudaErrorNotReady); // it waits
        cudaStream_t other;
        OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        FINE(cuStreamWriteValue32(other, at, 1, 0));
        OK(cudaStreamSynchronize(r.s));
        OK(cudaStreamDestroy(other));
        word.get();
        CHECK(word.h[1] == 5 && word.h[2] == 7 && word.h[3] == 8);
    }
}
