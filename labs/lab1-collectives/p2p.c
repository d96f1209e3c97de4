/*
 * Part 2: collectives made of ncclSend and ncclRecv alone.
 *
 * A tree numbers its ranks from the root: the *virtual rank* of r is its
 * distance from the root, v = (r - root + n) mod n, so the root is always 0.
 *
 * Binomial tree, n = 8. The edge between v and its parent is v's lowest set
 * bit; broadcast runs from the large bits to the small ones, reduce back:
 *
 *            0 ------------ 4          step 1: bit 4
 *            0 ----- 2      4 ----- 6  step 2: bit 2
 *            0 - 1   2 - 3  4 - 5   6 - 7   step 3: bit 1
 *
 * A rank that sends and receives in the same step puts both calls in one group.
 * Outside a group, its stream blocks in the first call until the partner makes
 * the matching one; if all ranks send first, none ever gets to receive.
 */
#include "lab1.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: broadcast (about 15 lines)
    // go from the highest bit down. Which ranks have the data so far?
    // The virtual ranks that are multiples of 2 * bit: each has one new
    // partner.
    LAB_HOLE("part 2: broadcast");
}

ncclResult_t p2p_scatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: scatter (about 12 lines)
    // one group; the root's own block is a copy.
    LAB_HOLE("part 2: scatter");
}

ncclResult_t p2p_gather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: gather (about 12 lines)
    LAB_HOLE("part 2: gather");
}

ncclResult_t p2p_all_gather(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, const struct coll *c)
{
    // Yours to write: part 2: all-gather (about 15 lines)
    // in step s, a rank passes on the block it received in step s - 1:
    // which one is that?
    LAB_HOLE("part 2: all-gather");
}

ncclResult_t p2p_reduce(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        const struct coll *c)
{
    // Yours to write: part 2: reduce (about 18 lines)
    // the tree of the broadcast, from the lowest bit up. Accumulate in
    // the first half of c->scratch and receive into the second.
    LAB_HOLE("part 2: reduce");
}

ncclResult_t p2p_reduce_scatter(const void *sendbuf, void *recvbuf,
                                size_t count, ncclDataType_t type,
                                ncclRedOp_t op, const struct coll *c)
{
    // Yours to write: part 2: reduce-scatter (about 20 lines)
    // block b starts at rank b + 1 and accumulates on its way round the
    // ring to rank b. Use the two halves of c->scratch alternately: one
    // to send from, one to receive into.
    LAB_HOLE("part 2: reduce-scatter");
}
