/*
 * execute.c: what the streams' workers do for a group of calls
 *
 * Each call is an operation of its stream. In order: collectives as they were
 * called, then receives, then sends; but the first operation posts all sends of
 * the group on that stream, so none of them keeps a receive waiting.
 */
#include "nccl/group.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */

#include "nccl/coll.h"
#include "nccl/reduce.h"

struct nccl_op {
    struct op op;
    struct call call;
    uint64_t seq;           /* of the collective, or the message's number */
    struct nccl_op **posts; /* sends to post first; the first op has them */
    int nposts;
};

/* "with rank 2, message 3, 1024 elements" */
static void describe_message(const void *arg, char *out, size_t nbytes)
{
    const struct nccl_op *const o = arg;
    const struct call *const c = &o->call;
    snprintf(
        out, nbytes, "rank %d %s rank %d of %d, message %llu, %zu elements",
        c->comm->rank, c->kind == CALL_SEND ? "sends to" : "receives from",
        c->root, c->comm->nranks, (unsigned long long)o->seq + 1, c->count);
}

static struct wait_note note_of(struct nccl_op *o)
{
    return (struct wait_note){.call = o->call.name,
                              .site = o->call.site,
                              .describe = describe_message,
                              .arg = o};
}

static void wait_past(_Atomic uint32_t *word, uint32_t number,
                      const struct wait_note *note)
{
    for (;;) {
        const uint32_t seen = atomic_load(word);
        if ((int32_t)(seen - number) > 0)
            return;
        proc_wait(word, seen, note);
    }
}

static void post_send(struct nccl_op *o)
{
    const struct call *const c = &o->call;
    struct channel *const ch = comm_channel(c->comm, c->comm->rank, c->root);
    const uint32_t number = (uint32_t)o->seq;
    const struct wait_note note = note_of(o);
    if (number >= COMM_DEPTH)
        wait_past(&ch->received, number - COMM_DEPTH, &note);
    struct message *const m = &ch->ring[number % COMM_DEPTH];
    m->nbytes = c->count * reduce_type_size(c->type);
    if (m->nbytes)
        heap_export(c->sendbuf, &m->buf);
    atomic_store(&ch->posted, number + 1);
    proc_wake(&ch->posted);
}

static void receive(struct nccl_op *o)
{
    const struct call *const c = &o->call;
    struct channel *const ch = comm_channel(c->comm, c->root, c->comm->rank);
    const uint32_t number = (uint32_t)o->seq;
    const struct wait_note note = note_of(o);
    wait_past(&ch->posted, number, &note);
    const struct message *const m = &ch->ring[number % COMM_DEPTH];
    const size_t nbytes = c->count * reduce_type_size(c->type);
    if (m->nbytes != nbytes) {
        char site[256];
        proc_fault("message",
                   "%s at %s: rank %d expects %zu bytes from rank %d, which "
                   "sends %zu.\nBoth sides of a message have to give the same "
                   "count and type.",
                   c->name, proc_site_text(c->site, site, sizeof site),
                   c->comm->rank, nbytes, c->root, (size_t)m->nbytes);
    }
    if (nbytes)
        memmove(heap_raw(c->recvbuf), heap_raw_ref(&m->buf), nbytes);
    atomic_store(&ch->received, number + 1);
    proc_wake(&ch->received);
}

static void finish_send(struct nccl_op *o)
{
    const struct call *const c = &o->call;
    struct channel *const ch = comm_channel(c->comm, c->comm->rank, c->root);
    const struct wait_note note = note_of(o);
    wait_past(&ch->received, (uint32_t)o->seq, &note);
}

static void run(struct op *op)
{
    struct nccl_op *const o = (struct nccl_op *)op;
    for (int i = 0; i < o->nposts; i++)
        post_send(o->posts[i]);
    switch (o->call.kind) {
    case CALL_COLL: coll_run(&o->call, o->seq); break;
    case CALL_RECV: receive(o); break;
    case CALL_SEND: finish_send(o); break;
    }
}

static void release(struct op *op)
{
    struct nccl_op *const o = (struct nccl_op *)op;
    free(o->posts);
    free(o);
}

/* ---- the graph ------------------------------------------------------------------ */

