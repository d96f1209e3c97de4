/*
 * hub.h: what the ranks of a communicator share
 *
 * A memfd created with the unique id and mapped by all ranks. It holds the
 * members, a ring of *slots*, each a rendezvous of all ranks, and for each
 * ordered pair of ranks a *channel* and *signals*. Most of it is never touched,
 * and then takes no memory.
 *
 *     hub := header, member[n], slot[SLOTS], post[SLOTS][n],
 *            channel[n][n] (source major),
 *            signal[n][n][SIGNALS][SIGNAL_DEPTH]
 *
 * Every wait is for a word to reach a number, and words only grow, so no
 * wake-up is lost. The top bit of a word, HUB_LOST, is set when a rank aborts
 * the communicator: waits for what can no longer come then give up.
 */
#ifndef SIMGPU_NCCL_HUB_H
#define SIMGPU_NCCL_HUB_H

#include "core/heap.h"
#include "core/site.h"
#include "core/wait.h"

enum {
    HUB_SLOTS = 8,
    HUB_DEPTH = 32,
    HUB_SIGNALS = 64, /* contexts times indices */
    HUB_SIGNAL_DEPTH = 256,
    HUB_ALGORITHMS = 4, /* that connect at first use: connect.h */
};
#define HUB_LOST 0x80000000u

/*
 * A hub that this rank has made for some ranks of this one, when the slots
 * cannot be used: not all ranks take part, or the communicator is lost. The
 * key names what it is for. The next offer is made when all have taken this
 * one.
 */
struct hub_offer {
    _Atomic uint64_t key; /* stored last */
    struct proc_id owner;
    int32_t fd;
    uint64_t nonce;
};

struct hub_member {
    struct proc_id id;
    uint64_t ids, secret; /* what all ranks must agree on: comm.h */
    struct hub_offer offer;
    _Atomic uint32_t signals; /* futex: signals that have come to this rank */
    int32_t place;            /* of its GPU on the machine */
    _Atomic uint32_t joined;  /* this rank has joined */
    _Atomic uint32_t bell;    /* futex: rung when a message of this rank */
    _Atomic uint32_t ears;    /* advances, if any thread listens */
    _Atomic uint32_t connects[HUB_ALGORITHMS]; /* futexes: connect.h */
};

struct hub_post { /* a rank's part in a rendezvous, visible to all */
    int32_t kind, type, op, root;
    uint64_t count;
    double scale; /* factor of the inputs, if op has one */
    struct heap_ref send, recv;
    int32_t color, key; /* ncclCommSplit */
    int32_t hub_fd;     /* ncclCommSplit: of the new hub, by its rank 0 */
    uint64_t hub_nonce;
    struct site_location site; /* of the call */
};

/*
 * A rendezvous: the ranks arrive; the last one opens it; those present do its
 * work, piece by piece; the rank that does the last piece ends it. Rendezvous
 * number seq uses slot seq % HUB_SLOTS, as its generation seq / HUB_SLOTS.
 */
struct hub_slot {
    _Atomic uint32_t state; /* futex: 2 * generation, + 1 while it is open */
    _Atomic uint32_t arrived, done; /* ranks, pieces */
    _Atomic uint64_t next;          /* generation << 32 | piece */
};

/*
 * Message number k of a channel is in ring[k % HUB_DEPTH]. turn is 2 * lap when
 * the entry is free for it, + 1 when it is posted, + 2 when it is received.
 */
struct hub_message {
    _Atomic uint32_t turn; /* futex */
    struct heap_ref buf;
    uint64_t nbytes;
};

struct hub_channel { /* from one rank to another, first in, first out */
    struct hub_message ring[HUB_DEPTH];
    _Atomic uint32_t end[2]; /* futexes: the sender's, the receiver's */
};

/* Signal number k of its kind is in ring[k % HUB_SIGNAL_DEPTH]; older ones have
 * come too, but who sent them is forgotten. */
struct hub_signal {
    _Atomic uint32_t number; /* k + 1, stored last */
    struct graph_ref from;   /* the operation whose end it is */
};

struct hub {
    uint64_t nonce;
    _Atomic uint32_t nranks; /* 0 until the first rank joins */
    _Atomic uint32_t joined; /* futex: ranks that have joined */
    _Atomic uint32_t offers; /* futex: offers made */
    _Atomic uint32_t closed; /* its owner has closed the memfd */
    struct hub_member member[];
};

