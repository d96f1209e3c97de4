/*
 * api_comm.c: NCCL's functions that create, end and query communicators
 */
#include <string.h> /* memcpy */

#include "base/mix.h"
#include "core/clock/model.h"
#include "core/device.h"
#include "core/host.h"
#include "core/polls.h"
#include "core/site.h"
#include "core/watch/ignored.h"
#include "nccl/config.h"
#include "nccl/explain.h"
#include "nccl/group.h"
#include "nccl/open_group.h"

/* ---- creating ------------------------------------------------------------ */

ncclResult_t pncclGetUniqueId(ncclUniqueId *uniqueId)
{
    NCCL_ENTER();
    if (!uniqueId)
        return nccl_error(ncclInvalidArgument,
                          "GetUniqueId : out argument is NULL");
    const struct comm_id id = comm_id_new();
    memset(uniqueId, 0, sizeof *uniqueId);
    memcpy(uniqueId, &id, sizeof id);
    return ncclSuccess;
}

/*
 * Modelled host time of creating a communicator: what NCCL reports for
 * "connections, allgathers, graphs" of 8 ranks on one node, 0.39 + 0.08 + 0.01
 * s (NVIDIA/nccl issue 1646, "Init timings"). Loading kernels, bootstrap and
 * detecting the machine add to that, but not every time. Splits cost no host
 * time: their nodes in the graph only count them.
 */
static const uint64_t INIT_PS = UINT64_C(480000000000);

static void take_time(const char *call, uint32_t site)
{
    simgpu_host_record(call, site, INIT_PS, NULL, 0);
}

struct init { /* the arguments of a function that creates a communicator */
    const char *call;
    uint32_t site;
    int nranks, rank;
    const ncclUniqueId *unique;
    int nunique;
    const ncclConfig_t *config;
};

/* Copy the first id, whose hub all ranks join, and hash all ids; the hash is 0
 * if there is only one. */
static ncclResult_t take_ids(const struct init *in, struct comm_id *first,
                             uint64_t *hash)
{
    *hash = 0;
    if (!in->unique)
        return nccl_error(ncclInvalidArgument, "%s : commId argument is NULL",
                          in->call);
    if (in->nunique < 1 || in->nunique > in->nranks)
        return nccl_error(ncclInvalidArgument,
                          "improper usage of ncclCommInitRank: nId = %d, "
                          "nranks=%d",
                          in->nunique, in->nranks);
    for (int i = 0; i < in->nunique; i++) {
        struct comm_id id;
        memcpy(&id, &in->unique[i], sizeof id);
        if (id.magic != comm_magic())
            return nccl_error(ncclInvalidArgument,
                              "unique id %d of %d was not made by "
                              "ncclGetUniqueId (was it broadcast?)",
                              i, in->nunique);
        if (i == 0)
            *first = id;
        if (in->nunique > 1)
            *hash = mix_hash(*hash ^ id.nonce);
    }
    return ncclSuccess;
}

static ncclResult_t begin_init(ncclComm_t *comm, const struct init *in)
{
    struct comm_id id;
    uint64_t ids;
    struct setup s = {.step = SETUP_JOIN, .call = in->call, .site = in->site};
    const int rank = in->rank, nranks = in->nranks;
    if (!comm)
        return nccl_error(ncclInvalidArgument,
                          "CommInitRank : newcomm argument is NULL");
    *comm = NULL;
    if (nranks < 1 || rank < 0 || rank >= nranks)
        return nccl_error(ncclInvalidArgument, "Invalid rank requested : %d/%d",
                          rank, nranks);
    ncclResult_t err = config_make(in->config, NULL, &s.config);
    if (err == ncclSuccess)
        err = explain_check_settings();
    if (err == ncclSuccess)
        err = take_ids(in, &id, &ids);
    if (err != ncclSuccess)
        return err;
    if (rank == 0) {
        debug_version();
        simgpu_model_remarks();
    }
    err = comm_join(&id, ids, nranks, rank, &s.config, &s.comm);
    if (err == ncclSuccess) {
        *comm = s.comm;
        // set already; a non-blocking caller's variable may be gone later
        s.out = s.config.blocking ? comm : NULL;
        explain_init_start(s.comm, s.call);
        err = group_add_setup(&s);
    }
    return err;
}

