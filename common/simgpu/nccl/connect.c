#include "nccl/connect.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */

#include "core/clock/model.h"
#include "core/report.h"
#include "nccl/coll.h"
#include "nccl/explain.h"

enum { END_NONE, END_HERE }; /* state of one end of a connection */

struct need { /* one rank's need for a connection to another */
    pthread_t thread;
    const struct ncclComm *comm;
    const char *call, *algo; /* algo NULL: a message */
    uint32_t site;
    int peer, receives;
    _Atomic uint32_t *theirs;
};

/* The connections that threads of this process still have to wait for. */
static struct {
    pthread_mutex_t lock;
    struct need *need;
    int cap;
    _Atomic int n;
} owed = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what calls need ----------------------------------------------------- */

static void owe(const struct need *need)
{
    const struct hub_member *const peer =
        &need->comm->hub.hub->member[need->peer];
    if (!need->comm->config.blocking || peer->id.pid == simgpu_proc()->id.pid)
        return;
    pthread_mutex_lock(&owed.lock);
    if (owed.n == owed.cap) {
        owed.cap = owed.cap ? 2 * owed.cap : 16;
        owed.need = simgpu_need(
            realloc(owed.need, (size_t)owed.cap * sizeof *owed.need),
            "connections");
    }
    owed.need[owed.n++] = *need;
    pthread_mutex_unlock(&owed.lock);
}

static void connect_to(const struct nccl_call *c, int peer, const char *algo,
                       int receives, _Atomic uint32_t *mine,
                       _Atomic uint32_t *theirs)
{
    const struct need need = {.thread = pthread_self(),
                              .comm = c->comm,
                              .call = c->name,
                              .site = c->site,
                              .algo = algo,
                              .peer = peer,
                              .receives = receives,
                              .theirs = theirs};
    atomic_fetch_or(mine, END_HERE); // an OR keeps HUB_LOST
    simgpu_wake(mine);
    owe(&need);
}

static void connect_message(const struct nccl_call *c, int peer, int receives)
{
    const struct hub_view *const v = &c->comm->hub;
    const int from = receives ? peer : c->comm->rank;
    const int to = receives ? c->comm->rank : peer;
    _Atomic uint32_t *const mine = hub_end(v, from, to, receives);
    if (peer != c->comm->rank && atomic_load(mine) == END_NONE)
        connect_to(c, peer, NULL, receives, mine,
                   hub_end(v, from, to, !receives));
}

static void connect_messages(const struct nccl_call *c)
{
    for (int r = 0; r < c->comm->nranks; r++) {
        if (coll_sends(c, r))
            connect_message(c, r, 0);
        if (coll_receives(c, r))
            connect_message(c, r, 1);
    }
}

static int connects_at_runtime(void)
{
    const char *const env = getenv("NCCL_RUNTIME_CONNECT");
    return !env || !*env || strtol(env, NULL, 0) != 0;
}

static int32_t place_of(const struct ncclComm *c, int rank)
{
    return c->hub.hub->member[rank].place;
}

static int same_node(const struct ncclComm *c, int a, int b)
{
    const int32_t place[] = {place_of(c, a), place_of(c, b)};
    return simgpu_model_nodes(place, 2) == 1;
}

/* Set is_neighbour[r] for each rank r that an algorithm connects this rank
 * with. */
static void find_neighbours(const struct ncclComm *c, const char *algo,
                            char *is_neighbour)
{
    const int n = c->nranks, me = c->rank;
    int32_t *const place =
        simgpu_need(calloc((size_t)n, sizeof *place), "%d ranks", n);
    int *const ring =
        simgpu_need(calloc((size_t)n, sizeof *ring), "%d ranks", n);
    for (int r = 0; r < n; r++)
        place[r] = place_of(c, r);
    simgpu_model_ring(place, n, 0, ring);
    for (int i = 0; i < n; i++) {
        const int a = ring[i], b = ring[(i + 1) % n];
        // within a node a tree is a chain, and NVLS begins with a barrier
        const int linked =
            strcmp(algo, "RING") == 0 ||
            (strcmp(algo, "TREE") == 0 && i + 1 < n && same_node(c, a, b));
        if (linked && (a == me || b == me))
            is_neighbour[a == me ? b : a] = 1;
        if (strncmp(algo, "NVLS", 4) == 0 && a != me && same_node(c, a, me))
            is_neighbour[a] = 1;
    }
    free(place);
    free(ring);
}

