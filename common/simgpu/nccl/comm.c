#include "nccl/comm.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memcpy */

#include "base/mix.h"
#include "core/clock/clock.h"
#include "core/clock/model.h"
#include "core/device.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/wait.h"
#include "nccl/connect.h"
#include "nccl/profiler.h"

static const uint64_t MAGIC = 0x6c63636e6d6973; /* "simnccl" */

/* ---- ids, joining -------------------------------------------------------- */

uint64_t comm_magic(void)
{
    return MAGIC;
}

struct comm_id comm_id_new(void)
{
    struct comm_id id = {.magic = MAGIC, .owner = simgpu_proc()->id};
    // the descriptor stays open until all ranks have mapped the hub
    id.fd = hub_make(&id.nonce);
    return id;
}

static uint64_t secret; /* sent by ranks that join from now on */

void comm_set_secret(uint64_t new_secret)
{
    secret = new_secret;
}

/* ---- ranks that die ------------------------------------------------------ */

/* The communicators of this process that are mapped. */
static struct ncclComm *comms;
static pthread_mutex_t comms_lock = PTHREAD_MUTEX_INITIALIZER;

static void list_add(struct ncclComm *c)
{
    pthread_mutex_lock(&comms_lock);
    c->next = comms;
    c->link = &comms;
    if (comms)
        comms->link = &c->next;
    comms = c;
    pthread_mutex_unlock(&comms_lock);
}

static void list_remove(struct ncclComm *c)
{
    pthread_mutex_lock(&comms_lock);
    if (c->link) {
        *c->link = c->next;
        if (c->next)
            c->next->link = c->link;
        c->link = NULL;
    }
    pthread_mutex_unlock(&comms_lock);
}

/* The rank that is this process; -1 if none is, -2 if one may yet be. */
static int rank_of(const struct ncclComm *c, const struct proc_id *id)
{
    const struct hub *const hub = c->hub.hub;
    for (int r = 0; r < c->nranks; r++)
        if (hub->member[r].id.pid == id->pid &&
            hub->member[r].id.nonce == id->nonce)
            return r;
    return c->state == COMM_JOINING ? -2 : -1;
}

/*
 * On the watchdog's thread: a process has died, so no communicator with it can
 * complete anything. One that is being created may have been waiting for it.
 */
static void mourn(const struct proc_id *dead)
{
    pthread_mutex_lock(&comms_lock);
    for (struct ncclComm *c = comms; c; c = c->next) {
        const int rank = c->hub.hub ? rank_of(c, dead) : -1;
        if (rank == -1)
            continue;
        struct hub_view theirs = c->hub;
        theirs.rank = rank < 0 ? c->rank : rank;
        hub_abort(&theirs, rank < 0 ? "lacks a rank that died" : "died", 0);
    }
    pthread_mutex_unlock(&comms_lock);
}

static struct ncclComm *comm_new(int nranks, int rank,
                                 const struct config *config)
{
    static const char of[] = "a communicator of %d";
    const size_t n = (size_t)nranks, nsignals = n * HUB_SIGNALS;
    struct ncclComm *const c = simgpu_need(calloc(1, sizeof *c), of, nranks);
    c->magic = MAGIC;
    c->config = *config;
    c->rank = c->hub.rank = rank;
    c->nranks = c->hub.nranks = nranks;
    c->device = simgpu_device_current();
    c->sent = simgpu_need(calloc(n, sizeof *c->sent), of, nranks);
    c->received = simgpu_need(calloc(n, sizeof *c->received), of, nranks);
    c->signalled =
        simgpu_need(calloc(nsignals, sizeof *c->signalled), of, nranks);
    c->awaited = simgpu_need(calloc(nsignals, sizeof *c->awaited), of, nranks);
    return c;
}

void comm_discard(struct ncclComm *c)
{
    profiler_leave(c);
    connect_forget(c);
    list_remove(c);
    hub_unmap(&c->hub);
    free(c->sent);
    free(c->received);
    free(c->signalled);
    free(c->awaited);
    free(c->tail);
    free(c->meeting);
    c->meeting = NULL;
    c->nmeetings = 0;
    c->sent = c->received = c->signalled = c->awaited = NULL;
    c->tail = NULL;
    c->ntails = c->cap_tails = 0;
    c->state = COMM_DESTROYED;
}

