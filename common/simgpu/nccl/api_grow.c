/*
 * api_grow.c: shrinking, growing and revoking communicators
 *
 * The ranks that a shrink leaves out don't call it, and may have ended. A
 * shrink therefore uses nothing that needs all ranks of the parent: its first
 * rank creates a hub, and the others look for that hub (setup.h). A grow does
 * the same with the hub of ncclCommGetUniqueId; the new ranks join it as
 * ncclCommInitRank would.
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "base/mix.h"
#include "core/host.h"
#include "core/report.h"
#include "core/site.h"
#include "nccl/explain.h"
#include "nccl/group.h"

/* The purposes of a meeting that comm_meeting() distinguishes; 0 is a
 * revival. */
static const uint64_t GROW = 1, SHRINK = 2;

/* ---- fewer ranks --------------------------------------------------------- */

/* Set out[r] for each rank r to leave out. */
static ncclResult_t mark(const struct ncclComm *c, const int *list, int n,
                         char *out)
{
    for (int i = 0; i < n; i++) {
        if (list[i] < 0 || list[i] >= c->nranks)
            return nccl_error(ncclInvalidArgument,
                              "CommShrink : rank %d of the list is not in the "
                              "0..%d range",
                              list[i], c->nranks - 1);
        out[list[i]] = 1;
    }
    if (out[c->rank])
        return nccl_error(ncclInvalidArgument,
                          "CommShrink : rank %d is to be left out, and must "
                          "not call it",
                          c->rank);
    return ncclSuccess;
}

/* Fill in the new communicator's size, this rank's number in it, and the key of
 * the meeting, which doesn't depend on the order of the list. */
static void count(struct setup *s, const char *left_out)
{
    const struct ncclComm *const c = s->parent;
    uint64_t what = SHRINK;
    int first = -1;
    for (int r = 0; r < c->nranks; r++) {
        what = mix_hash(what + (uint64_t)left_out[r]);
        if (left_out[r])
            continue;
        first = first < 0 ? r : first;
        s->rank += r < c->rank;
        s->nranks++;
    }
    s->key = s->rank;
    s->offers = first == c->rank;
    s->meeting = comm_meeting(s->parent, what);
}

static ncclResult_t check_shrink(ncclComm_t comm, const int *list, int n,
                                 const ncclComm_t *newcomm, int flags)
{
    const ncclResult_t err = flags & NCCL_SHRINK_ABORT
                                 ? comm_check_made(comm, "CommShrink")
                                 : comm_check_managed(comm, "CommShrink");
    if (err != ncclSuccess)
        return err;
    if (!newcomm || !list)
        return nccl_error(ncclInvalidArgument,
                          "CommShrink : %s argument is NULL",
                          newcomm ? "excludeRanksList" : "newcomm");
    if (n <= 0)
        return nccl_error(ncclInvalidArgument,
                          "CommShrink : %d ranks to leave out", n);
    if (flags & ~NCCL_SHRINK_ABORT)
        return nccl_error(ncclInvalidArgument, "CommShrink : unknown flags %#x",
                          (unsigned)flags);
    return ncclSuccess;
}

static void give_up(struct ncclComm *c, const struct setup *s)
{
    group_forget(c, s->call);
    comm_stop(c, s->call, "called ncclCommShrink with NCCL_SHRINK_ABORT",
              s->site);
}

static ncclResult_t begin_shrink(struct setup *s, const int *list, int n,
                                 const ncclConfig_t *config, int flags)
{
    struct ncclComm *const c = s->parent;
    ncclResult_t err = check_shrink(c, list, n, s->out, flags);
    if (err != ncclSuccess)
        return err;
    *s->out = NULL;
    char *const left_out =
        simgpu_need(calloc((size_t)c->nranks, 1), "%d ranks", c->nranks);
    err = mark(c, list, n, left_out);
    if (err == ncclSuccess)
        err = config_make(config, &c->config, &s->config);
    if (err == ncclSuccess) {
        if (flags & NCCL_SHRINK_ABORT)
            give_up(c, s);
        count(s, left_out);
        err = group_add_setup(s);
    }
    free(left_out);
    return err;
}

ncclResult_t pncclCommShrink(ncclComm_t comm, int *excludeRanksList,
                             int excludeRanksCount, ncclComm_t *newcomm,
                             ncclConfig_t *config, int shrinkFlags)
{
    NCCL_ENTER();
    struct setup s = {.step = SETUP_OFFER,
                      .call = "ncclCommShrink",
                      .site = CALLER_SITE(),
                      .parent = comm,
                      .out = newcomm};
    group_enter();
    simgpu_host_busy(s.call, s.site, 0);
    return group_leave(begin_shrink(&s, excludeRanksList, excludeRanksCount,
                                    config, shrinkFlags));
}

/* ---- more ranks ---------------------------------------------------------- */

