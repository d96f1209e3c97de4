/*
 * The modelled time of work of any size whose data is never read, in full
 * digits: the same with and without SIMGPU_DATALESS.
 *
 *   prog_dataless BYTES [read | undeclared | mixed | received | written |
 *                        race | captured]
 *
 * The last argument selects what a run without data must refuse; or, for
 * `written`, a collective that reads memory written only by a kernel; or two
 * kernels of two streams that write the same memory, launched, or from a graph.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MUST(call)                                                             \
    do {                                                                       \
        if ((call) != 0) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                      \
        }                                                                      \
    } while (0)

__global__ void scale(float *x, size_t n, float by)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        x[i] *= by;
}

__global__ void fill(float *x, size_t n)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = 1;
}

__global__ void add(float *sum, const float *x)
{
    *sum += *x;
}

struct state {
    int rank, nranks;
    size_t nbytes;
    ncclComm_t comm;
    cudaStream_t stream, other;
    cudaEvent_t begin, end;
    float *a, *b, *host;
};

static void init(struct state *s)
{
    ncclUniqueId id;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->nranks);
    MUST(cudaSetDevice(s->rank));
    if (s->rank == 0)
        MUST(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    MUST(ncclCommInitRank(&s->comm, s->nranks, id, s->rank));
    MUST(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&s->other, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&s->begin));
    MUST(cudaEventCreate(&s->end));
    MUST(cudaMalloc(&s->a, s->nbytes));
    MUST(cudaMalloc(&s->b, s->nbytes));
    MUST(cudaMallocHost(&s->host, s->nbytes));
}

static void say(const struct state *s, const char *what)
{
    float ms;
    MUST(cudaEventRecord(s->end, s->stream));
    MUST(cudaEventSynchronize(s->end));
    MUST(cudaEventElapsedTime(&ms, s->begin, s->end));
    printf("rank %d %s %a ms, now %a\n", s->rank, what, ms, MPI_Wtime());
    MUST(cudaEventRecord(s->begin, s->stream));
}

static void copies(const struct state *s)
{
    MUST(cudaMemcpyAsync(s->a, s->host, s->nbytes, cudaMemcpyHostToDevice,
                         s->stream));
    say(s, "from host");
    MUST(cudaMemsetAsync(s->b, 0, s->nbytes, s->stream));
    say(s, "memset");
    MUST(cudaMemcpyAsync(s->b, s->a, s->nbytes, cudaMemcpyDeviceToDevice,
                         s->stream));
    MUST(cudaMemcpyAsync(s->a, s->host, s->nbytes / 2, cudaMemcpyHostToDevice,
                         s->other));
    say(s, "two streams");
    MUST(cudaStreamSynchronize(s->other));
}

static void kernels(const struct state *s)
{
    const size_t n = s->nbytes / sizeof(float) / 64;
    nvtxRangePushA("cost: 3e9 flops, 4e8 bytes");
    nvtxRangePushA("scaling");
    scale<<<1, 32, 0, s->stream>>>(s->a, n, 2.f);
    nvtxRangePop();
    nvtxRangePop();
    say(s, "kernel");
}

static void collectives(const struct state *s)
{
    const size_t n = s->nbytes / sizeof(float), block = n / s->nranks;
    const int to = (s->rank + 1) % s->nranks;
    const int from = (s->rank + s->nranks - 1) % s->nranks;
    MUST(ncclAllReduce(s->a, s->b, n, ncclFloat, ncclSum, s->comm, s->stream));
    say(s, "all-reduce");
    MUST(ncclAllGather(s->a, s->b, block, ncclFloat, s->comm, s->stream));
    say(s, "all-gather");
    MUST(ncclReduceScatter(s->a, s->b, block, ncclFloat, ncclSum, s->comm,
                           s->stream));
    say(s, "reduce-scatter");
    MUST(ncclBroadcast(s->a, s->b, n, ncclFloat, 0, s->comm, s->stream));
    say(s, "broadcast");
    MUST(ncclAllReduce(s->host, s->b, n / 2, ncclFloat, ncclSum, s->comm,
                       s->stream));
    say(s, "all-reduce of pinned memory");
    MUST(ncclGroupStart());
    MUST(ncclSend(s->a, n, ncclFloat, to, s->comm, s->stream));
    MUST(ncclRecv(s->b, n, ncclFloat, from, s->comm, s->stream));
    MUST(ncclGroupEnd());
    say(s, "ring");
}

/* Operations that need values, which a run without data lacks. */
static void refuse(const struct state *s, const char *what)
{
    float *small;
    MUST(cudaMalloc(&small, sizeof *small));
    if (strcmp(what, "read") == 0)
        MUST(cudaMemcpy(s->host, s->a, 64, cudaMemcpyDeviceToHost));
    else if (strcmp(what, "mixed") == 0)
        MUST(cudaMemcpy(small, s->a, 4, cudaMemcpyDeviceToDevice));
    else if (strcmp(what, "undeclared") == 0)
        add<<<1, 1>>>(small, s->a);
    else if (strcmp(what, "received") == 0)
        MUST(ncclAllReduce(s->a, small, 1, ncclFloat, ncclSum, s->comm, 0));
    MUST(cudaDeviceSynchronize());
    printf("nothing was refused\n");
}

