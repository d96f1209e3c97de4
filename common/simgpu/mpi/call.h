/*
 * call.h: what every wrapped MPI call does besides calling MPI
 *
 * Programs use the real MPICH. libcudart defines the MPI_ functions that order
 * host threads or move data, and each of these calls its PMPI_ twin; all other
 * functions reach MPICH directly. The PMPI_ symbols are weak, so that programs
 * without MPI can be linked and run. A wrapped call
 *
 *   1. records a GRAPH_MPI node, *before* any peer can proceed because of the
 *      call, so that the node is in the graph when the peer's next operation
 *      follows;
 *   2. counts as waiting until it returns, so that a hang can be explained, and
 *      sleeps while it waits (nap.h);
 *   3. accepts device pointers, as a CUDA-aware MPI does, and records them as
 *      host accesses.
 *
 * A wrapper looks like this:
 *
 *     struct mpi_call c = CALL_BEGIN("MPI_Bcast", comm);
 *     call_writes(&c, buf, nbytes);
 *     call_collective(&c, TOPO_OP_BROADCAST, root, nbytes);
 *     return call_asleep(&c, PMPI_Ibcast(simgpu_heap_raw(buf), ...,
 *                                        &c.request));
 *
 * Non-blocking collectives accept device pointers but are not in the graph, and
 * order nothing (icollective.c). One-sided communication, files and
 * MPI_Alltoallw are not wrapped. A call that polls (MPI_Test, MPI_Iprobe) is
 * recorded when it finds something (request.c).
 */
#ifndef SIMGPU_MPI_CALL_H
#define SIMGPU_MPI_CALL_H

#include <mpi.h>
#include <stdatomic.h> /* atomic_int */

#include "core/wait.h"
#include "graph/record/record.h"
#include "mpi/nap.h"

enum { CALL_MAX_ACCESSES = 2 };

/* Values of `peer` for a call that waits for more than one rank; MPI has no
 * such rank numbers. */
enum { CALL_ALL = -1000, CALL_REQUESTS };

struct mpi_call {
    const char *name;
    uint32_t site;
    MPI_Comm comm;
    int size;          /* number of ranks in comm */
    int peer, tag;     /* what the hang report shows */
    int is_reduction;  /* type and op are set */
    MPI_Datatype type; /* also a message's */
    MPI_Op op;
    struct graph_access access[CALL_MAX_ACCESSES];
    int naccesses;
    uint32_t node; /* a collective's node in the graph; 0: none yet */
    struct wait_note note;
    const void *frame;   /* the locals of its caller begin here */
    uint32_t begun;      /* where a receive began that c completes; 0: here */
    MPI_Request request; /* while it waits */
    atomic_int found;    /* while a receive waits, a message that it doesn't
                            match has arrived, from and with: */
    int found_source, found_tag;
};

#define CALL_BEGIN(name, comm)                                                 \
    call_begin(name, comm, __builtin_return_address(0), __builtin_dwarf_cfa())
struct mpi_call call_begin(const char *name, MPI_Comm comm, const void *address,
                           const void *frame);

/* Note that the call reads (writes) these bytes.
 * MPI_IN_PLACE and NULL are ignored. */
void call_reads(struct mpi_call *c, const void *buf, size_t nbytes);
void call_writes(struct mpi_call *c, const void *buf, size_t nbytes);

/* The same for a call that returns before MPI does so. Returns a number for
 * simgpu_lent_end() (core/stream/lent.h). */
uint64_t call_lends(const struct mpi_call *c, const void *buf, size_t nbytes,
                    enum graph_touch how);

/* Check that a buffer of the host's has the bytes of count elements, before a
 * message to or from the peer reads or writes them (core/heap/host_extent.h).
 */
void call_fits(const struct mpi_call *c, int peer, const void *buf, int count,
               MPI_Datatype type, enum graph_touch how);

/* Note that the call is a reduction of this type with this operation. */
static inline void call_reduces(struct mpi_call *c, MPI_Datatype type,
                                MPI_Op op)
{
    c->is_reduction = 1;
    c->type = type;
    c->op = op;
}

/* The number of bytes in count elements of a type. */
size_t call_nbytes(int count, MPI_Datatype type);

/* True if elements of the type lie one behind the other, without gaps. */
int call_is_dense(MPI_Datatype type);

/* Record this rank's part in a collective of c->comm, and start waiting. */
void call_collective(struct mpi_call *c, enum topo_op op, int root,
                     size_t nbytes);

/*
 * Record one end of a message: the sender's before it is sent, the receiver's
 * after it has arrived. key comes from comm_message_key(); rendezvous means
 * that the sender waits for the receiver.
 */
void call_message(struct mpi_call *c, uint64_t key, int receiver,
                  int rendezvous, size_t nbytes);

/* Start waiting in a call that has no node of its own (a receive, MPI_Wait). */
void call_wait(struct mpi_call *c, int peer, int tag);

/*
 * Sleep until c->request completes, then do what call_end() does. err is the
 * result of the MPI call that started the request.
 */
int call_asleep(struct mpi_call *c, int err);

/* The call needs a rank that died: run the error handler of its communicator.
 * Returns what the call returns. */
int call_died(const struct mpi_call *c);

/* Look for a message that the waiting receive or probe c doesn't match, for the
 * hang report. Call it between naps. */
void call_look(struct mpi_call *c, const struct nap *n);

/* Stop waiting. Returns err, which the wrapper returns, too. */
int call_end(struct mpi_call *c, int err);

#endif
