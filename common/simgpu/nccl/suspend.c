/*
 * suspend.c: how much memory a communicator takes, and giving it back
 *
 * NCCL keeps buffers on the device for the connections of its rings. simgpu has
 * no such buffers. The statistics are computed from the modelled machine's
 * channels, and suspending only enforces its rule: a suspended communicator
 * must not be used.
 */
#include "core/site.h"
#include "nccl/comm.h"
#include "nccl/explain.h"

/* Bytes of one connection's buffers for LL, LL128 and Simple: NCCL's
 * defaults. */
static const uint64_t BUFFERS = 524288 + 4915200 + 4194304;

ncclResult_t pncclCommSuspend(ncclComm_t comm, int flags)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_use(comm, "CommSuspend", CALLER_SITE());
    if (err != ncclSuccess)
        return err;
    if (flags != NCCL_SUSPEND_MEM)
        return nccl_error(ncclInvalidArgument,
                          "CommSuspend : flags are %#x, must be "
                          "NCCL_SUSPEND_MEM",
                          (unsigned)flags);
    comm_drain(comm, "ncclCommSuspend", CALLER_SITE());
    comm->suspended = 1;
    return ncclSuccess;
}

ncclResult_t pncclCommResume(ncclComm_t comm)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_check_managed(comm, "CommResume");
    if (err != ncclSuccess)
        return err;
    if (!comm->suspended)
        return nccl_error(ncclInvalidUsage,
                          "CommResume : the communicator is not suspended");
    comm->suspended = 0;
    return ncclSuccess;
}

ncclResult_t pncclCommMemStats(ncclComm_t comm, ncclCommMemStat_t stat,
                               uint64_t *value)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_check_managed(comm, "CommMemStats");
    if (err != ncclSuccess)
        return err;
    if (!value)
        return nccl_error(ncclInvalidArgument,
                          "CommMemStats : value argument is NULL");
    // each channel has buffers for data from the previous rank
    const uint64_t taken =
        comm->nranks > 1 ? (uint64_t)explain_channels(comm) * BUFFERS : 0;
    switch (stat) {
    case ncclStatGpuMemSuspend: *value = taken; return ncclSuccess;
    case ncclStatGpuMemSuspended:
        *value = (uint64_t)comm->suspended;
        return ncclSuccess;
    case ncclStatGpuMemPersist: *value = 0; return ncclSuccess;
    case ncclStatGpuMemTotal: *value = taken; return ncclSuccess;
    }
    return nccl_error(ncclInvalidArgument,
                      "CommMemStats : unknown statistic %d", (int)stat);
}

NCCL_ALIAS(ncclCommSuspend)
NCCL_ALIAS(ncclCommResume)
NCCL_ALIAS(ncclCommMemStats)