/* True for the first collective of its kind with this power of two in its size:
 * finding the algorithm is expensive, and is done once for each. */
static int is_new_size(const struct nccl_call *c)
{
    const int power = 63 - __builtin_clzll(coll_nbytes(c) | 1);
    uint64_t *const seen = &c->comm->sizes[c->coll];
    const int is_new = !(*seen >> power & 1);
    *seen |= UINT64_C(1) << power;
    return is_new;
}

static void connect_collective(const struct nccl_call *c)
{
    static const char *const algos[HUB_ALGORITHMS] = {"RING", "TREE", "NVLS",
                                                      "NVLS_TREE"};
    struct hub_member *const member = c->comm->hub.hub->member;
    struct model_choice choice;
    char err[512];
    int a = 0;
    if (!connects_at_runtime() || !is_new_size(c) ||
        explain_choice(c, &choice, err, sizeof err) != 0)
        return;
    while (a < HUB_ALGORITHMS && strcmp(algos[a], choice.algo) != 0)
        a++;
    if (a == HUB_ALGORITHMS || (c->comm->connected >> a & 1))
        return;
    c->comm->connected |= 1u << a;
    char *const is_neighbour = simgpu_need(calloc((size_t)c->comm->nranks, 1),
                                           "%d ranks", c->comm->nranks);
    find_neighbours(c->comm, choice.algo, is_neighbour);
    for (int r = 0; r < c->comm->nranks; r++)
        if (is_neighbour[r])
            connect_to(c, r, algos[a], 0, &member[c->comm->rank].connects[a],
                       &member[r].connects[a]);
    free(is_neighbour);
}

static void connect_call(const struct nccl_call *c)
{
    if (c->comm->nranks == 1 || c->comm->config.split_share == 1)
        return;
    if (c->kind == CALL_SEND || c->kind == CALL_RECV)
        connect_message(c, c->root, c->kind == CALL_RECV);
    else if (c->kind == CALL_COLL && coll_is_messages(c))
        connect_messages(c);
    else if (c->kind == CALL_COLL)
        connect_collective(c);
}

/* ---- waiting for connections --------------------------------------------- */

static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct need *const need = arg;
    if (need->algo)
        snprintf(out, nbytes,
                 "NCCL connects on the host at the first collective by %s, "
                 "which rank %d has not called (NCCL_RUNTIME_CONNECT=0 "
                 "connects when communicators are made)",
                 need->algo, need->peer);
    else
        snprintf(out, nbytes,
                 "NCCL connects on the host at the first message %s rank %d, "
                 "which has not called %s rank %d",
                 need->receives ? "from" : "to", need->peer,
                 need->receives ? "ncclSend to" : "ncclRecv from",
                 need->comm->rank);
}

/* Remove one need of this thread or, if c isn't NULL, of this communicator.
 * Returns 1, or 0 if there is none. */
static int take(struct need *out, const struct ncclComm *c)
{
    const pthread_t me = pthread_self();
    int found = 0;
    pthread_mutex_lock(&owed.lock);
    for (int i = 0; i < owed.n && !found; i++) {
        const struct need *const need = &owed.need[i];
        found = c ? need->comm == c : pthread_equal(need->thread, me);
        if (found) {
            *out = *need;
            owed.need[i] = owed.need[--owed.n];
        }
    }
    pthread_mutex_unlock(&owed.lock);
    return found;
}

static void wait_for_all(void)
{
    struct need need;
    while (atomic_load(&owed.n) > 0 && take(&need, NULL)) {
        const struct wait_note note = {.call = need.call,
                                       .site = need.site,
                                       .describe = describe,
                                       .arg = &need};
        // if the communicator is lost, there is nothing to wait for
        hub_wait(need.theirs, END_HERE, &note);
    }
}

void connect_forget(const struct ncclComm *c)
{
    struct need need;
    while (atomic_load(&owed.n) > 0 && take(&need, c))
        ;
}

void connect_calls(const struct nccl_call *calls, int n)
{
    for (int i = 0; i < n; i++)
        connect_call(&calls[i]);
    if (atomic_load(&owed.n) > 0)
        simgpu_wait_set_owed(wait_for_all);
}
