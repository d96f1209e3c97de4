/*
 * comm.h: communicators
 *
 * A communicator is a rank's view of a hub (hub.h); the unique id says where
 * the hub is. It is made in steps, so that one thread can make several at once
 * in a group, and a program with a non-blocking one can go on meanwhile (see
 * setup.h). The struct of a destroyed communicator is kept (some hundred
 * bytes), so that using it is an error and no crash.
 */
#ifndef SIMGPU_NCCL_COMM_H
#define SIMGPU_NCCL_COMM_H

#include <nccl.h>

#include "core/stream.h"
#include "nccl/debug.h"
#include "nccl/hub.h"

enum { COMM_OPS = 64, COMM_REGISTERED = 256 };

struct comm_premul { /* an operation of ncclRedOpCreatePreMulSum */
    int taken, type;
    const void *scalar; /* on the device, read when it is used; or NULL */
    double scale;
};

struct comm_buffer { /* of ncclCommRegister, or a window; base NULL: free */
    char *base;
    size_t nbytes;
    int window;
};

enum comm_state {
    COMM_JOINING, /* some ranks have not come */
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
    ncclConfig_t config;
    uint64_t nmeetings;        /* collectives and splits so far */
    uint32_t *sent, *received; /* messages enqueued, by peer */
    struct comm_premul op[COMM_OPS];
    struct comm_buffer buffer[COMM_REGISTERED];
    struct mark *tail; /* its last operation on each stream it has used */
    int ntails, cap_tails;
    struct batch *pending; /* a group not enqueued yet (non-blocking) */
    struct setup *setup;   /* its init or split under way (non-blocking) */
};

/* ncclX is a weak alias of pncclX, so that a tool may define ncclX itself and
 * call pncclX. At the end of the file that defines pncclX. */
#define NCCL_ALIAS(name)                                                       \
    extern __attribute__((weak, alias("p" #name))) __typeof__(p##name) name;

struct comm_id { /* inside ncclUniqueId */
    uint64_t magic, nonce;
    struct proc_id owner;
    int32_t fd;
};
_Static_assert(sizeof(struct comm_id) <= NCCL_UNIQUE_ID_BYTES, "an id fits");

/* Where a new hub is, made by this process. */
struct comm_id comm_id_new(void);

/*
 * Join the hub of an id as a rank, with the calling thread's device; others may
 * not have come yet. *out is NULL if it fails.
 */
ncclResult_t comm_join(const struct comm_id *id, int nranks, int rank,
                       const ncclConfig_t *config, struct ncclComm **out);

/* Free all but the struct itself. */
void comm_discard(struct ncclComm *c);

/* ncclInvalidArgument unless comm is a communicator, destroyed or not. */
ncclResult_t comm_check(ncclComm_t comm, const char *call);

/* comm_check, and: may it be used now? Its own error if it had one. */
ncclResult_t comm_check_ready(ncclComm_t comm, const char *call);

/* The communicator has used a stream: m is the last operation there. */
void comm_note_tail(struct ncclComm *c, struct mark m);

/* An operation could not be done, since a rank has aborted. */
void comm_note_lost(struct ncclComm *c);

/* Key of a match in the graph: sequence numbers never meet others' keys. */
uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq);

/* Fill config from the program's (NULL: of parent, or the defaults) and the
 * environment; ncclInvalidArgument for a bad value. (config.c) */
ncclResult_t comm_config(const ncclConfig_t *from, const ncclConfig_t *parent,
                         ncclConfig_t *out);

#endif
