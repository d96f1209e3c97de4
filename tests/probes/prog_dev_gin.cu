// NCCL's device API: one-sided operations over the network.
#include "devcomm.cuh"

enum { EACH = 64, PART = EACH * sizeof(float) }; // words, bytes for each rank

static ncclDevCommRequirements network()
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    reqs.ginSignalCount = 4;
    reqs.ginCounterCount = 2;
    reqs.ginContextCount = 4;
    reqs.barrierCount = 2;
    reqs.worldGinBarrierCount = 2;
    reqs.railGinBarrierCount = 1;
    return reqs;
}

// What an all-to-all leaves in word i of `out`.
static float exchanged(int i)
{
    return value(i / EACH, rank * EACH + i % EACH);
}

__global__ void all_to_all(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    const uint64_t so_far = gin.readSignal(0);
    ncclBarrierSession<ncclCoopCta> bar(ncclCoopCta(), ncclTeamTagWorld(), gin,
                                        0);
    bar.sync(ncclCoopCta(), cuda::memory_order_relaxed,
             ncclGinFenceLevel::Relaxed);
    for (int r = (int)threadIdx.x; r < world.nRanks; r += (int)blockDim.x)
        gin.put(world, r, out, world.rank * PART, in, r * PART, PART,
                ncclGin_SignalInc{0});
    gin.waitSignal(ncclCoopCta(), 0, so_far + (uint64_t)world.nRanks);
    gin.flush(ncclCoopCta());
}

PROBE(all_to_all_by_puts)
{
    const ncclDevComm c = make(network());
    for (int k = 0; k < 2; k++)
        all_to_all<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH * nranks, exchanged));
    drop(c);
}

// Ranks of the node by stores, others by puts.
__global__ void hybrid(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, (int)blockIdx.x);
    const ncclTeam world = ncclTeamWorld(comm), lsa = ncclTeamLsa(comm);
    const uint64_t so_far = gin.readSignal(blockIdx.x);
    ncclBarrierSession<ncclCoopCta> bar(ncclCoopCta(), ncclTeamTagWorld(), gin,
                                        blockIdx.x);
    bar.sync(ncclCoopCta(), cuda::memory_order_relaxed,
             ncclGinFenceLevel::Relaxed);
    for (int r = (int)threadIdx.x; r < world.nRanks; r += (int)blockDim.x)
        if (!ncclTeamRankIsMember(lsa, world, r))
            gin.put(world, r, out, world.rank * PART, in, r * PART, PART,
                    ncclGin_SignalInc{blockIdx.x});
    for (int l = 0; l < lsa.nRanks; l++) {
        const int r = ncclTeamRankToWorld(comm, lsa, l);
        const float *const from =
            (const float *)ncclGetLocalPointer(in, r * PART);
        float *const to = (float *)ncclGetLsaPointer(out, world.rank * PART, l);
        for (int i = (int)threadIdx.x; i < EACH; i += (int)blockDim.x)
            to[i] = from[i];
    }
    gin.waitSignal(ncclCoopCta(), blockIdx.x,
                   so_far + (uint64_t)(world.nRanks - lsa.nRanks));
    gin.flush(ncclCoopCta());
    bar.sync(ncclCoopCta(), cuda::memory_order_release);
}

PROBE(all_to_all_by_stores_and_puts)
{
    const ncclDevComm c = make(network());
    hybrid<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH * nranks, exchanged));
    drop(c);
}

// Two puts, the second with a signal for both; the source changes afterwards.
__global__ void around(ncclSymPtr<float> in, ncclSymPtr<float> out,
                       ncclDevComm comm)
{
    ncclGin gin(comm, 1);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    if (threadIdx.x == 0) {
        gin.put(world, next, out, in, 10);
        gin.put(world, next, out + 10, in + 10, 10, ncclGin_StrongSignalInc{1});
    }
    gin.flush(ncclCoopCta());
    if (threadIdx.x < 20)
        in.localPtr()[threadIdx.x] = -1;
    gin.waitSignal(ncclCoopCta(), 1, 1);
}

PROBE(a_strong_signal_covers_earlier_puts)
{
    const ncclDevComm c = make(network());
    around<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(in_win),
                                      ncclSymPtr<float>(out_win), c);
    CHECK(holds(0, 20, [](int i) { return value(before, i); }));
    drop(c);
}