/* A rank's handle on a mapped hub. */
struct hub_view {
    struct hub *hub;
    size_t nbytes;
    int rank, nranks;
    int fd; /* the memfd if this process owns it, or -1 */
};

/* Create a hub: returns a memfd; the nonce guards against a stale
 * descriptor. */
int hub_make(uint64_t *nonce);

/* Map owner's hub. -1: owner is gone, or has closed it. */
int hub_map(struct hub_view *v, const struct proc_id *owner, int fd,
            uint64_t nonce);
/* The first of the owner's ranks that leaves a hub in which all have joined
 * closes the memfd. */
void hub_unmap(struct hub_view *v);

/* Abort the communicator: its waits give up. */
void hub_abort(const struct hub_view *v);
int hub_lost(const struct hub_view *v);

/* Sleep until *word has reached `enough`; -1 if the communicator is lost
 * first. */
int hub_wait(_Atomic uint32_t *word, uint32_t enough,
             const struct wait_note *note);

/* Has *word reached `enough`? 1, 0, or -1 if the communicator is lost first. */
int hub_reached(const _Atomic uint32_t *word, uint32_t enough);

/* ---- rendezvous ---------------------------------------------------------- */

struct hub_slot *hub_slot(const struct hub_view *v, uint64_t seq);
struct hub_post *hub_post(const struct hub_view *v, uint64_t seq, int rank);

/* Wait until the slot is free. The caller then fills in its post and
 * arrives. */
int hub_enter(const struct hub_view *v, uint64_t seq,
              const struct wait_note *note);

/* Returns 1 for the last rank to arrive, which must open the rendezvous. */
int hub_arrive(const struct hub_view *v, uint64_t seq);

/* Let the work begin, and wake up to `helpers` waiting ranks. */
void hub_open(const struct hub_view *v, uint64_t seq, int helpers);
int hub_wait_open(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);
int hub_is_open(const struct hub_view *v, uint64_t seq); /* or has been */

/* Claim one of npieces; -1 if none is left. Until the piece is done, the posts
 * stay as they are. */
int64_t hub_claim(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_done(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_wait_end(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);

/* ---- messages ------------------------------------------------------------ */

/* Message number `number` from one rank to another. */
struct hub_message *hub_message(const struct hub_view *v, int from, int to,
                                uint32_t number);

/* The sender's or the receiver's end of their connection (connect.h). */
_Atomic uint32_t *hub_end(const struct hub_view *v, int from, int to,
                          int receiver);

/* The turn at which the entry is free for it, posted, received. */
enum hub_turn { HUB_FREE, HUB_POSTED, HUB_RECEIVED };
static inline uint32_t hub_turn(uint32_t number, enum hub_turn turn)
{
    return 2 * (number / HUB_DEPTH) + turn;
}

/* Advance the turn of a message to or from this peer: free -> posted ->
 * received, i.e. free for the next lap. */
void hub_advance(const struct hub_view *v, struct hub_message *m, int peer);

/*
 * A rank's bell: to wait for any of its messages to advance, listen, look at
 * them, sleep while the bell is what it was when listening began, and ignore it
 * afterwards.
 */
uint32_t hub_listen(const struct hub_view *v);
void hub_ignore(const struct hub_view *v);
_Atomic uint32_t *hub_bell(const struct hub_view *v);

/* ---- new hubs ------------------------------------------------------------ */

/* Offer a hub to the ranks that look for this key. */
void hub_make_offer(const struct hub_view *v, uint64_t key,
                    const struct hub_offer *offer);

/* Copy the offer with this key to *out: 1, or 0 if there is none yet. */
int hub_find_offer(const struct hub_view *v, uint64_t key,
                   struct hub_offer *out);

/* ---- signals ------------------------------------------------------------- */

/* This rank's signal number `number` of a kind (context and index) to `to`. */
void hub_post_signal(const struct hub_view *v, int to, int kind,
                     uint32_t number, struct graph_ref from);

/* Has that signal of rank `from` come here? 1 and its sender (index 0: it is
 * forgotten), 0 if not yet. */
int hub_find_signal(const struct hub_view *v, int from, int kind,
                    uint32_t number, struct graph_ref *sender);

#endif
