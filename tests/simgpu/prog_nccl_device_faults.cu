/*
 * prog_nccl_device_faults.cu: what is said of mistakes with NCCL's device API,
 * on two ranks of one process
 *
 * Without an argument, the host's functions: a line for each call. With one, a
 * kernel's mistake of that number; "count" says how many there are.
 * messages.txt has what is expected.
 */
#include <assert.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devcomm.h"

enum { BYTES = 8192 };

static ncclComm_t comm[2];
static char *buf[2];
static ncclWindow_t window[2], lonely[2]; /* the latter not symmetric */
static ncclDevComm dev[2];

static void say(const char *call, ncclResult_t result)
{
    printf("%s: %d %s\n", call, (int)result,
           result == ncclSuccess ? "" : ncclGetLastError(NULL));
}
#define SAY(call) say(#call, call)

static void begin(int multimem)
{
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaMultimem = multimem;
    reqs.lsaBarrierCount = 2;
    ncclCommInitAll(comm, 2, NULL);
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        ncclMemAlloc((void **)&buf[i], BYTES);
        cudaMemset(buf[i], 0, BYTES);
    }
    ncclGroupStart();
    for (int i = 0; i < 2; i++) {
        ncclCommWindowRegister(comm[i], buf[i], BYTES, &window[i],
                               NCCL_WIN_COLL_SYMMETRIC);
        ncclCommWindowRegister(comm[i], buf[i], BYTES / 2, &lonely[i], 0);
    }
    ncclGroupEnd();
    ncclGroupStart();
    for (int i = 0; i < 2; i++)
        ncclDevCommCreate(comm[i], &reqs, &dev[i]);
    ncclGroupEnd();
    cudaSetDevice(0);
}

/* ---- in kernels ---------------------------------------------------------- */

struct arguments {
    ncclWindow_t window, lonely;
    ncclDevComm dev;
    char *memory, *other, *freed; /* of the other device; freed */
    size_t n;                     /* 3, which no compiler knows */
};

template <class F> __device__ static int stopped(F *stop)
{
    stop();
    return 0;
}

__device__ static int asserted(size_t n)
{
    assert(n != 3);
    return 0;
}

__device__ static float reduced(const void *p)
{
    float x = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
                 : "=f"(x)
                 : "l"(p)
                 : "memory");
#endif
    return x;
}

#define MISTAKES(X)                                                            \
    X(ncclGetLocalPointer(NULL, 0))                                            \
    X(ncclGetLsaPointer(a.window, 0, 2))                                       \
    X(ncclGetLsaPointer(a.window, 0, -1))                                      \
    X(ncclGetPeerPointer(a.window, 0, 2))                                      \
    X(ncclGetPeerPointer(a.window, BYTES + 1, 1))                              \
    X(ncclGetPeerPointer(a.window, 0, ncclTeamWorld(a.dev), -1))               \
    X(ncclGetLsaPointer(a.lonely, 0, 1))                                       \
    X(ncclGetLocalPointer(a.lonely, BYTES / 2 + 1))                            \
    X(ncclGetMultimemPointer(a.window, 0, ncclMultimemHandle{}))               \
    X(ncclGetLsaMultimemPointer(a.lonely, 0, a.dev))                           \
    X(ncclGetLsaMultimemPointer(a.window, BYTES + 1, a.dev))                   \
    X(*(char *)ncclGetLocalPointer(a.window, BYTES))                           \
    X(reduced(a.memory))                                                       \
    X(reduced(ncclGetLsaMultimemPointer(a.window, BYTES, a.dev)))              \
    X(reduced(ncclGetLsaMultimemPointer(a.window, 2, a.dev)))                  \
    X(a.memory[BYTES] = 1)                                                     \
    X(*(short *)(a.memory + BYTES - 1))                                        \
    X(*(int *)(a.memory + BYTES - 2) = 1)                                      \
    X(*(double *)(a.memory + BYTES - 4))                                       \
    X((*(float4 *)(a.memory + BYTES)).x)                                       \
    X(atomicAdd((int *)(a.memory + BYTES), 1))                                 \
    X(*(volatile int *)(a.memory + BYTES))                                     \
    X(a.freed[4] = 1)                                                          \
    X(a.freed[4])                                                              \
    X(memcmp(a.memory, a.freed, 1))                                            \
    X(*(volatile char *)a.freed)                                               \
    X(*(volatile short *)a.freed)                                              \
    X(*(volatile double *)a.freed)                                             \
    X(*(volatile char *)a.freed = 1)                                           \
    X(*(volatile short *)a.freed = 1)                                          \
    X(*(volatile int *)a.freed = 1)                                            \
    X(*(volatile double *)a.freed = 1)                                         \
    X(__atomic_load_n((long long *)a.freed, __ATOMIC_ACQUIRE))                 \
    X(atomicCAS((unsigned short *)a.freed, 0, 1))                              \
    X(atomicExch((unsigned long long *)a.freed, 1))                            \
    X(stopped(__trap))                                                         \
    X(asserted(a.n))                                                           \
    X(a.other[8] = 1)

