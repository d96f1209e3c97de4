// NCCL's device API: what the switch reduces and multicasts.
#include "devcomm.cuh"

static ncclCommProperties_t properties()
{
    ncclCommProperties_t p;
    memset(&p, 0, sizeof p);
    p.size = sizeof p;
    p.magic = NCCL_API_MAGIC;
    p.version = NCCL_VERSION_CODE;
    DONE(ncclCommQueryProperties(comm, &p));
    return p;
}

static bool has_multimem()
{
    return properties().multimemSupport && one_node();
}

#define MULTIMEM_PROBE(name)                                                   \
    static void name##_by_the_switch();                                        \
    PROBE(name)                                                                \
    {                                                                          \
        if (has_multimem())                                                    \
            name##_by_the_switch();                                            \
    }                                                                          \
    static void name##_by_the_switch()

static ncclDevCommRequirements switched(int nbarriers)
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaMultimem = true;
    reqs.lsaBarrierCount = nbarriers;
    return reqs;
}

typedef ncclLsaBarrierSession<ncclCoopCta> barrier;

__device__ void sync(barrier &bar)
{
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// ---- instructions -----------------------------------------------------------

#if __CUDA_ARCH__ >= 900
#define LD_REDUCE(type, op, constraint, value, p)                              \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." op "." type          \
                 " %0, [%1];"                                                  \
                 : "=" constraint(value)                                       \
                 : "l"(p)                                                      \
                 : "memory")
#define STORE(type, constraint, value, p)                                      \
    asm volatile("multimem.st.relaxed.sys.global." type " [%0], %1;" ::"l"(p), \
                 constraint(value)                                             \
                 : "memory")
#define REDUCE(type, op, constraint, value, p)                                 \
    asm volatile("multimem.red.relaxed.sys.global." op "." type                \
                 " [%0], %1;" ::"l"(p),                                        \
                 constraint(value)                                             \
                 : "memory")
#else
#define LD_REDUCE(type, op, constraint, value, p) (void)(p)
#define STORE(type, constraint, value, p)         (void)(p)
#define REDUCE(type, op, constraint, value, p)    (void)(p)
#endif

__global__ void all_reduce(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x, true);
    const float *const from =
        (const float *)ncclGetLsaMultimemPointer(in, 0, comm);
    float *const to = (float *)ncclGetLsaMultimemPointer(out, 0, comm);
    const int step = (int)(gridDim.x * blockDim.x) * comm.lsaSize;
    sync(bar);
    for (int i = (int)(threadIdx.x +
                       blockDim.x *
                           (blockIdx.x + gridDim.x * (unsigned)comm.lsaRank));
         i < WORDS; i += step) {
        float sum = 0;
        LD_REDUCE("f32", "add", "f", sum, from + i);
        STORE("f32", "f", sum, to + i);
    }
    sync(bar);
}

MULTIMEM_PROBE(all_reduce_in_the_switch)
{
    const ncclDevComm c = make(switched(2));
    all_reduce<<<2, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, WORDS, total));
    drop(c);
}

__global__ void in_place(ncclWindow_t in, float *to, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    float *const all = (float *)ncclGetLsaMultimemPointer(in, 0, comm);
    sync(bar);
    for (int i = (int)threadIdx.x + comm.lsaRank * (int)blockDim.x; i < 512;
         i += comm.lsaSize * (int)blockDim.x) {
        float sum = 0;
        LD_REDUCE("f32", "add", "f", sum, all + i);
        STORE("f32", "f", sum, all + i);
    }
    sync(bar);
    const float *const mine = (const float *)ncclGetLocalPointer(in, 0);
    for (int i = (int)threadIdx.x; i < 512; i += (int)blockDim.x)
        to[i] = mine[i];
}

MULTIMEM_PROBE(all_reduce_in_place)
{
    const ncclDevComm c = make(switched(1));
    in_place<<<1, THREADS, 0, stream>>>(in_win, out, c);
    CHECK(holds(0, 512, total));
    drop(c);
}

__global__ void broadcast(ncclWindow_t in, ncclWindow_t out, ncclDevComm comm)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    const float *const mine = (const float *)ncclGetLocalPointer(in, 0);
    float *const all = (float *)ncclGetLsaMultimemPointer(out, 0, comm);
    for (int i = (int)threadIdx.x; i < 300 && comm.lsaRank == 1;
         i += (int)blockDim.x)
        STORE("f32", "f", mine[i], all + i);
    sync(bar);
}

MULTIMEM_PROBE(broadcast_by_one_store)
{
    const ncclDevComm c = make(switched(1));
    broadcast<<<1, THREADS, 0, stream>>>(in_win, out_win, c);
    CHECK(holds(0, 300, [](int i) { return value(1, i); }));
    drop(c);
}

