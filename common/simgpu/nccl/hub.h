/*
 * hub.h: what the ranks of a communicator share
 *
 * A memfd made by the process that made the unique id, and mapped by all. It
 * holds who the members are, a ring of *slots* in which the ranks meet for
 * collectives, and a *channel* for each ordered pair of ranks.
 *
 *     hub := header, member[n], slot[SLOTS], post[SLOTS][n],
 *            channel[n][n] (source major)
 *
 * All waiting is for one word to reach a number, and every word only grows, so
 * nobody misses anything. Its top bit, HUB_LOST, says that a rank has aborted
 * the communicator: who waits for what can't come any more gives up.
 */
#ifndef SIMGPU_NCCL_HUB_H
#define SIMGPU_NCCL_HUB_H

#include "core/heap.h"

enum { HUB_SLOTS = 8, HUB_DEPTH = 32 };
#define HUB_LOST 0x80000000u

struct hub_member {
    struct proc_id id;
    int32_t place;           /* its GPU on the machine */
    _Atomic uint32_t joined; /* somebody has come with this rank */
};

struct hub_post { /* one rank's part in a meeting, as all can see it */
    int32_t kind, type, op, root;
    uint64_t count;
    double scale; /* inputs are multiplied by it first, if op says so */
    struct heap_ref send, recv;
    int32_t color, key; /* ncclCommSplit */
    int32_t hub_fd;     /* ncclCommSplit: of the new hub, by its rank 0 */
    uint64_t hub_nonce;
    struct proc_place_in_code site; /* of the call */
};

/*
 * A meeting: the ranks arrive; the last one opens it; those who are there do
 * its work, piece by piece; who does the last piece ends it. Meeting number
 * seq takes slot seq % HUB_SLOTS, as its generation seq / HUB_SLOTS.
 */
struct hub_slot {
    _Atomic uint32_t state; /* futex: 2 * generation, + 1 while it is open */
    _Atomic uint32_t arrived, done; /* ranks, pieces */
    _Atomic uint64_t next;          /* generation << 32 | piece */
};

/*
 * Message number k of a channel is in ring[k % HUB_DEPTH]. turn is 2 * lap when
 * the place is free for it, one more when it is posted, two when received.
 */
struct hub_message {
    _Atomic uint32_t turn; /* futex */
    struct heap_ref buf;
    uint64_t nbytes;
};

struct hub_channel { /* from one rank to one other, first in, first out */
    struct hub_message ring[HUB_DEPTH];
};

struct hub {
    uint64_t nonce;
    _Atomic uint32_t nranks; /* 0 until the first rank says */
    _Atomic uint32_t joined; /* futex: ranks that have come */
    struct hub_member member[];
};

/* A handle on a mapped hub, of one rank. */
struct hub_view {
    struct hub *hub;
    size_t nbytes;
    int rank, nranks;
};

/* A new hub: a memfd, whose nonce guards against a stale descriptor. */
int hub_make(uint64_t *nonce);

/* Map owner's hub. -1: owner is gone, or has closed it. */
int hub_map(struct hub_view *v, const struct proc_id *owner, int fd,
            uint64_t nonce);
void hub_unmap(struct hub_view *v);

/* Nobody need wait for this communicator any more. */
void hub_abort(const struct hub_view *v);
int hub_lost(const struct hub_view *v);

/* Sleep until *word has reached `enough`; -1 if it is lost before. */
int hub_wait(_Atomic uint32_t *word, uint32_t enough,
             const struct wait_note *note);

/* ---- meetings ------------------------------------------------------------- */

struct hub_slot *hub_slot(const struct hub_view *v, uint64_t seq);
struct hub_post *hub_post(const struct hub_view *v, uint64_t seq, int rank);

/* Wait until the slot is free: then fill in one's post, and arrive. */
int hub_enter(const struct hub_view *v, uint64_t seq,
              const struct wait_note *note);

/* 1 for the last rank that comes, which has to open the meeting. */
int hub_arrive(const struct hub_view *v, uint64_t seq);

/* Let the work begin, and wake so many of those who wait, to help. */
void hub_open(const struct hub_view *v, uint64_t seq, int helpers);
int hub_wait_open(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);
int hub_is_open(const struct hub_view *v, uint64_t seq); /* or has been */

/* A piece of npieces that nobody else does; -1 if none is left. Until it is
 * done, the posts stay as they are. */
int64_t hub_claim(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_done(const struct hub_view *v, uint64_t seq, uint32_t npieces);
void hub_wait_end(const struct hub_view *v, uint64_t seq,
                  const struct wait_note *note);

/* ---- messages ------------------------------------------------------------- */

/* Message number `number` from one rank to another. */
struct hub_message *hub_message(const struct hub_view *v, int from, int to,
                                uint32_t number);

/* Its turn when that is free for it, posted, received. */
enum hub_turn { HUB_FREE, HUB_POSTED, HUB_RECEIVED };
static inline uint32_t hub_turn(uint32_t number, enum hub_turn turn)
{
    return 2 * (number / HUB_DEPTH) + turn;
}

/* The next turn: free -> posted -> received, which is free for the next lap. */
void hub_advance(struct hub_message *m);

#endif