/* Send memory that only a kernel has written: a correct program. */
static void written(const struct state *s)
{
    float *x;
    const size_t n = s->nbytes / sizeof *x;
    MUST(cudaMalloc(&x, s->nbytes));
    nvtxRangePushA("cost: 0 flops, 1e6 bytes");
    fill<<<1, 32, 0, s->stream>>>(x, n);
    nvtxRangePop();
    MUST(ncclBroadcast(x, x, n, ncclFloat, 0, s->comm, s->stream));
    MUST(cudaStreamSynchronize(s->stream));
    MUST(cudaFree(x));
}

static void declare_and_fill(const struct state *s, cudaStream_t stream)
{
    char text[80];
    nvtxRangePushA("cost: 0 flops, 1e6 bytes");
    snprintf(text, sizeof text, "cost: writes %p + %zu", (void *)s->a,
             s->nbytes);
    nvtxMarkA(text);
    fill<<<1, 32, 0, stream>>>(s->a, s->nbytes / sizeof(float));
    nvtxRangePop();
}

/* Fill the same memory on two streams: a race. */
static void race(const struct state *s, int captured)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaDeviceSynchronize());
    declare_and_fill(s, s->other);
    if (captured)
        MUST(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeGlobal));
    declare_and_fill(s, s->stream);
    if (captured) {
        MUST(cudaStreamEndCapture(s->stream, &graph));
        MUST(cudaGraphInstantiate(&exec, graph, 0));
        MUST(cudaGraphLaunch(exec, s->stream));
    }
    MUST(cudaDeviceSynchronize());
}

/* Milliseconds of the same number of flops, in the precision `what`. */
static void declared(const struct state *s, const char *what)
{
    float ms;
    cudaEvent_t end;
    char cost[64];
    snprintf(cost, sizeof cost, "cost: 1e12%s flops, 0 bytes", what);
    MUST(cudaEventCreate(&end));
    MUST(cudaStreamSynchronize(s->stream));
    MUST(cudaEventRecord(s->begin, s->stream));
    nvtxRangePushA(cost);
    scale<<<1, 32, 0, s->stream>>>(s->a, 1, 2.f);
    nvtxRangePop();
    MUST(cudaEventRecord(end, s->stream));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, s->begin, end));
    printf("declared%s: %.6f ms\n", what, ms);
}

int main(int argc, char **argv)
{
    struct state s = {};
    MPI_Init(&argc, &argv);
    s.nbytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 1 << 20;
    init(&s);
    MUST(cudaEventRecord(s.begin, s.stream));
    copies(&s);
    kernels(&s);
    collectives(&s);
    if (argc > 2 && strcmp(argv[2], "written") == 0)
        written(&s);
    else if (argc > 2 && strcmp(argv[2], "declared") == 0)
        for (int i = 3; i < argc; i++)
            declared(&s, argv[i]);
    else if (argc > 2 && strcmp(argv[2], "race") == 0)
        race(&s, 0);
    else if (argc > 2 && strcmp(argv[2], "captured") == 0)
        race(&s, 1);
    else if (argc > 2)
        refuse(&s, argv[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d end, now %a\n", s.rank, MPI_Wtime());
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "peak %ld KiB\n", usage.ru_maxrss);
    MPI_Finalize();
    return 0;
}
