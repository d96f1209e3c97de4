// NCCL's device API, on two or more ranks.
#include "device_api.cuh"

// ---- barriers ---------------------------------------------------------------

__device__ void meet(const ncclDevComm &comm, ncclTeam team, unsigned index)
{
    ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm, team,
                                           comm.lsaBarrier, index);
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// Write to the next rank's window, then meet it if `meets`.
__global__ void give(ncclWindow_t win, ncclDevComm comm, int meets, int rails)
{
    const ncclTeam lsa = ncclTeamLsa(comm);
    float *const to =
        (float *)ncclGetLsaPointer(win, 0, (lsa.rank + 1) % lsa.nRanks);
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = (float)i;
    if (meets)
        meet(comm, rails ? ncclTeamRail(comm) : lsa, 0);
}

static void no_barrier_at_the_end(int fixed)
{
    FIRST give<<<1, THREADS, 0, stream>>>(win, dev, fixed, 0);
    SECOND use<<<1, THREADS, 0, stream>>>(mem, out);
}

static void barrier_of_the_wrong_team(int fixed)
{
    // a rail has one rank of each node: here, no other
    FIRST give<<<1, THREADS, 0, stream>>>(win, dev, 1, !fixed);
    SECOND use<<<1, THREADS, 0, stream>>>(mem, out);
}

// Read the next rank's window, after meeting it if `meets`.
__global__ void take(ncclWindow_t win, ncclDevComm comm, float *to, int meets)
{
    const ncclTeam lsa = ncclTeamLsa(comm);
    const float *const from =
        (const float *)ncclGetLsaPointer(win, 0, (lsa.rank + 1) % lsa.nRanks);
    if (meets)
        meet(comm, lsa, 0);
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = from[i];
}

static void no_barrier_at_the_beginning(int fixed)
{
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND take<<<1, THREADS, 0, stream>>>(win, dev, out, fixed);
}

__global__ void only_meet(ncclDevComm comm, unsigned index)
{
    meet(comm, ncclTeamLsa(comm), index);
}

static void barrier_that_is_not_there(int fixed)
{
    only_meet<<<1, THREADS, 0, stream>>>(dev, fixed ? 0 : 1);
}

static void barrier_that_a_rank_misses(int fixed)
{
    if (fixed || rank != 0)
        only_meet<<<1, THREADS, 0, stream>>>(dev, 0);
    cudaStreamSynchronize(stream);
}

// ---- windows ----------------------------------------------------------------

static void window_deregistered_too_early(int fixed)
{
    if (fixed)
        take<<<1, THREADS, 0, stream>>>(win, dev, out, 1);
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    const ncclWindow_t old = win;
    ncclCommWindowDeregister(comm, win);
    win = NULL;
    if (!fixed)
        take<<<1, THREADS, 0, stream>>>(old, dev, out, 1);
}

__global__ void take_from(ncclWindow_t win, int peer, float *to)
{
    to[threadIdx.x] = ((const float *)ncclGetLsaPointer(win, 0, peer))[0];
}

static void rank_that_is_not_there(int fixed)
{
    take_from<<<1, 1, 0, stream>>>(win, fixed ? next : nranks, out);
}

static void window_that_is_not_symmetric(int fixed)
{
    float *p;
    ncclMemAlloc((void **)&p, 2 * N * sizeof *p);
    cudaMemset(p, 0, 2 * N * sizeof *p);
    cudaDeviceSynchronize();
    ncclWindow_t w =
        window_of(p, fixed ? NCCL_WIN_COLL_SYMMETRIC : NCCL_WIN_DEFAULT);
    MPI_Barrier(MPI_COMM_WORLD);
    take_from<<<1, 1, 0, stream>>>(w, next, out);
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommWindowDeregister(comm, w);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(p);
}

// ---- multimem ---------------------------------------------------------------

// A multimem load of the window, or of p.
__global__ void reduce_in(ncclWindow_t win, ncclDevComm comm, int registered,
                          const float *p, float *to)
{
    const float *const from =
        registered ? (const float *)ncclGetLsaMultimemPointer(win, 0, comm) : p;
    float sum = from ? 0.0f : 1.0f;
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.ld_reduce.global.add.f32 %0, [%1];"
                 : "=f"(sum)
                 : "l"(from)
                 : "memory");
#endif
    to[threadIdx.x] = sum;
}

static ncclDevComm with_multimem(int wanted)
{
    ncclDevComm c;
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaMultimem = wanted != 0;
    ncclDevCommCreate(comm, &reqs, &c);
    return c;
}

static void multimem_of_other_memory(int fixed)
{
    const ncclDevComm c = with_multimem(1);
    reduce_in<<<1, 1, 0, stream>>>(win, c, fixed, mem, out);
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, &c);
}