__global__ void counted(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    float *const mine = (float *)ncclGetLocalPointer(in, 0);
    for (uint64_t k = 0; k < 3; k++) {
        if (threadIdx.x == 0)
            gin.put(world, next, out, k * PART, in, 0, PART,
                    ncclGin_WeakSignalInc{2}, ncclGin_WeakCounterInc{1});
        gin.waitCounter(ncclCoopCta(), 1, k + 1);
        for (int i = (int)threadIdx.x; i < EACH; i += (int)blockDim.x)
            mine[i] += 1;
        __syncthreads();
    }
    gin.waitSignal(ncclCoopCta(), 2, 3);
    if (threadIdx.x == 0)
        gin.resetCounter(1);
    if (threadIdx.x == 0)
        gin.resetSignal(2);
}

PROBE(counters_free_the_source)
{
    const ncclDevComm c = make(network());
    counted<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, 3 * EACH, [](int i) {
        return value(before, i % EACH) + (float)(i / EACH);
    }));
    drop(c);
}

__global__ void fetch(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 2);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    ncclGinRequest_t request;
    float *const mine = (float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0) {
        gin.get(world, next, in, PART, out, 0, PART);
        gin.flushAsync(world, (uint32_t)next, &request);
        gin.wait(request);
        mine[EACH] = mine[5] + 1;
    }
    // nobody changes it before all have it
    ncclGinBarrier(ncclCoopCta(), gin, ncclTeamTagWorld(), 0);
}

PROBE(gets_are_waited_for)
{
    const ncclDevComm c = make(network());
    fetch<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH, [](int i) { return value(after, EACH + i); }));
    CHECK(holds(EACH, 1, [](int) { return value(after, EACH + 5) + 1; }));
    drop(c);
}

// A signal that is a word of a window.
__global__ void va_signal(ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    const size_t word = 1024;
    if (threadIdx.x == 0) {
        gin.putValue(world, next, out, 0, 7.5f,
                     ncclGin_StrongVASignalAdd{out, word, 3});
        gin.signal(world, next, ncclGin_StrongVASignalInc{out, word});
    }
    gin.waitSignal(ncclCoopCta(), out, word, 4);
    float *const mine = (float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0) {
        mine[1] = mine[0] + (float)gin.readSignal(out, word);
        gin.resetSignal(out, word);
    }
}

PROBE(a_signal_in_a_window)
{
    const ncclDevComm c = make(network());
    va_signal<<<1, THREADS, 0, stream>>>(out_win, c);
    CHECK(holds(0, 2, [](int i) { return i ? 11.5f : 7.5f; }));
    drop(c);
}

__global__ void shadows(ncclDevComm comm, float *to)
{
    ncclGin gin(comm, 3);
    const ncclTeam world = ncclTeamWorld(comm);
    uint64_t was = 9, grown = 9;
    if (threadIdx.x == 0) {
        gin.signal(world, (world.rank + 1) % world.nRanks,
                   ncclGin_SignalAdd{3, 5});
        gin.increaseSignalShadow(3, 2);
    }
    __syncthreads();
    gin.waitSignalMeetShadow(ncclCoopCta(), 3);
    gin.waitSignalFollowShadow(ncclCoopCta(), 3, (uint64_t)3, &was, &grown);
    if (threadIdx.x == 0) {
        to[0] = (float)was;
        to[1] = (float)grown;
        to[2] = (float)*gin.getSignalShadowPtr(3);
    }
}

PROBE(shadows_follow_signals)
{
    const ncclDevComm c = make(network());
    shadows<<<1, THREADS, 0, stream>>>(c, out);
    CHECK(holds(0, 3, [](int i) { return i == 0 ? 2.f : i == 1 ? 3.f : 5.f; }));
    drop(c);
}

// Puts in every context; a barrier of all contexts covers them.
__global__ void contexts(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    const int ncontexts = (int)comm.ginContextCount;
    for (int k = (int)threadIdx.x; k < ncontexts; k += (int)blockDim.x)
        ncclGin(comm, k).put(world, next, out, k * PART, in, k * PART, PART);
    ncclGinBarrier(ncclCoopCta(), ncclGinAllContexts(comm), ncclTeamTagWorld(),
                   1);
}

