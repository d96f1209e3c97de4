/*
 * Part 8: hybrid sharding, shares inside a node, replicas across nodes.
 *
 *     node 0    0 - 1 - 2 - 3      all-gathers, reduce-scatters
 *               |   |   |   |      all-reduce of a share
 *     node 1    4 - 5 - 6 - 7
 *
 * Links between nodes are a tenth as fast as those inside one. Values never
 * cross them, and of the gradients a rank sends only its share across. The
 * price is memory: a rank holds 1/g of the parameters for the g ranks of its
 * node, instead of 1/n for all n ranks.
 */
#include "lab8.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY, LAB_TRY_CUDA */
#include "nn/ops.h"  /* nn_add */

ncclResult_t hybrid_split(ncclComm_t world, int rank, int per_node,
                          ncclComm_t *node, ncclComm_t *replicas)
{
    // BEGIN HOLE part 8: communicators (about 4 lines)
    // HINT: ncclCommSplit: ranks with the same color get a communicator, in the
    // HINT: order of their keys.
    const int row = rank / per_node, column = rank % per_node;
    LAB_TRY(ncclCommSplit(world, row, column, node, NULL));
    LAB_TRY(ncclCommSplit(world, column, row, replicas, NULL));
    return ncclSuccess;
    // END HOLE
}

ncclResult_t hybrid_reduce(struct shard *s, int unit, float *whole, int first,
                           cudaStream_t stream)
{
    // BEGIN HOLE part 8: reduce (about 12 lines)
    // HINT: The mean of all nodes' means is that of all ranks. What is there
    // HINT: less of to send: before the reduce-scatter, or after it?
    const struct shard_unit *const u = &s->plan.unit[unit];
    float *const sum = s->grad + u->begin;
    float *const mine = first ? sum : whole + (size_t)s->rank * u->share;
    LAB_TRY(ncclReduceScatter(whole, mine, u->share, ncclFloat, ncclAvg,
                              s->comm, stream));
    LAB_TRY(ncclAllReduce(mine, mine, u->share, ncclFloat, ncclAvg, s->replicas,
                          stream));
    if (!first)
        LAB_TRY_CUDA(nn_add(sum, mine, u->share, stream));
    return ncclSuccess;
    // END HOLE
}
