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
    // BEGIN HOLE part 2: broadcast (about 15 lines)
    // HINT: go from the highest bit down. Which ranks have the data so far?
    // HINT: The virtual ranks that are multiples of 2 * bit: each has one new
    // HINT: partner.
    const int n = c->nranks;
    const int v = (c->rank - root + n) % n;
    int top = 1;
    while (top < n)
        top *= 2;
    if (v == 0)
        LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));
    for (int bit = top / 2; bit > 0; bit /= 2) {
        const int partner = ((v ^ bit) + root) % n;
        if (v % (2 * bit) == 0 && v + bit < n)
            LAB_TRY(
                ncclSend(recvbuf, count, type, partner, c->comm, c->stream));
        if (v % (2 * bit) == bit)
            LAB_TRY(
                ncclRecv(recvbuf, count, type, partner, c->comm, c->stream));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t p2p_scatter(const void *sendbuf, void *recvbuf, size_t count,
                         ncclDataType_t type, int root, const struct coll *c)
{
    // BEGIN HOLE part 2: scatter (about 12 lines)
    // HINT: one group; the root's own block is a copy.
    if (c->rank != root)
        return ncclRecv(recvbuf, count, type, root, c->comm, c->stream);
    LAB_TRY(ncclGroupStart());
    for (int r = 0; r < c->nranks; r++)
        if (r != root)
            LAB_TRY(ncclSend(coll_at(sendbuf, r * count, type), count, type, r,
                             c->comm, c->stream));
    LAB_TRY(ncclGroupEnd());
    return coll_copy(recvbuf, coll_at(sendbuf, root * count, type), count, type,
                     c->stream);
    // END HOLE
}

ncclResult_t p2p_gather(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, int root, const struct coll *c)
{
    // BEGIN HOLE part 2: gather (about 12 lines)
    if (c->rank != root)
        return ncclSend(sendbuf, count, type, root, c->comm, c->stream);
    LAB_TRY(ncclGroupStart());
    for (int r = 0; r < c->nranks; r++)
        if (r != root)
            LAB_TRY(ncclRecv(coll_at(recvbuf, r * count, type), count, type, r,
                             c->comm, c->stream));
    LAB_TRY(ncclGroupEnd());
    return coll_copy(coll_at(recvbuf, root * count, type), sendbuf, count, type,
                     c->stream);
    // END HOLE
}

ncclResult_t p2p_all_gather(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, const struct coll *c)
{
    // BEGIN HOLE part 2: all-gather (about 15 lines)
    // HINT: in step s, a rank passes on the block it received in step s - 1:
    // HINT: which one is that?
    const int n = c->nranks;
    const int right = (c->rank + 1) % n, left = (c->rank - 1 + n) % n;
    LAB_TRY(coll_copy(coll_at(recvbuf, c->rank * count, type), sendbuf, count,
                      type, c->stream));
    for (int s = 0; s < n - 1; s++) {
        const int out = (c->rank - s + n) % n;
        const int in = (c->rank - s - 1 + n) % n;
        LAB_TRY(ncclGroupStart());
        LAB_TRY(ncclSend(coll_at(recvbuf, out * count, type), count, type,
                         right, c->comm, c->stream));
        LAB_TRY(ncclRecv(coll_at(recvbuf, in * count, type), count, type, left,
                         c->comm, c->stream));
        LAB_TRY(ncclGroupEnd());
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t p2p_reduce(const void *sendbuf, void *recvbuf, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        const struct coll *c)
{
    // BEGIN HOLE part 2: reduce (about 18 lines)
    // HINT: the tree of the broadcast, from the lowest bit up. Accumulate in
    // HINT: the first half of c->scratch and receive into the second.
    const int n = c->nranks;
    const int v = (c->rank - root + n) % n;
    void *const acc = v == 0 ? recvbuf : c->scratch;
    void *const in = coll_at(c->scratch, count, type);
    LAB_TRY(coll_copy(acc, sendbuf, count, type, c->stream));
    for (int bit = 1; bit < n; bit *= 2) {
        const int partner = ((v ^ bit) + root) % n;
        if (v & bit) // this rank's subtree is complete: pass it up
            return ncclSend(acc, count, type, partner, c->comm, c->stream);
        if (v + bit < n) {
            LAB_TRY(ncclRecv(in, count, type, partner, c->comm, c->stream));
            LAB_TRY(coll_combine(acc, in, count, type, op, c->stream));
        }
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t p2p_reduce_scatter(const void *sendbuf, void *recvbuf,
                                size_t count, ncclDataType_t type,
                                ncclRedOp_t op, const struct coll *c)
{
    // BEGIN HOLE part 2: reduce-scatter (about 20 lines)
    // HINT: block b starts at rank b + 1 and accumulates on its way round the
    // HINT: ring to rank b. Use the two halves of c->scratch alternately: one
    // HINT: to send from, one to receive into.
    const int n = c->nranks;
    const int right = (c->rank + 1) % n, left = (c->rank - 1 + n) % n;
    const void *out = coll_at(sendbuf, left * count, type);
    for (int s = 0; s < n - 1; s++) {
        const int block = (c->rank - s - 2 + 2 * n) % n;
        void *const in = coll_at(c->scratch, (s % 2) * count, type);
        LAB_TRY(ncclGroupStart());
        LAB_TRY(ncclSend(out, count, type, right, c->comm, c->stream));
        LAB_TRY(ncclRecv(in, count, type, left, c->comm, c->stream));
        LAB_TRY(ncclGroupEnd());
        LAB_TRY(coll_combine(in, coll_at(sendbuf, block * count, type), count,
                             type, op, c->stream));
        out = in;
    }
    return coll_copy(recvbuf, n == 1 ? sendbuf : out, count, type, c->stream);
    // END HOLE
}