PROBE(a_barrier_of_all_contexts)
{
    const ncclDevComm c = make(network());
    contexts<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, (int)c.ginContextCount * EACH,
                [](int i) { return value(before, i); }));
    drop(c);
}

// What a rank has put to any other, itself too, is there after a barrier.
__global__ void fenced(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 0);
    const ncclTeam world = ncclTeamWorld(comm);
    float *const mine = (float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0)
        for (int r = 0; r < world.nRanks; r++)
            gin.put(world, r, out, world.rank * PART, in, r * PART, PART);
    ncclBarrier(ncclCoopCta(), ncclTeamTagWorld(), gin, 0);
    if (threadIdx.x == 0)
        mine[world.nRanks * EACH] = mine[world.rank * EACH] + 1;
}

PROBE(barriers_fence_puts)
{
    const ncclDevComm c = make(network());
    fenced<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH * nranks, exchanged));
    CHECK(holds(EACH * nranks, 1,
                [](int) { return value(rank, rank * EACH) + 1; }));
    drop(c);
}

// Along the rail, and then inside the node.
__global__ void by_rail(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    ncclGin gin(comm, 0);
    const ncclTeam rail = ncclTeamRail(comm);
    if (threadIdx.x == 0)
        for (int r = 0; r < rail.nRanks; r++)
            gin.put(rail, r, out, rail.rank * PART, in, 0, PART);
    ncclGinBarrier(ncclCoopCta(), gin, ncclTeamTagRail(), 0);
}

PROBE(puts_along_the_rail)
{
    const ncclDevComm c = make(network());
    const int size = ncclTeamLsa(comm).nRanks;
    by_rail<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH * (nranks / size), [size](int i) {
        return value(i / EACH * size + rank % size, i % EACH);
    }));
    drop(c);
}

// The same as functions.
__global__ void in_c(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    const ncclCoopAny one = ncclCoopThread(), cta = ncclCoopCta();
    const ncclTeam world = ncclTeamWorld(comm);
    const int next = (world.rank + 1) % world.nRanks;
    const auto scope = cuda::thread_scope_thread;
    const auto device = cuda::thread_scope_device;
    const auto acquire = cuda::memory_order_acquire;
    alignas(ncclGin_C) char space[sizeof(ncclGin_C)];
    ncclGin_C *const net = (ncclGin_C *)space;
    ncclGin_C_init(net, NCCL_GIN_BACKEND_MASK_ALL, comm, 1);
    if (threadIdx.x == 0) {
        ncclGinPut(net, world, next, out, 0, in, 0, PART, true, 0,
                   ncclGinSignalInc, 0, true, 0, one, false, nullptr, scope,
                   device);
        ncclGinPutValue(net, world, next, out, PART, 42, 1, false, 0,
                        ncclGinSignalInc, 0, one, false, nullptr, scope,
                        device);
        ncclGinSignal(net, world, next, true, 0, ncclGinSignalAdd, 4, one,
                      false, nullptr, scope, device);
        ncclGinPut_v3(net, world, next, out, 2 * PART, in, PART, PART,
                      NCCL_GIN_SIGNAL_TYPE_INDEXED, nullptr, 0, 0, false,
                      ncclGinSignalAdd, 10, false, 0, one, false, nullptr,
                      scope, device, ncclGinOptFlagsDefault,
                      ncclGinSegmentTypeDevice);
    }
    ncclGinWaitCounter(net, cta, 0, 1, 56, acquire);
    ncclGinWaitSignal(net, cta, 0, 15, 64, acquire);
    ncclGinFlush(net, cta, acquire);
    float *const mine = (float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0) {
        mine[3 * EACH] = (float)ncclGinReadSignal(net, 0, 64, acquire);
        mine[3 * EACH + 1] = (float)((const char *)mine)[PART];
        ncclGinResetSignal(net, 0);
        ncclGinResetCounter(net, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mine[EACH] = 0; // where the value came
}

PROBE(the_same_as_functions)
{
    const ncclDevComm c = make(network());
    in_c<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH, [](int i) { return value(before, i); }));
    CHECK(holds(2 * EACH, EACH, [](int i) { return value(before, EACH + i); }));
    CHECK(holds(3 * EACH, 2, [](int i) { return i ? 42.f : 15.f; }));
    drop(c);
}
