/*
 * sweep_nccl.c: NCCL's own collectives, for --bench
 */
#include "lab/sweep.h"

static ncclResult_t all_reduce(const struct sweep_call *c)
{
    return ncclAllReduce(c->sendbuf, c->recvbuf, c->count, c->type, c->op,
                         c->r->comm, c->r->stream);
}

static ncclResult_t all_gather(const struct sweep_call *c)
{
    return ncclAllGather(c->sendbuf, c->recvbuf, c->count, c->type, c->r->comm,
                         c->r->stream);
}

static ncclResult_t reduce_scatter(const struct sweep_call *c)
{
    return ncclReduceScatter(c->sendbuf, c->recvbuf, c->count, c->type, c->op,
                             c->r->comm, c->r->stream);
}

static ncclResult_t broadcast(const struct sweep_call *c)
{
    return ncclBroadcast(c->sendbuf, c->recvbuf, c->count, c->type, c->root,
                         c->r->comm, c->r->stream);
}

static ncclResult_t reduce(const struct sweep_call *c)
{
    return ncclReduce(c->sendbuf, c->recvbuf, c->count, c->type, c->op, c->root,
                      c->r->comm, c->r->stream);
}

static ncclResult_t alltoall(const struct sweep_call *c)
{
    return ncclAlltoAll(c->sendbuf, c->recvbuf, c->count, c->type, c->r->comm,
                        c->r->stream);
}

static ncclResult_t gather(const struct sweep_call *c)
{
    return ncclGather(c->sendbuf, c->recvbuf, c->count, c->type, c->root,
                      c->r->comm, c->r->stream);
}

static ncclResult_t scatter(const struct sweep_call *c)
{
    return ncclScatter(c->sendbuf, c->recvbuf, c->count, c->type, c->root,
                       c->r->comm, c->r->stream);
}

/* Every rank sends to its right neighbour and receives from its left one. */
static ncclResult_t sendrecv(const struct sweep_call *c)
{
    const int n = c->r->nranks, rank = c->r->rank;
    LAB_TRY(ncclGroupStart());
    LAB_TRY(ncclSend(c->sendbuf, c->count, c->type, (rank + 1) % n, c->r->comm,
                     c->r->stream));
    LAB_TRY(ncclRecv(c->recvbuf, c->count, c->type, (rank - 1 + n) % n,
                     c->r->comm, c->r->stream));
    return ncclGroupEnd();
}

const struct sweep_op sweep_nccl[] = {
    {"all_reduce", BENCH_ALL_REDUCE, all_reduce},
    {"all_gather", BENCH_ALL_GATHER, all_gather},
    {"reduce_scatter", BENCH_REDUCE_SCATTER, reduce_scatter},
    {"broadcast", BENCH_BROADCAST, broadcast},
    {"reduce", BENCH_REDUCE, reduce},
    {"alltoall", BENCH_ALL_TO_ALL, alltoall},
    {"gather", BENCH_GATHER, gather},
    {"scatter", BENCH_SCATTER, scatter},
    {"sendrecv", BENCH_SEND_RECV, sendrecv},
    {NULL, BENCH_SHAPES, NULL},
};
