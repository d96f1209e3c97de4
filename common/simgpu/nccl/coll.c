#include "nccl/coll.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memmove */

#include "nccl/reduce.h"

enum {
    SMALL = 32 << 10, /* bytes of all outputs: done by one rank */
    BLOCK = 32 << 10, /* bytes that are reduced at a time: stays in the cache */
};

static const struct kind {
    enum graph_op op;
    enum graph_match match;
    int all_send; /* input is n * count elements */
    int all_recv; /* output is n * count elements */
} kinds[] = {
    [COLL_ALLREDUCE] = {GRAPH_OP_ALLREDUCE, GRAPH_MATCH_ALL, 0, 0},
    [COLL_BROADCAST] = {GRAPH_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 0, 0},
    [COLL_REDUCE] = {GRAPH_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 0, 0},
    [COLL_ALLGATHER] = {GRAPH_OP_ALLGATHER, GRAPH_MATCH_ALL, 0, 1},
    [COLL_REDUCESCATTER] = {GRAPH_OP_REDUCESCATTER, GRAPH_MATCH_ALL, 1, 0},
    [COLL_ALLTOALL] = {GRAPH_OP_ALLTOALL, GRAPH_MATCH_ALL, 1, 1},
    [COLL_GATHER] = {GRAPH_OP_GATHER, GRAPH_MATCH_TO_ROOT, 0, 1},
    [COLL_SCATTER] = {GRAPH_OP_SCATTER, GRAPH_MATCH_FROM_ROOT, 1, 0},
};

void coll_sizes(const struct call *c, size_t *sent, size_t *received)
{
    const struct kind *const k = &kinds[c->coll];
    const size_t block = c->count * reduce_type_size(c->type);
    const size_t n = (size_t)c->comm->nranks;
    const int is_root = c->comm->rank == c->root;
    *sent = k->all_send ? n * block : block;
    *received = k->all_recv ? n * block : block;
    if (k->match == GRAPH_MATCH_FROM_ROOT && !is_root)
        *sent = 0;
    if (k->match == GRAPH_MATCH_TO_ROOT && !is_root)
        *received = 0;
}

void coll_fill_node(const struct call *c, uint64_t seq, struct graph_node *n)
{
    const struct kind *const k = &kinds[c->coll];
    const int blocks = k->all_send || k->all_recv ? c->comm->nranks : 1;
    n->op = k->op;
    n->match_kind = k->match;
    n->match = comm_key(c->comm, 0, seq);
    n->match_size = (uint32_t)c->comm->nranks;
    n->match_rank = (uint32_t)c->comm->rank;
    n->match_root = (uint32_t)c->root;
    n->bytes = c->count * reduce_type_size(c->type) * (size_t)blocks;
}

/* ---- differences between ranks' calls --------------------------------------------- */

static const char *const kind_name[] = {
    "ncclAllReduce", "ncclBroadcast",     "ncclReduce",
    "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll",
    "ncclGather",    "ncclScatter",       "ncclCommSplit"};
