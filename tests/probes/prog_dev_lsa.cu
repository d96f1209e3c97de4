// NCCL's device API: loads and stores, sums and copies, and single elements.
#include "devcomm.cuh"

typedef ncclLsaBarrierSession<ncclCoopCta> barrier;

__device__ void sync(barrier &bar)
{
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

static ncclDevCommRequirements barriers(int n)
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = n;
    return reqs;
}

// Each probe is of ranks that reach each other by loads and stores.
#define LSA_PROBE(name)                                                        \
    static void name##_on_a_node();                                            \
    PROBE(name)                                                                \
    {                                                                          \
        if (one_node())                                                        \
            name##_on_a_node();                                                \
    }                                                                          \
    static void name##_on_a_node()

// ---- by hand ----------------------------------------------------------------

// Every rank sums all words.
__global__ void one_shot(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
    sync(bar);
    float *const to = (float *)ncclGetLocalPointer(out, 0);
    const int step = (int)(blockDim.x * gridDim.x);
    for (int i = (int)(threadIdx.x + blockIdx.x * blockDim.x); i < WORDS;
         i += step) {
        float sum = 0;
        for (int r = 0; r < comm.lsaSize; r++)
            sum += ((const float *)ncclGetLsaPointer(in, 0, r))[i];
        to[i] = sum;
    }
    sync(bar);
}

LSA_PROBE(all_reduce_in_one_shot)
{
    const ncclDevComm c = make(barriers(2));
    one_shot<<<2, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, WORDS, total));
    drop(c);
}

// Rank r sums part r and writes it to all.
__global__ void two_shot(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    const ncclTeam lsa = ncclTeamLsa(comm);
    sync(bar);
    for (int i = lsa.rank + lsa.nRanks * (int)threadIdx.x; i < WORDS;
         i += lsa.nRanks * (int)blockDim.x) {
        float sum = 0;
        for (int r = 0; r < lsa.nRanks; r++)
            sum += ((const float *)ncclGetLsaPointer(in, 0, r))[i];
        for (int r = 0; r < lsa.nRanks; r++)
            ((float *)ncclGetLsaPointer(out, 0, r))[i] = sum;
    }
    sync(bar);
}

LSA_PROBE(all_reduce_in_two_shots)
{
    const ncclDevComm c = make(barriers(1));
    for (int k = 0; k < 3; k++)
        two_shot<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, WORDS, total));
    drop(c);
}

enum { EACH = 64 }; // words for each rank

__global__ void gather(ncclSymPtr<float> in, ncclSymPtr<float> out,
                       ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    const float *const mine = in.localPtr();
    for (int r = 0; r < comm.lsaSize; r++)
        for (int i = (int)threadIdx.x; i < EACH; i += (int)blockDim.x)
            (out + comm.lsaRank * EACH).lsaPtr(r)[i] = mine[i];
    sync(bar);
}

LSA_PROBE(all_gather_by_stores)
{
    const ncclDevComm c = make(barriers(1));
    gather<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(in_win),
                                      ncclSymPtr<float>(out_win), c);
    CHECK(holds(0, EACH * nranks,
                [](int i) { return value(i / EACH, i % EACH); }));
    drop(c);
}

__global__ void exchange(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    const size_t part = EACH * sizeof(float);
    sync(bar);
    for (int r = 0; r < comm.lsaSize; r++) {
        const float *const from =
            (const float *)ncclGetPeerPointer(in, comm.rank * part, r);
        float *const to = (float *)ncclGetLocalPointer(out, r * part);
        for (int i = (int)threadIdx.x; i < EACH; i += (int)blockDim.x)
            to[i] = from[i];
    }
    sync(bar);
}

LSA_PROBE(all_to_all_by_loads)
{
    const ncclDevComm c = make(barriers(1));
    exchange<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, EACH * nranks,
                [](int i) { return value(i / EACH, rank * EACH + i % EACH); }));
    drop(c);
}

