#include "nccl/setup.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */
#include <unistd.h> /* close */

#include "core/host.h" /* host_record */
#include "nccl/coll.h" /* COLL_SPLIT */
#include "nccl/explain.h"
#include "nccl/group.h"

/* ---- joining ------------------------------------------------------------------- */

static void describe_join(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = ((const struct setup *)arg)->comm;
    snprintf(out, nbytes, "%u of %d ranks have joined the communicator",
             atomic_load(&c->hub.hub->joined) & ~HUB_LOST, c->nranks);
}

/* All have joined: is each on a GPU of its own? */
static ncclResult_t meet_members(struct ncclComm *c)
{
    const struct hub_member *const member = c->hub.hub->member;
    for (int a = 0; a < c->nranks; a++) {
        if (!proc_attach(&member[a].id))
            return nccl_error(ncclSystemError,
                              "rank %d (process %d) is gone already", a,
                              member[a].id.pid);
        for (int b = 0; b < a; b++)
            if (member[a].place == member[b].place)
                return nccl_error(ncclInvalidUsage,
                                  "Duplicate GPU detected : rank %d and rank "
                                  "%d both on CUDA device %llx",
                                  b, a, explain_bus_id(member[a].place));
    }
    return ncclSuccess;
}

static ncclResult_t finish_join(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->comm;
    if (!c) { // no color: nothing to join
        s->step = SETUP_DONE;
        return ncclSuccess;
    }
    const struct wait_note note = {
        .call = s->call, .site = s->site, .describe = describe_join, .arg = s};
    _Atomic uint32_t *const joined = &c->hub.hub->joined;
    if (!may_wait && (atomic_load(joined) & ~HUB_LOST) < (uint32_t)c->nranks &&
        !hub_lost(&c->hub)) {
        proc_wait_for(joined, atomic_load(joined), 1000000, &note);
        return ncclInProgress;
    }
    if (hub_wait(joined, (uint32_t)c->nranks, &note) != 0)
        return nccl_error(ncclRemoteError,
                          "%s : a rank has aborted the "
                          "communicator",
                          s->call);
    const ncclResult_t err = meet_members(c);
    if (err != ncclSuccess)
        return err;
    c->state = COMM_READY;
    s->step = SETUP_DONE;
    if (s->out)
        *s->out = c;
    explain_init_complete(c, s->parent, s->call, s->color, s->key);
    return ncclSuccess;
}

/* ---- split --------------------------------------------------------------------- */

static void describe_split(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = ((const struct setup *)arg)->parent;
    snprintf(out, nbytes, "waits for the other ranks of %d to call it",
             c->nranks);
}

static struct wait_note note_of(const struct setup *s)
{
    return (struct wait_note){
        .call = s->call, .site = s->site, .describe = describe_split, .arg = s};
}

static ncclResult_t lost(struct setup *s)
{
    comm_note_lost(s->parent);
    return nccl_error(ncclRemoteError,
                      "%s : a rank has aborted the communicator", s->call);
}

static ncclResult_t arrive(struct setup *s)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    s->seq = c->nmeetings++;
    if (hub_enter(&c->hub, s->seq, &note) != 0)
        return lost(s);
    // Anyone may turn out to be the new rank 0, so all bring a hub.
    s->id = comm_id_new();
    *hub_post(&c->hub, s->seq, c->rank) =
        (struct hub_post){.kind = COLL_SPLIT,
                          .color = s->color,
                          .key = s->key,
                          .hub_fd = s->id.fd,
                          .hub_nonce = s->id.nonce};
    if (!hub_arrive(&c->hub, s->seq)) {
        s->step = SETUP_MEET;
        return ncclSuccess;
    }
    coll_check(c, s->seq);
    hub_open(&c->hub, s->seq, c->nranks);
    s->step = SETUP_MEET;
    return ncclSuccess;
}

/* Does rank a come before rank b in the new communicator? */
static int before(const struct hub_post *a, int rank_a,
                  const struct hub_post *b, int rank_b)
{
    return a->key != b->key ? a->key < b->key : rank_a < rank_b;
}

