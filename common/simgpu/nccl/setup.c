#include "nccl/setup.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */
#include <unistd.h> /* close */

#include "core/device.h"
#include "core/peer.h"
#include "nccl/coll.h"
#include "nccl/explain.h"
#include "nccl/profiler.h"
#include "nccl/window.h"

/* ---- joining ------------------------------------------------------------- */

static void describe_join(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = ((const struct setup *)arg)->comm;
    snprintf(out, nbytes, "%u of %d ranks have joined the communicator",
             atomic_load(&c->hub.hub->joined) & ~HUB_LOST, c->nranks);
}

/* Check that this rank passed the same ids and the same secret as rank 0. */
static ncclResult_t check_agreed(const struct hub_member *member, int rank)
{
    if (member[rank].ids != member[0].ids)
        return nccl_error(ncclInvalidUsage,
                          "rank %d passes other unique ids than rank 0, or "
                          "in another order",
                          rank);
    if (member[rank].secret != member[0].secret)
        return nccl_error(ncclSystemError,
                          "rank %d and rank 0 cannot talk: their encryption "
                          "differs (ncclSetEncryption)",
                          rank);
    return ncclSuccess;
}

/* When all ranks have joined: check that they agree, and that each has its own
 * GPU. */
static ncclResult_t check_members(struct ncclComm *c)
{
    const struct hub_member *const member = c->hub.hub->member;
    for (int a = 0; a < c->nranks; a++) {
        const ncclResult_t err = check_agreed(member, a);
        if (err != ncclSuccess)
            return err;
        if (!simgpu_peer_attach(&member[a].id))
            return nccl_error(ncclSystemError,
                              "rank %d (process %d) has ended already", a,
                              member[a].id.pid);
        for (int b = 0; b < a; b++)
            if (member[a].place == member[b].place)
                return nccl_error(ncclInvalidUsage,
                                  "Duplicate GPU detected : rank %d and rank "
                                  "%d both on CUDA device %llx",
                                  b, a, comm_bus_id(member[a].place));
    }
    return ncclSuccess;
}

static ncclResult_t finish_join(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->comm;
    if (!c) { // no color: joins no communicator
        s->step = SETUP_DONE;
        return ncclSuccess;
    }
    const struct wait_note note = {
        .call = s->call, .site = s->site, .describe = describe_join, .arg = s};
    _Atomic uint32_t *const joined = &c->hub.hub->joined;
    if (!may_wait && (atomic_load(joined) & ~HUB_LOST) < (uint32_t)c->nranks &&
        !hub_lost(&c->hub)) {
        simgpu_wait_for(joined, atomic_load(joined), 1000000, &note);
        return ncclInProgress;
    }
    if (hub_wait(joined, (uint32_t)c->nranks, &note) != 0)
        return comm_lost(c, s->call);
    const ncclResult_t err = check_members(c);
    if (err != ncclSuccess)
        return err;
    c->state = COMM_READY;
    s->step = SETUP_DONE;
    if (s->parent)
        atomic_store(&s->parent->child, NULL);
    if (s->parent && s->parent->grow_nonce == c->uid)
        s->parent->grow_nonce = 0; // the id is used up
    if (s->out)
        *s->out = c;
    explain_init_complete(c, s->parent, s->call, s->color, s->key);
    profiler_join(c);
    return ncclSuccess;
}

/* Join the hub of s->id, with the parent's device. */
static ncclResult_t join_child(struct setup *s, int nranks, int rank)
{
    const int device = simgpu_device_current();
    simgpu_device_set(s->parent->device);
    const ncclResult_t err =
        comm_join(&s->id, 0, nranks, rank, &s->config, &s->comm);
    simgpu_device_set(device);
    atomic_store(&s->parent->child, s->comm);
    return err == ncclSuccess && atomic_load(&s->parent->aborted)
               ? comm_lost(s->parent, s->call)
               : err;
}

/* ---- shrink and grow ----------------------------------------------------- */

static ncclResult_t offer(struct setup *s)
{
    if (s->offers) {
        if (s->id.magic == 0) // else the id came from ncclCommGetUniqueId
            s->id = comm_id_new();
        const struct hub_offer offer = {
            .owner = s->id.owner, .fd = s->id.fd, .nonce = s->id.nonce};
        hub_make_offer(&s->parent->hub, s->meeting, &offer);
    }
    s->step = SETUP_MEET;
    return ncclSuccess;
}

static void describe_meeting(const void *arg, char *out, size_t nbytes)
{
    const struct setup *const s = arg;
    snprintf(out, nbytes,
             "rank %d of %d waits for %s to call it with the same arguments",
             s->parent->rank, s->parent->nranks,
             s->revive ? "rank 0"
                       : "the rank that has the unique id, or comes first,");
}