// The barrier's halves: what is done between them overlaps the wait.
__global__ void in_halves(ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    const int next = (comm.lsaRank + 1) % comm.lsaSize;
    float *const mine = (float *)ncclGetLocalPointer(out, 0);
    if (threadIdx.x == 0)
        ((float *)ncclGetLsaPointer(out, 0, next))[0] = (float)comm.rank;
    bar.arrive(ncclCoopCta(), cuda::memory_order_release);
    if (threadIdx.x == 1)
        mine[1] = 5;
    bar.wait(ncclCoopCta(), cuda::memory_order_acquire);
    if (threadIdx.x == 0)
        mine[2] = mine[0];
}

LSA_PROBE(barriers_arrive_and_wait)
{
    const ncclDevComm c = make(barriers(1));
    in_halves<<<1, THREADS, 0, stream>>>(out_win, c);
    CHECK(holds(0, 3, [](int i) { return i == 1 ? 5.f : (float)before; }));
    drop(c);
}

// Each warp has a barrier of its own.
__global__ void by_warps(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    const ncclCoopWarp warp;
    const int w = (int)threadIdx.x / 32;
    ncclLsaBarrierSession<ncclCoopWarp> bar(warp, comm, ncclTeamTagLsa(),
                                            (uint32_t)w);
    bar.sync(warp, cuda::memory_order_acquire);
    const int from = (comm.lsaRank + w) % comm.lsaSize;
    ((float *)ncclGetLocalPointer(out, 0))[threadIdx.x] =
        ((const float *)ncclGetLsaPointer(in, 0, from))[threadIdx.x];
    bar.sync(warp, cuda::memory_order_release);
}

LSA_PROBE(a_barrier_for_each_warp)
{
    const ncclDevComm c = make(barriers(3));
    by_warps<<<1, 96, 0, stream>>>(in_win, out_win, c);
    CHECK(
        holds(0, 96, [](int i) { return value((rank + i / 32) % nranks, i); }));
    drop(c);
}

__global__ void find(ncclDevComm comm, float *p, float *result)
{
    const ncclWindow_t w = ncclFindWindow(ncclCoopThread(), comm, p + 3);
    const int other = comm.lsaSize - 1;
    result[0] = ((const float *)ncclGetLsaPointer(w, 0, other))[9];
}

LSA_PROBE(the_window_of_a_pointer_is_found)
{
    const ncclDevComm c = make(barriers(1));
    find<<<1, 1, 0, stream>>>(c, in, out);
    CHECK(holds(0, 1, [](int) { return value(nranks - 1, 9); }));
    drop(c);
}

// ---- sums and copies --------------------------------------------------------

__global__ void sum_parts(ncclSymPtr<float> in, ncclSymPtr<float> out,
                          ncclDevComm comm, int count)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    sync(bar);
    const int part = count / comm.lsaSize;
    const int at = comm.lsaRank * part;
    const int n = comm.lsaRank + 1 < comm.lsaSize ? part : count - at;
    ncclLsaReduceSumCopy(cta, in + at, out + at, n, comm);
    sync(bar);
}

LSA_PROBE(sums_of_all_are_copied_to_all)
{
    const ncclDevComm c = make(barriers(1));
    sum_parts<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(in_win),
                                         ncclSymPtr<float>(out_win), c, 1001);
    CHECK(holds(0, 1001, total));
    drop(c);
}

__global__ void sum_to_one(ncclWindow_t in, float *to, ncclDevComm comm)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    sync(bar);
    ncclLsaReduceSum(cta, in, 4 * sizeof(float), to, 500, comm);
    ncclLsaReduceSum(cta, ncclSymPtr<float>(in), to + 500, 7,
                     ncclTeamLsa(comm));
    sync(bar);
}

