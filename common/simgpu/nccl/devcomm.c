/*
 * devcomm.c: device communicators; host queries about teams and windows
 *
 * A device communicator is plain data that kernels get by value. One resource
 * buffer contains its barriers, its signals and what the program's own
 * requirements ask for. All ranks lay the buffer out alike and register it as a
 * window.
 */
#include "include/nccl_device/host.h"

#include <string.h> /* memset */

#include "core/device.h"
#include "core/site.h"
#include "nccl/group.h"
#include "nccl/window.h"

#define UNIT 128 /* bytes; resource handles count in it */

struct layout { /* a resource buffer that is being laid out */
    size_t nbytes;
    uint32_t nsignals, ncounters; /* per context */
};

static ncclDevResourceHandle_t reserve(struct layout *l, size_t nbytes,
                                       size_t align)
{
    const size_t step = align > UNIT ? align : UNIT;
    const size_t at = (l->nbytes + step - 1) / step * step;
    l->nbytes = at + nbytes;
    return (ncclDevResourceHandle_t)(at / UNIT);
}

/* Size of the words that lsa_barrier.h uses. */
static size_t barrier_nbytes(ncclTeam_t team, int n)
{
    return (size_t)n * (size_t)(3 + team.nRanks) * sizeof(uint32_t);
}

/* Size of the lines that ll_a2a.h uses. */
static size_t lla2a_nbytes(int nblocks, int nslots)
{
    enum { LINE = 16 };
    return (size_t)nblocks * (1 + 2 * (size_t)nslots) * LINE;
}

static ncclLsaBarrierHandle_t reserve_barrier(struct layout *l, ncclTeam_t team,
                                              int n)
{
    return (ncclLsaBarrierHandle_t){
        .bufHandle = reserve(l, barrier_nbytes(team, n), UNIT), .nBarriers = n};
}

static ncclGinBarrierHandle_t reserve_gin(struct layout *l, ncclTeam_t team,
                                          int n)
{
    const ncclGinBarrierHandle_t h = {.signal0 = l->nsignals};
    l->nsignals += (uint32_t)(n * team.nRanks);
    return h;
}

static ncclTeam_t world_of(const struct ncclComm *c)
{
    return (ncclTeam_t){c->nranks, c->rank, 1};
}

static ncclTeam_t lsa_of(const struct ncclComm *c)
{
    return ncclTeamInnerFactor(world_of(c), window_lsa_size(c));
}

static ncclTeam_t rail_of(const struct ncclComm *c)
{
    return ncclTeamOuterFactor(world_of(c), window_lsa_size(c));
}

/* Reserve what the program's list of requirements asks for. */
static void reserve_list(struct layout *l,
                         const ncclDevResourceRequirements_t *r)
{
    for (; r; r = r->next) {
        const ncclDevResourceHandle_t h =
            reserve(l, r->bufferSize, r->bufferAlign);
        if (r->outBufferHandle)
            *r->outBufferHandle = h;
        if (r->outGinSignalStart)
            *r->outGinSignalStart = l->nsignals;
        if (r->outGinCounterStart)
            *r->outGinCounterStart = l->ncounters;
        l->nsignals += (uint32_t)r->ginSignalCount;
        l->ncounters += (uint32_t)r->ginCounterCount;
    }
}

static size_t lay_out(const struct ncclComm *c,
                      const ncclDevCommRequirements_t *reqs, ncclDevComm_t *out)
{
    const int contexts = reqs->ginContextCount > 0 ? reqs->ginContextCount : 4;
    struct layout l = {.nsignals = (uint32_t)reqs->ginSignalCount,
                       .ncounters = (uint32_t)reqs->ginCounterCount};
    out->lsaBarrier = reserve_barrier(&l, lsa_of(c), reqs->lsaBarrierCount);
    out->hybridLsaBarrier = reserve_barrier(&l, lsa_of(c), reqs->barrierCount);
    out->hybridRailGinBarrier = reserve_gin(&l, rail_of(c), reqs->barrierCount);
    out->railGinBarrier =
        reserve_gin(&l, rail_of(c), reqs->railGinBarrierCount);
    out->worldGinBarrier =
        reserve_gin(&l, world_of(c), reqs->worldGinBarrierCount);
    // as in NCCL, only an entry of the list gets a handle
    reserve(&l, lla2a_nbytes(reqs->lsaLLA2ABlockCount, reqs->lsaLLA2ASlotCount),
            UNIT);
    reserve_list(&l, reqs->resourceRequirementsList);
    const int gin = l.nsignals || l.ncounters || reqs->ginForceEnable ||
                    reqs->ginConnectionType != NCCL_GIN_CONNECTION_NONE;
    out->ginContextCount = gin ? (uint32_t)contexts : 0;
    out->ginSignalCount = (int)l.nsignals;
    out->ginCounterCount = (int)l.ncounters;
    const size_t words = (size_t)contexts * sizeof(uint64_t);
    out->ginSignals = reserve(&l, words * l.nsignals * (size_t)c->nranks, UNIT);
    out->ginCounters = reserve(&l, words * l.ncounters, UNIT);
    out->ginShadows = reserve(&l, words * l.nsignals, UNIT);
    return l.nbytes + UNIT;
}