static void multimem_that_was_not_required(int fixed)
{
    const ncclDevComm c = with_multimem(fixed);
    reduce_in<<<1, 1, 0, stream>>>(win, c, 1, mem, out);
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, &c);
}

// ---- one-sided --------------------------------------------------------------

// Send the next rank two parts, with a signal each; read what came after
// `least` signals.
__global__ void exchange(ncclWindow_t win, ncclDevComm comm, float *to,
                         uint64_t least, unsigned signal, size_t shift)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    const size_t half = N / 2 * sizeof(float);
    if (threadIdx.x == 0)
        for (size_t k = 0; k < 2; k++)
            gin.put(world, next, win, k * half + shift, win,
                    N * sizeof(float) + k * half, half,
                    ncclGin_SignalInc{signal});
    if (least)
        gin.waitSignal(ncclCoopCta(), signal, least);
    const float *const came = (const float *)ncclGetLocalPointer(win, 0);
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = came[i];
}

static void read_before_its_signal(int fixed)
{
    FIRST SECOND exchange<<<1, THREADS, 0, stream>>>(win, dev, out,
                                                     fixed ? 2 : 0, 0, 0);
}

static void signal_of_the_first_part_only(int fixed)
{
    FIRST SECOND exchange<<<1, THREADS, 0, stream>>>(win, dev, out,
                                                     fixed ? 2 : 1, 0, 0);
}

static void signal_that_is_not_there(int fixed)
{
    exchange<<<1, THREADS, 0, stream>>>(win, dev, out, 2, fixed ? 0 : 900, 0);
}

static void put_beyond_the_window(int fixed)
{
    exchange<<<1, THREADS, 0, stream>>>(win, dev, out, 2, 0,
                                        fixed ? 0 : 2 * N * sizeof(float));
}

// ---- multimem among other accesses ------------------------------------------

__device__ float load_all(const float *p)
{
    float sum = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
                 : "=f"(sum)
                 : "l"(p)
                 : "memory");
#else
    (void)p;
#endif
    return sum;
}

__device__ void store_all(float *p, float value)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("multimem.st.global.f32 [%0], %1;" ::"l"(p), "f"(value)
                 : "memory");
#else
    (void)p, (void)value;
#endif
}

// Sum what the ranks have made, after they have met if `meets`.
__global__ void sum_up(ncclWindow_t win, ncclDevComm comm, float *to, int meets)
{
    const float *const all =
        (const float *)ncclGetLsaMultimemPointer(win, 0, comm);
    if (meets)
        meet(comm, ncclTeamLsa(comm), 0);
    for (int i = (int)threadIdx.x; i < N; i += (int)blockDim.x)
        to[i] = load_all(all + i);
    if (meets)
        meet(comm, ncclTeamLsa(comm), 0);
}

static ncclDevComm multimem_and_barrier(void)
{
    ncclDevComm c;
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaMultimem = true;
    reqs.lsaBarrierCount = 1;
    ncclDevCommCreate(comm, &reqs, &c);
    return c;
}

static void drop(const ncclDevComm *c)
{
    cudaStreamSynchronize(stream);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclDevCommDestroy(comm, c);
}

static void multimem_load_without_barrier(int fixed)
{
    const ncclDevComm c = multimem_and_barrier();
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND sum_up<<<1, THREADS, 0, stream>>>(win, c, out, fixed);
    drop(&c);
}

// Rank 0 writes to all.
__global__ void spread(ncclWindow_t win, ncclDevComm comm, int meets)
{
    float *const all = (float *)ncclGetLsaMultimemPointer(win, 0, comm);
    for (int i = (int)threadIdx.x; i < N && comm.rank == 0;
         i += (int)blockDim.x)
        store_all(all + i, (float)i);
    if (meets)
        meet(comm, ncclTeamLsa(comm), 0);
}

static void multimem_store_without_barrier(int fixed)
{
    const ncclDevComm c = multimem_and_barrier();
    FIRST spread<<<1, THREADS, 0, stream>>>(win, c, fixed);
    SECOND use<<<1, THREADS, 0, stream>>>(mem, out);
    drop(&c);
}

static void multimem_of_a_window_that_is_gone(int fixed)
{
    const ncclDevComm c = multimem_and_barrier();
    const ncclWindow_t old = win;
    if (!fixed) {
        ncclCommWindowDeregister(comm, win);
        win = NULL;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    sum_up<<<1, THREADS, 0, stream>>>(old, c, out, 1);
    drop(&c);
}

static void multimem_beyond_the_window(int fixed)
{
    const ncclDevComm c = multimem_and_barrier();
    void *all;
    ncclGetLsaMultimemDevicePointer(win, 0, &all);
    const size_t at = (size_t)(fixed ? N : 2 * N);
    reduce_in<<<1, 1, 0, stream>>>(win, c, 0, (const float *)all + at, out);
    drop(&c);
}

// ---- sums, and single elements ----------------------------------------------

__global__ void sum_parts(ncclSymPtr<float> data, ncclDevComm comm, float *to,
                          int meets)
{
    const ncclCoopCta cta;
    if (meets)
        meet(comm, ncclTeamLsa(comm), 0);
    ncclLsaReduceSum(cta, data, to, N, comm);
    if (meets)
        meet(comm, ncclTeamLsa(comm), 0);
}

static void sum_without_barrier(int fixed)
{
    FIRST make<<<1, THREADS, 0, stream>>>(mem);
    SECOND sum_parts<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(win), dev,
                                                out, fixed);
}