LSA_PROBE(sums_of_all_stay_here)
{
    const ncclDevComm c = make(barriers(1));
    sum_to_one<<<1, THREADS, 0, stream>>>(in_win, out, c);
    CHECK(holds(0, 507,
                [](int i) { return i < 500 ? total(i + 4) : total(i - 500); }));
    drop(c);
}

struct greatest {
    __device__ float operator()(float a, float b) const
    {
        return a > b ? a : b;
    }
};

__global__ void reduce_by_lambda(ncclWindow_t in, ncclWindow_t out,
                                 ncclDevComm comm)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    sync(bar);
    auto from = [=] __device__(int r) {
        return (float *)ncclGetLsaPointer(in, 0, r);
    };
    auto to = [=] __device__(int d) {
        return (float *)ncclGetLocalPointer(out, d * 1000 * sizeof(float));
    };
    ncclLsaReduceLsaCopy<float>(cta, from, comm.lsaSize, to, 2, greatest(),
                                600);
    sync(bar);
}

LSA_PROBE(any_reduction_of_any_places)
{
    const ncclDevComm c = make(barriers(1));
    reduce_by_lambda<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, 600, [](int i) { return value(nranks - 1, i); }));
    CHECK(holds(1000, 600, [](int i) { return value(nranks - 1, i); }));
    drop(c);
}

__global__ void spread(float *from, ncclWindow_t out, ncclDevComm comm)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    ncclLsaCopy(cta, from, out, comm.rank * EACH * sizeof(float), EACH, comm);
    sync(bar);
}

LSA_PROBE(copies_to_all)
{
    const ncclDevComm c = make(barriers(1));
    spread<<<1, THREADS, 0, stream>>>(in, out_win, c);
    CHECK(holds(0, EACH * nranks,
                [](int i) { return value(i / EACH, i % EACH); }));
    drop(c);
}

__global__ void local(float *from, float *to)
{
    const ncclCoopCta cta;
    ncclLocalReduceSum(cta, 3, from, 100, to, 100);
    ncclLocalCopy(cta, from, 2, to + 100, 100, 100);
    ncclLocalReduceSumCopy(cta, 2, from, 50, 2, to + 300, 50, 50);
}

PROBE(sums_and_copies_of_this_rank)
{
    const ncclDevComm c = make(no_requirements());
    local<<<1, THREADS, 0, stream>>>(in, out);
    CHECK(holds(0, 400, [](int i) {
        if (i < 100)
            return value(rank, i) + value(rank, i + 100) + value(rank, i + 200);
        if (i < 300)
            return value(rank, i % 100);
        return value(rank, i % 50) + value(rank, i % 50 + 50);
    }));
    drop(c);
}

// Narrow types are summed in float, integers as they are.
__global__ void sum_halves(__half *h, signed char *b)
{
    const ncclCoopCta cta;
    ncclLocalReduceSum(cta, 3, h, 8, h + 24, 8);
    ncclLocalReduceSum(cta, 2, b, 16, b + 32, 16);
}

PROBE(narrow_types_are_rounded_once)
{
    const ncclDevComm c = make(no_requirements());
    array<__half> h(32);
    array<signed char> b(48);
    for (int i = 0; i < 8; i++) {
        h.h[i] = __float2half(2048);
        h.h[8 + i] = h.h[16 + i] = __float2half(.75f); // 2048 + .75 is 2048
    }
    for (int i = 0; i < 32; i++)
        b.h[i] = 100; // 200 is -56
    h.put();
    b.put();
    sum_halves<<<1, THREADS, 0, stream>>>(h.d, b.d);
    OK(cudaStreamSynchronize(stream));
    CHECK(__half2float(h.get()[24]) == 2050 && b.get()[32] == -56);
    drop(c);
}

// ---- single elements --------------------------------------------------------

static ncclLLA2AHandle handle;

