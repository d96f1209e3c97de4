// NCCL and MPI with streams, on two or more ranks. Rank 0 has the bug, or all
// ranks do.
#include <cuda_runtime.h>

#include <stdlib.h>

#include "case.h"
#include "kernels.cuh"
#include "ranks.cuh"

static cudaStream_t compute, transfer; // non-blocking
static cudaEvent_t e;
static float *a, *b, *h; // a and b: nranks * N elements, on the device

static float *array(void)
{
    float *d;
    cudaMalloc(&d, BYTES * nranks);
    cudaMemset(d, 0, BYTES * nranks);
    cudaDeviceSynchronize();
    return d;
}

static void setup(int *argc, char ***argv)
{
    join(argc, argv);
    cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&transfer, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    a = array();
    b = array();
    cudaMallocHost(&h, BYTES);
    memset(h, 0, BYTES);
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommDestroy(comm);
    cudaFree(a);
    cudaFree(b);
    cudaFreeHost(h);
    MPI_Finalize();
}

// ---- NCCL and kernels -------------------------------------------------------

static void reduced_before_it_is_there(int fixed)
{
    FIRST FILL(a, compute);
    cudaEventRecord(e, compute);
    if (fixed)
        cudaStreamWaitEvent(transfer, e, 0);
    SECOND ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
}

static void used_before_it_is_reduced(int fixed)
{
    FIRST ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
    cudaEventRecord(e, transfer);
    if (fixed)
        cudaStreamWaitEvent(compute, e, 0);
    SECOND SCALE(a + N, b, compute);
}

static void bucket_reused(int fixed)
{
    FIRST ncclAllReduce(a, a, N, ncclFloat, ncclSum, comm, transfer);
    cudaEventRecord(e, transfer);
    if (fixed)
        cudaStreamWaitEvent(compute, e, 0);
    SECOND FILL(a, compute); // the next step's gradient
}

static void event_inside_a_group(int fixed)
{
    // Nothing is enqueued before the outermost ncclGroupEnd.
    ncclGroupStart();
    if (fixed)
        ncclGroupStart(), ncclGroupEnd();
    FIRST ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
    if (!fixed)
        cudaEventRecord(e, transfer);
    ncclGroupEnd();
    if (fixed)
        cudaEventRecord(e, transfer);
    cudaStreamWaitEvent(compute, e, 0);
    SECOND SCALE(a + N, b, compute);
}

static void inner_group_end(int fixed)
{
    ncclGroupStart();
    ncclGroupStart();
    SECOND ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
    ncclGroupEnd(); // of the inner one, which enqueues nothing
    if (fixed)
        ncclGroupEnd();
    cudaEventRecord(e, transfer);
    cudaStreamWaitEvent(compute, e, 0);
    FIRST cudaMemcpyAsync(h, b, BYTES, cudaMemcpyDeviceToHost, compute);
    if (!fixed)
        ncclGroupEnd();
}

static void two_calls_of_a_group(int fixed)
{
    ncclGroupStart();
    FIRST ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
    if (fixed)
        ncclGroupEnd(), ncclGroupStart();
    SECOND ncclAllReduce(b, a, N, ncclFloat, ncclSum, comm, transfer);
    ncclGroupEnd();
}

static void ring_step_in_one_buffer(int fixed)
{
    ncclGroupStart();
    FIRST ncclSend(a, N, ncclFloat, next, comm, transfer);
    SECOND ncclRecv(fixed ? b : a, N, ncclFloat, before, comm, transfer);
    ncclGroupEnd();
}

static void receives_overlap(int fixed)
{
    const int shift = fixed ? N : N - 1;
    ncclGroupStart();
    for (int i = 0; i < 2; i++)
        ncclSend(b, N, ncclFloat, next, comm, transfer);
    FIRST ncclRecv(a, N, ncclFloat, before, comm, transfer);
    SECOND ncclRecv(a + shift, N, ncclFloat, before, comm, transfer);
    ncclGroupEnd();
}