/* This rank's place among those of its color, and who is the first of them. */
static void find_group(const struct setup *s, int *nranks, int *rank,
                       int *first)
{
    const struct ncclComm *const c = s->parent;
    const struct hub_post *const mine = hub_post(&c->hub, s->seq, c->rank);
    *nranks = *rank = 0;
    *first = -1;
    for (int r = 0; r < c->nranks; r++) {
        const struct hub_post *const p = hub_post(&c->hub, s->seq, r);
        if (p->color != s->color)
            continue;
        ++*nranks;
        *rank += before(p, r, mine, c->rank);
        if (*first < 0 ||
            before(p, r, hub_post(&c->hub, s->seq, *first), *first))
            *first = r;
    }
}

static ncclResult_t meet(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    int nranks, rank, first;
    if (!may_wait && !hub_is_open(&c->hub, s->seq) && !hub_lost(&c->hub))
        return ncclInProgress;
    if (hub_wait_open(&c->hub, s->seq, &note) != 0)
        return lost(s);
    find_group(s, &nranks, &rank, &first);
    const int own_fd = s->id.fd;
    if (s->color != NCCL_SPLIT_NOCOLOR) {
        const struct hub_post *const p = hub_post(&c->hub, s->seq, first);
        s->id.owner = c->hub.hub->member[first].id;
        s->id.fd = p->hub_fd;
        s->id.nonce = p->hub_nonce;
    }
    const int keep = s->color != NCCL_SPLIT_NOCOLOR && first == c->rank;
    hub_done(&c->hub, s->seq, (uint32_t)c->nranks);
    if (!keep)
        close(own_fd);
    s->step = SETUP_JOIN;
    if (s->color == NCCL_SPLIT_NOCOLOR)
        return ncclSuccess;
    const int device = device_current();
    device_set(c->device);
    const ncclResult_t err =
        comm_join(&s->id, nranks, rank, &s->config, &s->comm);
    device_set(device);
    return err;
}

/* ---- steps --------------------------------------------------------------------- */

void setup_cancel(struct setup *s)
{
    if (!s->comm)
        return;
    hub_abort(&s->comm->hub); // the others need not wait
    if (!s->out) // a non-blocking one, which the program has to abort
        return;
    comm_discard(s->comm);
    s->comm = NULL;
    *s->out = NULL;
}

ncclResult_t setup_advance(struct setup *s, int may_wait)
{
    ncclResult_t err = ncclSuccess;
    switch (s->step) {
    case SETUP_ARRIVE: err = arrive(s); break;
    case SETUP_MEET: err = meet(s, may_wait); break;
    case SETUP_JOIN: err = finish_join(s, may_wait); break;
    case SETUP_DONE: break;
    }
    if (err != ncclSuccess && err != ncclInProgress)
        setup_cancel(s);
    return err;
}

/* ---- the functions ------------------------------------------------------------- */

ncclResult_t pncclGetUniqueId(ncclUniqueId *uniqueId)
{
    if (!uniqueId)
        return nccl_error(ncclInvalidArgument,
                          "GetUniqueId : out argument is NULL");
    const struct comm_id id = comm_id_new();
    memset(uniqueId, 0, sizeof *uniqueId);
    memcpy(uniqueId, &id, sizeof id);
    return ncclSuccess;
}

/*
 * Modelled host time of making a communicator: what NCCL itself says that it takes
 * for "connections, allgathers, graphs" of 8 ranks of one node, 0.39 + 0.08 + 0.01
 * s (NVIDIA/nccl issue 1646, "Init timings"). Loading kernels, bootstrap and a
 * look at the machine come on top, but not every time. Splits are free.
 */
static const uint64_t INIT_PS = UINT64_C(480000000000);

static void take_time(const char *call, uint32_t site)
{
    host_record(call, site, INIT_PS, NULL, 0);
}

