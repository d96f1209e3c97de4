/*
 * simulate.c: ncclGroupSimulateEnd
 *
 * A group's estimated time is what replay computes if all ranks do their part
 * at the same moment on an idle machine. A group contains the calls of one
 * rank, or of several devices of one thread. The other ranks' calls follow from
 * these: each rank of a collective makes the same call, and a message has
 * another end.
 */
#include "nccl/simulate.h"

#include <stdlib.h> /* calloc */

#include "core/clock/model.h"
#include "core/report.h"
#include "nccl/coll.h"
#include "nccl/reduce.h"

/* The sequence number that call i would get: it follows the earlier calls with
 * the same communicator, kind and peer. */
static uint64_t number_of(const struct nccl_call *calls, int i)
{
    uint64_t n = 0;
    for (int k = 0; k < i; k++)
        n += calls[k].comm == calls[i].comm && calls[k].kind == calls[i].kind &&
             (calls[i].kind == CALL_COLL || calls[k].root == calls[i].root);
    return n;
}

/* place points to an array of one entry for each rank. */
static struct model_op op_of(const struct nccl_call *calls, int i,
                             int32_t *place)
{
    const struct nccl_call *const c = &calls[i];
    const struct hub_member *const member = c->comm->hub.hub->member;
    const uint64_t number = number_of(calls, i);
    if (c->kind == CALL_COLL) {
        for (int r = 0; r < c->comm->nranks; r++)
            place[r] = member[r].place;
        return (struct model_op){.key = comm_key(c->comm, 0, number),
                                 .op = coll_op(c),
                                 .place = place,
                                 .nplaces = c->comm->nranks,
                                 .bytes = coll_nbytes(c)};
    }
    const int sends = c->kind != CALL_RECV, me = c->comm->rank;
    const int from = sends ? me : c->root, to = sends ? c->root : me;
    const uint64_t pair =
        (uint64_t)from * (uint64_t)c->comm->nranks + (uint64_t)to;
    place[0] = member[from].place;
    place[1] = member[to].place;
    return (struct model_op){
        .key = comm_key(c->comm,
                        2 + pair * (CALL_WAIT + 1) + (c->kind == CALL_PUT),
                        number),
        .op = TOPO_OP_SENDRECV,
        .place = place,
        .nplaces = 2,
        .bytes = c->count * reduce_type_size(c->type)};
}

ncclResult_t simulate_calls(const struct nccl_call *calls, int n, float *us)
{
    char err[512];
    uint64_t ps = 0;
    size_t nplaces = 0;
    for (int i = 0; i < n; i++)
        nplaces += (size_t)calls[i].comm->nranks + 1;
    struct model_op *const ops = simgpu_need(calloc((size_t)n + 1, sizeof *ops),
                                             "a group of %d calls", n);
    int32_t *const places = simgpu_need(calloc(nplaces + 1, sizeof *places),
                                        "a group of %d calls", n);
    int32_t *place = places;
    int nops = 0;
    for (int i = 0; i < n; i++) {
        if (calls[i].kind == CALL_WAIT) // a wait takes no time of its own
            continue;
        ops[nops++] = op_of(calls, i, place);
        place += calls[i].comm->nranks + 1;
    }
    const int failed = simgpu_model_estimate(ops, nops, &ps, err, sizeof err);
    free(ops);
    free(places);
    if (failed)
        return nccl_error(ncclInvalidUsage, "ncclGroupSimulateEnd: %s", err);
    *us = (float)((double)ps * 1e-6);
    return ncclSuccess;
}
