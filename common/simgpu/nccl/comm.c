#include "nccl/comm.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/clock.h"   /* clock_note_abort */
#include "nccl/explain.h" /* explain_bus_id */
#include "nccl/group.h"   /* group_progress */

static const uint64_t MAGIC = 0x6c63636e6d6973; /* "simnccl" */

/* ---- ids, joining -------------------------------------------------------------- */

struct comm_id comm_id_new(void)
{
    struct comm_id id = {.magic = MAGIC, .owner = proc()->id};
    id.fd = hub_make(&id.nonce); // stays open for the others
    return id;
}

static struct ncclComm *comm_new(int nranks, int rank,
                                 const ncclConfig_t *config)
{
    struct ncclComm *const c = calloc(1, sizeof *c);
    if (!c)
        proc_fault(NULL, "out of host memory for a communicator");
    c->magic = MAGIC;
    c->config = *config;
    c->rank = c->hub.rank = rank;
    c->nranks = c->hub.nranks = nranks;
    c->device = device_current();
    c->sent = calloc((size_t)nranks, sizeof *c->sent);
    c->received = calloc((size_t)nranks, sizeof *c->received);
    if (!c->sent || !c->received)
        proc_fault(NULL, "out of host memory for a communicator of %d", nranks);
    return c;
}

void comm_discard(struct ncclComm *c)
{
    hub_unmap(&c->hub);
    free(c->sent);
    free(c->received);
    free(c->tail);
    c->sent = c->received = NULL;
    c->tail = NULL;
    c->ntails = c->cap_tails = 0;
    c->state = COMM_DESTROYED;
}

/* Take this rank's seat. */
static ncclResult_t sit(struct ncclComm *c)
{
    struct hub *const hub = c->hub.hub;
    struct hub_member *const me = &hub->member[c->rank];
    uint32_t nranks = 0;
    if (!atomic_compare_exchange_strong(&hub->nranks, &nranks,
                                        (uint32_t)c->nranks) &&
        nranks != (uint32_t)c->nranks)
        return nccl_error(ncclInvalidArgument,
                          "rank %d says %d ranks, another said %u", c->rank,
                          c->nranks, nranks);
    if (atomic_exchange(&me->joined, 1))
        return nccl_error(ncclInvalidUsage,
                          "rank %d of %d has come twice: is the unique id that "
                          "of another communicator?",
                          c->rank, c->nranks);
    me->id = proc()->id;
    me->place = proc_place(c->device);
    atomic_fetch_add(&hub->joined, 1);
    proc_wake(&hub->joined);
    return ncclSuccess;
}

ncclResult_t comm_join(const struct comm_id *id, int nranks, int rank,
                       const ncclConfig_t *config, struct ncclComm **out)
{
    *out = NULL;
    if (id->magic != MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "the unique id was not made by ncclGetUniqueId (was "
                          "it broadcast?)");
    struct ncclComm *const c = comm_new(nranks, rank, config);
    c->uid = id->nonce;
    const ncclResult_t err =
        hub_map(&c->hub, &id->owner, id->fd, id->nonce) == 0
            ? sit(c)
            : nccl_error(ncclSystemError,
                         "the process %d that made the unique id is gone",
                         id->owner.pid);
    if (err == ncclSuccess) {
        *out = c;
    } else {
        comm_discard(c);
        free(c);
    }
    return err;
}

/* ---- state --------------------------------------------------------------------- */

ncclResult_t comm_check(ncclComm_t comm, const char *call)
{
    if (!comm)
        return nccl_error(ncclInvalidArgument, "%s : comm argument is NULL",
                          call);
    if (comm->magic != MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "%s : corrupted comm object detected", call);
    return ncclSuccess;
}

ncclResult_t comm_check_ready(ncclComm_t comm, const char *call)
{
    const ncclResult_t err = comm_check(comm, call);
    if (err != ncclSuccess)
        return err;
    if (comm->state == COMM_DESTROYED)
        return nccl_error(ncclInvalidArgument,
                          "%s : comm %p has already been destroyed", call,
                          (void *)comm);
    if (comm->state == COMM_FINALIZED)
        return nccl_error(ncclInvalidUsage,
                          "%s : the communicator is finalized", call);
    if (comm->state == COMM_JOINING || comm->setup || comm->pending)
        return nccl_error(ncclInvalidArgument,
                          "%s : Attempt to use communicator before the "
                          "previous operation returned ncclSuccess",
                          call);
    if (hub_lost(&comm->hub))
        comm_note_lost(comm);
    const int error = atomic_load(&comm->error);
    return error ? nccl_error((ncclResult_t)error,
                              "%s : a rank has aborted the communicator", call)
                 : ncclSuccess;
}

void comm_note_lost(struct ncclComm *c)
{
    int none = ncclSuccess;
    atomic_compare_exchange_strong(&c->error, &none, ncclRemoteError);
}

void comm_note_tail(struct ncclComm *c, struct mark m)
{
    int i = 0;
    while (i < c->ntails && c->tail[i].stream != m.stream)
        i++;
    if (i == c->cap_tails) {
        c->cap_tails = c->cap_tails ? 2 * c->cap_tails : 4;
        c->tail = realloc(c->tail, (size_t)c->cap_tails * sizeof *c->tail);
        if (!c->tail)
            proc_fault(NULL, "out of host memory for a communicator");
    }
    c->ntails += i == c->ntails;
    c->tail[i] = m;
}

uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq)
{
    uint64_t x = c->uid ^ (kind + 1) * 0x9e3779b97f4a7c15u;
    x += (seq + 1) * 0xd1342543de82ef95u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u; // splitmix64's finaliser
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return x ? x : 1;
}

/* ---- the end ------------------------------------------------------------------- */

/* Wait for the operations of the communicator that this rank has issued. */
static void drain(struct ncclComm *c, const char *call, uint32_t site)
{
    marks_join(c->tail, c->ntails, call, site);
    c->ntails = 0;
}

ncclResult_t pncclCommFinalize(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    ncclResult_t err = comm_check(comm, "CommFinalize");
    if (err == ncclSuccess && comm->state == COMM_FINALIZED)
        err = nccl_error(ncclInvalidArgument,
                         "CommFinalize : comm %p has been finalized before",
                         (void *)comm);
    if (err == ncclSuccess)
        err = comm_check_ready(comm, "CommFinalize");
    if (err != ncclSuccess)
        return err;
    comm->state = COMM_FINALIZED;
    if (!comm->config.blocking)
        return ncclInProgress; // ncclCommGetAsyncError sees to the rest
    drain(comm, "ncclCommFinalize", PROC_SITE());
    return ncclSuccess;
}

ncclResult_t pncclCommDestroy(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    ncclResult_t err = comm_check(comm, "CommDestroy");
    if (err == ncclSuccess && comm->state != COMM_FINALIZED) {
        err = comm_check_ready(comm, "CommDestroy");
        if (err == ncclRemoteError) // nothing is left to wait for
            err = ncclSuccess;
    }
    if (err != ncclSuccess)
        return err;
    drain(comm, "ncclCommDestroy", PROC_SITE());
    debug_info(DEBUG_INIT, comm->device,
               "comm %p rank %d nranks %d cudaDev %d busId %llx - Destroy "
               "COMPLETE",
               (void *)comm, comm->rank, comm->nranks, comm->device,
               explain_bus_id(comm->hub.hub->member[comm->rank].place));
    comm_discard(comm);
    return ncclSuccess;
}

ncclResult_t pncclCommAbort(ncclComm_t comm)
{
    if (!comm)
        return ncclSuccess;
    const ncclResult_t err = comm_check(comm, "CommAbort");
    if (err != ncclSuccess)
        return err;
    if (comm->state == COMM_DESTROYED)
        return nccl_error(ncclInvalidArgument,
                          "CommAbort : comm %p has already been destroyed",
                          (void *)comm);
    clock_note_abort();
    hub_abort(&comm->hub);
    group_forget(comm);
    drain(comm, "ncclCommAbort", PROC_SITE());
    debug_info(DEBUG_INIT, comm->device,
               "comm %p rank %d nranks %d cudaDev %d busId %llx - Abort "
               "COMPLETE",
               (void *)comm, comm->rank, comm->nranks, comm->device,
               explain_bus_id(comm->hub.hub->member[comm->rank].place));
    comm_discard(comm);
    return ncclSuccess;
}

/* ---- questions ----------------------------------------------------------------- */

ncclResult_t pncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
    const ncclResult_t err = comm_check(comm, "ncclGetAsyncError");
    if (err != ncclSuccess)
        return err;
    if (!asyncError || comm->state == COMM_DESTROYED)
        return nccl_error(ncclInvalidArgument,
                          asyncError ? "ncclGetAsyncError : the communicator "
                                       "has been destroyed"
                                     : "ncclGetAsyncError : asyncError "
                                       "argument is NULL");
    if (hub_lost(&comm->hub))
        comm_note_lost(comm);
    *asyncError = (ncclResult_t)atomic_load(&comm->error);
    if (*asyncError == ncclSuccess)
        *asyncError = group_progress(comm);
    if (*asyncError == ncclSuccess && comm->state == COMM_FINALIZED)
        drain(comm, "ncclCommFinalize", PROC_SITE());
    return ncclSuccess;
}

static ncclResult_t getter(ncclComm_t comm, const int *out, const char *call)
{
    const ncclResult_t err = comm_check_ready(comm, call);
    if (err == ncclSuccess && !out)
        return nccl_error(ncclInvalidArgument, "%s : argument is NULL", call);
    return err;
}

ncclResult_t pncclCommCount(const ncclComm_t comm, int *count)
{
    const ncclResult_t err = getter(comm, count, "CommCount");
    if (err == ncclSuccess)
        *count = comm->nranks;
    return err;
}

ncclResult_t pncclCommCuDevice(const ncclComm_t comm, int *device)
{
    const ncclResult_t err = getter(comm, device, "CommCuDevice");
    if (err == ncclSuccess)
        *device = comm->device;
    return err;
}

ncclResult_t pncclCommUserRank(const ncclComm_t comm, int *rank)
{
    const ncclResult_t err = getter(comm, rank, "CommUserRank");
    if (err == ncclSuccess)
        *rank = comm->rank;
    return err;
}

NCCL_ALIAS(ncclCommFinalize)
NCCL_ALIAS(ncclCommDestroy)
NCCL_ALIAS(ncclCommAbort)
NCCL_ALIAS(ncclCommGetAsyncError)
NCCL_ALIAS(ncclCommCount)
NCCL_ALIAS(ncclCommCuDevice)
NCCL_ALIAS(ncclCommUserRank)
