/*
 * comm.h: communicators
 *
 * What the ranks of a communicator share is a *hub*: a memfd made by the
 * process that made the unique id, and mapped by all of them. It holds who the
 * members are, a ring of *slots* in which collectives meet, and a *channel* for
 * each ordered pair of ranks. The unique id says where the hub is.
 *
 *     hub := header, member[n], slot[COMM_SLOTS], post[COMM_SLOTS][n],
 *            channel[n][n] (source major)
 */
#ifndef SIMGPU_NCCL_COMM_H
#define SIMGPU_NCCL_COMM_H

#include <nccl.h>

#include "core/heap.h"
#include "core/stream.h"

enum { COMM_SLOTS = 8, COMM_DEPTH = 32, COMM_OPS = 16 };

enum coll_kind {
    COLL_ALLREDUCE,
    COLL_BROADCAST,
    COLL_REDUCE,
    COLL_ALLGATHER,
    COLL_REDUCESCATTER,
    COLL_ALLTOALL,
    COLL_GATHER,
    COLL_SCATTER,
    COLL_SPLIT, /* a meeting of hosts, no data */
};

struct member {
    struct proc_id id;
    int32_t place; /* its GPU on the machine */
};

struct post { /* one rank's part in a collective, as all can see it */
    int32_t kind, type, op, root;
    uint64_t count;
    double scale; /* inputs are multiplied by it first, if op says so */
    struct heap_ref send, recv;
    int32_t color, key; /* COLL_SPLIT */
    int32_t hub_fd;     /* COLL_SPLIT: of the new communicator, by its rank 0 */
    uint64_t hub_nonce;
    struct proc_place_in_code site; /* of the call */
};

struct slot { /* a meeting; one after the other in generations */
    _Atomic uint32_t generation, arrived, finished; /* futexes */
};

struct message {
    struct heap_ref buf;
    uint64_t nbytes;
};

struct channel { /* from one rank to one other, first in, first out */
    _Atomic uint32_t posted, received; /* futexes: counts */
    struct message ring[COMM_DEPTH];
};

struct hub {
    uint64_t nonce;
    _Atomic uint32_t nranks; /* 0 until the first rank says */
    _Atomic uint32_t joined; /* futex: ranks that have come */
    struct member member[];
};

struct premul { /* a PreMulSum operation */
    int taken, type;
    double scale;
};

struct ncclComm {
    uint64_t magic;
    struct hub *hub;
    size_t hub_nbytes;
    uint64_t uid;
    int rank, nranks, device;
    int ready;    /* all ranks have joined */
    int blocking; /* as configured */
    int finalized;
    uint64_t ncolls;           /* collectives and meetings enqueued so far */
    uint32_t *sent, *received; /* messages enqueued, by peer */
    struct premul op[COMM_OPS];
};

/* ncclX is a weak alias of pncclX, so that a tool may define ncclX itself and
 * call pncclX. At the end of the file that defines pncclX. */
#define NCCL_ALIAS(name)                                                       \
    extern __attribute__((weak, alias("p" #name))) __typeof__(p##name) name;

/* Bytes of the hub of n ranks. */
size_t comm_hub_nbytes(int n);

/* Sleep until *word is at least `enough`. */
void comm_wait_at_least(_Atomic uint32_t *word, uint32_t enough,
                        const struct wait_note *note);

struct slot *comm_slot(const struct ncclComm *c, uint64_t seq);
struct post *comm_post(const struct ncclComm *c, uint64_t seq, int rank);
struct channel *comm_channel(const struct ncclComm *c, int from, int to);

/* ncclInvalidArgument, with a text for ncclGetLastError, unless comm can be
 * used now. */
ncclResult_t comm_check(ncclComm_t comm, const char *call);

/* Remember why a call failed; returns result. */
ncclResult_t comm_error(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Wait until all have joined; checks that no GPU is there twice. */
ncclResult_t comm_wait_ready(struct ncclComm *c);

/* Key of a match in the graph: sequence numbers never meet others' keys. */
uint64_t comm_key(const struct ncclComm *c, uint64_t kind, uint64_t seq);

/*
 * A meeting of all ranks at slot seq. enter: the slot is free, fill in one's
 * post; arrive: 1 for the last that comes; meet: arrive, and wait for the
 * others; leave: one is done; end, instead of leave: the last that came says
 * that all are done. wait_end: wait until all are done.
 */
void comm_enter(struct ncclComm *c, uint64_t seq, const struct wait_note *note);
void comm_meet(struct ncclComm *c, uint64_t seq, const struct wait_note *note);
void comm_leave(struct ncclComm *c, uint64_t seq);
int comm_arrive(struct ncclComm *c, uint64_t seq);
void comm_end(struct ncclComm *c, uint64_t seq);
void comm_wait_end(struct ncclComm *c, uint64_t seq,
                   const struct wait_note *note);

#endif
