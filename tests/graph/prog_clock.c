/* links: base
 * Every modelled time that a program can query, in full digits. Two runs must
 * print the same text: test_clock.c compares them.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

#include "base/must.h"

enum { COUNT = 1 << 18, EVENTS = 6 };

struct state {
    int rank, nranks;
    ncclComm_t comm;
    cudaStream_t compute, transfer;
    cudaEvent_t event[EVENTS];
    float *a, *b;
};

static void init(struct state *s)
{
    ncclUniqueId id;
    MPI_MUST(MPI_Comm_rank(MPI_COMM_WORLD, &s->rank));
    MPI_MUST(MPI_Comm_size(MPI_COMM_WORLD, &s->nranks));
    CUDA_MUST(cudaSetDevice(s->rank));
    if (s->rank == 0)
        NCCL_MUST(ncclGetUniqueId(&id));
    MPI_MUST(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
    NCCL_MUST(ncclCommInitRank(&s->comm, s->nranks, id, s->rank));
    CUDA_MUST(cudaStreamCreateWithFlags(&s->compute, cudaStreamNonBlocking));
    CUDA_MUST(cudaStreamCreateWithFlags(&s->transfer, cudaStreamNonBlocking));
    for (int i = 0; i < EVENTS; i++)
        CUDA_MUST(cudaEventCreate(&s->event[i]));
    CUDA_MUST(cudaMalloc((void **)&s->a, COUNT * sizeof *s->a));
    CUDA_MUST(cudaMalloc((void **)&s->b, COUNT * sizeof *s->b));
}

static void say(const struct state *s, const char *what, double value)
{
    printf("rank %d %s %a\n", s->rank, what, value);
}

static void say_elapsed(const struct state *s, const char *what, int from,
                        int to)
{
    float ms;
    CUDA_MUST(cudaEventElapsedTime(&ms, s->event[from], s->event[to]));
    say(s, what, ms);
}

/* Two streams at once, one waiting for the other, and a collective. */
static void work(struct state *s, int first, size_t count)
{
    CUDA_MUST(cudaEventRecord(s->event[first], s->compute));
    CUDA_MUST(cudaMemcpyAsync(s->b, s->a, count * sizeof *s->a,
                              cudaMemcpyDeviceToDevice, s->compute));
    CUDA_MUST(cudaEventRecord(s->event[first + 1], s->compute));
    CUDA_MUST(cudaStreamWaitEvent(s->transfer, s->event[first + 1], 0));
    NCCL_MUST(ncclAllReduce(s->a, s->b, count, ncclFloat, ncclSum, s->comm,
                            s->transfer));
    CUDA_MUST(cudaMemsetAsync(s->a, 0, count * sizeof *s->a, s->compute));
    const int to = (s->rank + 1) % s->nranks;
    const int from = (s->rank + s->nranks - 1) % s->nranks;
    NCCL_MUST(ncclGroupStart());
    NCCL_MUST(ncclSend(s->a, count, ncclFloat, to, s->comm, s->transfer));
    NCCL_MUST(ncclRecv(s->b, count, ncclFloat, from, s->comm, s->transfer));
    NCCL_MUST(ncclGroupEnd());
    CUDA_MUST(cudaEventRecord(s->event[first + 2], s->transfer));
}

/* Programs that poll for completion, as often as this machine allows. */
static void poll_for(struct state *s)
{
    work(s, 0, COUNT);
    while (cudaEventQuery(s->event[1]) == cudaErrorNotReady)
        ;
    say(s, "polled-event", MPI_Wtime());
    while (cudaStreamQuery(s->transfer) == cudaErrorNotReady)
        ;
    say(s, "polled-stream", MPI_Wtime());
    CUDA_MUST(cudaDeviceSynchronize());
}

/* More streams than a join could once hold, each with something to do. */
static void use_many_streams(const struct state *s)
{
    enum { ROUNDS = 12, STREAMS = 100 };
    for (int round = 0; round < ROUNDS; round++) {
        cudaStream_t stream[STREAMS];
        for (int i = 0; i < STREAMS; i++) {
            CUDA_MUST(cudaStreamCreate(&stream[i]));
            CUDA_MUST(cudaMemsetAsync(s->a + i, 0, 4, stream[i]));
        }
        CUDA_MUST(cudaDeviceSynchronize());
        for (int i = 0; i < STREAMS; i++)
            CUDA_MUST(cudaStreamDestroy(stream[i]));
    }
    say(s, "streams", MPI_Wtime());
}

/* Host time of a group of n collectives. */
static void time_group(const struct state *s, const char *what, int n)
{
    const double begin = MPI_Wtime();
    NCCL_MUST(ncclGroupStart());
    for (int i = 0; i < n; i++)
        NCCL_MUST(ncclAllReduce(s->a, s->a, COUNT, ncclFloat, ncclSum, s->comm,
                                s->transfer));
    NCCL_MUST(ncclGroupEnd());
    say(s, what, MPI_Wtime() - begin);
    CUDA_MUST(cudaStreamSynchronize(s->transfer));
}

int main(int argc, char **argv)
{
    struct state s;
    MPI_MUST(MPI_Init(&argc, &argv));
    init(&s);
    say(&s, "begin", MPI_Wtime());
    for (int i = 0; i < 4; i++) { // queried at once, without a wait
        work(&s, 0, COUNT >> i);
        say(&s, "under-way", MPI_Wtime());
        CUDA_MUST(cudaEventSynchronize(s.event[2]));
        say_elapsed(&s, "copy", 0, 1);
        say_elapsed(&s, "all", 0, 2);
        say(&s, "joined", MPI_Wtime());
    }
    // Queried only after a barrier, about both sides of it.
    work(&s, 0, COUNT);
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(MPI_COMM_WORLD));
    work(&s, 3, COUNT);
    CUDA_MUST(cudaDeviceSynchronize());
    say_elapsed(&s, "before", 0, 2);
    say_elapsed(&s, "across", 2, 3);
    say_elapsed(&s, "after", 3, 5);
    say_elapsed(&s, "backwards", 5, 0);
    // A message that overtakes nothing.
    int token = s.rank;
    if (s.rank == 0 && s.nranks > 1)
        MPI_MUST(MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    else if (s.rank == 1)
        MPI_MUST(MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    say(&s, "message", MPI_Wtime());
    // Polling the clock makes progress, and time never runs backwards.
    double now = MPI_Wtime();
    const double until = now + 1e-4;
    while (now < until) {
        const double next = MPI_Wtime();
        if (next < now)
            printf("rank %d: the clock went back\n", s.rank);
        now = next;
    }
    say(&s, "waited", now);
    poll_for(&s);
    time_group(&s, "group-of-1", 1);
    time_group(&s, "group-of-5", 5);
    if (s.rank == 0)
        use_many_streams(&s);
    say(&s, "end", MPI_Wtime());
    MPI_MUST(MPI_Finalize());
    return 0;
}
