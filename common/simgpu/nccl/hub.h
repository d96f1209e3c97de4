/*
 * hub.h: the memory that a communicator's ranks share
 *
 * A hub is a memfd, created with the unique id and mapped by all ranks. It
 * contains the members, a ring of *slots* for rendezvous of all ranks, and for
 * each ordered pair of ranks a *channel* and *signals*. Most of its pages are
 * never touched and take no memory.
 *
 *     hub := header, member[n], slot[SLOTS], post[SLOTS][n],
 *            channel[n][n] (source major),
 *            signal[n][n][SIGNALS][SIGNAL_DEPTH]
 *
 * Every wait is for a word to reach a number, and words only grow, so no
 * wake-up is lost. When a rank aborts the communicator, it leaves its name and
 * sets the top bit, HUB_LOST, of every word; a wait that can no longer succeed
 * then returns.
 */
#ifndef SIMGPU_NCCL_HUB_H
#define SIMGPU_NCCL_HUB_H

#include "core/heap/heap.h"
#include "core/site.h"
#include "core/wait.h"

enum {
    HUB_SLOTS = 8,
    HUB_DEPTH = 32,
    HUB_SIGNALS = 64, /* contexts * indices */
    HUB_SIGNAL_DEPTH = 256,
    HUB_ALGORITHMS = 4, /* those that connect at first use: connect.h */
};
#define HUB_LOST 0x80000000u

/*
 * A hub that this rank has created for some ranks of this communicator, when
 * they cannot use the slots because not all ranks take part, or because the
 * communicator is lost. The key identifies its purpose. A rank makes its next
 * offer after all ranks have taken this one.
 */
struct hub_offer {
    _Atomic uint64_t key; /* stored last */
    struct proc_id owner;
    int32_t fd;
    uint64_t nonce;
};

struct hub_member {
    struct proc_id id;
    uint64_t ids, secret; /* must be the same on all ranks: comm.h */
    struct hub_offer offer;
    _Atomic uint32_t signals; /* futex: signals that have reached this rank */
    int32_t place;            /* the place of its GPU on the machine */
    _Atomic uint32_t joined;  /* this rank has joined */
    _Atomic uint32_t bell;    /* futex: advances with this rank's messages */
    _Atomic uint32_t ears;    /* listening threads; 0: bell is silent */
    _Atomic uint32_t connects[HUB_ALGORITHMS]; /* futexes: connect.h */
};

struct hub_post { /* a rank's part in a rendezvous, visible to all */
    int32_t kind, type, op, root;
    uint64_t count;
    double scale; /* factor that scales the inputs, if op does */
    struct heap_ref send, recv;
    int32_t color, key; /* arguments of ncclCommSplit */
    int32_t hub_fd;     /* ncclCommSplit: the new hub, set by its rank 0 */
    uint64_t hub_nonce;
    struct site_location site; /* where the call was made */
};

/*
 * A rendezvous: the ranks arrive, and the last one opens it. Those present do
 * its work, piece by piece; the rank that does the last piece ends it.
 * Rendezvous number seq uses slot seq % HUB_SLOTS, in generation seq /
 * HUB_SLOTS.
 */
struct hub_slot {
    _Atomic uint32_t state; /* futex: 2 * generation, + 1 while it is open */
    _Atomic uint32_t arrived, done; /* ranks, pieces */
    _Atomic uint64_t next;          /* generation << 32 | piece */
};

/*
 * Message number k of a channel uses ring[k % HUB_DEPTH]. Its turn is 2 * lap
 * while the entry is free, + 1 once it is posted, + 2 once it is received.
 */
struct hub_message {
    _Atomic uint32_t turn; /* futex */
    struct heap_ref buf;
    uint64_t nbytes;
};

struct hub_channel { /* a queue from one rank to another */
    struct hub_message ring[HUB_DEPTH];
    _Atomic uint32_t end[2]; /* futexes: the sender's, the receiver's */
};

/* Signal number k of its kind uses ring[k % HUB_SIGNAL_DEPTH]. Older signals
 * have arrived, too, but their senders have been overwritten. */
struct hub_signal {
    _Atomic uint32_t number; /* k + 1, stored last */
    struct graph_ref from;   /* the operation that sent it */
};

struct hub_culprit {        /* the first rank to abort the communicator */
    _Atomic uint32_t rank;  /* 1 + rank; 0: there is none */
    _Atomic uint32_t known; /* the rest is set */
    char did[48];           /* "called ncclCommAbort" */
    struct site_location site;
};

