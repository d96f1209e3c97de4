/*
 * comm.h: communicators
 *
 * A communicator is a rank's view of a hub (hub.h), which the unique id
 * locates. It is created in steps, so that one thread can create several at
 * once in a group, and a program with a non-blocking one can do other work
 * meanwhile (setup.h). The struct of a destroyed communicator is kept (some
 * hundred bytes), so that using it is an error rather than a crash.
 */
#ifndef SIMGPU_NCCL_COMM_H
#define SIMGPU_NCCL_COMM_H

#include <nccl.h>

#include "core/fence.h"
#include "nccl/config.h"
#include "nccl/debug.h"
#include "nccl/hub.h"

enum { COMM_OPS = 64, COMM_REGISTERED = 256 };

struct comm_premul { /* an operation of ncclRedOpCreatePreMulSum */
    int taken, type;
    const void *scalar; /* on the device, read when used; or NULL */
    double scale;
};

struct comm_buffer { /* of ncclCommRegister, or a window; base NULL: free */
    struct simgpu_window *shared; /* a window's, for kernels; else NULL */
    char *base;
    size_t nbytes;
    int window;
};

struct comm_meeting { /* of some ranks; n: how often */
    uint64_t what;
    uint32_t n;
};

enum comm_state {
    COMM_JOINING, /* some ranks have not joined */
    COMM_READY,
    COMM_FINALIZED,
    COMM_DESTROYED,
};

struct ncclComm {
    uint64_t magic;
    enum comm_state state;
    _Atomic int error; /* ncclResult_t of an operation that failed */
    struct hub_view hub;
    uint64_t uid; /* the hub's nonce */
    int rank, nranks, device;
    struct config config;
    int revoked, revived; /* ncclCommRevoke; it has a new hub since */
    int suspended;
    uint64_t grow_nonce; /* of ncclCommGetUniqueId's id; 0: none is open */
    struct comm_meeting *meeting; /* shrinks, grows and revivals so far */
    int nmeetings;
    uint64_t nrendezvous;          /* collectives and splits so far */
    uint32_t *sent, *received;     /* messages enqueued, by peer */
    uint32_t *signalled, *awaited; /* signals, by peer and kind (hub.h) */
    struct comm_premul op[COMM_OPS];
    struct comm_buffer buffer[COMM_REGISTERED];
    struct fence *tail; /* its last operation on each stream it has used */
    int ntails, cap_tails;
    struct batch *pending; /* a group not enqueued yet (non-blocking) */
    struct setup *setup;   /* its init or split under way (non-blocking) */
    unsigned connected;    /* algorithms (connect.h) */
    uint64_t sizes[8];     /* of collectives so far: powers of two, by kind */
    struct profiler_comm *profiled; /* NULL: no plugin listens */
};

/* ncclX is a weak alias of pncclX, so that a tool may define ncclX itself and
 * call pncclX. To be used at the end of the file that defines pncclX. */
#define NCCL_ALIAS(name)                                                       \
    extern __attribute__((weak, alias("p" #name))) __typeof__(p##name) name;

struct comm_id { /* inside ncclUniqueId */
    uint64_t magic, nonce;
    struct proc_id owner;
    int32_t fd;
};
_Static_assert(sizeof(struct comm_id) <= NCCL_UNIQUE_ID_BYTES, "an id fits");

/* The id of a new hub, created by this process; the magic of every id. */
struct comm_id comm_id_new(void);
uint64_t comm_magic(void);

/*
 * Join the hub of an id as a rank, with the calling thread's device, without
 * waiting for the other ranks. ids: a hash of further ids, which all ranks have
 * to pass alike. *out is NULL on failure.
 */
ncclResult_t comm_join(const struct comm_id *id, uint64_t ids, int nranks,
                       int rank, const struct config *config,
                       struct ncclComm **out);

/* Give a revoked communicator, of which nothing runs any more, a new hub. */
ncclResult_t comm_rejoin(struct ncclComm *c, const struct comm_id *id);

/* The secret that ranks of this process join with from now on, and that all
 * ranks have to share; 0: none. */
void comm_set_secret(uint64_t secret);

/* A GPU's bus id as NCCL writes it: 0000:1b:00.0 is 0x1b000. */
unsigned long long comm_bus_id(int place);

/* Free all but the struct itself. */
void comm_discard(struct ncclComm *c);

/* ncclInvalidArgument unless comm is a communicator, destroyed or not. */
ncclResult_t comm_check(ncclComm_t comm, const char *call);

/* comm_check(), and that it has been made, and not ended. */
ncclResult_t comm_check_made(ncclComm_t comm, const char *call);

/* comm_check_made(); and its own error if it had one, unless it is revoked, and
 * has lost what had one. */
ncclResult_t comm_check_managed(ncclComm_t comm, const char *call);

/* comm_check_managed(), and that it is neither revoked nor suspended. */
ncclResult_t comm_check_ready(ncclComm_t comm, const char *call);

/* Wait for the operations of the communicator that this rank has issued. */
void comm_drain(struct ncclComm *c, const char *call, uint32_t site);

/* Note the last operation, m, of the communicator on a stream. */
void comm_note_tail(struct ncclComm *c, struct fence m);

/* Note that an operation failed because a rank has aborted. */
void comm_note_lost(struct ncclComm *c);

/* The window of a handle; NULL: it is none. */
const struct comm_buffer *comm_window(const struct ncclComm *c,
                                      ncclWindow_t win);

/* The key of a match in the graph, from its kind and sequence number. */
uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq);

/* The key of the next meeting of ranks that all pass this `what`: ranks that
 * take no part in other meetings find the same. */
uint64_t comm_meeting(struct ncclComm *c, uint64_t what);

#endif
