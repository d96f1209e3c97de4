/*
 * Part 3: all-reduce four ways, and when to use which.
 *
 * Cost on n ranks, where a is the time to start a step, B the bandwidth of a
 * link and M the bytes of the vector:
 *
 *   ring                2(n-1) a        + 2(n-1)/n M/B
 *   tree                2 ceil(log2 n)  (a + M/B)
 *   halving-doubling    2 log2(n) a     + 2(n-1)/n M/B   n a power of two
 *   hierarchical        inside a node and across nodes, each by its own link
 *
 * All of them first copy sendbuf to recvbuf and then work in recvbuf. What has
 * to be combined is received into c->scratch.
 */
#include "lab1.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

ncclResult_t allreduce_over_ring(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int m, int index, int left,
                                 int right, const struct coll *c)
{
    // Yours to write: part 3: ring (about 14 lines)
    // coll_piece(count, m, i) wraps i round the ring;
    // coll_exchange_combine().
    LAB_HOLE("part 3: ring");
}

ncclResult_t allreduce_ring(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, ncclRedOp_t op,
                            const struct coll *c)
{
    const int n = c->nranks, r = c->rank;
    LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));
    return allreduce_over_ring(recvbuf, count, type, op, n, r, (r - 1 + n) % n,
                               (r + 1) % n, c);
}

ncclResult_t allreduce_tree(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, ncclRedOp_t op,
                            const struct coll *c)
{
    // Yours to write: part 3: tree (about 3 lines)
    // you wrote both halves in part 2.
    LAB_HOLE("part 3: tree");
}

ncclResult_t allreduce_over_cube(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int p, int v,
                                 const int *rank_of, const struct coll *c)
{
    // Yours to write: part 3: halving-doubling (about 25 lines)
    // record the piece of each level on the way down; the way up needs
    // them in reverse. Partners differ in one bit of v.
    LAB_HOLE("part 3: halving-doubling");
}

ncclResult_t allreduce_halving_doubling(const void *sendbuf, void *recvbuf,
                                        size_t count, ncclDataType_t type,
                                        ncclRedOp_t op, const struct coll *c)
{
    int rank_of[LAB_MAX_RANKS];
    if (c->nranks > LAB_MAX_RANKS)
        return ncclInvalidArgument;
    const int p = coll_active_ranks(c->nranks, rank_of);
    LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));
    // Yours to write: part 3: folding (about 16 lines)
    // an even rank among the first 2(n-p) sends its vector to the odd
    // rank above it, sits out, and receives the result at the end.
    LAB_HOLE("part 3: folding");
}

/*
 * Hierarchical, two nodes of three ranks, the vector in three shards A B C:
 *
 *   inside:  rank i of a node receives shard i from the others and combines it
 *   across:  the ranks with the same i all-reduce their shard over the nodes
 *   inside:  rank i sends shard i to the others
 *
 * A last node with fewer ranks has fewer shard owners, so there are as many
 * shards as the smallest node has ranks.
 */
ncclResult_t allreduce_hierarchical(const void *sendbuf, void *recvbuf,
                                    size_t count, ncclDataType_t type,
                                    ncclRedOp_t op, const struct coll *c)
{
    const int n = c->nranks, g = c->ranks_per_node;
    const int nodes = (n + g - 1) / g, node = c->rank / g, local = c->rank % g;
    const int last = n - (nodes - 1) * g;         // ranks of the last node
    const int size = node < nodes - 1 ? g : last; // ranks of this node
    const int first = node * g;                   // its first rank
    const int nshards = last;
    LAB_TRY(coll_copy(recvbuf, sendbuf, count, type, c->stream));

    // Yours to write: part 3: hierarchical (about 30 lines)
    // inside a node, step k = 1 .. size-1 sends to local + k and receives
    // from local - k, both modulo size. Only local < nshards own a shard.
    LAB_HOLE("part 3: hierarchical");
}

ncclResult_t allreduce_best(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, ncclRedOp_t op,
                            const struct coll *c)
{
    // Yours to write: part 3: choice (about 20 lines)
    // the table at the head of this file, with figures from part 6.
    LAB_HOLE("part 3: choice");
}