struct hub {
    uint64_t nonce;
    _Atomic uint32_t nranks; /* 0 until the first rank joins */
    _Atomic uint32_t joined; /* futex: ranks that have joined */
    _Atomic uint32_t offers; /* futex: offers made */
    _Atomic uint32_t closed; /* owner has closed the memfd */
    struct hub_culprit culprit;
    struct hub_member member[];
};

/* One rank's mapping of a hub. */
struct hub_view {
    struct hub *hub;
    size_t nbytes;
    int rank, nranks;
    int fd; /* the memfd if this process owns it, or -1 */
};

/* Create a hub and return its memfd. The nonce detects a descriptor that has
 * been reused. */
int hub_make(uint64_t *nonce);

/* Map the owner's hub. Returns -1 if the owner has ended or has closed it. */
int hub_map(struct hub_view *v, const struct proc_id *owner, int fd,
            uint64_t nonce);
/* Unmap the hub. Once all ranks have joined, the first of the owner's ranks to
 * leave also closes the memfd. */
void hub_unmap(struct hub_view *v);

/* Abort the communicator: all waits on the hub return. `did` and the site say
 * what this rank did, for the others' messages. */
void hub_abort(const struct hub_view *v, const char *did, uint32_t site);
int hub_lost(const struct hub_view *v);

/* "rank 1 called ncclCommAbort at a.c:12", of a lost communicator. Returns
 * out. */
const char *hub_culprit_text(const struct hub_view *v, char *out,
                             size_t nbytes);

/* Sleep until *word reaches `enough`. Returns -1 if the communicator is lost
 * first. */
int hub_wait(_Atomic uint32_t *word, uint32_t enough,
             const struct wait_note *note);

/* Returns 1 if *word has reached `enough`, 0 if not yet, -1 if the communicator
 * was lost first. */
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

/* Start the work, and wake up to `helpers` waiting ranks. */
void hub_open(const struct hub_view *v, uint64_t seq, int helpers);
int hub_wait_open(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);

/* True if the rendezvous is open, or has ended. */
int hub_is_open(const struct hub_view *v, uint64_t seq);

/* Claim one of npieces; returns -1 if none is left. The posts stay as they are
 * until the claimed piece is done. */
int64_t hub_claim(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_done(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_wait_end(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);

/* ---- messages ------------------------------------------------------------ */

/* The ring entry of message `number` from one rank to another. */
struct hub_message *hub_message(const struct hub_view *v, int from, int to,
                                uint32_t number);

/* The sender's or the receiver's word for their connection (connect.h). */
_Atomic uint32_t *hub_end(const struct hub_view *v, int from, int to,
                          int receiver);

/* The turn at which the entry is free, posted or received for this message. */
enum hub_turn { HUB_FREE, HUB_POSTED, HUB_RECEIVED };
static inline uint32_t hub_turn(uint32_t number, enum hub_turn turn)
{
    return 2 * (number / HUB_DEPTH) + turn;
}

/* Advance the turn of a message to or from this peer: from free to posted, or
 * from posted to received, which is free for the next lap. */
void hub_advance(const struct hub_view *v, struct hub_message *m, int peer);

/*
 * A rank's bell rings when any of its messages advances. To wait for that:
 * listen, look at the messages, sleep until the bell differs from the value
 * that hub_listen() returned, then ignore the bell.
 */
uint32_t hub_listen(const struct hub_view *v);
void hub_ignore(const struct hub_view *v);
_Atomic uint32_t *hub_bell(const struct hub_view *v);

/* ---- new hubs ------------------------------------------------------------ */

/* Offer a hub to the ranks that look for this key. */
void hub_make_offer(const struct hub_view *v, uint64_t key,
                    const struct hub_offer *offer);

/* Copy the offer with this key to *out. Returns 1, or 0 if there is none
 * yet. */
int hub_find_offer(const struct hub_view *v, uint64_t key,
                   struct hub_offer *out);

/* ---- signals ------------------------------------------------------------- */

/* Send signal `number` of a kind (context and index) from this rank to `to`. */
void hub_post_signal(const struct hub_view *v, int to, int kind,
                     uint32_t number, struct graph_ref from);

/* Returns 1 if rank `from` has sent this signal to this rank, with its sender
 * (index 0 if overwritten), or 0 if it has not arrived. */
int hub_find_signal(const struct hub_view *v, int from, int kind,
                    uint32_t number, struct graph_ref *sender);

#endif
