#include "nccl/coll.h"

#include <stdio.h> /* snprintf */

#include "core/report.h"
#include "core/site.h"
#include "core/wait.h"
#include "nccl/piece.h"
#include "nccl/reduce.h" /* reduce_type_size */

/* What a rank sends or receives: `count` elements, or that for each rank. */
enum extent { ONE_BLOCK, EACH_RANKS };

static const struct kind {
    enum topo_op op;
    enum graph_match match;
    enum extent sends, receives;
    enum profiler_func func;
} kinds[] = {
    [COLL_ALLREDUCE] = {TOPO_OP_ALLREDUCE, GRAPH_MATCH_ALL, ONE_BLOCK,
                        ONE_BLOCK, PROFILER_ALLREDUCE},
    [COLL_BROADCAST] = {TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, ONE_BLOCK,
                        ONE_BLOCK, PROFILER_BROADCAST},
    [COLL_REDUCE] = {TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, ONE_BLOCK, ONE_BLOCK,
                     PROFILER_REDUCE},
    [COLL_ALLGATHER] = {TOPO_OP_ALLGATHER, GRAPH_MATCH_ALL, ONE_BLOCK,
                        EACH_RANKS, PROFILER_ALLGATHER},
    [COLL_REDUCESCATTER] = {TOPO_OP_REDUCESCATTER, GRAPH_MATCH_ALL, EACH_RANKS,
                            ONE_BLOCK, PROFILER_REDUCESCATTER},
    [COLL_ALLTOALL] = {TOPO_OP_ALLTOALL, GRAPH_MATCH_ALL, EACH_RANKS,
                       EACH_RANKS, PROFILER_ALLTOALL},
    [COLL_GATHER] = {TOPO_OP_GATHER, GRAPH_MATCH_TO_ROOT, ONE_BLOCK, EACH_RANKS,
                     PROFILER_GATHER},
    [COLL_SCATTER] = {TOPO_OP_SCATTER, GRAPH_MATCH_FROM_ROOT, EACH_RANKS,
                      ONE_BLOCK, PROFILER_SCATTER},
};

void coll_sizes(const struct nccl_call *c, size_t *sent, size_t *received)
{
    const struct kind *const k = &kinds[c->coll];
    const size_t block = c->count * reduce_type_size(c->type);
    const size_t n = (size_t)c->comm->nranks;
    const int is_root = c->comm->rank == c->root;
    *sent = k->sends == EACH_RANKS ? n * block : block;
    *received = k->receives == EACH_RANKS ? n * block : block;
    if (k->match == GRAPH_MATCH_FROM_ROOT && !is_root)
        *sent = 0;
    if (k->match == GRAPH_MATCH_TO_ROOT && !is_root)
        *received = 0;
}

enum topo_op coll_op(const struct nccl_call *c)
{
    return kinds[c->coll].op;
}

enum profiler_func coll_func(const struct nccl_call *c)
{
    return kinds[c->coll].func;
}

int coll_is_messages(const struct nccl_call *c)
{
    return c->coll == COLL_ALLTOALL || c->coll == COLL_GATHER ||
           c->coll == COLL_SCATTER;
}

int coll_sends(const struct nccl_call *c, int peer)
{
    return c->coll == COLL_ALLTOALL ||
           (c->coll == COLL_GATHER ? peer : c->comm->rank) == c->root;
}

int coll_receives(const struct nccl_call *c, int peer)
{
    return c->coll == COLL_ALLTOALL ||
           (c->coll == COLL_GATHER ? c->comm->rank : peer) == c->root;
}

size_t coll_nbytes(const struct nccl_call *c)
{
    const struct kind *const k = &kinds[c->coll];
    const int is_each = k->sends == EACH_RANKS || k->receives == EACH_RANKS;
    const int blocks = is_each ? c->comm->nranks : 1;
    return c->count * reduce_type_size(c->type) * (size_t)blocks;
}

void coll_fill_node(const struct nccl_call *c, uint64_t seq,
                    struct graph_node *n)
{
    n->op = coll_op(c);
    n->match_kind = kinds[c->coll].match;
    n->match = comm_key(c->comm, 0, seq);
    n->match_size = (uint32_t)c->comm->nranks;
    n->match_rank = (uint32_t)c->comm->rank;
    n->match_root = (uint32_t)c->root;
    n->bytes = coll_nbytes(c);
}

/* ---- differences between ranks' calls ------------------------------------ */

static const char *const kind_name[] = {
    "ncclAllReduce",     "ncclBroadcast",         "ncclReduce", "ncclAllGather",
    "ncclReduceScatter", "ncclAlltoAll",          "ncclGather", "ncclScatter",
    "ncclCommSplit",     "ncclCommWindowRegister"};