// Words of the resource buffer, which all ranks change.
__global__ void count(ncclDevComm comm, ncclDevResourceHandle buffer,
                      float *result)
{
    barrier bar(ncclCoopCta(), comm, ncclTeamTagLsa(), 0);
    unsigned *const all =
        (unsigned *)ncclGetResourceBufferLsaMultimemPointer(comm, buffer);
    unsigned *const mine =
        (unsigned *)ncclGetResourceBufferLocalPointer(comm, buffer);
    if (threadIdx.x == 0) {
        mine[2] = 10 + (unsigned)comm.lsaRank;
        REDUCE("u32", "add", "r", 1u + (unsigned)comm.lsaRank, all);
        REDUCE("u32", "max", "r", 5u + (unsigned)comm.lsaRank, all + 1);
    }
    sync(bar);
    if (threadIdx.x == 0) {
        unsigned least = 0, most = 0;
        LD_REDUCE("u32", "min", "r", least, all + 2);
        LD_REDUCE("u32", "max", "r", most, all + 2);
        result[0] = (float)mine[0];
        result[1] = (float)mine[1];
        result[2] = (float)least;
        result[3] = (float)most;
    }
    sync(bar);
}

MULTIMEM_PROBE(words_that_all_ranks_change)
{
    ncclDevResourceRequirements buffer;
    ncclDevResourceHandle at;
    ncclDevCommRequirements reqs = switched(1);
    memset(&buffer, 0, sizeof buffer);
    buffer.bufferSize = 64;
    buffer.outBufferHandle = &at;
    reqs.resourceRequirementsList = &buffer;
    const ncclDevComm c = make(reqs);
    count<<<1, THREADS, 0, stream>>>(c, at, out);
    CHECK(holds(0, 4, [](int i) {
        const float want[] = {(float)(nranks * (nranks + 1) / 2),
                              (float)(4 + nranks), 10, (float)(9 + nranks)};
        return want[i];
    }));
    drop(c);
}

// ---- sums and copies --------------------------------------------------------

__global__ void reduce_copy(ncclSymPtr<float> in, ncclSymPtr<float> out,
                            ncclDevComm comm, int n)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    const int at = comm.lsaRank * n;
    sync(bar);
    ncclMultimemReduceSumCopy(cta, in + at, comm.lsaMultimem, out + at,
                              comm.lsaMultimem, n);
    sync(bar);
}

MULTIMEM_PROBE(sums_are_multicast)
{
    enum { N = 203 };
    const ncclDevComm c = make(switched(1));
    reduce_copy<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(in_win),
                                           ncclSymPtr<float>(out_win), c, N);
    CHECK(holds(0, N * nranks, total));
    drop(c);
}

__global__ void sum_here(ncclWindow_t in, float *to, ncclDevComm comm)
{
    const ncclCoopCta cta;
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    sync(bar);
    ncclMultimemReduceSum(cta, in, (size_t)0, to, 100, comm.lsaMultimem);
    sync(bar);
}

MULTIMEM_PROBE(sums_are_loaded)
{
    const ncclDevComm c = make(switched(1));
    sum_here<<<1, THREADS, 0, stream>>>(in_win, out, c);
    CHECK(holds(0, 100, total));
    drop(c);
}

__global__ void mixed(ncclSymPtr<float> in, ncclSymPtr<float> out,
                      ncclDevComm comm, int n)
{
    const ncclCoopCta cta;
    const ncclTeam lsa = ncclTeamLsa(comm);
    barrier bar(cta, comm, ncclTeamTagLsa(), 0);
    const int at = comm.lsaRank * n;
    sync(bar);
    ncclLsaReduceSumMultimemCopy(cta, in + at, lsa, out + at, comm.lsaMultimem,
                                 n);
    ncclMultimemReduceSumLsaCopy(cta, in + at, comm.lsaMultimem,
                                 out + (n * lsa.nRanks + at), lsa, n);
    ncclMultimemCopy(cta, in.localPtr(), out + (2 * n * lsa.nRanks + at), n,
                     comm.lsaMultimem);
    sync(bar);
}

MULTIMEM_PROBE(loads_and_the_switch_agree)
{
    static const int n = 40;
    const ncclDevComm c = make(switched(1));
    mixed<<<1, THREADS, 0, stream>>>(ncclSymPtr<float>(in_win),
                                     ncclSymPtr<float>(out_win), c, n);
    CHECK(holds(0, n * nranks, total));
    CHECK(holds(n * nranks, n * nranks, total));
    CHECK(holds(2 * n * nranks, n * nranks,
                [](int i) { return value(i / n, i % n); }));
    drop(c);
}

// ---- host -------------------------------------------------------------------

PROBE(a_machine_says_whether_it_has_multimem)
{
    const ncclCommProperties_t p = properties();
    ncclDevCommRequirements reqs = switched(0);
    ncclDevComm c;
    void *all = nullptr;
    const bool made = ncclDevCommCreate(comm, &reqs, &c) == ncclSuccess;
    CHECK(made == p.multimemSupport);
    CHECK(ncclGetLsaMultimemDevicePointer(in_win, 8, &all) == ncclSuccess);
    CHECK((all != nullptr) == p.multimemSupport);
    if (made)
        drop(c);
}
