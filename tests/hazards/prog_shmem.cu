// NVSHMEM, on two or more PEs. links: -lnvshmem_host
#include <cuda_runtime.h>
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include "case.h"

enum { N = 256, THREADS = 32 };

static int me, npes, after;
static cudaStream_t stream;
static int *from, *to, *out; // N of each, symmetric; out is this PE's own
static uint64_t *signals;    // two

static void setup(int *argc, char ***argv)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init(argc, argv);
    attr.mpi_comm = &comm;
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr);
    me = nvshmem_my_pe();
    npes = nvshmem_n_pes();
    after = (me + 1) % npes;
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
    cudaStreamCreate(&stream);
    from = (int *)nvshmem_calloc(N, sizeof *from);
    to = (int *)nvshmem_calloc(N, sizeof *to);
    signals = (uint64_t *)nvshmem_calloc(2, sizeof *signals);
    cudaMalloc(&out, N * sizeof *out);
    nvshmem_barrier_all();
}

static void teardown(void)
{
    cudaDeviceSynchronize();
    nvshmem_barrier_all();
    nvshmem_free(from);
    nvshmem_free(to);
    nvshmem_free(signals);
    cudaFree(out);
    nvshmem_finalize();
    MPI_Finalize();
}

template <class K, class... A> static void run_all(K *kernel, A... a)
{
    void *args[] = {(void *)&a..., nullptr};
    nvshmemx_collective_launch((const void *)kernel, dim3(1), dim3(THREADS),
                               args, 0, stream);
    cudaStreamSynchronize(stream);
}

// ---- order between PEs ------------------------------------------------------

__global__ void put_and_read(int *to, const int *from, uint64_t *signal,
                             int *out, int fence, int wait)
{
    const int after = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmemx_int_put_block(to, from, N, after);
    if (threadIdx.x == 0) {
        if (fence)
            nvshmem_fence();
        nvshmemx_signal_op(signal, 1, NVSHMEM_SIGNAL_SET, after);
        if (wait)
            nvshmem_signal_wait_until(signal, NVSHMEM_CMP_EQ, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += THREADS)
        out[i] = to[i];
}

static void read_before_its_signal(int fixed)
{
    run_all(put_and_read, to, (const int *)from, signals, out, 1, fixed);
}

static void signal_without_a_fence(int fixed)
{
    run_all(put_and_read, to, (const int *)from, signals, out, fixed, 1);
}

static void read_without_a_barrier(int fixed)
{
    FIRST nvshmemx_int_put_on_stream(to, from, N, after, stream);
    if (fixed)
        nvshmemx_barrier_all_on_stream(stream);
    SECOND cudaMemcpyAsync(out, to, N * sizeof *to, cudaMemcpyDefault, stream);
}

static void barrier_without_a_quiet(int fixed)
{
    FIRST nvshmem_int_put_nbi(to, from, N, after);
    if (fixed)
        nvshmem_quiet();
    MPI_Barrier(MPI_COMM_WORLD);
    SECOND cudaMemcpyAsync(out, to, N * sizeof *to, cudaMemcpyDefault, stream);
}

__global__ void collect(int *to, const int *from, int barrier)
{
    const int after = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmem_int_p((int *)from + 7, 5, after);
    if (barrier)
        nvshmem_barrier_all();
    *to = nvshmem_int_g(from + 7, nvshmem_my_pe());
}

static void get_before_the_barrier(int fixed)
{
    void *args[] = {&to, &from, &fixed};
    nvshmemx_collective_launch((const void *)collect, dim3(1), dim3(1), args, 0,
                               stream);
    cudaStreamSynchronize(stream);
}

// A mailbox that its reader has to hand back.
__global__ void mailbox(int *box, const int *from, uint64_t *full,
                        uint64_t *empty, int *out, int handed_back)
{
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes();
    for (int round = 1; round <= 2; round++) {
        if (handed_back)
            nvshmem_signal_wait_until(empty, NVSHMEM_CMP_GE, round - 1);
        nvshmem_int_put_signal(box, from, N, full, round, NVSHMEM_SIGNAL_SET,
                               (me + 1) % n);
        nvshmem_signal_wait_until(full, NVSHMEM_CMP_GE, round);
        for (int i = 0; i < N; i++)
            out[i] = box[i];
        nvshmemx_signal_op(empty, round, NVSHMEM_SIGNAL_SET, (me + n - 1) % n);
    }
}

static void mailbox_not_handed_back(int fixed)
{
    uint64_t *full = signals, *empty = signals + 1;
    void *args[] = {&to, &from, &full, &empty, &out, &fixed};
    nvshmemx_collective_launch((const void *)mailbox, dim3(1), dim3(1), args, 0,
                               stream);
    cudaStreamSynchronize(stream);
}

static void sync_instead_of_barrier(int fixed)
{
    FIRST nvshmem_int_put_nbi(to, from, N, after);
    if (fixed)
        nvshmem_barrier_all();
    else
        MPI_Barrier(MPI_COMM_WORLD);
    SECOND cudaMemcpyAsync(out, to, N * sizeof *to, cudaMemcpyDefault, stream);
}

// ---- before nvshmem_quiet() -------------------------------------------------

__global__ void reuse(int *to, int *from, int quiet)
{
    const int after = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmem_int_put_nbi(to, from, N, after);
    if (quiet)
        nvshmem_quiet();
    from[3] = 99;
    nvshmem_quiet();
}

static void source_reused_before_quiet(int fixed)
{
    reuse<<<1, 1, 0, stream>>>(to, from, fixed);
}

static void source_reused_on_the_host(int fixed)
{
    FIRST nvshmem_int_put_nbi(to, from, N, after);
    if (fixed)
        nvshmem_quiet();
    SECOND cudaMemsetAsync(from, 1, N * sizeof *from, stream);
}

__global__ void sum(int *to, const int *from, int *out, int quiet)
{
    const int after = (nvshmem_my_pe() + 1) % nvshmem_n_pes();
    nvshmem_int_get_nbi(to, from, N, after);
    if (quiet)
        nvshmem_quiet();
    for (int i = 0; i < N; i++)
        out[i] = to[i];
    nvshmem_quiet();
}

static void got_before_quiet(int fixed)
{
    sum<<<1, 1, 0, stream>>>(to, from, out, fixed);
}

// ---- the symmetric heap -----------------------------------------------------

__global__ void put(int *to, const int *from, int count)
{
    nvshmem_int_put(to, from, count, (nvshmem_my_pe() + 1) % nvshmem_n_pes());
}

static void memory_that_is_not_symmetric(int fixed)
{
    put<<<1, 1, 0, stream>>>(fixed ? to : out, from, N);
}

static void host_put_elsewhere(int fixed)
{
    nvshmem_int_put(fixed ? to : out, from, N, after);
}

static void put_beyond_the_allocation(int fixed)
{
    put<<<1, 1, 0, stream>>>(to + (fixed ? 0 : 1), from, N - 1 + !fixed);
}

static void used_after_free(int fixed)
{
    int *const gone = (int *)nvshmem_malloc(N * sizeof *gone);
    if (!fixed)
        nvshmem_free(gone);
    put<<<1, 1, 0, stream>>>(gone, from, N);
    cudaStreamSynchronize(stream);
    if (fixed)
        nvshmem_free(gone);
}

static void freed_too_early(int fixed)
{
    int *const gone = (int *)nvshmem_malloc(N * sizeof *gone);
    FIRST nvshmemx_int_put_on_stream(gone, from, N, after, stream);
    if (fixed)
        cudaStreamSynchronize(stream);
    SECOND nvshmem_free(gone);
}

static void sizes_that_differ(int fixed)
{
    nvshmem_free(nvshmem_malloc(fixed ? 512 : 512 + me));
}

static void pe_that_is_not_there(int fixed)
{
    nvshmem_int_p(to, 1, fixed ? after : npes);
    nvshmem_barrier_all();
}

// ---- collectives and teams --------------------------------------------------

static void counts_that_differ(int fixed)
{
    nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, to, from, fixed ? 8 : 8 + me);
}