static const char *const type_name[] = {
    "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
    "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
static const char *const op_name[] = {"sum", "prod", "max",
                                      "min", "avg",  "premulsum"};

static int same(const struct hub_post *a, const struct hub_post *b)
{
    return a->kind == b->kind && a->count == b->count && a->type == b->type &&
           a->op == b->op && a->root == b->root;
}

/* "rank 1: ncclAllReduce(count 100, float32, sum, root 0) at a.c:12" */
static int describe_post(const struct hub_post *p, int rank, char *out,
                         size_t nbytes)
{
    char site[256];
    const int reduces = coll_reduces((enum coll_kind)p->kind);
    if (p->kind == COLL_SPLIT)
        return snprintf(out, nbytes,
                        "  rank %d: ncclCommSplit(color %d, key %d) at %s\n",
                        rank, p->color, p->key,
                        simgpu_site_location_text(&p->site, site, sizeof site));
    if (p->kind == COLL_WINDOW)
        return snprintf(
            out, nbytes, "  rank %d: %s(%llu bytes, flags %#x) at %s\n", rank,
            p->root ? "ncclDevCommCreate" : "ncclCommWindowRegister",
            (unsigned long long)p->count, (unsigned)p->op,
            simgpu_site_location_text(&p->site, site, sizeof site));
    return snprintf(
        out, nbytes, "  rank %d: %s(count %llu, %s%s%s, root %d) at %s\n", rank,
        kind_name[p->kind], (unsigned long long)p->count, type_name[p->type],
        reduces ? ", " : "", reduces ? op_name[p->op] : "", p->root,
        simgpu_site_location_text(&p->site, site, sizeof site));
}

static _Noreturn void report_difference(const struct ncclComm *c, uint64_t seq)
{
    char text[8192];
    size_t at = 0;
    for (int r = 0; r < c->nranks && at < sizeof text - 1; r++) {
        const int n = describe_post(hub_post(&c->hub, seq, r), r, text + at,
                                    sizeof text - at);
        at += n > 0 ? (size_t)n : 0;
    }
    simgpu_report_fault("mismatch",
                        "ranks call collective %llu of %s%s "
                        "differently:\n%sAll ranks must call the same "
                        "collectives in the same order, with the same count, "
                        "type, operation and root.",
                        (unsigned long long)seq + 1,
                        *c->config.name ? "communicator " : "a communicator",
                        c->config.name, text);
}

/* ---- the rendezvous ------------------------------------------------------ */

struct coll_arg { /* a collective that NCCL runs as messages */
    const struct nccl_call *call;
    uint64_t seq;
};

/* "collective 3 of its communicator, count 100: 1 of 2 ranks have called it" */
static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct coll_arg *const a = arg;
    const struct ncclComm *const c = a->call->comm;
    const char *const name = c->config.name;
    snprintf(
        out, nbytes,
        "collective %llu of %s%s, count %zu: %u of %d ranks have called it",
        (unsigned long long)a->seq + 1,
        *name ? "communicator " : "its communicator", name, a->call->count,
        atomic_load(&hub_slot(&c->hub, a->seq)->arrived), c->nranks);
}

static void write_post(const struct nccl_call *c, struct hub_post *p)
{
    size_t sent, received;
    coll_sizes(c, &sent, &received);
    *p = (struct hub_post){.kind = c->coll,
                           .type = (int32_t)c->type,
                           .op = (int32_t)c->op,
                           .root = c->root,
                           .count = c->count,
                           .scale = c->scale};
    if (c->scalar)
        p->scale = reduce_value(simgpu_heap_raw(c->scalar), c->type);
    if (sent)
        simgpu_heap_export(c->sendbuf, &p->send);
    if (received)
        simgpu_heap_export(c->recvbuf, &p->recv);
    simgpu_site_locate(c->site, &p->site);
}

void coll_check(const struct ncclComm *c, uint64_t seq)
{
    for (int r = 1; r < c->nranks; r++)
        if (!same(hub_post(&c->hub, seq, 0), hub_post(&c->hub, seq, r)))
            report_difference(c, seq);
}

int coll_run(const struct nccl_call *c, uint64_t seq)
{
    const struct hub_view *const hub = &c->comm->hub;
    const struct coll_arg arg = {c, seq};
    const struct wait_note note = {
        .call = c->name, .site = c->site, .describe = describe, .arg = &arg};
    if (hub_enter(hub, seq, &note) != 0)
        return -1;
    write_post(c, hub_post(hub, seq, hub->rank));
    struct work w = {.hub = hub, .seq = seq};
    if (hub_arrive(hub, seq)) {
        coll_check(c->comm, seq);
        hub_open(hub, seq, work_helpers(coll_nbytes(c)));
    } else if (hub_wait_open(hub, seq, &note) != 0) {
        return -1;
    }
    work_do(&w, c->coll, c->count, c->type);
    hub_wait_end(hub, seq, &note);
    return 0;
}
