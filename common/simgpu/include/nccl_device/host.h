/*
 * host.h: device communicators, teams and windows in host code
 */
#ifndef SIMGPU_NCCL_DEVICE_HOST_H
#define SIMGPU_NCCL_DEVICE_HOST_H

#include <nccl.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef NCCL_API_MAGIC
#define NCCL_API_MAGIC 0xcafebeef
#endif

enum { NCCL_GIN_MAX_CONNECTIONS = 4, NCCL_GIN_MAX_ACTIVE_BACKENDS = 4 };

typedef struct ncclTeam {
    int nRanks, rank, stride;
} ncclTeam_t;

/* A piece of the resource buffer, in units of 128 bytes. */
typedef uint32_t ncclDevResourceHandle;
typedef ncclDevResourceHandle ncclDevResourceHandle_t;
typedef uint32_t ncclGinSignal_t;
typedef uint32_t ncclGinCounter_t;

typedef struct {
    uint64_t opaque[2];
} ncclGinRequest_t;

typedef struct ncclMultimemHandle {
    void *mcBasePtr; /* identifies the ranks whose memories it spans */
} ncclMultimemHandle_t;

typedef struct ncclLsaBarrierHandle {
    ncclDevResourceHandle_t bufHandle;
    int nBarriers;
} ncclLsaBarrierHandle_t;

typedef uint32_t ncclCftLeId;
typedef ncclCftLeId ncclCftLeId_t;
#define NCCL_LE_ID_INVALID ((ncclCftLeId_t)-1)

typedef struct ncclCftBarrierHandle {
    ncclDevResourceHandle_t bufHandle;
    int nBarriers;
} ncclCftBarrierHandle_t;

typedef struct ncclLLA2AHandle {
    ncclDevResourceHandle_t bufHandle;
    uint32_t nSlots;
} ncclLLA2AHandle_t;

typedef struct ncclGinBarrierHandle {
    ncclGinSignal_t signal0;
    ncclDevResourceHandle_t unused;
} ncclGinBarrierHandle_t;

typedef enum {
    NCCL_GIN_CONNECTION_NONE,
    NCCL_GIN_CONNECTION_FULL,
    NCCL_GIN_CONNECTION_RAIL,
    NCCL_GIN_CONNECTION_CUSTOM_STRIDE,
} ncclGinConnectionType_t;

typedef enum {
    NCCL_GIN_TYPE_NONE = 0,
    NCCL_GIN_TYPE_PROXY = 2,
    NCCL_GIN_TYPE_GDAKI = 3,
    NCCL_GIN_TYPE_GPI = 4,
    NCCL_GIN_TYPE_EFA_GDA = 5,
    NCCL_GIN_MAX_TYPES = 6,
} ncclGinType_t;

typedef enum {
    NCCL_CFT_TEAM_FLAT,
    NCCL_CFT_TEAM_HIER_MULTIMEM,
    NCCL_CFT_TEAM_HIER_LSA,
} ncclCftTeamMode_t;

typedef enum {
    NCCL_CFT_NONE = 0x0,
    NCCL_CFT = 0x1,
    NCCL_CFT_MULTIMEM = 0x2
} ncclCftCap_t;

/* A device communicator, as passed to kernels. Plain data. */
typedef struct ncclDevComm {
    unsigned int magic;
    unsigned int version;
    int rank, nRanks;
    uint32_t nRanks_rcp32;
    int lsaRank, lsaSize;
    uint32_t lsaSize_rcp32;
    void *windowTable;
    ncclWindow_t resourceWindow;
    ncclMultimemHandle_t lsaMultimem;
    ncclLsaBarrierHandle_t lsaBarrier;
    ncclGinBarrierHandle_t railGinBarrier;
    uint32_t ginContextCount;
    int ginSignalCount;
    int ginCounterCount;
    ncclLsaBarrierHandle_t hybridLsaBarrier;
    ncclGinBarrierHandle_t hybridRailGinBarrier;
    ncclGinBarrierHandle_t worldGinBarrier;
    /* simgpu's own: offsets of GIN's words in the resource buffer */
    ncclDevResourceHandle_t ginSignals, ginCounters, ginShadows;
} ncclDevComm_t;

typedef struct ncclDevResourceRequirements {
    struct ncclDevResourceRequirements *next;
    size_t bufferSize, bufferAlign;
    ncclDevResourceHandle_t *outBufferHandle;
    int ginSignalCount;
    int ginCounterCount;
    ncclGinSignal_t *outGinSignalStart;
    ncclGinCounter_t *outGinCounterStart;
} ncclDevResourceRequirements_t;