/* Register this rank in the hub. */
static ncclResult_t sit(struct ncclComm *c, uint64_t ids)
{
    struct hub *const hub = c->hub.hub;
    struct hub_member *const me = &hub->member[c->rank];
    uint32_t nranks = 0;
    if (!atomic_compare_exchange_strong(&hub->nranks, &nranks,
                                        (uint32_t)c->nranks) &&
        nranks != (uint32_t)c->nranks)
        return nccl_error(ncclInvalidArgument,
                          "rank %d passes %d ranks, another rank %u", c->rank,
                          c->nranks, nranks);
    if (atomic_exchange(&me->joined, 1))
        return nccl_error(
            ncclInvalidUsage,
            "rank %d of %d joined twice: was the unique id used for "
            "another communicator?",
            c->rank, c->nranks);
    me->id = simgpu_proc()->id;
    me->place = simgpu_proc_place(c->device);
    me->ids = ids;
    me->secret = secret;
    atomic_fetch_add(&hub->joined, 1);
    simgpu_wake(&hub->joined);
    return ncclSuccess;
}

/* Say why the hub of this id no longer exists. */
static ncclResult_t used_up(const struct comm_id *id)
{
    if (simgpu_peer_attach(&id->owner))
        return nccl_error(ncclInvalidUsage,
                          "the unique id was used for another communicator, "
                          "which has been destroyed: each needs an id of its "
                          "own");
    return nccl_error(ncclSystemError,
                      "process %d, which made the unique id, is gone",
                      id->owner.pid);
}

ncclResult_t comm_join(const struct comm_id *id, uint64_t ids, int nranks,
                       int rank, const struct config *config,
                       struct ncclComm **out)
{
    *out = NULL;
    if (id->magic != MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "the unique id was not made by ncclGetUniqueId (was "
                          "it broadcast?)");
    struct ncclComm *const c = comm_new(nranks, rank, config);
    c->uid = id->nonce;
    const ncclResult_t err =
        hub_map(&c->hub, &id->owner, id->fd, id->nonce) == 0 ? sit(c, ids)
                                                             : used_up(id);
    if (err == ncclSuccess) {
        entry_made(&c->use);
        list_add(c);
        simgpu_peer_set_mourner(mourn);
        *out = c;
    } else {
        comm_discard(c);
        free(c);
    }
    return err;
}

ncclResult_t comm_rejoin(struct ncclComm *c, const struct comm_id *id)
{
    connect_forget(c);
    list_remove(c);
    hub_unmap(&c->hub);
    if (hub_map(&c->hub, &id->owner, id->fd, id->nonce) != 0)
        return nccl_error(ncclSystemError, "process %d is gone", id->owner.pid);
    c->uid = id->nonce;
    c->nrendezvous = 0;
    atomic_store(&c->stopped, 0);
    // the communicator can only be split, which needs no connections
    c->revived = 1;
    list_add(c);
    return sit(c, 0);
}

/* ---- state --------------------------------------------------------------- */

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

ncclResult_t comm_check_made(ncclComm_t comm, const char *call)
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
    return ncclSuccess;
}

ncclResult_t comm_check_ready(ncclComm_t comm, const char *call)
{
    const ncclResult_t err = comm_check_managed(comm, call);
    if (err == ncclSuccess && (comm->revoked || comm->suspended))
        return nccl_error(ncclInvalidUsage, "%s : the communicator is %s", call,
                          comm->revoked ? "revoked" : "suspended");
    return err;
}

ncclResult_t comm_use(ncclComm_t comm, const char *call, uint32_t site)
{
    const ncclResult_t err = comm_check(comm, call);
    if (err == ncclSuccess && comm->state != COMM_DESTROYED)
        entry_use(&comm->use, site);
    return comm_check_ready(comm, call);
}

ncclResult_t comm_check_managed(ncclComm_t comm, const char *call)
{
    const ncclResult_t err = comm_check_made(comm, call);
    if (err != ncclSuccess || comm->revoked)
        return err;
    comm_look(comm);
    const int error = atomic_load(&comm->error);
    if (error == ncclRemoteError)
        return comm_lost(comm, call);
    return error ? nccl_error((ncclResult_t)error,
                              "%s : the communicator has failed", call)
                 : ncclSuccess;
}

void comm_drain(struct ncclComm *c, const char *call, uint32_t site)
{
    simgpu_fence_join(c->tail, c->ntails, call, site);
    c->ntails = 0;
}

