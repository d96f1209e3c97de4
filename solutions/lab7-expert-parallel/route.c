/*
 * Part 1: the destination of each token.
 *
 * Message sizes are data here: they come from the router, and a rank can
 * receive only messages whose sizes it knows.
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

void moe_sort(const int *expert, int ntokens, int nranks, int *order,
              struct moe_route *route)
{
    // BEGIN HOLE part 1: sort (about 12 lines)
    // HINT: count, then add up, then place: three loops, no comparisons.
    int next[MOE_MAX_RANKS];
    for (int r = 0; r < nranks; r++)
        route->send_count[r] = 0;
    for (int t = 0; t < ntokens; t++)
        route->send_count[expert[t]]++;
    for (int r = 0, begin = 0; r < nranks; r++) {
        route->send_begin[r] = next[r] = begin;
        begin += route->send_count[r];
    }
    for (int t = 0; t < ntokens; t++)
        order[next[expert[t]]++] = t;
    // END HOLE
}

ncclResult_t moe_exchange_counts(const struct moe *m, struct moe_route *route,
                                 int nroutes)
{
    // BEGIN HOLE part 1: counts (about 20 lines)
    // HINT: ncclAlltoAll sends nroutes ints to each rank. NCCL moves device
    // HINT: memory, so they go through m->host_counts and m->counts.
    const int n = nroutes * m->nranks;
    int *const host = m->host_counts, *const sent = m->counts,
               *const got = sent + n;
    for (int r = 0; r < m->nranks; r++)
        for (int i = 0; i < nroutes; i++)
            host[r * nroutes + i] = route[i].send_count[r];
    LAB_TRY_CUDA(cudaMemcpyAsync(sent, host, (size_t)n * sizeof *sent,
                                 cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(
        ncclAlltoAll(sent, got, (size_t)nroutes, ncclInt, m->comm, m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(host, got, (size_t)n * sizeof *got,
                                 cudaMemcpyDeviceToHost, m->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(m->stream));
    for (int i = 0; i < nroutes; i++) {
        route[i].nrecv = 0;
        for (int r = 0; r < m->nranks; r++) {
            route[i].recv_count[r] = host[r * nroutes + i];
            route[i].recv_begin[r] = route[i].nrecv;
            route[i].nrecv += route[i].recv_count[r];
        }
    }
    return ncclSuccess;
    // END HOLE
}