/* Check that the list asks for multimem for the LSA team only, which alone has
 * it here, and that the machine has it. */
static ncclResult_t check_teams(struct ncclComm *c,
                                const ncclDevCommRequirements_t *reqs)
{
    const ncclTeam_t lsa = lsa_of(c);
    int wanted = reqs->lsaMultimem;
    for (const ncclTeamRequirements_t *r = reqs->teamRequirementsList; r;
         r = r->next) {
        wanted |= r->multimem;
        if (r->multimem && (r->team.nRanks != lsa.nRanks ||
                            r->team.rank != lsa.rank || r->team.stride != 1))
            return nccl_error(ncclInvalidUsage,
                              "DevCommCreate : multimem of a team of %d ranks: "
                              "only the LSA team (%d ranks) has it here",
                              r->team.nRanks, lsa.nRanks);
    }
    return !wanted || window_has_multimem(c)
               ? ncclSuccess
               : nccl_error(ncclInvalidUsage,
                            "DevCommCreate : this machine's GPUs have no "
                            "multimem (ncclCommQueryProperties says so)");
}

static ncclResult_t check_requirements(struct ncclComm *c,
                                       const ncclDevCommRequirements_t *reqs,
                                       const ncclDevComm_t *out)
{
    ncclResult_t err = ncclSuccess;
    if (!reqs || !out)
        err = nccl_error(ncclInvalidArgument,
                         "DevCommCreate : reqs or outDevComm is NULL");
    // before 2.29 a program zeroed the struct instead of setting magic
    if (err == ncclSuccess && NCCL_VERSION_CODE >= NCCL_VERSION(2, 29, 0) &&
        reqs->magic != NCCL_API_MAGIC)
        err = nccl_error(ncclInvalidArgument,
                         "DevCommCreate : reqs not initialized via "
                         "NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER");
    if (err == ncclSuccess && reqs->cftCaps != NCCL_CFT_NONE)
        err = nccl_error(ncclInvalidUsage,
                         "DevCommCreate : this machine has no CFT "
                         "(ncclCommQueryProperties says so)");
    return err == ncclSuccess ? check_teams(c, reqs) : err;
}

static ncclResult_t begin_create(struct ncclComm *c,
                                 const ncclDevCommRequirements_t *reqs,
                                 ncclDevComm_t *out, uint32_t site)
{
    ncclResult_t err = comm_use(c, "DevCommCreate", site);
    if (err == ncclSuccess)
        err = check_requirements(c, reqs, out);
    if (err != ncclSuccess)
        return err;
    const ncclTeam_t lsa = lsa_of(c);
    *out = (ncclDevComm_t){.magic = NCCL_API_MAGIC,
                           .version = NCCL_VERSION_CODE,
                           .rank = c->rank,
                           .nRanks = c->nranks,
                           .lsaRank = lsa.rank,
                           .lsaSize = lsa.nRanks,
                           .windowTable = c};
    struct window_spec w = {.call = "ncclDevCommCreate",
                            .site = site,
                            .nbytes = lay_out(c, reqs, out),
                            .flags = NCCL_WIN_COLL_SYMMETRIC,
                            .is_resource = 1};
    if (window_has_multimem(c) && reqs->lsaMultimem)
        out->lsaMultimem.mcBasePtr = c;
    for (const ncclTeamRequirements_t *r = reqs->teamRequirementsList; r;
         r = r->next)
        if (r->multimem && r->outMultimemHandle)
            r->outMultimemHandle->mcBasePtr = c;
    if (simgpu_heap_alloc(c->device, w.nbytes, HEAP_ZEROED, site, &w.buff) != 0)
        return nccl_error(ncclUnhandledCudaError,
                          "DevCommCreate : device %d cannot provide %zu bytes",
                          c->device, w.nbytes);
    struct comm_buffer *b = NULL;
    err = window_begin(c, &w, &b);
    out->resourceWindow = (ncclWindow_t)b;
    return err;
}