/* So that no read is left out. */
template <class T> __device__ static void use(T value)
{
    volatile T used = value;
    (void)used;
}

#define KERNEL(...)                                                            \
    if (mistake == __COUNTER__ - first)                                        \
        use(__VA_ARGS__);
__global__ void mistaken(int mistake, struct arguments a)
{
    const int first = __COUNTER__ + 1;
    MISTAKES(KERNEL)
}

#define NAME(...) #__VA_ARGS__,
static const char *const names[] = {MISTAKES(NAME)};
enum { NMISTAKES = sizeof names / sizeof *names };

static void make(int mistake)
{
    begin(1);
    struct arguments a = {window[0], lonely[0], dev[0], buf[0], NULL, NULL, 3};
    cudaMalloc((void **)&a.freed, 64);
    cudaFree(a.freed);
    cudaSetDevice(1);
    cudaMalloc((void **)&a.other, 64);
    cudaSetDevice(0);
    printf("%s\n", names[mistake]);
    fflush(stdout);
    mistaken<<<dim3(2, 1, 1), dim3(1, 1, 1)>>>(mistake, a);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

/* ---- on the host --------------------------------------------------------- */

/* The first thing that a communicator registers. */
static void first(void)
{
    const ncclDevCommRequirements reqs = no_requirements();
    ncclComm_t one;
    ncclDevComm d;
    ncclCommInitAll(&one, 1, NULL);
    SAY(ncclDevCommCreate(one, &reqs, &d));
    SAY(ncclDevCommDestroy(one, &d));
    SAY(ncclDevCommDestroy(one, &d));
    ncclCommDestroy(one);
}

static void creating(void)
{
    ncclDevCommRequirements reqs = no_requirements();
    ncclTeamRequirements_t team = {};
    ncclDevComm d;
    ncclCommProperties_t props = {};
    SAY(ncclDevCommCreate(NULL, &reqs, &d));
    SAY(ncclDevCommCreate(comm[0], NULL, &d));
    SAY(ncclDevCommCreate(comm[0], &reqs, NULL));
    reqs.magic = 0;
    SAY(ncclDevCommCreate(comm[0], &reqs, &d));
    reqs = no_requirements();
    reqs.cftCaps = (decltype(reqs.cftCaps))1;
    SAY(ncclDevCommCreate(comm[0], &reqs, &d));
    reqs = no_requirements();
    reqs.teamRequirementsList = &team;
    team.multimem = 1;
    team.team = ncclTeam_t{1, 0, 1};
    SAY(ncclDevCommCreate(comm[0], &reqs, &d));
    team.team = ncclTeam_t{2, 0, 2};
    SAY(ncclDevCommCreate(comm[0], &reqs, &d));
    team.team = ncclTeam_t{2, 1, 1};
    SAY(ncclDevCommCreate(comm[0], &reqs, &d));
    SAY(ncclDevCommDestroy(comm[0], NULL));
    SAY(ncclDevCommDestroy(comm[1], &dev[0]));
    SAY(ncclCommQueryProperties(comm[0], NULL));
    SAY(ncclCommQueryProperties(comm[0], &props));
    props.size = sizeof props;
    props.magic = NCCL_API_MAGIC;
    props.version = NCCL_VERSION_CODE;
    SAY(ncclCommQueryProperties(comm[1], &props));
    printf("rank %d of %d, device %d %d, %d LSA teams, multimem %d, device API "
           "%d, GIN %d %d %d %d\n",
           props.rank, props.nRanks, props.cudaDev, props.nvmlDev,
           props.nLsaTeams, props.multimemSupport, props.deviceApiSupport,
           (int)props.ginType, (int)props.railedGinType,
           (int)props.ginConnectionType, (int)props.ginMinStride);
}

/* How much a list of requirements adds to what a communicator has. */
static void listed(void)
{
    ncclDevResourceRequirements_t r[3];
    ncclLsaBarrierHandle_t barrier;
    ncclGinBarrierHandle_t gin;
    ncclLLA2AHandle_t a2a;
    uint32_t signal = 77, counter = 77;
    ncclDevComm d[2];
    ncclDevCommRequirements reqs = no_requirements();
    const ncclTeam_t world = ncclTeamWorld(comm[0]);
    SAY(ncclLsaBarrierCreateRequirement(world, 3, &barrier, &r[0]));
    SAY(ncclGinBarrierCreateRequirement(comm[0], world, 3, &gin, &r[1]));
    SAY(ncclLLA2ACreateRequirement(-1, 5, &a2a, &r[2]));
    SAY(ncclLLA2ACreateRequirement(2, -1, &a2a, &r[2]));
    SAY(ncclLLA2ACreateRequirement(2, 5, NULL, &r[2]));
    SAY(ncclLLA2ACreateRequirement(2, 5, &a2a, NULL));
    SAY(ncclLLA2ACreateRequirement(0, 0, &a2a, &r[2]));
    SAY(ncclLLA2ACreateRequirement(2, 5, &a2a, &r[2]));
    r[0].next = &r[1];
    r[1].next = &r[2];
    r[2].ginSignalCount = 5;
    r[2].ginCounterCount = 2;
    r[2].outGinSignalStart = &signal;
    r[2].outGinCounterStart = &counter;
    reqs.resourceRequirementsList = r;
    reqs.ginSignalCount = 4;
    reqs.ginCounterCount = 3;
    reqs.lsaBarrierCount = 2;
    reqs.railGinBarrierCount = 2;
    ncclGroupStart();
    for (int i = 0; i < 2; i++)
        ncclDevCommCreate(comm[i], &reqs, &d[i]);
    SAY(ncclGroupEnd());
    printf("buffers %zu %zu %zu\n", r[0].bufferSize, r[1].bufferSize,
           r[2].bufferSize);
    printf("signals from %u and %u, counters from %u; %d signals, %d "
           "counters, %d contexts\n",
           (unsigned)gin.signal0, signal, counter, (int)d[0].ginSignalCount,
           (int)d[0].ginCounterCount, (int)d[0].ginContextCount);
    printf("barriers at %u and %u of %d, slots at %u, %u of them\n",
           (unsigned)d[0].lsaBarrier.bufHandle, (unsigned)barrier.bufHandle,
           barrier.nBarriers, (unsigned)a2a.bufHandle, (unsigned)a2a.nSlots);
    printf("GIN at %u %u %u\n", (unsigned)d[0].ginSignals,
           (unsigned)d[0].ginCounters, (unsigned)d[0].ginShadows);
    for (int size = 0; size <= 17; size += size < 8 ? 8 : 1)
        printf("slots of %d bytes: %d\n", size, ncclLLA2ACalcSlots(3, size));
    for (int i = 0; i < 2; i++)
        SAY(ncclDevCommDestroy(comm[i], &d[i]));
    SAY(ncclDevCommDestroy(comm[0], &d[0]));
}

static void teams(void)
{
    const ncclTeam_t all[] = {ncclTeamWorld(comm[1]), ncclTeamLsa(comm[1]),
                              ncclTeamRail(comm[1])};
    for (int i = 0; i < 3; i++)
        printf("team: rank %d of %d, stride %d; its rank 0 is %d in the "
               "world, %d of the LSA team\n",
               all[i].rank, all[i].nRanks, all[i].stride,
               ncclTeamRankToWorld(comm[1], all[i], 0),
               ncclTeamRankToLsa(comm[1], all[i], 0));
}

static void pointers(void)
{
    void *p = NULL;
    const ncclMultimemHandle_t none = {}, some = {comm[0]};
    for (int peer = -1; peer <= 2; peer++) {
        p = NULL;
        printf("peer %d\n", peer);
        SAY(ncclGetPeerDevicePointer(window[0], 16, peer, &p));
        void *const by_world = p;
        SAY(ncclGetLsaDevicePointer(window[0], 16, peer, &p));
        printf("peer %d has memory %d, the same %d\n", peer, p != NULL,
               p == by_world);
    }
    SAY(ncclGetPeerDevicePointer(NULL, 16, 0, &p));
    SAY(ncclGetPeerDevicePointer(window[0], 16, 0, NULL));
    SAY(ncclGetPeerDevicePointer(window[0], BYTES - 1, 0, &p));
    SAY(ncclGetPeerDevicePointer(window[0], BYTES, 0, &p));
    SAY(ncclGetLsaDevicePointer(NULL, 0, 0, &p));
    SAY(ncclGetLsaMultimemDevicePointer(NULL, 0, &p));
    SAY(ncclGetLsaMultimemDevicePointer(window[0], 0, NULL));
    SAY(ncclGetLsaMultimemDevicePointer(window[0], BYTES, &p));
    SAY(ncclGetLsaMultimemDevicePointer(lonely[0], 0, &p));
    printf("multimem of no symmetric window %d\n", p == NULL);
    SAY(ncclGetLsaMultimemDevicePointer(window[0], 0, &p));
    void *const first = p;
    SAY(ncclGetMultimemDevicePointer(window[0], 8, none, &p));
    SAY(ncclGetMultimemDevicePointer(window[0], 8, some, &p));
    printf("multimem, 8 bytes apart %d\n", p == (char *)first + 8);
}

static void print_team(const char *name, ncclTeam_t t)
{
    printf("%s: %d of %d, stride %d\n", name, t.rank, t.nRanks, t.stride);
}

static void without_cft(void)
{
    ncclCftLeId id = 5;
    size_t offset = 7;
    ncclCftBarrierHandle_t handle;
    ncclDevResourceRequirements_t required;
    const ncclTeam_t world = ncclTeamWorld(comm[1]);
    print_team("CFT", ncclTeamCft(comm[1], (ncclCftTeamMode_t)0));
    print_team("multimem", ncclTeamCftMultimem(comm[1]));
    memset(&handle, 0x55, sizeof handle);
    memset(&required, 0x55, sizeof required);
    SAY(ncclCftBarrierCreateRequirement(world, 3, &handle, &required));
    SAY(ncclCftBarrierCreateRequirement(world, 3, NULL, NULL));
    printf("%d barriers, %zu bytes\n", (int)handle.nBarriers,
           (size_t)required.bufferSize);
    SAY(ncclGetMultimemDeviceLeInfo(window[0], 0, &id, &offset));
    printf("%d %zu\n", id == NCCL_LE_ID_INVALID, offset);
    SAY(ncclGetMultimemDeviceLeInfo(window[0], 0, NULL, NULL));
    id = offset = 9;
    SAY(ncclGetCftDeviceLeInfo(window[0], 0, 0, world, &id, &offset));
    printf("%d %zu\n", id == NCCL_LE_ID_INVALID, offset);
    id = offset = 9;
    SAY(ncclGetPeerDeviceLeInfo(window[0], 0, 0, &id, &offset));
    printf("%d %zu\n", id == NCCL_LE_ID_INVALID, offset);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "count") == 0) {
        printf("%d\n", (int)NMISTAKES);
    } else if (argc > 1) {
        make(atoi(argv[1]));
    } else {
        first();
        begin(0);
        creating();
        listed();
        teams();
        pointers();
        without_cft();
    }
    return 0;
}
