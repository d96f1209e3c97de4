/*
 * piece.h: the work of a collective, cut into pieces
 *
 * A collective moves *blocks* of count elements: one for all ranks, one for
 * each rank, or one for each pair of ranks. A piece is a part of a block, large
 * enough to be worth claiming and small enough to balance the load. No piece
 * reads what another piece writes, not even in place, so pieces can run in any
 * order.
 */
#ifndef SIMGPU_NCCL_PIECE_H
#define SIMGPU_NCCL_PIECE_H

#include "nccl/call.h"

struct work { /* a collective whose ranks have all arrived */
    const struct hub_view *hub;
    uint64_t seq;
    enum coll_kind kind;
    size_t count, size;        /* elements in a block; bytes in an element */
    struct rank_buffers *rank; /* set by this rank's first piece */
    int empty;                 /* buffers have no contents */
};

/* The number of other ranks worth waking for an operation of this size. */
int work_helpers(size_t nbytes);

/* Do pieces until none is left. */
void work_do(struct work *w, enum coll_kind kind, size_t count,
             ncclDataType_t type);

#endif