static ncclResult_t begin_init(ncclComm_t *comm, int nranks,
                               const ncclUniqueId *unique, int rank,
                               const ncclConfig_t *config, uint32_t site)
{
    struct comm_id id;
    struct setup s = {.step = SETUP_JOIN,
                      .call = config ? "ncclCommInitRankConfig"
                                     : "ncclCommInitRank",
                      .site = site};
    if (!comm)
        return nccl_error(ncclInvalidArgument,
                          "CommInitRank : newcomm argument is NULL");
    *comm = NULL;
    if (nranks < 1 || rank < 0 || rank >= nranks)
        return nccl_error(ncclInvalidArgument, "Invalid rank requested : %d/%d",
                          rank, nranks);
    ncclResult_t err = comm_config(config, NULL, &s.config);
    if (err == ncclSuccess)
        err = explain_check_settings();
    if (err != ncclSuccess)
        return err;
    memcpy(&id, unique, sizeof id);
    if (rank == 0)
        debug_version();
    err = comm_join(&id, nranks, rank, &s.config, &s.comm);
    if (err == ncclSuccess) {
        *comm = s.comm;
        s.out = s.config.blocking ? comm : NULL; // it may be gone later on
        explain_init_start(s.comm, s.call);
        err = group_add_setup(&s);
    }
    return err;
}

ncclResult_t pncclCommInitRankConfig(ncclComm_t *comm, int nranks,
                                     ncclUniqueId commId, int rank,
                                     ncclConfig_t *config)
{
    group_enter();
    take_time("ncclCommInitRankConfig", PROC_SITE());
    return group_leave(
        begin_init(comm, nranks, &commId, rank, config, PROC_SITE()));
}

ncclResult_t pncclCommInitRank(ncclComm_t *comm, int nranks,
                               ncclUniqueId commId, int rank)
{
    group_enter();
    take_time("ncclCommInitRank", PROC_SITE());
    return group_leave(
        begin_init(comm, nranks, &commId, rank, NULL, PROC_SITE()));
}

static ncclResult_t check_devices(int ndev, const int *devlist)
{
    int64_t used = 0;
    for (int i = 0; i < ndev; i++) {
        const int d = devlist ? devlist[i] : i;
        if (d < 0 || d >= proc()->ndevices)
            return nccl_error(ncclInvalidArgument,
                              "Invalid device %d (totalnDev=%d)", d,
                              proc()->ndevices);
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
    const int device = device_current();
    group_enter();
    take_time("ncclCommInitAll", PROC_SITE());
    for (int i = 0; i < ndev && err == ncclSuccess; i++) {
        device_set(devlist ? devlist[i] : i);
        err = begin_init(&comm[i], ndev, &id, i, NULL, PROC_SITE());
    }
    device_set(device);
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
    ncclResult_t err = comm_check_ready(comm, "CommSplit");
    if (err != ncclSuccess)
        return err;
    if (!newcomm)
        return nccl_error(ncclInvalidArgument,
                          "CommSplit : newcomm argument is NULL");
    *newcomm = NULL;
    if (color < 0 && color != NCCL_SPLIT_NOCOLOR)
        return nccl_error(ncclInvalidArgument,
                          "CommSplit : color %d is negative, and not "
                          "NCCL_SPLIT_NOCOLOR",
                          color);
    err = comm_config(config, &comm->config, &s.config);
    return err == ncclSuccess ? group_add_setup(&s) : err;
}

ncclResult_t pncclCommSplit(ncclComm_t comm, int color, int key,
                            ncclComm_t *newcomm, ncclConfig_t *config)
{
    group_enter();
    return group_leave(
        begin_split(comm, color, key, newcomm, config, PROC_SITE()));
}

NCCL_ALIAS(ncclGetUniqueId)
NCCL_ALIAS(ncclCommInitRank)
NCCL_ALIAS(ncclCommInitRankConfig)
NCCL_ALIAS(ncclCommInitAll)
NCCL_ALIAS(ncclCommSplit)
