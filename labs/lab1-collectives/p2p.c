/*
 * Part 2: collectives made of ncclSend and ncclRecv alone.
 *
 * Ranks count from the root in a tree: the *virtual rank* of r is its distance
 * from the root, v = (r - root + n) mod n, so that the root is always 0.
 *
 * Binomial tree, n = 8. The edge between v and its parent is v's lowest set
 * bit; broadcast runs from the large bits to the small ones, reduce back:
 *
 *            0 ------------ 4          step 1: bit 4
 *            0 ----- 2      4 ----- 6  step 2: bit 2
 *            0 - 1   2 - 3  4 - 5   6 - 7   step 3: bit 1
 *
 * A rank that sends and receives at the same moment puts both calls in one
 * group: on its own, each would wait for the other forever.
 */
#include "lab1.h"

#include "lab/lab.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: broadcast (about 15 lines)
    // from the highest bit down: who has the data so far? Virtual
    // ranks that are multiples of 2 * bit; each has one new partner.
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)root, (void)c;
    LAB_HOLE("part 2: broadcast");
}

ncclResult_t p2p_scatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: scatter (about 12 lines)
    // one group; the root's own block is a copy.
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)root, (void)c;
    LAB_HOLE("part 2: scatter");
}

ncclResult_t p2p_gather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, const struct coll *c)
{
    // Yours to write: part 2: gather (about 12 lines)
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)root, (void)c;
    LAB_HOLE("part 2: gather");
}

ncclResult_t p2p_all_gather(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, const struct coll *c)
{
    // Yours to write: part 2: all-gather (about 15 lines)
    // in step s, a rank passes on the block it received in step s - 1:
    // which one is that?
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)c;
    LAB_HOLE("part 2: all-gather");
}

ncclResult_t p2p_reduce(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        const struct coll *c)
{
    // Yours to write: part 2: reduce (about 18 lines)
    // the broadcast's tree, from the lowest bit up. Accumulate in the
    // first half of c->scratch, receive into the second.
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)op, (void)root, (void)c;
    LAB_HOLE("part 2: reduce");
}

ncclResult_t p2p_reduce_scatter(const void *sendbuf, void *recvbuf,
                                size_t count, ncclDataType_t type,
                                ncclRedOp_t op, const struct coll *c)
{
    // Yours to write: part 2: reduce-scatter (about 20 lines)
    // block b starts at rank b + 1 and grows on its way round to rank
    // b. Two halves of c->scratch take turns: one is sent, one
    // received.
    (void)sendbuf, (void)recvbuf, (void)count, (void)type, (void)op, (void)c;
    LAB_HOLE("part 2: reduce-scatter");
}