static ncclResult_t init(ncclComm_t *comm, const struct init *in)
{
    group_enter();
    take_time(in->call, in->site);
    return group_leave(begin_init(comm, in));
}

ncclResult_t pncclCommInitRankConfig(ncclComm_t *comm, int nranks,
                                     ncclUniqueId commId, int rank,
                                     ncclConfig_t *config)
{
    NCCL_ENTER();
    const struct init in = {.call = "ncclCommInitRankConfig",
                            .site = CALLER_SITE(),
                            .nranks = nranks,
                            .rank = rank,
                            .unique = &commId,
                            .nunique = 1,
                            .config = config};
    return init(comm, &in);
}

ncclResult_t pncclCommInitRank(ncclComm_t *comm, int nranks,
                               ncclUniqueId commId, int rank)
{
    NCCL_ENTER();
    const struct init in = {.call = "ncclCommInitRank",
                            .site = CALLER_SITE(),
                            .nranks = nranks,
                            .rank = rank,
                            .unique = &commId,
                            .nunique = 1};
    return init(comm, &in);
}

ncclResult_t pncclCommInitRankScalable(ncclComm_t *newcomm, int nranks,
                                       int myrank, int nId,
                                       ncclUniqueId *commIds,
                                       ncclConfig_t *config)
{
    NCCL_ENTER();
    const struct init in = {.call = "ncclCommInitRankScalable",
                            .site = CALLER_SITE(),
                            .nranks = nranks,
                            .rank = myrank,
                            .unique = commIds,
                            .nunique = nId,
                            .config = config};
    return init(newcomm, &in);
}

static ncclResult_t check_devices(int ndev, const int *devlist)
{
    int64_t used = 0;
    for (int i = 0; i < ndev; i++) {
        const int d = devlist ? devlist[i] : i;
        if (d < 0 || d >= simgpu_proc()->ndevices)
            return nccl_error(ncclInvalidArgument,
                              "Invalid device %d (totalnDev=%d)", d,
                              simgpu_proc()->ndevices);
        if (used >> d & 1)
            return nccl_error(ncclInvalidUsage,
                              "Duplicate GPU detected : device %d is listed "
                              "twice",
                              d);
        used |= (int64_t)1 << d;
    }
    return ncclSuccess;
}

ncclResult_t pncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist)
{
    NCCL_ENTER();
    ncclUniqueId id;
    if (!comm)
        return nccl_error(ncclInvalidArgument,
                          "CommInitAll : comms argument is NULL");
    if (ndev < 1)
        return nccl_error(ncclInvalidArgument,
                          "Invalid device count requested : %d", ndev);
    ncclResult_t err = check_devices(ndev, devlist);
    if (err == ncclSuccess)
        err = pncclGetUniqueId(&id);
    if (err != ncclSuccess)
        return err;
    const int device = simgpu_device_current();
    group_enter();
    take_time("ncclCommInitAll", CALLER_SITE());
    for (int i = 0; i < ndev && err == ncclSuccess; i++) {
        const struct init in = {.call = "ncclCommInitAll",
                                .site = CALLER_SITE(),
                                .nranks = ndev,
                                .rank = i,
                                .unique = &id,
                                .nunique = 1};
        simgpu_device_set(devlist ? devlist[i] : i);
        err = begin_init(&comm[i], &in);
    }
    simgpu_device_set(device);
    return group_leave(err);
}