typedef struct ncclTeamRequirements {
    struct ncclTeamRequirements *next;
    ncclTeam_t team;
    bool multimem;
    ncclMultimemHandle_t *outMultimemHandle;
} ncclTeamRequirements_t;

/* The layout is NCCL 2.32's. Older layouts, which programs zero instead of
 * initialising, are a subset. */
typedef struct ncclDevCommRequirements {
    size_t size;
    unsigned int magic;
    unsigned int version;
    ncclDevResourceRequirements_t *resourceRequirementsList;
    ncclTeamRequirements_t *teamRequirementsList;
    bool lsaMultimem;
    int barrierCount;
    int lsaBarrierCount;
    int railGinBarrierCount;
    int lsaLLA2ABlockCount, lsaLLA2ASlotCount;
    bool ginForceEnable;
    int ginContextCount;
    int ginSignalCount;
    int ginCounterCount;
    ncclGinConnectionType_t ginConnectionType;
    bool ginExclusiveContexts;
    int ginQueueDepth;
    int ginTrafficClass;
    int worldGinBarrierCount;
    bool ginStrongSignalsRequired;
    bool ginVaSignalsRequired;
    int ginCustomStride;
    ncclGinType_t ginType;
    bool useRuntimeVersion;
    int cftCaps;
    int cftBarrierCount;
} ncclDevCommRequirements_t;

#define NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER                                 \
    {                                                                          \
        sizeof(ncclDevCommRequirements_t), NCCL_API_MAGIC, NCCL_VERSION_CODE,  \
            NULL, NULL, false, 0, 0, 0, 0, 0, false, 4, 0, 0,                  \
            NCCL_GIN_CONNECTION_NONE, false, 0, NCCL_CONFIG_UNDEF_INT, 0,      \
            true, true, 1, NCCL_GIN_TYPE_NONE, false, NCCL_CFT_NONE, 0         \
    }

typedef struct ncclCommProperties {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int rank;
    int nRanks;
    int cudaDev;
    int nvmlDev;
    bool deviceApiSupport;
    bool multimemSupport;
    ncclGinType_t ginType;
    int nLsaTeams;
    bool hostRmaSupport;
    ncclGinType_t railedGinType;
    uint64_t commHash;
    int ginMinStride;
    ncclGinConnectionType_t ginConnectionType;
    bool ginSupport[64];
    size_t devCommRuntimeVersionSize;
    bool cftSupport;
    bool cftMulticastSupport;
    bool cftCountedSupport;
} ncclCommProperties_t;

#define NCCL_COMM_PROPERTIES_INITIALIZER                                       \
    {                                                                          \
        sizeof(ncclCommProperties_t), NCCL_API_MAGIC, NCCL_VERSION_CODE        \
    }

