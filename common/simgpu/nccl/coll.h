/*
 * coll.h: running a collective
 *
 * Data moves once, straight between the ranks' buffers: every rank posts where
 * its buffers are, and when all have come, each rank computes its share of the
 * elements from everybody's input and writes it to everybody's output. So each
 * element is computed by one rank, in the order of ranks, and all ranks get the
 * same bits. Small operations are done by the last rank that comes, which
 * saves the others from waking up twice.
 */
#ifndef SIMGPU_NCCL_COLL_H
#define SIMGPU_NCCL_COLL_H

#include "nccl/group.h"

/* On the stream's worker: meet the others, do one's share, leave. */
void coll_run(const struct call *c, uint64_t seq);

/* Kind, match and size of the node of a collective. */
void coll_fill_node(const struct call *c, uint64_t seq, struct graph_node *n);

/* Bytes of this rank's input and output, 0 if it has none. */
void coll_sizes(const struct call *c, size_t *sent, size_t *received);

#endif