static ncclResult_t begin_split(ncclComm_t comm, int color, int key,
                                ncclComm_t *newcomm, const ncclConfig_t *config,
                                uint32_t site)
{
    struct setup s = {.step = SETUP_ARRIVE,
                      .call = "ncclCommSplit",
                      .site = site,
                      .parent = comm,
                      .out = newcomm,
                      .color = color,
                      .key = key};
    ncclResult_t err = comm_check_managed(comm, "CommSplit");
    if (err != ncclSuccess)
        return err;
    entry_use(&comm->use, site);
    if (!newcomm)
        return nccl_error(ncclInvalidArgument,
                          "CommSplit : newcomm argument is NULL");
    *newcomm = NULL;
    if (color < 0 && color != NCCL_SPLIT_NOCOLOR)
        return nccl_error(ncclInvalidArgument,
                          "CommSplit : color %d is negative, and not "
                          "NCCL_SPLIT_NOCOLOR",
                          color);
    err = config_make(config, &comm->config, &s.config);
    if (err == ncclSuccess && comm->revoked && !comm->revived) {
        s.step = SETUP_OFFER;
        s.revive = 1;
        s.offers = comm->rank == 0;
        s.meeting = comm_meeting(comm, 0);
    }
    return err == ncclSuccess ? group_add_setup(&s) : err;
}

ncclResult_t pncclCommSplit(ncclComm_t comm, int color, int key,
                            ncclComm_t *newcomm, ncclConfig_t *config)
{
    NCCL_ENTER();
    group_enter();
    simgpu_host_busy("ncclCommSplit", CALLER_SITE(), 0);
    return group_leave(
        begin_split(comm, color, key, newcomm, config, CALLER_SITE()));
}

/* ---- ending -------------------------------------------------------------- */

ncclResult_t pncclCommFinalize(ncclComm_t comm)
{
    NCCL_ENTER();
    if (!comm)
        return ncclSuccess;
    ncclResult_t err = comm_check(comm, "CommFinalize");
    if (err == ncclSuccess && comm->revoked)
        err =
            nccl_error(ncclInvalidUsage,
                       "CommFinalize : comm %p has been revoked", (void *)comm);
    if (err == ncclSuccess && comm->state == COMM_FINALIZED)
        err = nccl_error(ncclInvalidArgument,
                         "CommFinalize : comm %p has been finalized before",
                         (void *)comm);
    if (err == ncclSuccess)
        err = comm_use(comm, "CommFinalize", CALLER_SITE());
    if (err != ncclSuccess)
        return err;
    comm->state = COMM_FINALIZED;
    if (!comm->config.blocking)
        return ncclInProgress; // ncclCommGetAsyncError does the rest
    comm_drain(comm, "ncclCommFinalize", CALLER_SITE());
    return ncclSuccess;
}

ncclResult_t pncclCommDestroy(ncclComm_t comm)
{
    NCCL_ENTER();
    if (!comm)
        return ncclSuccess;
    ncclResult_t err = comm_check(comm, "CommDestroy");
    if (err == ncclSuccess && comm->state != COMM_DESTROYED)
        entry_use(&comm->use, CALLER_SITE());
    if (err == ncclSuccess && comm->state != COMM_FINALIZED) {
        err = comm_check_managed(comm, "CommDestroy");
        if (err == ncclRemoteError) // no operation can still complete
            err = ncclSuccess;
    }
    entry_result(err);
    if (err != ncclSuccess)
        return err;
    if (group_uses(comm))
        open_group_report_dropped("ncclCommDestroy", CALLER_SITE());
    group_forget(comm, "ncclCommDestroy");
    comm_drain(comm, "ncclCommDestroy", CALLER_SITE());
    if (atomic_load(&comm->aborted)) // by another thread meanwhile
        return ncclSuccess;
    debug_info(DEBUG_INIT, comm->device,
               "comm %p rank %d nranks %d cudaDev %d busId %llx - Destroy "
               "COMPLETE",
               (void *)comm, comm->rank, comm->nranks, comm->device,
               comm_bus_id(comm->hub.hub->member[comm->rank].place));
    comm_discard(comm);
    return ncclSuccess;
}

