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
    // BEGIN HOLE part 3: ring (about 14 lines)
    // HINT: coll_piece(count, m, i) wraps i round the ring;
    // HINT: coll_exchange_combine().
    for (int s = 0; s < m - 1; s++)
        LAB_TRY(coll_exchange_combine(
            buf, coll_piece(count, m, index - s), right,
            coll_piece(count, m, index - s - 1), left, type, op, c));
    for (int s = 0; s < m - 1; s++) {
        const struct piece in = coll_piece(count, m, index - s);
        LAB_TRY(coll_exchange(buf, coll_piece(count, m, index + 1 - s), right,
                              coll_at(buf, in.begin, type), in, left, type, c));
    }
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 3: tree (about 3 lines)
    // HINT: you wrote both halves in part 2.
    LAB_TRY(p2p_reduce(sendbuf, recvbuf, count, type, op, 0, c));
    return p2p_broadcast(recvbuf, recvbuf, count, type, 0, c);
    // END HOLE
}

ncclResult_t allreduce_over_cube(void *buf, size_t count, ncclDataType_t type,
                                 ncclRedOp_t op, int p, int v,
                                 const int *rank_of, const struct coll *c)
{
    // BEGIN HOLE part 3: halving-doubling (about 25 lines)
    // HINT: record the piece of each level on the way down; the way up needs
    // HINT: them in reverse. Partners differ in one bit of v.
    struct piece mine[32] = {{0, count}};
    int level = 0;
    for (int bit = p / 2; bit > 0; bit /= 2, level++) {
        const struct piece all = mine[level];
        const size_t middle = all.begin + (all.end - all.begin) / 2;
        const struct piece low = {all.begin, middle}, high = {middle, all.end};
        const struct piece keep = v & bit ? high : low;
        const struct piece give = v & bit ? low : high;
        const int partner = rank_of[v ^ bit];
        LAB_TRY(coll_exchange_combine(buf, give, partner, keep, partner, type,
                                      op, c));
        mine[level + 1] = keep;
    }
    for (int bit = 1; bit < p; bit *= 2, level--) {
        const struct piece have = mine[level], all = mine[level - 1];
        const struct piece get = have.begin == all.begin
                                     ? (struct piece){have.end, all.end}
                                     : (struct piece){all.begin, have.begin};
        const int partner = rank_of[v ^ bit];
        LAB_TRY(coll_exchange(buf, have, partner, coll_at(buf, get.begin, type),
                              get, partner, type, c));
    }
    return ncclSuccess;
    // END HOLE
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
    // BEGIN HOLE part 3: folding (about 16 lines)
    // HINT: an even rank among the first 2(n-p) sends its vector to the odd
    // HINT: rank above it, sits out, and receives the result at the end.
    const int folded = c->nranks - p;
    const struct piece all = {0, count}, none = {0, 0};
    if (c->rank < 2 * folded && c->rank % 2 == 0) {
        LAB_TRY(
            coll_exchange(recvbuf, all, c->rank + 1, NULL, none, -1, type, c));
        return coll_exchange(recvbuf, none, -1, recvbuf, all, c->rank + 1, type,
                             c);
    }
    const int below = c->rank < 2 * folded ? c->rank - 1 : -1;
    if (below >= 0)
        LAB_TRY(
            coll_exchange_combine(recvbuf, none, -1, all, below, type, op, c));
    const int v = below >= 0 ? c->rank / 2 : c->rank - folded;
    LAB_TRY(allreduce_over_cube(recvbuf, count, type, op, p, v, rank_of, c));
    return coll_exchange(recvbuf, all, below, NULL, none, -1, type, c);
    // END HOLE
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

    // BEGIN HOLE part 3: hierarchical (about 30 lines)
    // HINT: inside a node, step k = 1 .. size-1 sends to local + k and receives
    // HINT: from local - k, both modulo size. Only local < nshards own a shard.
    const int owner = local < nshards;
    const struct piece mine =
        owner ? coll_piece(count, nshards, local) : (struct piece){0, 0};
    for (int k = 1; k < size; k++) {
        const int to = (local + k) % size, from = (local - k + size) % size;
        const struct piece out = to < nshards ? coll_piece(count, nshards, to)
                                              : (struct piece){0, 0};
        LAB_TRY(coll_exchange_combine(recvbuf, out, first + to, mine,
                                      first + from, type, op, c));
    }
    if (owner)
        LAB_TRY(allreduce_over_ring(
            coll_at(recvbuf, mine.begin, type), mine.end - mine.begin, type, op,
            nodes, node, (node - 1 + nodes) % nodes * g + local,
            (node + 1) % nodes * g + local, c));
    for (int k = 1; k < size; k++) {
        const int to = (local + k) % size, from = (local - k + size) % size;
        const struct piece in = from < nshards
                                    ? coll_piece(count, nshards, from)
                                    : (struct piece){0, 0};
        LAB_TRY(coll_exchange(recvbuf, mine, first + to,
                              coll_at(recvbuf, in.begin, type), in,
                              first + from, type, c));
    }
    return ncclSuccess;
    // END HOLE
}

ncclResult_t allreduce_best(const void *sendbuf, void *recvbuf, size_t count,
                            ncclDataType_t type, ncclRedOp_t op,
                            const struct coll *c)
{
    // BEGIN HOLE part 3: choice (about 20 lines)
    // HINT: the table at the head of this file, with figures from part 6.
    // From --bench: the time to start a step, the bandwidth inside a node, and
    // the size from which fewer bytes between nodes outweigh more steps.
    const double STEP_US = 14.0, BYTES_PER_US = 100e3, ACROSS_BYTES = 3e6;
    const double nbytes = (double)count * coll_type_size(type);
    if (c->nranks > c->ranks_per_node && c->ranks_per_node > 1 &&
        nbytes >= ACROSS_BYTES)
        return allreduce_hierarchical(sendbuf, recvbuf, count, type, op, c);

    const int n = c->nranks;
    int p = 1, log_p = 0;
    while (2 * p <= n) {
        p *= 2;
        log_p++;
    }
    const int odd = n != p; // halving-doubling has to fold
    const double whole_us = nbytes / BYTES_PER_US;
    const double ring_us = 2 * (n - 1) * STEP_US + 2.0 * (n - 1) / n * whole_us;
    const double tree_us = 2 * (log_p + odd) * (STEP_US + whole_us);
    const double halving_us =
        2 * (log_p + odd) * STEP_US + (2.0 * (p - 1) / p + 2 * odd) * whole_us;
    allreduce_fn *const best =
        ring_us < halving_us && ring_us < tree_us ? allreduce_ring
        : tree_us < halving_us                    ? allreduce_tree
                                                  : allreduce_halving_doubling;
    return best(sendbuf, recvbuf, count, type, op, c);
    // END HOLE
}
