/*
 * coll.h: running a collective
 *
 * Data moves once, straight between the ranks' buffers: every rank posts where
 * its buffers are, and when all have come, the work is there to be taken, piece
 * by piece, by whoever runs. A piece is computed from everybody's input in the
 * order of ranks, and written to everybody's output: all ranks get the same
 * bits, whoever did it. So nobody waits for a rank that has come but has no
 * core to run on, and a small operation is done by the last rank that comes.
 */
#ifndef SIMGPU_NCCL_COLL_H
#define SIMGPU_NCCL_COLL_H

#include "nccl/group.h"

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

/* On the stream's worker: meet the others, help, leave. -1 if a rank has
 * aborted the communicator. */
int coll_run(const struct call *c, uint64_t seq);

/* All ranks have come to a meeting: if their calls differ, the run ends with a
 * report that shows them. */
void coll_check(const struct ncclComm *c, uint64_t seq);

/* Kind, match and size of the node of a collective. */
void coll_fill_node(const struct call *c, uint64_t seq, struct graph_node *n);

/* Bytes of this rank's input and output, 0 if it has none. */
void coll_sizes(const struct call *c, size_t *sent, size_t *received);

/* Bytes as nccl-tests counts the size of the operation. */
size_t coll_nbytes(const struct call *c);

/* Its operation in the graph. */
enum graph_op coll_op(const struct call *c);

#endif
