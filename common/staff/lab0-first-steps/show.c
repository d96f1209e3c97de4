/*
 * show.c: runs to look at. Given: nothing to edit here.
 *
 *   --show collectives   values before and after each of NCCL's collectives
 *   --show hang          two ranks that wait for each other's messages
 *   --show race          two streams that use a buffer without an event
 *   --show timeline      copies, kernels and a collective, partly overlapping
 */
#include "show.h"

#include <nvtx3/nvToolsExt.h> /* nvtxRangePushA */

#include <stdio.h>  /* printf */
#include <stdlib.h> /* malloc */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "lab0.h"

/* ---- collectives --------------------------------------------------------- */

enum { MOST = 64 }; /* floats of a rank, before or after */

/* Print n floats of device memory of every rank: on rank 0, a line each. */
static void print_all(struct lab_run *r, const float *mine, int n)
{
    float host[MOST] = {0};
    float *const all = malloc((size_t)r->nranks * sizeof host);
    CUDA_MUST(cudaMemcpyAsync(host, mine, (size_t)n * sizeof *mine,
                              cudaMemcpyDeviceToHost, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    MPI_MUST(MPI_Gather(host, MOST, MPI_FLOAT, all, MOST, MPI_FLOAT, 0,
                        r->mpi_comm));
    for (int k = 0; r->rank == 0 && k < r->nranks; k++) {
        printf("    rank %d ", k);
        for (int i = 0; i < n; i++)
            printf(" %4g", all[k * MOST + i]);
        printf("\n");
    }
    free(all);
}

static void say(const struct lab_run *r, const char *text)
{
    if (r->rank == 0)
        printf("%s\n", text);
}

/* Rank 2 of 4 begins with 21 22 23 24. */
static int show_collectives(struct lab_run *r)
{
    const int n = r->nranks;
    float host[MOST];
    if (n * n > MOST) {
        say(r, "--show collectives: at most 8 ranks, or the lines get too "
               "long: mpirun -n 4 build/lab0 --show collectives");
        return 2;
    }
    for (int i = 0; i < n; i++)
        host[i] = (float)(10 * r->rank + i + 1);
    const size_t count = (size_t)n;
    const float *const in = lab_upload(r, host, count * sizeof *host);
    float *const out = lab_buffer(r, MOST * sizeof *out);
    say(r, "before");
    print_all(r, in, n);
    NCCL_MUST(
        ncclBroadcast(in, out, count, ncclFloat, 1 % n, r->comm, r->stream));
    say(r, "ncclBroadcast(count n, root 1)");
    print_all(r, out, n);
    NCCL_MUST(ncclAllGather(in, out, count, ncclFloat, r->comm, r->stream));
    say(r, "ncclAllGather(sendcount n)");
    print_all(r, out, n * n);
    NCCL_MUST(
        ncclReduceScatter(in, out, 1, ncclFloat, ncclSum, r->comm, r->stream));
    say(r, "ncclReduceScatter(recvcount 1, sum)");
    print_all(r, out, 1);
    NCCL_MUST(
        ncclAllReduce(in, out, count, ncclFloat, ncclSum, r->comm, r->stream));
    say(r, "ncclAllReduce(count n, sum)");
    print_all(r, out, n);
    return 0;
}

/* ---- a hang -------------------------------------------------------------- */

/* Every rank sends to the right before it receives from the left. */
static int show_hang(struct lab_run *r)
{
    enum { COUNT = 1000000 };
    const int right = (r->rank + 1) % r->nranks;
    const int left = (r->rank + r->nranks - 1) % r->nranks;
    int *const out = calloc(COUNT, sizeof *out);
    int *const in = calloc(COUNT, sizeof *in);
    MPI_MUST(MPI_Send(out, COUNT, MPI_INT, right, 0, r->mpi_comm));
    MPI_MUST(
        MPI_Recv(in, COUNT, MPI_INT, left, 0, r->mpi_comm, MPI_STATUS_IGNORE));
    free(out);
    free(in);
    return 0;
}

/* ---- a race -------------------------------------------------------------- */

/* No event orders the second stream after the first. */
static int show_race(struct lab_run *r)
{
    enum { COUNT = 4096 };
    cudaStream_t one, two;
    CUDA_MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CUDA_MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    float *const x = lab_buffer(r, COUNT * sizeof *x);
    CUDA_MUST(cudaMemset(x, 0, COUNT * sizeof *x));
    CUDA_MUST(cudaDeviceSynchronize());
    NCCL_MUST(given_double(x, COUNT, one));
    NCCL_MUST(given_increment(x + COUNT / 2, COUNT / 2, two));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaStreamDestroy(one));
    CUDA_MUST(cudaStreamDestroy(two));
    return 0;
}

/* ---- a timeline ---------------------------------------------------------- */

/*
 * Two pieces: each is copied up and doubled. A second stream waits for that by
 * an event, sums the piece over all ranks and copies the sum down.
 *
 *     work   up 0, double 0   up 1, double 1
 *     comm                    all-reduce 0, down 0   all-reduce 1, down 1
 */
static int show_timeline(struct lab_run *r)
{
    enum { PIECES = 2, COUNT = 4 << 20 };
    const size_t nbytes = COUNT * sizeof(float);
    cudaStream_t work, comm;
    cudaEvent_t doubled;
    float *host, *const x = lab_buffer(r, PIECES * nbytes);
    CUDA_MUST(cudaMallocHost((void **)&host, PIECES * nbytes));
    memset(host, 0, PIECES * nbytes);
    CUDA_MUST(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CUDA_MUST(cudaStreamCreateWithFlags(&comm, cudaStreamNonBlocking));
    CUDA_MUST(cudaEventCreateWithFlags(&doubled, cudaEventDisableTiming));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    nvtxRangePushA("two pieces");
    for (size_t i = 0; i < PIECES; i++) {
        float *const d = x + i * COUNT, *const h = host + i * COUNT;
        CUDA_MUST(cudaMemcpyAsync(d, h, nbytes, cudaMemcpyHostToDevice, work));
        NCCL_MUST(given_double(d, COUNT, work));
        CUDA_MUST(cudaEventRecord(doubled, work));
        CUDA_MUST(cudaStreamWaitEvent(comm, doubled, 0));
        NCCL_MUST(
            ncclAllReduce(d, d, COUNT, ncclFloat, ncclSum, r->comm, comm));
        CUDA_MUST(cudaMemcpyAsync(h, d, nbytes, cudaMemcpyDeviceToHost, comm));
    }
    CUDA_MUST(cudaDeviceSynchronize());
    nvtxRangePop();
    CUDA_MUST(cudaEventDestroy(doubled));
    CUDA_MUST(cudaStreamDestroy(work));
    CUDA_MUST(cudaStreamDestroy(comm));
    CUDA_MUST(cudaFreeHost(host));
    return 0;
}

int show_run(struct lab_run *r, int argc, char **argv)
{
    static const struct {
        const char *what;
        int (*run)(struct lab_run *r);
    } runs[] = {{"collectives", show_collectives},
                {"hang", show_hang},
                {"race", show_race},
                {"timeline", show_timeline}};
    for (size_t i = 0; argc == 2 && i < sizeof runs / sizeof *runs; i++)
        if (strcmp(argv[1], runs[i].what) == 0)
            return runs[i].run(r);
    say(r, "lab0: --show collectives, --show hang, --show race or --show "
           "timeline");
    return 2;
}