static struct graph_access access_of(const void *p, size_t nbytes, int write,
                                     uint32_t site)
{
    struct heap_block b;
    struct graph_access a = {.write = write, .site = site};
    if (nbytes && heap_find(p, &b) == 0) {
        a.alloc = b.id;
        a.begin = (uint64_t)((const char *)p - b.base);
        a.end = a.begin + nbytes;
    }
    return a;
}

static void fill_node(struct nccl_op *o, struct graph_access *access)
{
    const struct call *const c = &o->call;
    struct graph_node *const n = &o->op.node;
    const size_t nbytes = c->count * reduce_type_size(c->type);
    n->elem_size = (uint32_t)reduce_type_size(c->type);
    n->bytes = nbytes;
    if (c->kind == CALL_COLL) {
        coll_fill_node(c, o->seq, n);
        n->naccesses = 0;
        size_t sent, received;
        coll_sizes(c, &sent, &received);
        if (sent)
            access[n->naccesses++] = access_of(c->sendbuf, sent, 0, c->site);
        if (received)
            access[n->naccesses++] =
                access_of(c->recvbuf, received, 1, c->site);
        return;
    }
    const int sends = c->kind == CALL_SEND, me = c->comm->rank;
    const int from = sends ? me : c->root, to = sends ? c->root : me;
    n->op = GRAPH_OP_SENDRECV;
    n->match_kind = GRAPH_MATCH_PAIR;
    n->match_size = 2;
    n->match_rank = sends ? 0 : 1;
    n->match = comm_key(
        c->comm, 2 + (uint64_t)from * (uint64_t)c->comm->nranks + (uint64_t)to,
        o->seq);
    n->peer_place = c->comm->hub->member[c->root].place;
    n->naccesses = nbytes ? 1 : 0;
    access[0] =
        access_of(sends ? c->sendbuf : c->recvbuf, nbytes, !sends, c->site);
}

/* ---- enqueueing ------------------------------------------------------------------- */

static struct nccl_op *op_of(const struct call *c, uint32_t group)
{
    static const enum graph_kind kind[] = {GRAPH_COLL, GRAPH_SEND, GRAPH_RECV};
    struct nccl_op *const o =
        op_new(sizeof *o, run, kind[c->kind], c->name, c->site);
    o->op.release = release;
    o->op.node.group = group;
    o->call = *c;
    o->seq = c->kind == CALL_COLL   ? c->comm->ncolls++
             : c->kind == CALL_SEND ? c->comm->sent[c->root]++
                                    : c->comm->received[c->root]++;
    return o;
}

/* The sends of the group on this stream, for its first operation. */
static void give_posts(struct nccl_op *first, struct nccl_op **ops, int n)
{
    first->posts = calloc((size_t)n, sizeof *first->posts);
    if (!first->posts)
        proc_fault(NULL, "out of host memory for a group");
    for (int i = 0; i < n; i++)
        if (ops[i]->call.kind == CALL_SEND &&
            ops[i]->call.stream == first->call.stream)
            first->posts[first->nposts++] = ops[i];
}

static int first_on_stream(struct nccl_op **order, int i)
{
    for (int k = 0; k < i; k++)
        if (order[k]->call.stream == order[i]->call.stream)
            return 0;
    return 1;
}

void execute(const struct call *calls, int n)
{
    static _Atomic uint32_t groups;
    const uint32_t group = n > 1 ? ++groups : 0;
    struct nccl_op **const ops = calloc(2 * (size_t)n + 1, sizeof *ops);
    if (!ops)
        proc_fault(NULL, "out of host memory for a group");
    struct nccl_op **const order = ops + n;
    for (int i = 0; i < n; i++)
        ops[i] = op_of(&calls[i], group);
    static const enum call_kind turn[] = {CALL_COLL, CALL_RECV, CALL_SEND};
    int at = 0;
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < n; i++)
            if (calls[i].kind == turn[t])
                order[at++] = ops[i];
    for (int i = 0; i < n; i++)
        if (first_on_stream(order, i))
            give_posts(order[i], ops, n);
    for (int i = 0; i < n; i++) {
        struct graph_access access[2];
        fill_node(order[i], access);
        order[i]->op.accesses = access;
        stream_enqueue(order[i]->call.stream, &order[i]->op);
    }
    free(ops);
}