#ifdef __cplusplus
extern "C" {
#endif

/* Every function also exists as pnccl... */
#define SIMGPU_NCCL(type, name, args)                                          \
    type name args;                                                            \
    type p##name args

SIMGPU_NCCL(ncclResult_t, ncclCommQueryProperties,
            (ncclComm_t comm, ncclCommProperties_t *props));
SIMGPU_NCCL(ncclResult_t, ncclDevCommCreate,
            (ncclComm_t comm, const ncclDevCommRequirements_t *reqs,
             ncclDevComm_t *outDevComm));
SIMGPU_NCCL(ncclResult_t, ncclDevCommDestroy,
            (ncclComm_t comm, const ncclDevComm_t *devComm));
SIMGPU_NCCL(ncclResult_t, ncclGetLsaMultimemDevicePointer,
            (ncclWindow_t window, size_t offset, void **outPtr));
SIMGPU_NCCL(ncclResult_t, ncclGetMultimemDevicePointer,
            (ncclWindow_t window, size_t offset, ncclMultimemHandle_t multimem,
             void **outPtr));
SIMGPU_NCCL(ncclResult_t, ncclGetLsaDevicePointer,
            (ncclWindow_t window, size_t offset, int lsaRank, void **outPtr));
SIMGPU_NCCL(ncclResult_t, ncclGetPeerDevicePointer,
            (ncclWindow_t window, size_t offset, int peer, void **outPtr));
SIMGPU_NCCL(ncclTeam_t, ncclTeamWorld, (ncclComm_t comm));
SIMGPU_NCCL(ncclTeam_t, ncclTeamLsa, (ncclComm_t comm));
SIMGPU_NCCL(ncclTeam_t, ncclTeamRail, (ncclComm_t comm));
SIMGPU_NCCL(int, ncclTeamRankToWorld,
            (ncclComm_t comm, ncclTeam_t team, int rank));
SIMGPU_NCCL(int, ncclTeamRankToLsa,
            (ncclComm_t comm, ncclTeam_t team, int rank));
SIMGPU_NCCL(ncclResult_t, ncclLsaBarrierCreateRequirement,
            (ncclTeam_t team, int nBarriers, ncclLsaBarrierHandle_t *outHandle,
             ncclDevResourceRequirements_t *outReq));
SIMGPU_NCCL(ncclResult_t, ncclGinBarrierCreateRequirement,
            (ncclComm_t comm, ncclTeam_t team, int nBarriers,
             ncclGinBarrierHandle_t *outHandle,
             ncclDevResourceRequirements_t *outReq));
SIMGPU_NCCL(int, ncclLLA2ACalcSlots, (int maxElts, int maxEltSize));
SIMGPU_NCCL(ncclResult_t, ncclLLA2ACreateRequirement,
            (int nBlocks, int nSlots, ncclLLA2AHandle_t *outHandle,
             ncclDevResourceRequirements_t *outReq));

/* CFT, which no modelled machine has: cft.h. */
SIMGPU_NCCL(ncclTeam_t, ncclTeamCftMultimem, (ncclComm_t comm));
SIMGPU_NCCL(ncclResult_t, ncclCftBarrierCreateRequirement,
            (ncclTeam_t team, int nBarriers, ncclCftBarrierHandle_t *outHandle,
             ncclDevResourceRequirements_t *outReq));
SIMGPU_NCCL(ncclResult_t, ncclGetMultimemDeviceLeInfo,
            (ncclWindow_t window, size_t offset, ncclCftLeId *leId,
             size_t *leOffset));
SIMGPU_NCCL(ncclResult_t, ncclGetCftDeviceLeInfo,
            (ncclWindow_t window, size_t offset, int peerCft,
             ncclTeam_t cftTeam, ncclCftLeId *leId, size_t *leOffset));
SIMGPU_NCCL(ncclResult_t, ncclGetPeerDeviceLeInfo,
            (ncclWindow_t window, size_t offset, int peerWorld,
             ncclCftLeId *leId, size_t *leOffset));
#ifdef __cplusplus
ncclTeam_t ncclTeamCft(ncclComm_t comm,
                       ncclCftTeamMode_t mode = NCCL_CFT_TEAM_FLAT);
#else
ncclTeam_t ncclTeamCft(ncclComm_t comm, ncclCftTeamMode_t mode);
#endif
ncclTeam_t pncclTeamCft(ncclComm_t comm, ncclCftTeamMode_t mode);
#undef SIMGPU_NCCL

#ifdef __cplusplus
}
#endif

/* ---- arithmetic with teams, on host and device --------------------------- */

/* The position of b's rank brank in team a, to which
 * the rank may not belong. */
static inline int ncclTeamRankToTeam(ncclTeam_t a, ncclTeam_t b, int brank)
{
    return a.rank + (brank - b.rank) * b.stride / a.stride;
}

static inline bool ncclTeamRankIsMember(ncclTeam_t a, ncclTeam_t b, int brank)
{
    const int rank = ncclTeamRankToTeam(a, b, brank);
    return (brank - b.rank) * b.stride % a.stride == 0 && 0 <= rank &&
           rank < a.nRanks;
}

static inline ncclTeam_t ncclTeamInnerFactor(ncclTeam_t parent, int innerSize)
{
    const ncclTeam_t t = {innerSize, parent.rank % innerSize, parent.stride};
    return t;
}

static inline ncclTeam_t ncclTeamOuterFactor(ncclTeam_t parent, int innerSize)
{
    const ncclTeam_t t = {parent.nRanks / innerSize, parent.rank / innerSize,
                          parent.stride * innerSize};
    return t;
}

/* Rank number `index` among the ranks of parent that are not in subset. */
static inline int ncclTeamRankInDifference(ncclTeam_t parent, ncclTeam_t subset,
                                           int index)
{
    for (int rank = 0; rank < parent.nRanks; rank++)
        if (!ncclTeamRankIsMember(subset, parent, rank) && index-- == 0)
            return rank;
    return -1;
}

static inline size_t ncclGetResourceBufferOffset(ncclDevResourceHandle_t h)
{
    return (size_t)h * 128;
}

#endif
