/*
 * coll.h: running a collective
 *
 * Data moves once, directly between the ranks' buffers: every rank posts where
 * its buffers are, and once all have arrived, any running rank takes the work,
 * piece by piece. A piece is computed from all ranks' inputs, in the order of
 * ranks, and written to all outputs, so all ranks get the same bits whichever
 * rank did it. A rank that has arrived but has no core to run on holds up none
 * of the others, and the last rank to arrive does a small operation alone.
 */
#ifndef SIMGPU_NCCL_COLL_H
#define SIMGPU_NCCL_COLL_H

#include "nccl/call.h"

/* On the stream's worker: meet the other ranks and do a share of the work. -1
 * if a rank has aborted the communicator. */
int coll_run(const struct call *c, uint64_t seq);

/* All ranks have arrived at a rendezvous: if their calls differ, end the run
 * with a report that shows them. */
void coll_check(const struct ncclComm *c, uint64_t seq);

/* Fill in the kind, match and size of a collective's node. */
void coll_fill_node(const struct call *c, uint64_t seq, struct graph_node *n);

/* Bytes of this rank's input and output, 0 if it has none. */
void coll_sizes(const struct call *c, size_t *sent, size_t *received);

/* The size of the operation, in bytes, as nccl-tests counts it. */
size_t coll_nbytes(const struct call *c);

/* Its operation in the graph, and the number of its function in NCCL's profiler
 * API. */
enum topo_op coll_op(const struct call *c);
int coll_func(const struct call *c);

/* True if NCCL makes messages of it, which this rank then sends to the peer, or
 * receives from it. */
int coll_is_messages(const struct call *c);
int coll_sends(const struct call *c, int peer);
int coll_receives(const struct call *c, int peer);

#endif