ncclResult_t pncclCommGetUniqueId(ncclComm_t comm, ncclUniqueId *uniqueId)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_check_ready(comm, "CommGetUniqueId");
    if (err != ncclSuccess)
        return err;
    if (!uniqueId)
        return nccl_error(ncclInvalidArgument,
                          "CommGetUniqueId : uniqueId argument is NULL");
    if (comm->grow_nonce)
        return nccl_error(ncclInvalidUsage,
                          "CommGetUniqueId : the previous id has not been "
                          "used by ncclCommGrow");
    const struct comm_id id = comm_id_new();
    comm->grow_nonce = id.nonce;
    memset(uniqueId, 0, sizeof *uniqueId);
    memcpy(uniqueId, &id, sizeof id);
    return ncclSuccess;
}

/* An old rank joins a grown communicator; only one old rank passes the id. */
static ncclResult_t begin_grow(struct setup *s, const ncclUniqueId *unique,
                               const ncclConfig_t *config)
{
    struct ncclComm *const c = s->parent;
    ncclResult_t err = comm_use(c, "CommGrow", s->site);
    if (err != ncclSuccess)
        return err;
    if (s->nranks <= c->nranks || s->rank != -1)
        return nccl_error(ncclInvalidArgument,
                          "CommGrow : rank %d of %d passes %d ranks and rank "
                          "%d; pass more ranks than there are, and -1",
                          c->rank, c->nranks, s->nranks, s->rank);
    if (unique)
        memcpy(&s->id, unique, sizeof s->id);
    if (unique && (s->id.magic != comm_magic() || s->id.nonce != c->grow_nonce))
        return nccl_error(ncclInvalidArgument,
                          "CommGrow : the unique id is not that of this rank's "
                          "ncclCommGetUniqueId, or used up");
    err = config_make(config, &c->config, &s->config);
    s->rank = s->key = c->rank;
    s->offers = unique != NULL;
    if (err == ncclSuccess)
        s->meeting = comm_meeting(c, GROW);
    return err == ncclSuccess ? group_add_setup(s) : err;
}

/* A new rank joins a grown communicator. */
static ncclResult_t begin_enter(struct setup *s, const ncclUniqueId *unique,
                                const ncclConfig_t *config)
{
    if (!unique)
        return nccl_error(ncclInvalidArgument,
                          "CommGrow : a new rank needs the unique id");
    if (s->rank < 1 || s->rank >= s->nranks)
        return nccl_error(ncclInvalidArgument, "Invalid rank requested : %d/%d",
                          s->rank, s->nranks);
    memcpy(&s->id, unique, sizeof s->id);
    ncclResult_t err = config_make(config, NULL, &s->config);
    if (err == ncclSuccess)
        err = comm_join(&s->id, 0, s->nranks, s->rank, &s->config, &s->comm);
    if (err != ncclSuccess)
        return err;
    *s->out = s->comm;
    if (!s->config.blocking)
        // set already; a non-blocking caller's variable may be gone later
        s->out = NULL;
    s->step = SETUP_JOIN;
    explain_init_start(s->comm, s->call);
    return group_add_setup(s);
}

ncclResult_t pncclCommGrow(ncclComm_t comm, int nRanks,
                           const ncclUniqueId *uniqueId, int rank,
                           ncclComm_t *newcomm, ncclConfig_t *config)
{
    NCCL_ENTER();
    struct setup s = {.step = SETUP_OFFER,
                      .call = "ncclCommGrow",
                      .site = CALLER_SITE(),
                      .parent = comm,
                      .out = newcomm,
                      .nranks = nRanks,
                      .rank = rank};
    group_enter();
    simgpu_host_busy(s.call, s.site, 0);
    if (!newcomm)
        return group_leave(nccl_error(ncclInvalidArgument,
                                      "CommGrow : newcomm argument is NULL"));
    *newcomm = NULL;
    return group_leave(comm ? begin_grow(&s, uniqueId, config)
                            : begin_enter(&s, uniqueId, config));
}

/* ---- revoking ------------------------------------------------------------ */

ncclResult_t pncclCommRevoke(ncclComm_t comm, int revokeFlags)
{
    NCCL_ENTER();
    const ncclResult_t err = comm_check_made(comm, "CommRevoke");
    if (err != ncclSuccess)
        return err;
    if (revokeFlags != NCCL_REVOKE_DEFAULT)
        return nccl_error(ncclInvalidArgument, "CommRevoke : unknown flags %#x",
                          (unsigned)revokeFlags);
    if (comm->revoked)
        return ncclSuccess;
    group_forget(comm, "ncclCommRevoke");
    comm->revoked = 1;
    comm_stop(comm, "ncclCommRevoke", "called ncclCommRevoke", CALLER_SITE());
    if (!comm->config.blocking)
        return ncclInProgress; // ncclCommGetAsyncError does the rest
    atomic_store(&comm->error, ncclSuccess);
    return ncclSuccess;
}

NCCL_ALIAS(ncclCommShrink)
NCCL_ALIAS(ncclCommGetUniqueId)
NCCL_ALIAS(ncclCommGrow)
NCCL_ALIAS(ncclCommRevoke)
