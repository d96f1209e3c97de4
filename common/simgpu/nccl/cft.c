/*
 * cft.c: host calls about CFT endpoints, which no modelled machine has
 */
#include "include/nccl_device/host.h"

#include <string.h> /* memset */

#include "nccl/comm.h"

static ncclResult_t no_endpoint(const char *call, ncclCftLeId *leId,
                                size_t *leOffset)
{
    if (leId)
        *leId = NCCL_LE_ID_INVALID;
    if (leOffset)
        *leOffset = 0;
    return nccl_error(ncclInvalidUsage,
                      "%s : this machine has no CFT (ncclCommQueryProperties "
                      "says so)",
                      call);
}

/* The team is this rank alone. */
ncclTeam_t pncclTeamCft(ncclComm_t comm, ncclCftTeamMode_t mode)
{
    (void)comm, (void)mode;
    return (ncclTeam_t){1, 0, 1};
}

ncclTeam_t pncclTeamCftMultimem(ncclComm_t comm)
{
    (void)comm;
    return (ncclTeam_t){1, 0, 1};
}

ncclResult_t
pncclCftBarrierCreateRequirement(ncclTeam_t team, int nBarriers,
                                 ncclCftBarrierHandle_t *outHandle,
                                 ncclDevResourceRequirements_t *outReq)
{
    (void)team;
    if (outHandle)
        *outHandle = (ncclCftBarrierHandle_t){.nBarriers = nBarriers};
    if (outReq)
        memset(outReq, 0, sizeof *outReq);
    return no_endpoint("CftBarrierCreateRequirement", NULL, NULL);
}

ncclResult_t pncclGetMultimemDeviceLeInfo(ncclWindow_t window, size_t offset,
                                          ncclCftLeId *leId, size_t *leOffset)
{
    NCCL_ENTER();
    (void)window, (void)offset;
    return no_endpoint("GetMultimemDeviceLeInfo", leId, leOffset);
}

ncclResult_t pncclGetCftDeviceLeInfo(ncclWindow_t window, size_t offset,
                                     int peerCft, ncclTeam_t cftTeam,
                                     ncclCftLeId *leId, size_t *leOffset)
{
    NCCL_ENTER();
    (void)window, (void)offset, (void)peerCft, (void)cftTeam;
    return no_endpoint("GetCftDeviceLeInfo", leId, leOffset);
}

ncclResult_t pncclGetPeerDeviceLeInfo(ncclWindow_t window, size_t offset,
                                      int peerWorld, ncclCftLeId *leId,
                                      size_t *leOffset)
{
    NCCL_ENTER();
    (void)window, (void)offset, (void)peerWorld;
    return no_endpoint("GetPeerDeviceLeInfo", leId, leOffset);
}

NCCL_ALIAS(ncclTeamCft)
NCCL_ALIAS(ncclTeamCftMultimem)
NCCL_ALIAS(ncclCftBarrierCreateRequirement)
NCCL_ALIAS(ncclGetMultimemDeviceLeInfo)
NCCL_ALIAS(ncclGetCftDeviceLeInfo)
NCCL_ALIAS(ncclGetPeerDeviceLeInfo)