static void group_on_two_streams(int fixed)
{
    // A group joins its streams; two groups don't.
    ncclGroupStart();
    FIRST ncclAllReduce(a, b, N, ncclFloat, ncclSum, comm, transfer);
    if (!fixed)
        ncclGroupEnd(), ncclGroupStart();
    ncclAllReduce(a + N, a + N, N, ncclFloat, ncclSum, comm, compute);
    ncclGroupEnd();
    SECOND FILL(b, compute);
}

static void gathered_nearly_in_place(int fixed)
{
    const float *const mine = a + (fixed ? rank : 0) * N;
    FIRST ncclAllGather(rank ? a + rank * N : (fixed ? mine : a + 4), a, N,
                        ncclFloat, comm, transfer);
}

static void reduced_nearly_in_place(int fixed)
{
    FIRST ncclAllReduce(a, fixed ? a : a + 1, N, ncclFloat, ncclSum, comm,
                        transfer);
}

// ---- what a collective orders -----------------------------------------------

// Rank 0 sees rank 1's memory.
static float *memory_of_rank_1(void)
{
    cudaIpcMemHandle_t handle;
    void *there = NULL;
    if (rank == 1)
        cudaIpcGetMemHandle(&handle, a);
    MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (rank == 0)
        cudaIpcOpenMemHandle(&there, handle, cudaIpcMemLazyEnablePeerAccess);
    return (float *)there;
}

// Rank 1 reads its memory; after a collective of both, rank 0 writes it.
static void read_meet_write(void (*meet)(void))
{
    float *const there = memory_of_rank_1();
    if (rank == 1) {
        SECOND SCALE(b, a, transfer);
    }
    meet();
    if (rank == 0) {
        FIRST FILL(there, transfer);
        cudaStreamSynchronize(transfer);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        cudaIpcCloseMemHandle(there);
}

static void meet_all(void)
{
    ncclAllReduce(b + N, b + N, N, ncclFloat, ncclSum, comm, transfer);
}

static void meet_from_0(void)
{
    ncclBroadcast(b + N, b + N, N, ncclFloat, 0, comm, transfer);
}

static void meet_from_1(void)
{
    ncclBroadcast(b + N, b + N, N, ncclFloat, 1, comm, transfer);
}

static void meet_at_0(void)
{
    ncclReduce(b + N, b + N, N, ncclFloat, ncclSum, 0, comm, transfer);
}

static void meet_at_1(void)
{
    ncclReduce(b + N, b + N, N, ncclFloat, ncclSum, 1, comm, transfer);
}

static void message(int from)
{
    if (rank == from)
        ncclSend(b + N, N, ncclFloat, 1 - from, comm, transfer);
    if (rank == 1 - from)
        ncclRecv(b + N, N, ncclFloat, from, comm, transfer);
}

static void message_from_0(void)
{
    message(0);
}

static void message_from_1(void)
{
    message(1);
}

static void nothing(void) {}

static void broadcast_is_no_barrier(int fixed)
{
    read_meet_write(fixed ? meet_from_1 : meet_from_0);
}

static void reduce_is_no_barrier(int fixed)
{
    read_meet_write(fixed ? meet_at_0 : meet_at_1);
}

static void message_is_no_barrier(int fixed)
{
    read_meet_write(fixed ? message_from_1 : message_from_0);
}

static void no_meeting_at_all(int fixed)
{
    read_meet_write(fixed ? meet_all : nothing);
}

// ---- flags between kernels --------------------------------------------------

// Rank 1 sets a flag in its memory when x is filled; rank 0 waits for it.
__global__ void fill_and_say(float *x, unsigned *flag, int fenced)
{
    for (int i = 0; i < N; i++)
        x[i] = 1;
    if (fenced)
        __threadfence_system();
    *(volatile unsigned *)flag = 1;
}

__global__ void wait_and_scale(float *y, const float *x, unsigned *flag,
                               int waits, int fenced)
{
    volatile unsigned *const f = flag;
    while (waits && *f == 0)
        ;
    if (fenced)
        __threadfence_system();
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i];
}

// A flag is claimed by a read and then a write, or by an atomic. A counter of
// both orders nothing.
__global__ void claim(unsigned *word, unsigned *count, int atomically)
{
    if (atomically)
        atomicCAS_system(word, 0u, 1u);
    else if (*word == 0)
        *word = 1;
    atomicAdd_system(count, 1u);
}