static ncclDevComm with_slots(int nblocks, int nslots)
{
    ncclDevResourceRequirements slots;
    ncclDevCommRequirements reqs = no_requirements();
    DONE(ncclLLA2ACreateRequirement(nblocks, nslots, &handle, &slots));
    reqs.resourceRequirementsList = &slots;
    return make(reqs);
}

// Each rank sends each other a number, twice.
__global__ void single(ncclDevComm comm, ncclLLA2AHandle handle, float *to)
{
    const ncclCoopCta cta;
    const ncclTeam lsa = ncclTeamLsa(comm);
    ncclLLA2ASession<ncclCoopCta> a2a(cta, comm, lsa, handle, blockIdx.x,
                                      lsa.nRanks);
    for (int epoch = 0; epoch < 2; epoch++) {
        const int peer = (int)threadIdx.x;
        if (peer < lsa.nRanks) {
            a2a.send(peer, lsa.rank, (float)(100 * lsa.rank + peer + epoch));
            to[(int)(2 * blockIdx.x + epoch) * lsa.nRanks + peer] =
                a2a.recv<float>(peer);
        }
        a2a.endEpoch(cta);
    }
}

LSA_PROBE(single_elements_are_exchanged)
{
    const ncclDevComm c = with_slots(2, ncclLLA2ACalcSlots(nranks, 4));
    for (int k = 0; k < 3; k++)
        single<<<2, THREADS, 0, stream>>>(c, handle, out);
    CHECK(holds(0, 4 * nranks, [](int i) {
        return (float)(100 * (i % nranks) + rank + i / nranks % 2);
    }));
    drop(c);
}

struct wide { // two slots, and half of one
    double a, b;
    int c;
};

__global__ void sum_wide(ncclDevComm comm, ncclLLA2AHandle handle, float *to)
{
    const ncclCoopCta cta;
    const ncclTeam lsa = ncclTeamLsa(comm);
    ncclLLA2ASession<ncclCoopCta> a2a(cta, comm, lsa, handle, 0, lsa.nRanks);
    if (threadIdx.x == 0) {
        a2a.bcast(lsa.rank, wide{1, .5, lsa.rank});
        to[0] = a2a.recvReduce<4, wide>(
            0, lsa.nRanks, 1, [](wide w) { return (float)(w.a + w.b + w.c); },
            [](float a, float b) { return a + b; });
    }
    a2a.endEpoch(cta);
}

LSA_PROBE(wide_elements_are_summed)
{
    const ncclDevComm c =
        with_slots(1, ncclLLA2ACalcSlots(nranks, sizeof(wide)));
    sum_wide<<<1, THREADS, 0, stream>>>(c, handle, out);
    CHECK(holds(0, 1, [](int) {
        return 1.5f * (float)nranks + (float)(nranks * (nranks - 1) / 2);
    }));
    drop(c);
}

// ---- CFT --------------------------------------------------------------------

__global__ void endpoint(ncclWindow_t in, ncclDevComm comm, float *to)
{
    ncclCftLeId id = 0;
    size_t offset = 1;
    ncclGetPeerLeInfo(in, 8, comm.rank, comm, &id, &offset);
    to[0] = id == NCCL_LE_ID_INVALID && ncclTeamCft(comm).nRanks == 1;
}

PROBE(a_machine_without_cft_says_so)
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.cftCaps = NCCL_CFT;
    ncclDevComm none;
    CHECK(ncclDevCommCreate(comm, &reqs, &none) == ncclInvalidUsage);
    ncclCftLeId id = 0;
    size_t offset = 1;
    CHECK(ncclGetPeerDeviceLeInfo(in_win, 0, 0, &id, &offset) ==
          ncclInvalidUsage);
    CHECK(id == NCCL_LE_ID_INVALID && ncclTeamCft(comm).nRanks == 1);
    const ncclDevComm c = make(no_requirements());
    endpoint<<<1, 1, 0, stream>>>(in_win, c, out);
    CHECK(holds(0, 1, [](int) { return 1.f; }));
    drop(c);
}