void comm_note_lost(struct ncclComm *c)
{
    int none = ncclSuccess;
    atomic_compare_exchange_strong(&c->error, &none, ncclRemoteError);
}

void comm_look(struct ncclComm *c)
{
    int none = ncclSuccess;
    if (simgpu_device_lost(c->device))
        atomic_compare_exchange_strong(&c->error, &none,
                                       ncclUnhandledCudaError);
    if (hub_lost(&c->hub) && !c->revoked)
        comm_note_lost(c);
}

ncclResult_t comm_lost(struct ncclComm *c, const char *call)
{
    char who[512];
    comm_note_lost(c);
    return nccl_error(ncclRemoteError, "%s : the communicator is lost: %s",
                      call, hub_culprit_text(&c->hub, who, sizeof who));
}

static void describe_lost(const void *arg, char *out, size_t nbytes)
{
    char who[512];
    const struct ncclComm *const c = arg;
    snprintf(out, nbytes,
             "cannot complete, since %s; ncclCommGetAsyncError tells, and "
             "ncclCommAbort ends the wait",
             hub_culprit_text(&c->hub, who, sizeof who));
}

void comm_await_stop(struct ncclComm *c, const char *call, uint32_t site)
{
    const struct wait_note note = {
        .call = call, .site = site, .describe = describe_lost, .arg = c};
    while (!atomic_load(&c->stopped))
        simgpu_wait(&c->stopped, 0, &note);
}

static void describe_users(const void *arg, char *out, size_t nbytes)
{
    char where[256];
    const struct entry_use *const u = &((const struct ncclComm *)arg)->use;
    snprintf(out, nbytes, "waits for the thread that is in %s at %s", u->call,
             simgpu_site_text(u->site, where, sizeof where));
}

void comm_stop(struct ncclComm *c, const char *call, const char *did,
               uint32_t site)
{
    const struct wait_note note = {
        .call = call, .site = site, .describe = describe_users, .arg = c};
    simgpu_clock_note_abort();
    hub_abort(&c->hub, did, site);
    atomic_store(&c->stopped, 1);
    simgpu_wake(&c->stopped);
    entry_await_others(&c->use, &note);
    comm_drain(c, call, site);
}

void comm_abort(struct ncclComm *c, uint32_t site)
{
    static const char did[] = "called ncclCommAbort";
    atomic_store(&c->aborted, 1);
    struct ncclComm *const child = atomic_load(&c->child);
    if (child)
        hub_abort(&child->hub, did, site);
    comm_stop(c, "ncclCommAbort", did, site);
}

void comm_note_tail(struct ncclComm *c, struct fence m)
{
    int i = 0;
    while (i < c->ntails && c->tail[i].stream != m.stream)
        i++;
    if (i == c->cap_tails) {
        c->cap_tails = c->cap_tails ? 2 * c->cap_tails : 4;
        c->tail = simgpu_need(
            realloc(c->tail, (size_t)c->cap_tails * sizeof *c->tail),
            "a communicator");
    }
    c->ntails += i == c->ntails;
    c->tail[i] = m;
}

uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq)
{
    const uint64_t lane = c->uid ^ (kind + 1) * MIX_STEP;
    const uint64_t x = mix_finish(lane + (seq + 1) * 0xd1342543de82ef95u);
    return x ? x : 1;
}

uint64_t comm_meeting(struct ncclComm *c, uint64_t what)
{
    int i = 0;
    while (i < c->nmeetings && c->meeting[i].what != what)
        i++;
    if (i == c->nmeetings) {
        const size_t n = (size_t)i + 1;
        c->meeting = simgpu_need(realloc(c->meeting, n * sizeof *c->meeting),
                                 "a communicator");
        c->meeting[i] = (struct comm_meeting){.what = what};
        c->nmeetings++;
    }
    return comm_key(c, 1, mix_hash(what + MIX_STEP * c->meeting[i].n++));
}

unsigned long long comm_bus_id(int place)
{
    char digits[32] = "";
    size_t at = 0;
    simgpu_model_bus_id(place, digits, sizeof digits);
    for (const char *c = digits; *c; c++)
        if (*c != ':' && *c != '.')
            digits[at++] = *c;
    digits[at] = 0;
    return strtoull(digits, NULL, 16);
}