ncclResult_t pncclCommAbort(ncclComm_t comm)
{
    NCCL_ENTER();
    if (!comm)
        return ncclSuccess;
    const ncclResult_t err = comm_check(comm, "CommAbort");
    if (err != ncclSuccess)
        return err;
    if (comm->state == COMM_DESTROYED)
        return nccl_error(ncclInvalidArgument,
                          "CommAbort : comm %p has already been destroyed",
                          (void *)comm);
    group_forget(comm, "ncclCommAbort");
    comm_abort(comm, CALLER_SITE());
    debug_info(DEBUG_INIT, comm->device,
               "comm %p rank %d nranks %d cudaDev %d busId %llx - Abort "
               "COMPLETE",
               (void *)comm, comm->rank, comm->nranks, comm->device,
               comm_bus_id(comm->hub.hub->member[comm->rank].place));
    comm_discard(comm);
    return ncclSuccess;
}

/* ---- querying ------------------------------------------------------------ */

/* True once the operations of a finalized communicator have ended. It must not
 * block: a rank may abort at any time. */
static ncclResult_t finish(struct ncclComm *c, uint32_t site)
{
    if (!simgpu_fence_poll(c->tail, c->ntails, "ncclCommFinalize", site))
        return ncclInProgress;
    c->ntails = 0;
    return ncclSuccess;
}

ncclResult_t pncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_check(comm, "ncclGetAsyncError");
    if (err != ncclSuccess)
        return err;
    if (!asyncError || comm->state == COMM_DESTROYED)
        return nccl_error(ncclInvalidArgument,
                          asyncError ? "ncclGetAsyncError : the communicator "
                                       "has been destroyed"
                                     : "ncclGetAsyncError : asyncError "
                                       "argument is NULL");
    comm_look(comm);
    if (comm->revoked) {
        comm_drain(comm, "ncclCommRevoke", CALLER_SITE());
        atomic_store(&comm->error, ncclSuccess);
    }
    *asyncError = (ncclResult_t)atomic_load(&comm->error);
    if (*asyncError == ncclSuccess)
        *asyncError = group_progress(comm);
    if (*asyncError == ncclSuccess && comm->state == COMM_FINALIZED)
        *asyncError = finish(comm, CALLER_SITE());
    if (*asyncError == ncclInProgress)
        simgpu_poll_failed();
    else if (*asyncError != ncclSuccess)
        simgpu_ignored_forget(IGNORED_NCCL); // the program knows
    entry_result(ncclSuccess);
    return ncclSuccess;
}

static ncclResult_t getter(ncclComm_t comm, const int *out, const char *call)
{
    const ncclResult_t err = comm_check_managed(comm, call);
    if (err == ncclSuccess && !out)
        return nccl_error(ncclInvalidArgument, "%s : argument is NULL", call);
    return err;
}

ncclResult_t pncclCommCount(const ncclComm_t comm, int *count)
{
    NCCL_ENTER();
    const ncclResult_t err = getter(comm, count, "CommCount");
    if (err == ncclSuccess)
        *count = comm->nranks;
    return err;
}

ncclResult_t pncclCommCuDevice(const ncclComm_t comm, int *device)
{
    NCCL_ENTER();
    const ncclResult_t err = getter(comm, device, "CommCuDevice");
    if (err == ncclSuccess)
        *device = comm->device;
    return err;
}

ncclResult_t pncclCommUserRank(const ncclComm_t comm, int *rank)
{
    NCCL_ENTER();
    const ncclResult_t err = getter(comm, rank, "CommUserRank");
    if (err == ncclSuccess)
        *rank = comm->rank;
    return err;
}

NCCL_ALIAS(ncclGetUniqueId)
NCCL_ALIAS(ncclCommInitRank)
NCCL_ALIAS(ncclCommInitRankConfig)
NCCL_ALIAS(ncclCommInitRankScalable)
NCCL_ALIAS(ncclCommInitAll)
NCCL_ALIAS(ncclCommSplit)
NCCL_ALIAS(ncclCommFinalize)
NCCL_ALIAS(ncclCommDestroy)
NCCL_ALIAS(ncclCommAbort)
NCCL_ALIAS(ncclCommGetAsyncError)
NCCL_ALIAS(ncclCommCount)
NCCL_ALIAS(ncclCommCuDevice)
NCCL_ALIAS(ncclCommUserRank)