static void roots_that_differ(int fixed)
{
    nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, to, from, 8, fixed ? 0 : me);
}

static void calls_that_differ(int fixed)
{
    if (fixed || me)
        nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, to, from, 8);
    else
        nvshmem_barrier_all();
}

static void team_of_others(int fixed)
{
    nvshmem_team_t first;
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &first);
    if (!fixed || me == 0)
        nvshmem_barrier(first);
}

static void splits_that_differ(int fixed)
{
    nvshmem_team_t team;
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, fixed ? 2 : 1 + me % 2,
                               NULL, 0, &team);
}

static const struct hazard_case cases[] = {
    {"no-wait-for-signal", 2, "race~on~bytes", read_before_its_signal},
    {"no-fence", 2, "race~on~bytes", signal_without_a_fence},
    {"no-barrier", 2, "race~on~bytes", read_without_a_barrier},
    {"no-quiet", 2, "race~on~bytes", barrier_without_a_quiet},
    {"no-barrier-in-kernel", 2, "race~on~bytes", get_before_the_barrier},
    {"mailbox", 2, "race~on~bytes", mailbox_not_handed_back},
    {"mpi-barrier", 2, "race~on~bytes", sync_instead_of_barrier},
    {"source-reused", 2, "its~source~has~changed~before~nvshmem_quiet()",
     source_reused_before_quiet},
    {"source-reused-on-host", 2, "race~on~bytes", source_reused_on_the_host},
    {"read-before-quiet", 2, "have~been~read~before~nvshmem_quiet()",
     got_before_quiet},
    {"not-symmetric", 2, "is~not~symmetric,~but", memory_that_is_not_symmetric},
    {"not-symmetric-on-host", 2, "is~not~symmetric,~but", host_put_elsewhere},
    {"put-beyond", 2, "of~a~symmetric~allocation~of~1024~bytes",
     put_beyond_the_allocation},
    {"used-after-free", 2, "was~freed~by~nvshmem_free()", used_after_free},
    {"freed-too-early", 2, "nvshmem_free~frees~them", freed_too_early},
    {"sizes-differ", 2, "the~PEs~ask~for~different~sizes", sizes_that_differ},
    {"no-such-pe", 2, "PEs~are~0~to", pe_that_is_not_there},
    {"counts-differ", 2, "the~PEs~of~the~team~don't~call~the~same",
     counts_that_differ},
    {"roots-differ", 2, "the~PEs~of~the~team~don't~call~the~same",
     roots_that_differ},
    {"calls-differ", 2, "the~PEs~of~the~team~don't~call~the~same",
     calls_that_differ},
    {"not-in-team", 2, "this~PE~is~not~in~it", team_of_others},
    {"splits-differ", 2, "all~have~to~ask~for~the~same~team",
     splits_that_differ},
};

int main(int argc, char **argv)
{
    const size_t n = sizeof cases / sizeof *cases;
    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return run_case(cases, n, argc, argv);
    setup(&argc, &argv);
    const int status = run_case(cases, n, argc, argv);
    teardown();
    return status;
}
