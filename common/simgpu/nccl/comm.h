/*
 * comm.h: communicators
 *
 * A communicator is one rank's view of a hub (hub.h), which the unique id
 * locates. It is created in steps, so that one thread can create several in a
 * group, and so that a program can do other work while a non-blocking
 * communicator is created (setup.h). The struct of a destroyed communicator (a
 * few hundred bytes) is kept, so that using it is an error rather than a crash.
 */
#ifndef SIMGPU_NCCL_COMM_H
#define SIMGPU_NCCL_COMM_H

#include <nccl.h>

#include "core/stream/fence.h"
#include "nccl/config.h"
#include "nccl/debug.h"
#include "nccl/entry.h"
#include "nccl/hub.h"

enum { COMM_OPS = 64, COMM_REGISTERED = 256 };

struct comm_premul { /* an operation made by ncclRedOpCreatePreMulSum */
    int taken, type;
    const void *scalar; /* device address, read at each use; or NULL */
    double scale;
};

struct comm_buffer { /* registered buffer or window; base NULL: slot is free */
    struct simgpu_window *shared; /* what kernels read of a window, else NULL */
    char *base;
    size_t nbytes;
    int window;
};

struct comm_meeting { /* counts the meetings of one purpose and set of ranks */
    uint64_t what;
    uint32_t n;
};

enum comm_state {
    COMM_JOINING, /* some ranks have not joined yet */
    COMM_READY,
    COMM_FINALIZED,
    COMM_DESTROYED,
};

struct ncclComm {
    uint64_t magic;
    enum comm_state state;
    _Atomic int error; /* ncclResult_t of a failed operation */
    struct hub_view hub;
    uint64_t uid; /* the hub's nonce */
    int rank, nranks, device;
    struct config config;
    int revoked, revived;     /* by ncclCommRevoke; has a new hub since */
    _Atomic uint32_t stopped; /* futex: this rank has given up the hub */
    _Atomic uint32_t aborted; /* ncclCommAbort has it, and frees it */
    _Atomic(struct ncclComm *) child; /* being made of it by another thread */
    int suspended;
    uint64_t grow_nonce;          /* open id of ncclCommGetUniqueId; 0: none */
    struct comm_meeting *meeting; /* shrinks, grows and revivals so far */
    int nmeetings;
    uint64_t nrendezvous;          /* collectives and splits so far */
    uint32_t *sent, *received;     /* messages enqueued, by peer */
    uint32_t *signalled, *awaited; /* signals, by peer and kind (hub.h) */
    struct comm_premul op[COMM_OPS];
    struct comm_buffer buffer[COMM_REGISTERED];
    struct fence *tail; /* its last operation on each stream used so far */
    int ntails, cap_tails;
    struct batch *pending;     /* group not enqueued yet (non-blocking) */
    struct setup *setup;       /* init or split in progress (non-blocking) */
    struct unpolled *unpolled; /* the setup; NULL once it was asked about */
    int ctas;                  /* that the configuration fixes; 0: none, or not
                                  computed yet */
    unsigned connected;        /* bits: connected algorithms (connect.h) */
    uint64_t sizes[8];         /* log2 of sizes so far, as bits, by kind */
    struct profiler_comm *profiled; /* NULL: no plugin is loaded */
    struct entry_use use;
    struct ncclComm *next, **link; /* the list of those with a hub */
};

/* ncclX is a weak alias of pncclX, so that a tool can define ncclX itself and
 * call pncclX. Use it at the end of the file that defines pncclX. */
#define NCCL_ALIAS(name)                                                       \
    extern __attribute__((weak, alias("p" #name))) __typeof__(p##name) name;

struct comm_id { /* what an ncclUniqueId contains */
    uint64_t magic, nonce;
    struct proc_id owner;
    int32_t fd;
};
_Static_assert(sizeof(struct comm_id) <= NCCL_UNIQUE_ID_BYTES, "an id fits");

/* The id of a new hub, created by this process; and the magic of every id. */
struct comm_id comm_id_new(void);
uint64_t comm_magic(void);

/*
 * Join an id's hub as this rank, with the calling thread's device, without
 * waiting for the other ranks. ids is a hash of further ids, which must be the
 * same on all ranks. Sets *out to NULL on failure.
 */
ncclResult_t comm_join(const struct comm_id *id, uint64_t ids, int nranks,
                       int rank, const struct config *config,
                       struct ncclComm **out);

/* Attach a revoked communicator, whose operations have all ended, to a new
 * hub. */
ncclResult_t comm_rejoin(struct ncclComm *c, const struct comm_id *id);

/* Set the secret that this process's ranks join with from now on; all ranks of
 * a communicator must have the same. 0 means none. */
void comm_set_secret(uint64_t secret);

/* A GPU's bus ID as the number that NCCL prints: 0000:1b:00.0 is 0x1b000. */
unsigned long long comm_bus_id(int place);

/* Free everything but the struct itself. */
void comm_discard(struct ncclComm *c);

/* ncclInvalidArgument unless comm is a communicator, destroyed or not. */
ncclResult_t comm_check(ncclComm_t comm, const char *call);

/* As comm_check(), and the communicator must be complete and not ended. */
ncclResult_t comm_check_made(ncclComm_t comm, const char *call);

/* As comm_check_made(), and returns the communicator's own error if it has one.
 * A revoked communicator passes: its failed operations are gone. */
ncclResult_t comm_check_managed(ncclComm_t comm, const char *call);

/* As comm_check_managed(), and it must be neither revoked nor suspended. */
ncclResult_t comm_check_ready(ncclComm_t comm, const char *call);

/* As comm_check_ready(), for a call that other threads must not make at the
 * same time. */
ncclResult_t comm_use(ncclComm_t comm, const char *call, uint32_t site);

/* Wait for all operations that this rank has issued on the communicator. */
void comm_drain(struct ncclComm *c, const char *call, uint32_t site);

/* Record m as the communicator's last operation on its stream. */
void comm_note_tail(struct ncclComm *c, struct fence m);

/* Set the communicator's error if its device, or a peer, is lost. */
void comm_look(struct ncclComm *c);

/*
 * A rank has aborted the communicator. comm_note_lost() sets the communicator's
 * error; comm_lost() does, too, and returns it as an error of the call.
 */
void comm_note_lost(struct ncclComm *c);
ncclResult_t comm_lost(struct ncclComm *c, const char *call);

/*
 * Called by the worker of an operation that cannot complete, since the
 * communicator is lost. As on a GPU, the operation stays on its stream until
 * its own rank gives up the communicator, too.
 */
void comm_await_stop(struct ncclComm *c, const char *call, uint32_t site);

/* Give up the communicator's operations on all ranks, and wait for this
 * rank's, and for calls of its other threads. `did`: see hub_abort(). */
void comm_stop(struct ncclComm *c, const char *call, const char *did,
               uint32_t site);

/* The same for ncclCommAbort, after which the caller discards the communicator.
 * A communicator that another thread is making of it is given up, too. */
void comm_abort(struct ncclComm *c, uint32_t site);

/* The window of a handle, or NULL if the handle has none. */
const struct comm_buffer *comm_window(const struct ncclComm *c,
                                      ncclWindow_t win);

/* The key that matches nodes of several ranks in the graph, computed from the
 * operation's kind and sequence number. */
uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq);

/* The key of the next meeting with this purpose. Ranks that pass the same
 * `what` get the same key, even if they missed meetings with other purposes. */
uint64_t comm_meeting(struct ncclComm *c, uint64_t what);

#endif