static ncclResult_t meet(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->parent;
    _Atomic uint32_t *const offers = &c->hub.hub->offers;
    struct hub_offer found;
    const struct wait_note note = {.call = s->call,
                                   .site = s->site,
                                   .describe = describe_meeting,
                                   .arg = s};
    for (;;) {
        const uint32_t seen = atomic_load(offers);
        if (hub_find_offer(&c->hub, s->meeting, &found))
            break;
        if (may_wait)
            simgpu_wait(offers, seen, &note);
        else if (simgpu_wait_for(offers, seen, 1000000, &note) != 0)
            return ncclInProgress;
    }
    s->id = (struct comm_id){.magic = comm_magic(),
                             .nonce = found.nonce,
                             .owner = found.owner,
                             .fd = found.fd};
    s->step = s->revive ? SETUP_ARRIVE : SETUP_JOIN;
    return s->revive ? comm_rejoin(c, &s->id)
                     : join_child(s, s->nranks, s->rank);
}

/* ---- split --------------------------------------------------------------- */

static void describe_split(const void *arg, char *out, size_t nbytes)
{
    const struct ncclComm *const c = ((const struct setup *)arg)->parent;
    snprintf(out, nbytes, "waits for all %d ranks to call it", c->nranks);
}

static struct wait_note note_of(const struct setup *s)
{
    return (struct wait_note){
        .call = s->call, .site = s->site, .describe = describe_split, .arg = s};
}

static ncclResult_t arrive(struct setup *s)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    s->seq = c->nrendezvous++;
    if (hub_enter(&c->hub, s->seq, &note) != 0)
        return comm_lost(c, s->call);
    // any rank may become the new rank 0, so each rank creates a hub
    s->id = comm_id_new();
    struct hub_post *const post = hub_post(&c->hub, s->seq, c->rank);
    *post = (struct hub_post){.kind = COLL_SPLIT,
                              .color = s->color,
                              .key = s->key,
                              .hub_fd = s->id.fd,
                              .hub_nonce = s->id.nonce};
    simgpu_site_locate(s->site, &post->site);
    if (!hub_arrive(&c->hub, s->seq)) {
        s->step = SETUP_FIND;
        return ncclSuccess;
    }
    coll_check(c, s->seq);
    hub_open(&c->hub, s->seq, c->nranks);
    s->step = SETUP_FIND;
    return ncclSuccess;
}

/* True if rank a precedes rank b in the new communicator. */
static int before(const struct hub_post *a, int rank_a,
                  const struct hub_post *b, int rank_b)
{
    return a->key != b->key ? a->key < b->key : rank_a < rank_b;
}

/* Find this rank's number among the ranks of its color, and their first
 * rank. */
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

static ncclResult_t find(struct setup *s, int may_wait)
{
    struct ncclComm *const c = s->parent;
    const struct wait_note note = note_of(s);
    int nranks, rank, first;
    if (!may_wait && !hub_is_open(&c->hub, s->seq) && !hub_lost(&c->hub))
        return ncclInProgress;
    if (hub_wait_open(&c->hub, s->seq, &note) != 0)
        return comm_lost(c, s->call);
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
    return join_child(s, nranks, rank);
}

/* ---- steps --------------------------------------------------------------- */

void setup_cancel(struct setup *s)
{
    if (s->window)
        window_discard(s->window);
    if (!s->comm)
        return;
    char did[48];
    snprintf(did, sizeof did, "failed in %s", s->call);
    hub_abort(&s->comm->hub, did, s->site); // the other ranks stop waiting
    if (s->parent)
        atomic_store(&s->parent->child, NULL);
    if (!s->out) // non-blocking: the program must abort it
        return;
    if (!atomic_load(&s->comm->aborted)) // by another thread meanwhile
        comm_discard(s->comm);
    s->comm = NULL;
    *s->out = NULL;
}

ncclResult_t setup_advance(struct setup *s, int may_wait)
{
    ncclResult_t err = ncclSuccess;
    switch (s->step) {
    case SETUP_OFFER: err = offer(s); break;
    case SETUP_MEET: err = meet(s, may_wait); break;
    case SETUP_ARRIVE: err = s->window ? window_arrive(s) : arrive(s); break;
    case SETUP_FIND:
        err = s->window ? window_find(s, may_wait) : find(s, may_wait);
        break;
    case SETUP_JOIN: err = finish_join(s, may_wait); break;
    case SETUP_DONE: break;
    }
    if (err != ncclSuccess && err != ncclInProgress)
        setup_cancel(s);
    return err;
}