static const char *const type_name[] = {
    "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
    "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
static const char *const op_name[] = {"sum", "prod", "max", "min", "avg"};

static int same(const struct post *a, const struct post *b)
{
    return a->kind == b->kind && a->count == b->count && a->type == b->type &&
           a->op == b->op && a->root == b->root;
}

static _Noreturn void report_difference(const struct ncclComm *c, uint64_t seq)
{
    char text[8192], site[256];
    size_t at = 0;
    for (int r = 0; r < c->nranks && at < sizeof text - 1; r++) {
        const struct post *const p = comm_post(c, seq, r);
        const int reduces = p->kind == COLL_ALLREDUCE ||
                            p->kind == COLL_REDUCE ||
                            p->kind == COLL_REDUCESCATTER;
        const int n =
            snprintf(text + at, sizeof text - at,
                     "  rank %d: %s(count %llu, %s%s%s, root %d) at %s\n", r,
                     kind_name[p->kind], (unsigned long long)p->count,
                     type_name[p->type], reduces ? ", " : "",
                     reduces ? op_name[p->op] : "", p->root,
                     proc_locate_text(&p->site, site, sizeof site));
        at += n > 0 ? (size_t)n : 0;
    }
    proc_fault("mismatch",
               "ranks call collective %llu of a communicator differently:\n%s"
               "All ranks have to call the same collectives in the same order, "
               "with the same count, type, operation and root.",
               (unsigned long long)seq + 1, text);
}

/* ---- shares ------------------------------------------------------------------------ */

struct work { /* a collective whose ranks have all come */
    struct ncclComm *comm;
    uint64_t seq;
    const struct post *post; /* of rank 0: the same for all but buffers */
    size_t size;             /* of an element */
    int n;
};

static const struct post *post_of(const struct work *w, int rank)
{
    return comm_post(w->comm, w->seq, rank);
}

/* Where element i of a rank's input (output) is. */
static char *input(const struct work *w, int rank, size_t i)
{
    return (char *)heap_raw_ref(&post_of(w, rank)->send) + i * w->size;
}

static char *output(const struct work *w, int rank, size_t i)
{
    return (char *)heap_raw_ref(&post_of(w, rank)->recv) + i * w->size;
}

static void copy(char *to, const char *from, size_t nbytes)
{
    if (to != from)
        memmove(to, from, nbytes);
}

/*
 * acc = reduction over all ranks of elements [at, at + count) of their inputs.
 * acc may be rank 0's own input: it is read first.
 */
static void reduce_block(const struct work *w, char *acc, size_t at,
                         size_t count, char *scaled)
{
    const struct post *const p = w->post;
    const int avg = p->op == ncclAvg, is_float = p->type >= ncclFloat16;
    const int scales = p->scale != 1.0 || (avg && is_float);
    const ncclRedOp_t op = avg ? ncclSum : (ncclRedOp_t)p->op;
    for (int r = 0; r < w->n; r++) {
        const char *in = input(w, r, at);
        if (scales) {
            const double s = avg ? 1.0 / w->n : post_of(w, r)->scale;
            reduce_scale(r ? scaled : acc, in, count, p->type, s);
            in = scaled;
        } else if (r == 0) {
            copy(acc, in, count * w->size);
        }
        if (r)
            reduce_combine(acc, in, count, p->type, op);
    }
    if (avg && !is_float)
        reduce_divide(acc, count, p->type, w->n);
}

/*
 * Reduce [begin, end) of the inputs to element `at` of the outputs of ranks
 * [first, last]. With several of them, the sum grows in the first one's output
 * (rank 0's, so that it overwrites no input but that which is read first).
 */
static void reduce_to(const struct work *w, size_t begin, size_t end, size_t at,
                      int first, int last)
{
    char own[BLOCK] __attribute__((aligned(64)));
    char scaled[BLOCK] __attribute__((aligned(64)));
    const size_t step = BLOCK / w->size;
    for (size_t i = begin; i < end; i += step) {
        const size_t count = end - i < step ? end - i : step;
        char *const acc =
            last > first ? output(w, first, at + (i - begin)) : own;
        reduce_block(w, acc, i, count, scaled);
        for (int r = first; r <= last; r++)
            copy(output(w, r, at + (i - begin)), acc, count * w->size);
    }
}

/* Rank's share of the work. */
static void do_share(const struct work *w, int rank)
{
    const struct post *const p = w->post;
    const size_t count = p->count, nbytes = count * w->size;
    const size_t line = 64 / w->size; // shares begin on cache lines
    const size_t lines = (count + line - 1) / line;
    size_t begin = lines * (size_t)rank / (size_t)w->n * line;
    size_t end = lines * ((size_t)rank + 1) / (size_t)w->n * line;
    if (end > count)
        end = count;
    const size_t block = (size_t)rank * count;
    switch (p->kind) {
    case COLL_ALLREDUCE: reduce_to(w, begin, end, begin, 0, w->n - 1); break;
    case COLL_REDUCE: reduce_to(w, begin, end, begin, p->root, p->root); break;
    case COLL_REDUCESCATTER:
        reduce_to(w, block, block + count, 0, rank, rank);
        break;
    case COLL_BROADCAST:
        copy(output(w, rank, 0), input(w, p->root, 0), nbytes);
        break;
    case COLL_SCATTER:
        copy(output(w, rank, 0), input(w, p->root, block), nbytes);
        break;
    case COLL_GATHER:
        copy(output(w, p->root, block), input(w, rank, 0), nbytes);
        break;
    case COLL_ALLGATHER:
    case COLL_ALLTOALL:
        for (int r = 0; r < w->n; r++)
            copy(output(w, rank, (size_t)r * count),
                 input(w, r, p->kind == COLL_ALLTOALL ? block : 0), nbytes);
        break;
    default: break;
    }
}

/* ---- the meeting -------------------------------------------------------------------- */

struct coll_arg { /* for messages */
    const struct call *call;
    uint64_t seq;
};

/* "collective 3: rank 1 has come, ranks 0 2 have not" */
static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct coll_arg *const a = arg;
    const struct slot *const s = comm_slot(a->call->comm, a->seq);
    snprintf(out, nbytes,
             "collective %llu of its communicator, count %zu: %u of %d ranks "
             "have come",
             (unsigned long long)a->seq + 1, a->call->count,
             atomic_load(&s->arrived), a->call->comm->nranks);
}

static void write_post(const struct call *c, struct post *p)
{
    size_t sent, received;
    coll_sizes(c, &sent, &received);
    p->kind = (int32_t)c->coll;
    p->type = (int32_t)c->type;
    p->op = (int32_t)c->op;
    p->root = c->root;
    p->count = c->count;
    p->scale = c->scaled ? c->scale : 1.0;
    if (sent)
        heap_export(c->sendbuf, &p->send);
    if (received)
        heap_export(c->recvbuf, &p->recv);
    proc_locate(c->address, &p->site);
}

static void check(const struct work *w)
{
    for (int r = 1; r < w->n; r++)
        if (!same(w->post, post_of(w, r)))
            report_difference(w->comm, w->seq);
}

void coll_run(const struct call *c, uint64_t seq)
{
    struct ncclComm *const comm = c->comm;
    const struct coll_arg arg = {c, seq};
    const struct wait_note note = {
        .call = c->name, .site = c->site, .describe = describe, .arg = &arg};
    comm_enter(comm, seq, &note);
    write_post(c, comm_post(comm, seq, comm->rank));
    const struct work w = {comm, seq, comm_post(comm, seq, 0),
                           reduce_type_size(c->type), comm->nranks};
    if (c->count * w.size * (size_t)w.n > SMALL) {
        comm_meet(comm, seq, &note);
        check(&w);
        do_share(&w, comm->rank);
        comm_leave(comm, seq);
    } else if (comm_arrive(comm, seq)) {
        check(&w);
        for (int r = 0; r < w.n; r++)
            do_share(&w, r);
        comm_end(comm, seq);
    }
    comm_wait_end(comm, seq, &note);
}