static void sum_beyond_the_window(int fixed)
{
    sum_parts<<<1, THREADS, 0, stream>>>(
        ncclSymPtr<float>(win) + (fixed ? N : 2 * N + 1), dev, out, 1);
}

// Each rank sends the next one an element in slot `slot`, `times` times.
__global__ void send_one(ncclDevComm comm, ncclLLA2AHandle handle, int slot,
                         int times, int receives, float *to)
{
    const ncclCoopCta cta;
    const ncclTeam lsa = ncclTeamLsa(comm);
    ncclLLA2ASession<ncclCoopCta> a2a(cta, comm, lsa, handle, 0, 4);
    if (threadIdx.x == 0) {
        for (int i = 0; i < times; i++)
            a2a.send((lsa.rank + 1) % lsa.nRanks, slot, 1.f);
        to[0] = a2a.recv<float>(receives);
    }
    a2a.endEpoch(cta);
}

static void exchange_one(int slot, int times, int receives)
{
    ncclDevComm c;
    ncclLLA2AHandle handle;
    ncclDevResourceRequirements slots;
    ncclDevCommRequirements reqs = no_requirements();
    ncclLLA2ACreateRequirement(1, 4, &handle, &slots);
    reqs.resourceRequirementsList = &slots;
    ncclDevCommCreate(comm, &reqs, &c);
    send_one<<<1, THREADS, 0, stream>>>(c, handle, slot, times, receives, out);
    drop(&c);
}

static void slot_that_is_not_there(int fixed)
{
    exchange_one(fixed ? 3 : 4, 1, 3);
}

static void slot_filled_twice(int fixed)
{
    exchange_one(1, fixed ? 1 : 2, 1);
}

static void slot_that_is_never_filled(int fixed)
{
    exchange_one(2, 1, fixed ? 2 : 1);
}

static const struct hazard_case cases[] = {
    {"no-barrier-at-the-end", 2, "race~on~bytes", no_barrier_at_the_end},
    {"no-barrier-at-the-beginning", 2, "race~on~bytes",
     no_barrier_at_the_beginning},
    {"wrong-team", 2, "race~on~bytes", barrier_of_the_wrong_team},
    {"barrier-index", 2, "barrier~1~of~1", barrier_that_is_not_there},
    {"barrier-missed", 2, "the~run~hangs", barrier_that_a_rank_misses},
    {"deregistered", 2, "this~window~has~been~deregistered",
     window_deregistered_too_early},
    {"no-such-rank", 2, "out~of~reach~of~loads~and~stores",
     rank_that_is_not_there},
    {"not-symmetric", 2, "the~window~is~not~symmetric",
     window_that_is_not_symmetric},
    {"multimem-elsewhere", 2, "is~no~multimem~address",
     multimem_of_other_memory},
    {"multimem-not-required", 2, "no~multimem~handle",
     multimem_that_was_not_required},
    {"no-wait-for-signal", 2, "race~on~bytes", read_before_its_signal},
    {"one-signal-of-two", 2, "race~on~bytes", signal_of_the_first_part_only},
    {"signal-number", 2, "created~with~too~few", signal_that_is_not_there},
    {"put-beyond-window", 2, "of~a~window~of~2048~bytes",
     put_beyond_the_window},
    {"multimem-load", 2, "race~on~bytes", multimem_load_without_barrier},
    {"multimem-store", 2, "race~on~bytes", multimem_store_without_barrier},
    {"multimem-deregistered", 2, "this~window~has~been~deregistered",
     multimem_of_a_window_that_is_gone},
    {"multimem-beyond-window", 2, "of~multimem~memory~of~2048~bytes",
     multimem_beyond_the_window},
    {"sum-without-barrier", 2, "race~on~bytes", sum_without_barrier},
    {"sum-beyond-window", 2, "of~a~window~of~2048~bytes",
     sum_beyond_the_window},
    {"lla2a-slot", 2, "slot~4~of~4", slot_that_is_not_there},
    {"lla2a-twice", 2, "was~filled~in~this~epoch~before", slot_filled_twice},
    {"lla2a-never", 2, "the~run~hangs", slot_that_is_never_filled},
};

int main(int argc, char **argv)
{
    return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
