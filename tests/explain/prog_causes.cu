// links: -Wl,--wrap=usleep
/*
 * Runs that are slow for one planted reason each. They were chosen, with the
 * answers expected, before explain was tuned.
 *
 *     prog_causes --list    name, expected kind, ranks, machine
 *     prog_causes NAME [N]  run one; ranks print the lines of the cause. N:
 *                           only one N-th of all repetitions, for pictures
 *
 * Run it with SIMGPU_DATALESS=on: only modelled time counts.
 */
#include <unistd.h> // usleep

#include "causes.cuh"

/* ---- the host ------------------------------------------------------------ */

static void tiny_kernels(void)
{
    for (int i = 0; i < TIMES(400); i++)
        CAUSE COMPUTE(0.1, compute);
    MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    MUST(cudaStreamSynchronize(compute));
}

static void tiny_kernels_on_one_rank(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        for (int i = 0; i < TIMES(200) && rank == 1; i++)
            CAUSE COMPUTE(0.1, compute);
        COMPUTE(40, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
        MUST(cudaStreamSynchronize(compute));
    }
}

/* The host launches the graph alone, but the GPU starts each kernel. */
static void tiny_kernels_in_a_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(compute, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < TIMES(100); i++)
        CAUSE work<<<64, 256, 0, compute>>>(x);
    MUST(cudaStreamEndCapture(compute, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    nvtxRangePushA("cost: 5.36e6 flops, 1e3 bytes"); // of each kernel
    for (int step = 0; step < TIMES(STEPS); step++)
        MUST(cudaGraphLaunch(exec, compute));
    nvtxRangePop();
    MUST(cudaStreamSynchronize(compute));
}

/* 64 samples, in steps of one: each layer's kernel takes longer to start than
 * to run. */
static void small_batch(void)
{
    const int batch = 1;
    for (int step = 0; step < TIMES(64 / batch); step++) {
        for (int i = 0; i < LAYERS; i++)
            CAUSE COMPUTE(0.4 * batch, compute);
        MUST(ncclAllReduce(grad, grad, 128 * K, ncclFloat, ncclSum, comm,
                           compute));
        MUST(cudaStreamSynchronize(compute));
    }
}

static void too_many_events(void)
{
    for (int i = 0; i < TIMES(200); i++) {
        COMPUTE(1, compute);
        for (int k = 0; k < LAYERS; k++)
            CAUSE MUST(cudaEventRecord(ready[k], compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void malloc_in_each_step(void)
{
    for (int step = 0; step < TIMES(60); step++) {
        void *scratch[32];
        for (int i = 0; i < 32; i++)
            CAUSE MUST(cudaMalloc(&scratch[i], 64 * K));
        COMPUTE(3, compute);
        for (int i = 0; i < 32; i++)
            CAUSE MUST(cudaFree(scratch[i]));
    }
    MUST(cudaStreamSynchronize(compute));
}

/* Here it is not the calls that cost the time: cudaFree() waits. */
static void scratch_in_each_step(void)
{
    for (int step = 0; step < TIMES(60); step++) {
        void *scratch;
        CAUSE MUST(cudaMalloc(&scratch, 64 * K));
        COMPUTE(6, compute);
        CAUSE MUST(cudaFree(scratch));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void communicator_in_each_step(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        ncclComm_t again;
        ncclUniqueId id;
        COMPUTE(500, compute);
        if (rank == 0)
            MUST(ncclGetUniqueId(&id));
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
        CAUSE MUST(ncclCommInitRank(&again, nranks, id, rank));
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, again, compute));
        MUST(cudaStreamSynchronize(compute));
        MUST(ncclCommDestroy(again));
    }
}

/* ---- waiting on the host ------------------------------------------------- */

static void sync_after_each_kernel(void)
{
    for (int i = 0; i < TIMES(100); i++) {
        COMPUTE(5, compute);
        CAUSE MUST(cudaStreamSynchronize(compute));
    }
}

static void device_sync_before_each_bucket(void)
{
    for (int i = 0; i < TIMES(4 * LAYERS); i++) {
        COMPUTE(300, compute);
        CAUSE MUST(cudaDeviceSynchronize());
        MUST(ncclAllReduce(grad, grad, 8 * M, ncclFloat, ncclSum, comm,
                           transfer));
        CAUSE MUST(cudaDeviceSynchronize());
    }
}

static void event_sync_in_bucket_loop(void)
{
    for (int i = 0; i < TIMES(4 * LAYERS); i++) {
        COMPUTE(20, compute);
        MUST(cudaEventRecord(done, compute));
        CAUSE MUST(cudaEventSynchronize(done));
        MUST(ncclAllReduce(grad, grad, 4 * K, ncclFloat, ncclSum, comm,
                           transfer));
    }
    MUST(cudaDeviceSynchronize());
}

static void blocking_copy_of_the_input(void)
{
    for (int i = 0; i < TIMES(100); i++) {
        COMPUTE(8, 0);
        CAUSE MUST(cudaMemcpy(x, pinned, 64, cudaMemcpyHostToDevice));
    }
    MUST(cudaStreamSynchronize(0));
}

/* ---- the input ----------------------------------------------------------- */

/* The sleep stands for reading and decoding a batch. */
static void input_prepared_between_steps(void)
{
    for (int step = 0; step < TIMES(4 * STEPS); step++) {
        CAUSE usleep(300);
        MUST(cudaMemcpyAsync(x, pinned, K, cudaMemcpyHostToDevice, compute));
        COMPUTE(400, compute);
        MUST(cudaStreamSynchronize(compute));
    }
}

static void input_slower_than_the_step(void)
{
    for (int step = 0; step < TIMES(4 * STEPS); step++) {
        CAUSE usleep(800);
        MUST(cudaMemcpyAsync(x, pinned, K, cudaMemcpyHostToDevice, compute));
        COMPUTE(500, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
        MUST(cudaStreamSynchronize(compute));
    }
}

/* ---- communication that is not hidden ------------------------------------ */

static void all_reduce_on_compute_stream(void)
{
    for (int step = 0; step < TIMES(STEPS); step++)
        for (int i = 0; i < LAYERS; i++) {
            COMPUTE(300, compute);
            CAUSE MUST(ncclAllReduce(grad, grad, 16 * M, ncclFloat, ncclSum,
                                     comm, compute));
        }
    MUST(cudaStreamSynchronize(compute));
}

static void one_all_reduce_at_the_end(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        for (int i = 0; i < LAYERS; i++)
            COMPUTE(300, compute);
        follow(transfer, compute, ready[0]);
        CAUSE MUST(ncclAllReduce(grad, grad, 64 * M, ncclFloat, ncclSum, comm,
                                 transfer));
        follow(compute, transfer, done);
    }
    MUST(cudaDeviceSynchronize());
}

static void waits_for_each_bucket_at_once(void)
{
    for (int step = 0; step < TIMES(STEPS); step++)
        for (int i = 0; i < LAYERS; i++) {
            COMPUTE(300, compute);
            follow(transfer, compute, ready[i]);
            CAUSE MUST(ncclAllReduce(grad, grad, 16 * M, ncclFloat, ncclSum,
                                     comm, transfer));
            follow(compute, transfer, done);
        }
    MUST(cudaDeviceSynchronize());
}

/* Two causes, neither part of the other. The events are the more certain one,
 * and save less. */
static void all_reduces_and_then_events(void)
{
    for (int i = 0; i < LAYERS; i++) {
        COMPUTE(300, compute);
        CAUSE MUST(ncclAllReduce(grad, grad, 16 * M, ncclFloat, ncclSum, comm,
                                 compute));
    }
    MUST(cudaStreamSynchronize(compute));
    for (int i = 0; i < TIMES(1000); i++)
        MUST(cudaEventRecord(done, compute));
    MUST(cudaStreamSynchronize(compute));
}

/* Stream 0 and a stream without cudaStreamNonBlocking wait for each other. */
static void legacy_default_stream(void)
{
    cudaStream_t blocking;
    MUST(cudaStreamCreate(&blocking));
    for (int step = 0; step < TIMES(STEPS); step++)
        for (int i = 0; i < LAYERS; i++) {
            CAUSE COMPUTE(300, 0);
            CAUSE MUST(ncclAllReduce(grad, grad, 16 * M, ncclFloat, ncclSum,
                                     comm, blocking));
        }
    MUST(cudaDeviceSynchronize());
}

/* The copy's stream has no kernels, but stream 0 is between its copies. */
static void input_copied_beside_stream_0(void)
{
    float *batch;
    cudaStream_t input;
    MUST(cudaStreamCreate(&input));
    MUST(cudaMallocHost(&batch, 16 * M));
    for (int step = 0; step < TIMES(4 * STEPS); step++) {
        CAUSE MUST(cudaMemcpyAsync(grad + step % 2 * 4 * M, batch, 16 * M,
                                   cudaMemcpyHostToDevice, input));
        CAUSE COMPUTE(350, 0);
    }
    MUST(cudaDeviceSynchronize());
}

static void input_copied_on_compute_stream(void)
{
    float *batch;
    MUST(cudaMallocHost(&batch, 16 * M));
    for (int step = 0; step < TIMES(4 * STEPS); step++) {
        CAUSE MUST(cudaMemcpyAsync(grad, batch, 16 * M, cudaMemcpyHostToDevice,
                                   compute));
        COMPUTE(350, compute);
    }
    MUST(cudaStreamSynchronize(compute));
}

/* ---- too small ----------------------------------------------------------- */

static void tiny_buckets(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        COMPUTE(100, compute);
        follow(transfer, compute, ready[0]);
        for (int i = 0; i < TIMES(100); i++)
            CAUSE MUST(ncclAllReduce(grad + 1024 * i, grad + 1024 * i, 1024,
                                     ncclFloat, ncclSum, comm, transfer));
        follow(compute, transfer, done);
    }
    MUST(cudaDeviceSynchronize());
}

static void small_messages(void)
{
    for (int i = 0; i < TIMES(300); i++) {
        MUST(ncclGroupStart());
        CAUSE MUST(ncclSend(grad, 256, ncclFloat, next, comm, transfer));
        CAUSE MUST(ncclRecv(peer, 256, ncclFloat, before, comm, transfer));
        MUST(ncclGroupEnd());
    }
    MUST(cudaStreamSynchronize(transfer));
}

static void small_copies(void)
{
    for (int i = 0; i < TIMES(500); i++)
        CAUSE MUST(cudaMemcpyAsync(grad + 512 * i, pinned, 512,
                                   cudaMemcpyHostToDevice, transfer));
    MUST(cudaStreamSynchronize(transfer));
}

/* ---- bytes of kernels ---------------------------------------------------- */

/* Each reads what the one before wrote. */
static void kernels_that_are_not_fused(void)
{
    for (int step = 0; step < TIMES(4 * STEPS); step++)
        for (int i = 0; i < LAYERS; i++)
            CAUSE MOVE(64 * M, compute);
    MUST(cudaStreamSynchronize(compute));
}

static void elements_of_32_bits(void)
{
    for (int step = 0; step < TIMES(4 * STEPS); step++) {
        CAUSE MOVE(64.0 * M * sizeof(float), compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

/* ---- ranks that wait ----------------------------------------------------- */

static void one_slow_rank(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        CAUSE COMPUTE(rank == 2 ? 1000 : 500, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void uneven_parts(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        for (int i = 0; i < 2 + 2 * rank; i++)
            CAUSE COMPUTE(100, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void extra_kernel_on_rank_0(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        COMPUTE(400, compute);
        if (rank == 0)
            CAUSE COMPUTE(300, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void pipeline_without_microbatches(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        if (rank > 0)
            CAUSE MUST(ncclRecv(peer, M, ncclFloat, before, comm, compute));
        COMPUTE(500, compute);
        if (rank < nranks - 1)
            MUST(ncclSend(grad, M, ncclFloat, next, comm, compute));
        MUST(cudaStreamSynchronize(compute));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void unbalanced_stages(void)
{
    for (int batch = 0; batch < TIMES(2 * LAYERS); batch++) {
        if (rank > 0)
            MUST(ncclRecv(peer, M, ncclFloat, before, comm, compute));
        CAUSE COMPUTE(rank == 2 ? 600 : 300, compute);
        if (rank < nranks - 1)
            MUST(ncclSend(grad, M, ncclFloat, next, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void broadcast_from_rank_to_rank(void)
{
    if (rank > 0)
        CAUSE MUST(ncclRecv(grad, 64 * M, ncclFloat, before, comm, transfer));
    if (rank < nranks - 1)
        MUST(ncclSend(grad, 64 * M, ncclFloat, next, comm, transfer));
    MUST(cudaStreamSynchronize(transfer));
}

/* ---- links --------------------------------------------------------------- */

static void all_send_to_rank_0(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        MUST(ncclGroupStart());
        for (int i = 1; i < nranks && rank == 0; i++)
            CAUSE MUST(
                ncclRecv(peer + i * M, 8 * M, ncclFloat, i, comm, transfer));
        if (rank > 0)
            CAUSE MUST(ncclSend(grad, 8 * M, ncclFloat, 0, comm, transfer));
        MUST(ncclGroupEnd());
    }
    MUST(cudaStreamSynchronize(transfer));
}

static void copies_from_one_gpu(void)
{
    float *at[4];
    cudaStream_t stream[4];
    for (int i = 0; i < 4; i++) {
        MUST(cudaSetDevice(i));
        MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        MUST(cudaMalloc(&at[i], 64 * M));
        for (int k = 0; k < 4; k++)
            if (k != i)
                MUST(cudaDeviceEnablePeerAccess(k, 0));
    }
    for (int step = 0; step < TIMES(STEPS); step++)
        for (int i = 1; i < 4; i++)
            CAUSE MUST(
                cudaMemcpyPeerAsync(at[i], i, at[0], 0, 64 * M, stream[i]));
    for (int i = 1; i < 4; i++)
        MUST(cudaStreamSynchronize(stream[i]));
}

static void copies_without_peer_access(void)
{
    float *at[2];
    for (int i = 0; i < 2; i++) {
        MUST(cudaSetDevice(i));
        MUST(cudaMalloc(&at[i], 64 * M));
    }
    for (int step = 0; step < TIMES(STEPS); step++)
        CAUSE MUST(cudaMemcpyPeerAsync(at[step % 2], step % 2, at[1 - step % 2],
                                       1 - step % 2, 64 * M, compute));
    MUST(cudaStreamSynchronize(compute));
}

static void ring_over_missing_links(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        MUST(ncclGroupStart());
        CAUSE MUST(ncclSend(grad, 16 * M, ncclFloat, next, comm, transfer));
        MUST(ncclRecv(peer, 16 * M, ncclFloat, before, comm, transfer));
        MUST(ncclGroupEnd());
    }
    MUST(cudaStreamSynchronize(transfer));
}

static void pairs_across_sockets(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        MUST(ncclGroupStart());
        CAUSE MUST(ncclSend(grad, 16 * M, ncclFloat, 7 - rank, comm, transfer));
        MUST(ncclRecv(peer, 16 * M, ncclFloat, 7 - rank, comm, transfer));
        MUST(ncclGroupEnd());
    }
    MUST(cudaStreamSynchronize(transfer));
}

static void all_reduce_over_a_sick_cable(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        COMPUTE(50, compute);
        CAUSE MUST(ncclAllReduce(grad, grad, 64 * M, ncclFloat, ncclSum, comm,
                                 compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

static void exchange_without_group(void)
{
    for (int step = 0; step < TIMES(STEPS); step++)
        for (int i = 1; i < nranks; i++) {
            const int to = rank ^ i;
            for (int turn = 0; turn < 2; turn++)
                if (turn == (rank > to)) {
                    CAUSE MUST(
                        ncclSend(grad, 4 * M, ncclFloat, to, comm, transfer));
                } else {
                    MUST(ncclRecv(peer + to * 4 * M, 4 * M, ncclFloat, to, comm,
                                  transfer));
                }
        }
    MUST(cudaStreamSynchronize(transfer));
}

static void all_reduce_through_mpi(void)
{
    float *const host = (float *)malloc(16 * M), *const sum = (float *)calloc(
                                                     4, M * sizeof(float));
    for (int step = 0; step < TIMES(STEPS); step++) {
        COMPUTE(200, compute);
        MUST(cudaStreamSynchronize(compute));
        memset(host, 0, 16 * M);
        CAUSE MPI_Allreduce(host, sum, 4 * M, MPI_FLOAT, MPI_SUM,
                            MPI_COMM_WORLD);
        MUST(cudaMemcpy(grad, sum, 16 * M, cudaMemcpyHostToDevice));
    }
    free(host);
    free(sum);
}

static void large_all_reduces(void)
{
    for (int step = 0; step < TIMES(STEPS); step++)
        CAUSE MUST(ncclAllReduce(grad, grad, 64 * M, ncclFloat, ncclSum, comm,
                                 transfer));
    MUST(cudaStreamSynchronize(transfer));
}

/* Some of it could be hidden, but the links would be as slow. */
static void large_all_reduces_and_a_kernel(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        COMPUTE(2500, compute);
        CAUSE MUST(ncclAllReduce(grad, grad, 64 * M, ncclFloat, ncclSum, comm,
                                 compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

/* Ranks share the way to the host's memory, but none waits for another. */
static void copies_beside_all_reduces(void)
{
    float *batch;
    MUST(cudaMallocHost(&batch, 16 * M));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES(STEPS); i++) {
        float *const at = grad + i * 4 * M;
        CAUSE MUST(cudaMemcpyAsync(at, batch, 16 * M, cudaMemcpyHostToDevice,
                                   compute));
        follow(transfer, compute, ready[i]);
        CAUSE MUST(
            ncclAllReduce(at, at, 4 * M, ncclFloat, ncclSum, comm, transfer));
    }
    MUST(cudaMemcpyAsync(peer, batch, 16 * M, cudaMemcpyHostToDevice, compute));
    MUST(cudaDeviceSynchronize());
}

static void one_heavy_kernel(void)
{
    for (int step = 0; step < TIMES(STEPS); step++) {
        CAUSE COMPUTE(2000, compute);
        MUST(ncclAllReduce(grad, grad, M, ncclFloat, ncclSum, comm, compute));
    }
    MUST(cudaStreamSynchronize(compute));
}

/* ---- the table ----------------------------------------------------------- */

#define H100 "dgx-h100"
static const struct planted causes[] = {
    {"tiny-kernels", "launches", 2, H100, tiny_kernels},
    {"tiny-kernels-on-one-rank", "launches", 2, H100, tiny_kernels_on_one_rank},
    {"tiny-kernels-in-a-graph", "launches", 1, H100, tiny_kernels_in_a_graph},
    {"small-batch", "small-batch", 2, H100, small_batch},
    {"too-many-events", "events", 1, H100, too_many_events},
    {"malloc-in-each-step", "allocation", 1, H100, malloc_in_each_step},
    {"scratch-in-each-step", "allocation", 1, H100, scratch_in_each_step},
    {"communicator-in-each-step", "calls", 2, H100, communicator_in_each_step},
    {"sync-after-each-kernel", "sync", 1, H100, sync_after_each_kernel},
    {"device-sync-before-each-bucket", "sync", 2, H100,
     device_sync_before_each_bucket},
    {"event-sync-in-bucket-loop", "sync", 2, H100, event_sync_in_bucket_loop},
    {"blocking-copy-of-the-input", "sync", 1, H100, blocking_copy_of_the_input},
    {"input-prepared-between-steps", "slow-input", 1, H100,
     input_prepared_between_steps},
    {"input-slower-than-the-step", "slow-input", 2, H100,
     input_slower_than_the_step},
    {"all-reduce-on-compute-stream", "overlap", 4, H100,
     all_reduce_on_compute_stream},
    {"one-all-reduce-at-the-end", "overlap", 4, H100,
     one_all_reduce_at_the_end},
    {"waits-for-each-bucket-at-once", "overlap", 4, H100,
     waits_for_each_bucket_at_once},
    {"all-reduces-and-then-events", "overlap", 4, H100,
     all_reduces_and_then_events},
    {"input-copied-on-compute-stream", "overlap", 1, H100,
     input_copied_on_compute_stream},
    {"legacy-default-stream", "default-stream", 4, H100, legacy_default_stream},
    {"input-copied-beside-stream-0", "default-stream", 1, H100,
     input_copied_beside_stream_0},
    {"tiny-buckets", "small", 4, H100, tiny_buckets},
    {"small-messages", "small", 4, H100, small_messages},
    {"small-copies", "small", 1, H100, small_copies},
    {"kernels-that-are-not-fused", "bandwidth", 1, H100,
     kernels_that_are_not_fused},
    {"elements-of-32-bits", "bandwidth", 2, H100, elements_of_32_bits},
    {"one-slow-rank", "imbalance", 4, H100, one_slow_rank},
    {"uneven-parts", "imbalance", 4, H100, uneven_parts},
    {"extra-kernel-on-rank-0", "imbalance", 4, H100, extra_kernel_on_rank_0},
    {"pipeline-without-microbatches", "chain", 4, H100,
     pipeline_without_microbatches},
    {"unbalanced-stages", "imbalance", 4, H100, unbalanced_stages},
    {"broadcast-from-rank-to-rank", "chain", 4, H100,
     broadcast_from_rank_to_rank},
    {"all-send-to-rank-0", "root", 4, H100, all_send_to_rank_0},
    {"copies-from-one-gpu", "root", 1, H100, copies_from_one_gpu},
    {"copies-without-peer-access", "staged", 1, H100,
     copies_without_peer_access},
    {"ring-over-missing-links", "placement", 8, "a100-cubemesh",
     ring_over_missing_links},
    {"pairs-across-sockets", "placement", 8, "dgx-1v", pairs_across_sockets},
    {"all-reduce-over-a-sick-cable", "slow-link", 8, "sick:1:dgx-1v",
     all_reduce_over_a_sick_cable},
    {"exchange-without-group", "ungrouped", 4, H100, exchange_without_group},
    {"all-reduce-through-mpi", "mpi", 2, H100, all_reduce_through_mpi},
    {"all-reduce-over-a-slow-nic", "slow-link", 8, "2x:gh200@ndr,slow-nic:1",
     all_reduce_over_a_sick_cable},
    {"large-all-reduces", "pcie", 8, "pcie-4090", large_all_reduces},
    {"large-all-reduces-and-a-kernel", "pcie", 8, "pcie-4090",
     large_all_reduces_and_a_kernel},
    {"copies-beside-all-reduces", "pcie", 4, "pcie-4090",
     copies_beside_all_reduces},
    {"one-heavy-kernel", "compute", 4, H100, one_heavy_kernel},
};

int main(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    if (argc > 2 && atoi(argv[2]) > 0)
        part = atoi(argv[2]);
    const int list = strcmp(name, "--list") == 0;
    const struct planted *chosen = NULL;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (list)
            printf("%s %s %d %s\n", causes[i].name, causes[i].kind,
                   causes[i].nranks, causes[i].machine);
        if (strcmp(name, causes[i].name) == 0)
            chosen = &causes[i];
    }
    if (!chosen)
        return list ? 0 : 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    begin();
    // --span cost draws this and its kernels, without set-up
    nvtxRangePushA("cost of the run");
    chosen->run();
    nvtxRangePop();
    for (int i = 0; cause_lines[i]; i++)
        printf("line %d\n", cause_lines[i]);
    MPI_Finalize();
    return 0;
}
