/*
 * coll.h: running a collective
 *
 * Data moves once, directly between the ranks' buffers. Every rank posts where
 * its buffers are; once all ranks have arrived, any rank that has a core claims
 * pieces of the work. A piece reads all ranks' inputs in the order of ranks and
 * writes all outputs, so every rank gets the same bits, no matter which rank
 * computed them. A rank that has arrived but has no core delays none of the
 * others, and the last rank to arrive does a small operation by itself.
 */
#ifndef SIMGPU_NCCL_COLL_H
#define SIMGPU_NCCL_COLL_H

#include "nccl/call.h"

/* On the stream's worker: wait for the other ranks, then do a share of the
 * work. Returns -1 if a rank has aborted the communicator. */
int coll_run(const struct nccl_call *c, uint64_t seq);

/* After all ranks have arrived at a rendezvous: if their calls differ, end the
 * run with a report that shows the calls. */
void coll_check(const struct ncclComm *c, uint64_t seq);

/* Fill in the kind, match and size of a collective's node. */
void coll_fill_node(const struct nccl_call *c, uint64_t seq,
                    struct graph_node *n);

/* Bytes of this rank's input and output, 0 if it has none. */
void coll_sizes(const struct nccl_call *c, size_t *sent, size_t *received);

/* The size of the operation, in bytes, as nccl-tests counts it. */
size_t coll_nbytes(const struct nccl_call *c);

/* The collective's operation in the graph, and its function in NCCL's profiler
 * API. */
enum topo_op coll_op(const struct nccl_call *c);
enum profiler_func coll_func(const struct nccl_call *c);

/* True if NCCL runs the collective as messages; the next two are true if this
 * rank then sends to the peer, or receives from it. */
int coll_is_messages(const struct nccl_call *c);
int coll_sends(const struct nccl_call *c, int peer);
int coll_receives(const struct nccl_call *c, int peer);

#endif