static void claimed_by_looking(int fixed)
{
    unsigned *const there = (unsigned *)memory_of_rank_1();
    if (rank == 0) {
        FIRST claim<<<1, 1, 0, compute>>>(there, there + 1, fixed);
        cudaStreamSynchronize(compute);
    } else if (rank == 1) {
        SECOND claim<<<1, 1, 0, compute>>>((unsigned *)a, (unsigned *)a + 1,
                                           fixed);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        cudaIpcCloseMemHandle(there);
}

static void flag_of_rank_1(int release, int waits, int acquire)
{
    float *const there = memory_of_rank_1();
    if (rank == 1) {
        SECOND fill_and_say<<<1, 1, 0, compute>>>(a, (unsigned *)(a + N),
                                                  release);
    } else if (rank == 0) {
        FIRST wait_and_scale<<<1, 1, 0, compute>>>(
            b, there, (unsigned *)(there + N), waits, acquire);
        cudaStreamSynchronize(compute);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        cudaIpcCloseMemHandle(there);
}

static void flag_without_a_fence_before(int fixed)
{
    flag_of_rank_1(fixed, 1, 1);
}

static void flag_without_a_fence_behind(int fixed)
{
    flag_of_rank_1(1, 1, fixed);
}

static void flag_that_nobody_waits_for(int fixed)
{
    flag_of_rank_1(1, fixed, 1);
}

// ---- MPI --------------------------------------------------------------------

static void sent_before_it_is_copied(int fixed)
{
    FIRST cudaMemcpyAsync(h, a, BYTES, cudaMemcpyDeviceToHost, transfer);
    if (fixed)
        cudaStreamSynchronize(transfer);
    if (rank == 0) {
        SECOND MPI_Send(h, N, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        float *const in = (float *)malloc(BYTES);
        MPI_Recv(in, N, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void received_while_it_is_copied(int fixed)
{
    FIRST cudaMemcpyAsync(a, h, BYTES, cudaMemcpyHostToDevice, transfer);
    if (fixed)
        cudaStreamSynchronize(transfer);
    SECOND MPI_Bcast(h, N, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void device_buffer_given_to_mpi(int fixed)
{
    FIRST FILL(a, compute);
    if (fixed)
        cudaStreamSynchronize(compute);
    SECOND MPI_Allreduce(a, b, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier_without_synchronisation(int fixed)
{
    float *const there = memory_of_rank_1();
    if (rank == 1) {
        SECOND FILL(a, compute);
        if (fixed)
            cudaStreamSynchronize(compute);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        FIRST SCALE(b, there, compute);
        cudaStreamSynchronize(compute);
        cudaIpcCloseMemHandle(there);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void event_of_another_process(int fixed)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t shared;
    const unsigned flags = cudaEventDisableTiming | cudaEventInterprocess;
    float *const there = memory_of_rank_1();
    if (rank == 1) {
        cudaEventCreateWithFlags(&shared, flags);
        cudaIpcGetEventHandle(&handle, shared);
        SECOND FILL(a, compute);
        cudaEventRecord(shared, compute);
    }
    MPI_Bcast(&handle, sizeof handle, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (rank == 0) {
        cudaIpcOpenEventHandle(&shared, handle);
        if (fixed)
            cudaStreamWaitEvent(compute, shared, 0);
        FIRST SCALE(b, there, compute);
        cudaStreamSynchronize(compute);
        cudaIpcCloseMemHandle(there);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void freed_while_open(int fixed)
{
    float *const kept = a;
    float *const there = memory_of_rank_1();
    if (rank == 0 && fixed) {
        FIRST cudaIpcCloseMemHandle(there);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        SECOND cudaFree(kept);
        a = NULL;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && !fixed) {
        FIRST cudaIpcCloseMemHandle(there);
    }
}

// ---- one-sided messages, which older headers lack ---------------------------

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
static ncclWindow_t from_window, to_window;
static float *from, *to; // N floats each, in windows of all ranks

static void windows(void)
{
    ncclMemAlloc((void **)&from, BYTES);
    ncclMemAlloc((void **)&to, BYTES);
    cudaMemset(from, 0, BYTES);
    cudaMemset(to, 0, BYTES);
    cudaDeviceSynchronize();
    ncclCommWindowRegister(comm, from, BYTES, &from_window,
                           NCCL_WIN_COLL_SYMMETRIC);
    ncclCommWindowRegister(comm, to, BYTES, &to_window,
                           NCCL_WIN_COLL_SYMMETRIC);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void close_windows(void)
{
    cudaDeviceSynchronize();
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommWindowDeregister(comm, from_window);
    ncclCommWindowDeregister(comm, to_window);
    ncclMemFree(from);
    ncclMemFree(to);
}

static void put(int count, cudaStream_t stream)
{
    ncclPutSignal(from, count, ncclFloat, next, to_window, 0, 0, 0, 0, comm,
                  stream);
}

static void await(int n, cudaStream_t stream)
{
    ncclWaitSignalDesc_t desc = {n, before, 0, 0};
    ncclWaitSignal(1, &desc, comm, stream);
}

static void read_before_its_signal(int fixed)
{
    windows();
    put(N, transfer);
    if (fixed)
        await(1, compute);
    SECOND SCALE(a, to, compute);
    if (!fixed)
        await(1, compute);
    close_windows();
}

static void waited_on_another_stream(int fixed)
{
    windows();
    put(N, transfer);
    await(1, fixed ? compute : transfer);
    SECOND SCALE(a, to, compute);
    close_windows();
}

static void second_put_not_waited_for(int fixed)
{
    windows();
    ncclSignal(next, 0, 0, 0, comm, transfer);
    put(N, transfer);
    await(fixed ? 2 : 1, compute);
    SECOND SCALE(a, to, compute);
    close_windows();
}

static void put_before_it_is_filled(int fixed)
{
    windows();
    FIRST FILL(from, compute);
    cudaEventRecord(e, compute);
    if (fixed)
        cudaStreamWaitEvent(transfer, e, 0);
    put(N, transfer);
    await(1, transfer);
    close_windows();
}

static void source_filled_again(int fixed)
{
    windows();
    put(N, transfer);
    cudaEventRecord(e, transfer);
    if (fixed)
        cudaStreamWaitEvent(compute, e, 0);
    SECOND FILL(from, compute);
    await(1, transfer);
    close_windows();
}

static void put_again_before_it_is_read(int fixed)
{
    windows();
    put(N, transfer);
    await(1, transfer);
    SECOND SCALE(a, to, transfer);
    if (fixed) { // the reader tells the writer
        ncclSignal(before, 0, 0, 0, comm, transfer);
        ncclWaitSignalDesc_t desc = {1, next, 0, 0};
        if (nranks == 2)
            await(1, transfer);
        else
            ncclWaitSignal(1, &desc, comm, transfer);
    }
    put(N, transfer);
    await(1, transfer);
    close_windows();
}

static void signal_without_its_put(int fixed)
{
    windows();
    put(fixed ? N : 0, transfer);
    if (!fixed)
        ncclPutSignal(from, N, ncclFloat, next, to_window, 0, 0, 0, 0, comm,
                      compute);
    await(1, transfer);
    SECOND SCALE(a, to, transfer);
    close_windows();
}
#endif

// ---- requests that stay open ------------------------------------------------

static void sent_and_forgotten(int fixed)
{
    MPI_Request r;
    FIRST MPI_Isend(a, N, MPI_FLOAT, next, 0, MPI_COMM_WORLD, &r);
    MPI_Recv(b, N, MPI_FLOAT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (fixed && rank == 0)
        MPI_Request_free(&r);
    else if (fixed)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

// Two receives, of which only the latest has a request.
static void request_overwritten(int fixed)
{
    MPI_Request r[2];
    FIRST MPI_Irecv(b, N, MPI_FLOAT, before, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(b + N, N, MPI_FLOAT, before, 1, MPI_COMM_WORLD, &r[fixed]);
    MPI_Send(a, N, MPI_FLOAT, next, 0, MPI_COMM_WORLD);
    MPI_Send(a, N, MPI_FLOAT, next, 1, MPI_COMM_WORLD);
    MPI_Waitall(1 + fixed, r, MPI_STATUSES_IGNORE);
}

static void sum_never_waited_for(int fixed)
{
    MPI_Request r;
    FIRST MPI_Iallreduce(MPI_IN_PLACE, h, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                         &r);
    for (int done = !fixed; !done;)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
}

static const struct hazard_case cases[] = {
    {"sent-and-forgotten", 2, "MPI_Isend~at", sent_and_forgotten},
    {"request-overwritten", 2, "MPI_Irecv~at", request_overwritten},
    {"sum-never-waited-for", 2, "MPI_Iallreduce~at", sum_never_waited_for},
    {"reduced-before-it-is-there", 2,
     "Nothing~orders~fill~before~ncclAllReduce", reduced_before_it_is_there},
    {"used-before-it-is-reduced", 2, "race", used_before_it_is_reduced},
    {"bucket-reused", 2, "race", bucket_reused},
    {"event-inside-a-group", 2, "race", event_inside_a_group},
    {"inner-group-end", 2, "race", inner_group_end},
    {"two-calls-of-a-group", 2, "Both~calls~are~in~one~group",
     two_calls_of_a_group},
    {"ring-step-in-one-buffer", 2, "Both~calls~are~in~one~group",
     ring_step_in_one_buffer},
    {"receives-overlap", 2, "bytes~3996~to~3999", receives_overlap},
    {"group-on-two-streams", 2, "race", group_on_two_streams},
    {"gathered-nearly-in-place", 2, "Its~buffers~overlap",
     gathered_nearly_in_place},
    {"reduced-nearly-in-place", 2, "Its~buffers~overlap",
     reduced_nearly_in_place},
    {"broadcast-is-no-barrier", 2, "Nothing~orders~rank~0's~fill",
     broadcast_is_no_barrier},
    {"reduce-is-no-barrier", 2, "Nothing~orders~rank~0's~fill",
     reduce_is_no_barrier},
    {"message-is-no-barrier", 2, "Nothing~orders~rank~0's~fill",
     message_is_no_barrier},
    {"no-meeting-at-all", 2, "Nothing~orders~rank~0's~fill", no_meeting_at_all},
    {"flag-without-a-fence-before", 2, "Nothing~orders~rank~0's~wait_and_scale",
     flag_without_a_fence_before},
    {"flag-without-a-fence-behind", 2, "Nothing~orders~rank~0's~wait_and_scale",
     flag_without_a_fence_behind},
    {"flag-that-nobody-waits-for", 2, "Nothing~orders~rank~0's~wait_and_scale",
     flag_that_nobody_waits_for},
    {"claimed-by-looking", 2, "Nothing~orders~rank~0's~claim",
     claimed_by_looking},
    {"sent-before-it-is-copied", 2, "before~MPI_Send",
     sent_before_it_is_copied},
    {"received-while-it-is-copied", 2, "before~MPI_Bcast",
     received_while_it_is_copied},
    {"device-buffer-given-to-mpi", 2, "before~MPI_Allreduce",
     device_buffer_given_to_mpi},
    {"barrier-without-synchronisation", 2, "Nothing~orders~rank~0's~scale",
     barrier_without_synchronisation},
    {"event-of-another-process", 2, "Nothing~orders~rank~0's~scale",
     event_of_another_process},
    {"freed-while-open", 2, "lifetime", freed_while_open},
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
    {"read-before-its-signal", 2, "ncclPutSignal~writes",
     read_before_its_signal},
    {"waited-on-another-stream", 2, "ncclPutSignal~writes",
     waited_on_another_stream},
    {"second-put-not-waited-for", 2, "ncclPutSignal~writes",
     second_put_not_waited_for},
    {"put-before-it-is-filled", 2, "Nothing~orders~fill~before~ncclPutSignal",
     put_before_it_is_filled},
    {"source-filled-again", 2, "ncclPutSignal~reads", source_filled_again},
    {"put-again-before-it-is-read", 2, "ncclPutSignal~writes",
     put_again_before_it_is_read},
    {"signal-without-its-put", 2, "ncclPutSignal~writes",
     signal_without_its_put},
#endif
};

int main(int argc, char **argv)
{
    if (argc > 2)
        setup(&argc, &argv);
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    if (argc > 2)
        teardown();
    return status;
}