ncclResult_t pncclDevCommCreate(ncclComm_t comm,
                                const ncclDevCommRequirements_t *reqs,
                                ncclDevComm_t *outDevComm)
{
    NCCL_ENTER();
    group_enter();
    return group_leave(begin_create(comm, reqs, outDevComm, CALLER_SITE()));
}

ncclResult_t pncclDevCommDestroy(ncclComm_t comm, const ncclDevComm_t *devComm)
{
    NCCL_ENTER();
    ncclResult_t err = comm_use(comm, "DevCommDestroy", CALLER_SITE());
    if (err != ncclSuccess)
        return err;
    struct comm_buffer *const b =
        devComm ? (struct comm_buffer *)devComm->resourceWindow : NULL;
    if (b < comm->buffer || b >= comm->buffer + COMM_REGISTERED || !b->shared)
        return nccl_error(ncclInvalidArgument,
                          "DevCommDestroy : this communicator has not created "
                          "it, or has destroyed it");
    void *const buff = b->base;
    window_discard(b);
    return cudaFree(buff) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t pncclCommQueryProperties(ncclComm_t comm,
                                      ncclCommProperties_t *props)
{
    NCCL_ENTER();
    ncclResult_t err = comm_check_ready(comm, "CommQueryProperties");
    if (err == ncclSuccess && (!props || props->magic != NCCL_API_MAGIC))
        err = nccl_error(ncclInvalidArgument,
                         "CommQueryProperties : props not initialized via "
                         "NCCL_COMM_PROPERTIES_INITIALIZER");
    if (err != ncclSuccess)
        return err;
    *props = (ncclCommProperties_t){.size = sizeof *props,
                                    .magic = NCCL_API_MAGIC,
                                    .version = NCCL_VERSION_CODE,
                                    .rank = comm->rank,
                                    .nRanks = comm->nranks,
                                    .cudaDev = comm->device,
                                    .nvmlDev = comm->device,
                                    .deviceApiSupport = true,
                                    .ginType = NCCL_GIN_TYPE_PROXY,
                                    .railedGinType = NCCL_GIN_TYPE_PROXY};
    props->multimemSupport = window_has_multimem(comm);
    props->ginSupport[NCCL_GIN_TYPE_PROXY] = true;
    props->nLsaTeams = comm->nranks / window_lsa_size(comm);
    props->commHash = comm->uid;
    props->ginMinStride = 1;
    props->ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    props->devCommRuntimeVersionSize = sizeof(ncclDevComm_t);
    return ncclSuccess;
}

/* ---- teams --------------------------------------------------------------- */

ncclTeam_t pncclTeamWorld(ncclComm_t comm)
{
    return world_of(comm);
}

ncclTeam_t pncclTeamLsa(ncclComm_t comm)
{
    return lsa_of(comm);
}

ncclTeam_t pncclTeamRail(ncclComm_t comm)
{
    return rail_of(comm);
}

int pncclTeamRankToWorld(ncclComm_t comm, ncclTeam_t team, int rank)
{
    return comm->rank + (rank - team.rank) * team.stride;
}

int pncclTeamRankToLsa(ncclComm_t comm, ncclTeam_t team, int rank)
{
    return lsa_of(comm).rank + (rank - team.rank) * team.stride;
}

ncclResult_t
pncclLsaBarrierCreateRequirement(ncclTeam_t team, int nBarriers,
                                 ncclLsaBarrierHandle_t *outHandle,
                                 ncclDevResourceRequirements_t *outReq)
{
    memset(outReq, 0, sizeof *outReq);
    outHandle->nBarriers = nBarriers;
    outReq->bufferSize = barrier_nbytes(team, nBarriers);
    outReq->bufferAlign = sizeof(uint32_t);
    outReq->outBufferHandle = &outHandle->bufHandle;
    return ncclSuccess;
}

ncclResult_t pncclGinBarrierCreateRequirement(
    ncclComm_t comm, ncclTeam_t team, int nBarriers,
    ncclGinBarrierHandle_t *outHandle, ncclDevResourceRequirements_t *outReq)
{
    NCCL_ENTER();
    (void)comm;
    memset(outReq, 0, sizeof *outReq);
    outReq->ginSignalCount = nBarriers * team.nRanks;
    outReq->outGinSignalStart = &outHandle->signal0;
    return ncclSuccess;
}

/* Slots enough for elements of any size up to maxEltSize (ll_a2a.h). */
int pncclLLA2ACalcSlots(int maxElts, int maxEltSize)
{
    return maxElts * ((maxEltSize + 7) / 8);
}

ncclResult_t pncclLLA2ACreateRequirement(int nBlocks, int nSlots,
                                         ncclLLA2AHandle_t *outHandle,
                                         ncclDevResourceRequirements_t *outReq)
{
    NCCL_ENTER();
    if (nBlocks < 0 || nSlots < 0 || !outHandle || !outReq)
        return nccl_error(ncclInvalidArgument,
                          "LLA2ACreateRequirement : %d blocks, %d slots, or "
                          "outHandle or outReq is NULL",
                          nBlocks, nSlots);
    memset(outReq, 0, sizeof *outReq);
    outHandle->nSlots = (uint32_t)nSlots;
    outReq->bufferSize = lla2a_nbytes(nBlocks, nSlots);
    outReq->bufferAlign = 16;
    outReq->outBufferHandle = &outHandle->bufHandle;
    return ncclSuccess;
}

/* ---- windows ------------------------------------------------------------- */

ncclResult_t pncclGetPeerDevicePointer(ncclWindow_t window, size_t offset,
                                       int peer, void **outPtr)
{
    NCCL_ENTER();
    const struct simgpu_window *w;
    const ncclResult_t err = window_check(window, "GetPeerDevicePointer", &w);
    if (err != ncclSuccess)
        return err;
    if (!outPtr || offset >= w->nbytes || peer < 0 || peer >= w->nranks)
        return nccl_error(ncclInvalidArgument,
                          "GetPeerDevicePointer : outPtr is NULL, or offset "
                          "%zu or peer %d are outside the window",
                          offset, peer);
    // as in NCCL, NULL for a rank that loads and stores cannot reach
    const int reached =
        peer >= w->lsa_first && peer < w->lsa_first + w->lsa_nranks;
    *outPtr = reached ? w->base[peer] + offset : NULL;
    return ncclSuccess;
}

ncclResult_t pncclGetLsaDevicePointer(ncclWindow_t window, size_t offset,
                                      int lsaRank, void **outPtr)
{
    NCCL_ENTER();
    const struct simgpu_window *w;
    const ncclResult_t err = window_check(window, "GetLsaDevicePointer", &w);
    if (err != ncclSuccess)
        return err;
    if (lsaRank < 0 || lsaRank >= w->lsa_nranks)
        return nccl_error(ncclInvalidArgument,
                          "GetLsaDevicePointer : LSA rank %d of %d", lsaRank,
                          w->lsa_nranks);
    return pncclGetPeerDevicePointer(window, offset, w->lsa_first + lsaRank,
                                     outPtr);
}

ncclResult_t pncclGetLsaMultimemDevicePointer(ncclWindow_t window,
                                              size_t offset, void **outPtr)
{
    NCCL_ENTER();
    const struct simgpu_window *w;
    const ncclResult_t err =
        window_check(window, "GetLsaMultimemDevicePointer", &w);
    if (err != ncclSuccess)
        return err;
    if (!outPtr || offset >= w->nbytes)
        return nccl_error(ncclInvalidArgument,
                          "GetLsaMultimemDevicePointer : outPtr is NULL, or "
                          "offset %zu is outside the window",
                          offset);
    *outPtr = w->multimem ? w->multimem + offset : NULL;
    return ncclSuccess;
}

ncclResult_t pncclGetMultimemDevicePointer(ncclWindow_t window, size_t offset,
                                           ncclMultimemHandle_t multimem,
                                           void **outPtr)
{
    NCCL_ENTER();
    if (!multimem.mcBasePtr)
        return nccl_error(ncclInvalidArgument,
                          "GetMultimemDevicePointer : the handle is empty");
    return pncclGetLsaMultimemDevicePointer(window, offset, outPtr);
}

NCCL_ALIAS(ncclCommQueryProperties)
NCCL_ALIAS(ncclDevCommCreate)
NCCL_ALIAS(ncclDevCommDestroy)
NCCL_ALIAS(ncclTeamWorld)
NCCL_ALIAS(ncclTeamLsa)
NCCL_ALIAS(ncclTeamRail)
NCCL_ALIAS(ncclTeamRankToWorld)
NCCL_ALIAS(ncclTeamRankToLsa)
NCCL_ALIAS(ncclLsaBarrierCreateRequirement)
NCCL_ALIAS(ncclGinBarrierCreateRequirement)
NCCL_ALIAS(ncclLLA2ACalcSlots)
NCCL_ALIAS(ncclLLA2ACreateRequirement)
NCCL_ALIAS(ncclGetPeerDevicePointer)
NCCL_ALIAS(ncclGetLsaDevicePointer)
NCCL_ALIAS(ncclGetLsaMultimemDevicePointer)
NCCL_ALIAS(ncclGetMultimemDevicePointer)
