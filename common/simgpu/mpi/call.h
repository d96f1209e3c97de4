/*
 * call.h: what every wrapped MPI call does besides calling MPI
 *
 * Programs use the real MPICH. libcudart defines the MPI_ functions that order
 * host threads or move data; each calls its PMPI_ twin. The others reach MPICH
 * directly. The PMPI_ symbols are weak, so programs without MPI link and run
 * too. A wrapped call
 *
 *   1. records a GRAPH_MPI node, *before* any peer can proceed because of it,
 *      so that the node is in the graph when the peer's next operation follows;
 *   2. counts as waiting until it returns, so that a hang can be explained, and
 *      sleeps while it waits (nap.h);
 *   3. takes device pointers, as a CUDA-aware MPI does: as a host access.
 *
 * A wrapper reads:
 *
 *     struct call c = CALL_BEGIN("MPI_Bcast", comm);
 *     call_writes(&c, buf, nbytes);
 *     call_collective(&c, TOPO_OP_BROADCAST, root, nbytes);
 *     return call_asleep(&c, PMPI_Ibcast(simgpu_heap_raw(buf), ...,
 *                                        &c.request));
 *
 * Non-blocking collectives take device pointers and are not in the graph: they
 * order nothing (icollective.c). One-sided communication, files and
 * MPI_Alltoallw are not wrapped. A call that polls (MPI_Test, MPI_Iprobe) is
 * recorded when it finds something (request.c).
 */
#ifndef SIMGPU_MPI_CALL_H
#define SIMGPU_MPI_CALL_H

#include <mpi.h>

#include "core/wait.h"
#include "graph/record.h"

enum { CALL_MAX_ACCESSES = 2 };

/* Whom a call waits for that has no single peer: MPI has no such ranks. */
enum { CALL_ALL = -1000, CALL_REQUESTS };

struct call {
    const char *name;
    uint32_t site;
    MPI_Comm comm;
    int size;         /* ranks of comm */
    int peer, tag;    /* for the hang report */
    int is_reduction; /* type and op are set */
    MPI_Datatype type;
    MPI_Op op;
    struct graph_access access[CALL_MAX_ACCESSES];
    int naccesses;
    uint32_t node; /* of a collective, in the graph; 0: none yet */
    struct wait_note note;
    MPI_Request request; /* of a collective, while it waits */
};

#define CALL_BEGIN(name, comm)                                                 \
    call_begin(name, comm, __builtin_return_address(0))
struct call call_begin(const char *name, MPI_Comm comm, const void *address);

/* The call reads (writes) these bytes; MPI_IN_PLACE and NULL are not
 * accesses. */
void call_reads(struct call *c, const void *buf, size_t nbytes);
void call_writes(struct call *c, const void *buf, size_t nbytes);

/* The call is a reduction of this type with this operation. */
static inline void call_reduces(struct call *c, MPI_Datatype type, MPI_Op op)
{
    c->is_reduction = 1;
    c->type = type;
    c->op = op;
}

/* Bytes of count elements of a type. */
size_t call_nbytes(int count, MPI_Datatype type);

/* Record this rank's part in a collective of c->comm, and begin to wait. */
void call_collective(struct call *c, enum topo_op op, int root, size_t nbytes);

/*
 * Record an end of a message: the sender's before it is sent, the receiver's
 * after it has arrived. key: comm_message_key(). rendezvous: the sender waits.
 */
void call_message(struct call *c, uint64_t key, int receiver, int rendezvous,
                  size_t nbytes);

/* Begin to wait without a record of its own (a receive, MPI_Wait). */
void call_wait(struct call *c, int peer, int tag);

/*
 * Sleep until c->request completes, which MPI began with the result err; then
 * as call_end().
 */
int call_asleep(struct call *c, int err);

/* End the wait; returns err, for the wrapper to return. */
int call_end(struct call *c, int err);

#endif
