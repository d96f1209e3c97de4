/*
 * nodes.c: nodes, and the case of hybrid_split(). Given: nothing to edit here.
 */
#include "nodes.h"

#include <stdio.h> /* snprintf */

#include "base/must.h"
#include "judge_split.h"
#include "lab/try.h" /* LAB_TRY */
#include "lab8.h"

/* Fail unless this rank has the right number in a communicator. */
static ncclResult_t check(ncclComm_t comm, const char *name, int nranks,
                          int rank)
{
    int n, me;
    if (!comm)
        return lab_note_wrong("hybrid_split() leaves %s NULL", name);
    NCCL_MUST(ncclCommCount(comm, &n));
    NCCL_MUST(ncclCommUserRank(comm, &me));
    if (n == nranks && me == rank)
        return ncclSuccess;
    return lab_note_wrong(
        "hybrid_split() makes this rank number %d of %d in %s, should be "
        "number %d of %d",
        me, n, name, rank, nranks);
}

ncclResult_t nodes_open(struct lab_run *r, int per_node, struct nodes *n)
{
    *n = (struct nodes){.per_node = per_node ? per_node : r->nranks,
                        .own = r->comm};
    if (per_node == 0)
        return ncclSuccess;
    LAB_TRY(hybrid_split(r->comm, r->rank, per_node, &n->node, &n->replicas));
    n->own = n->node;
    LAB_TRY(check(n->node, "node", per_node, r->rank % per_node));
    return check(n->replicas, "replicas", r->nranks / per_node,
                 r->rank / per_node);
}

void nodes_close(struct nodes *n)
{
    if (n->node)
        ncclCommDestroy(n->node);
    if (n->replicas)
        ncclCommDestroy(n->replicas);
    *n = (struct nodes){.per_node = 0};
}

/* Record the world's ranks that are in a communicator, in its order. */
static void show_members(struct lab_run *r, const char *name, ncclComm_t comm)
{
    int *const place = lab_buffer(r, (size_t)r->nranks * sizeof *place);
    int rank = r->rank, n, me;
    NCCL_MUST(ncclCommCount(comm, &n));
    NCCL_MUST(ncclCommUserRank(comm, &me));
    CUDA_MUST(cudaMemcpyAsync(place + me, &rank, sizeof rank,
                              cudaMemcpyHostToDevice, r->stream));
    NCCL_MUST(ncclAllGather(place + me, place, 1, ncclInt, comm, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    for (int i = 0; i < n; i++) {
        char metric[EVIDENCE_NAME];
        CUDA_MUST(
            cudaMemcpy(&rank, place + i, sizeof rank, cudaMemcpyDeviceToHost));
        snprintf(metric, sizeof metric, "%s.%d", name, i);
        lab_metric(r, metric, rank);
    }
}

ncclResult_t run_split(struct lab_run *r)
{
    struct nodes n;
    const ncclResult_t err = nodes_open(r, split_per_node(r->c, r->nranks), &n);
    if (err == ncclSuccess) {
        show_members(r, "node", n.node);
        show_members(r, "replicas", n.replicas);
    }
    nodes_close(&n);
    return err;
}
