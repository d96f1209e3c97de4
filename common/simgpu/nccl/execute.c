/*
 * execute.c: what the streams' workers do for a group of calls
 *
 * NCCL launches a group as one operation per communicator, on the first stream
 * that the group uses with that communicator; the group's other streams join it
 * before and after. Here a group becomes one operation per call, all on that
 * stream, between the joins:
 *
 *     stream 1  --+--[coll][recv][send]--+--     calls of one communicator
 *     stream 2  --+----------------------+--
 *
 * Collectives come first, in the order of their calls, then one-sided messages
 * and waits for them, also in order, then receives, then sends. No send delays
 * a receive: the first operation posts the sends, and operations that wait post
 * those that didn't fit into their channels (message.h). The first operation
 * also waits at a gate until all operations of the group are recorded, since a
 * peer that completes one of them may ask for its modelled time.
 */
#include "nccl/execute.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy, memset */

#include "core/device.h"
#include "core/heap/dataless.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "core/stream/stream.h"
#include "core/wait.h"
#include "nccl/coll.h"
#include "nccl/explain.h"
#include "nccl/message.h"
#include "nccl/reduce.h"
#include "nccl/rma.h"

static _Atomic uint32_t ngroups; /* groups with several calls so far */

struct gate { /* freed by the last operation of the group to pass */
    _Atomic uint32_t open; /* futex */
    _Atomic int refs;
};

/* ---- on the worker ------------------------------------------------------- */

static void pass(struct gate *g)
{
    while (!atomic_load(&g->open))
        simgpu_wait(&g->open, 0, NULL);
    if (atomic_fetch_sub(&g->refs, 1) == 1)
        free(g);
}

/*
 * A collective or receive that is ended leaves its output with what it has
 * received and summed so far. Here it has received nothing, so mark the output:
 * a program that takes it for its input, or for a result, computes NaN.
 */
static void spoil(const struct nccl_op *o)
{
    enum { SPOILT = 0xFF };
    struct heap_block b;
    if (o->received && simgpu_heap_find(o->call.recvbuf, &b) == 0 &&
        !dataless(b.id))
        memset(simgpu_heap_raw(o->call.recvbuf), SPOILT, o->received);
}

static void run(struct op *op)
{
    struct nccl_op *const o = (struct nccl_op *)op;
    int err = 0;
    if (o->gate)
        pass(o->gate);
    if (o->user_send)
        memcpy((void *)o->call.sendbuf, o->user_send, o->sent);
    // what others posted before the abort no longer counts
    if ((o->call.kind == CALL_COLL || o->call.kind == CALL_RECV) &&
        hub_lost(&o->call.comm->hub))
        err = -1;
    if (err == 0 && o->posts)
        err = outbox_post(o->outbox);
    if (err == 0)
        switch (o->call.kind) {
        case CALL_COLL: err = coll_run(&o->call, o->seq); break;
        case CALL_RECV: err = message_receive(o); break;
        case CALL_SEND: err = message_finish(o); break;
        case CALL_PUT: err = rma_put(o); break;
        case CALL_WAIT: err = rma_wait(o); break;
        }
    if (err != 0) {
        spoil(o);
        comm_note_lost(o->call.comm);
        comm_await_stop(o->call.comm, o->call.name, o->call.site);
        simgpu_op_broken(op);
    } else if (o->user_recv)
        memcpy(o->user_recv, o->call.recvbuf, o->received);
    if (err == 0)
        profiler_end_op(o);
}

static void release(struct op *op)
{
    struct nccl_op *const o = (struct nccl_op *)op;
    if (o->user_send)
        simgpu_heap_free((void *)o->call.sendbuf);
    if (o->user_recv)
        simgpu_heap_free(o->call.recvbuf);
    outbox_leave(o->outbox);
    profiler_release(o->profiled);
    free(o);
}

/* ---- the graph ----------------------------------------------------------- */

static void add_access(struct graph_node *n, struct graph_access *access,
                       const void *p, size_t nbytes, int write)
{
    struct heap_block b;
    if (nbytes == 0)
        return;
    struct graph_access *const a = &access[n->naccesses++];
    *a = (struct graph_access){.write = (uint32_t)write, .site = n->site};
    if (simgpu_heap_find(p, &b) == 0) {
        a->alloc = b.id;
        a->begin = (uint64_t)((const char *)p - b.base);
    } else { // registered host memory
        a->alloc = (uint64_t)simgpu_proc()->rank << 32;
        a->begin = (uintptr_t)p;
    }
    a->end = a->begin + nbytes;
}

/* The CTAs that the communicator's configuration fixes; 0: none. They change
 * times, so communicators without limits keep NCCL's own number. */
static int fixed_ctas(struct ncclComm *c)
{
    const int none = NCCL_CONFIG_UNDEF_INT;
    if (c->ctas == 0 &&
        (c->config.min_ctas != none || c->config.max_ctas != none)) {
        const int n = explain_channels(c);
        c->ctas = n < GRAPH_MAX_CTAS ? n : GRAPH_MAX_CTAS;
    }
    return c->ctas;
}

/* Fill in the node. access points to three entries, move to one. */
static void fill_node(struct nccl_op *o, struct graph_access *access,
                      struct graph_move *move)
{
    const struct nccl_call *const c = &o->call;
    struct graph_node *const n = &o->op.node;
    const size_t size = reduce_type_size(c->type);
    n->elem_size = (uint32_t)size;
    n->bytes = c->count * size;
    n->flags |= GRAPH_CTAS(fixed_ctas(c->comm));
    add_access(n, access, c->sendbuf, o->sent, 0);
    add_access(n, access, c->recvbuf, o->received, 1);
    if (c->scalar)
        add_access(n, access, c->scalar, size, 0);
    if (c->kind == CALL_COLL) {
        coll_fill_node(c, o->seq, n);
        return;
    }
    if (c->kind == CALL_PUT || c->kind == CALL_WAIT) {
        rma_fill_node(o, access, move);
        return;
    }
    const int sends = c->kind == CALL_SEND, me = c->comm->rank;
    const uint64_t from = (uint64_t)(sends ? me : c->root);
    const uint64_t to = (uint64_t)(sends ? c->root : me);
    n->op = TOPO_OP_SENDRECV;
    n->match_kind = GRAPH_MATCH_PAIR;
    n->match_size = 2;
    n->match_rank = sends ? 0 : 1;
    n->match =
        comm_key(c->comm, 2 + from * (uint64_t)c->comm->nranks + to, o->seq);
    n->peer_place = c->comm->hub.hub->member[c->root].place;
}

/* ---- enqueueing ---------------------------------------------------------- */

/* A copy of p that peers can map, or NULL if they can map p itself. */
static void *staged(const void *p, size_t nbytes, uint32_t site)
{
    struct heap_block b;
    void *copy = NULL;
    if (nbytes == 0 || simgpu_heap_find(p, &b) == 0)
        return NULL;
    if (simgpu_heap_alloc(HEAP_PINNED, nbytes, HEAP_ORDINARY, site, &copy) != 0)
        simgpu_report_fault(NULL, "out of pinned memory for %zu bytes", nbytes);
    return copy;
}

static void stage(struct nccl_op *o)
{
    void *const send = staged(o->call.sendbuf, o->sent, o->call.site);
    void *const recv = staged(o->call.recvbuf, o->received, o->call.site);
    if (send) {
        o->user_send = o->call.sendbuf;
        o->call.sendbuf = send;
    }
    if (recv) {
        o->user_recv = o->call.recvbuf;
        o->call.recvbuf = recv;
    }
}

static struct nccl_op *op_of(const struct nccl_call *c, uint32_t group)
{
    static const enum graph_kind kind[] = {[CALL_COLL] = GRAPH_COLL,
                                           [CALL_SEND] = GRAPH_SEND,
                                           [CALL_RECV] = GRAPH_RECV,
                                           [CALL_PUT] = GRAPH_COPY,
                                           [CALL_WAIT] = GRAPH_MARK};
    struct nccl_op *const o =
        simgpu_op_new(sizeof *o, run, kind[c->kind], c->name, c->site);
    const size_t nbytes = c->count * reduce_type_size(c->type);
    o->op.release = release;
    o->op.node.group = group;
    o->call = *c;
    switch (c->kind) {
    case CALL_COLL:
        o->seq = c->comm->nrendezvous++;
        coll_sizes(c, &o->sent, &o->received);
        break;
    case CALL_SEND:
        o->seq = c->comm->sent[c->root]++;
        o->sent = nbytes;
        break;
    case CALL_RECV:
        o->seq = c->comm->received[c->root]++;
        o->received = nbytes;
        break;
    case CALL_PUT:
        o->seq = c->comm->signalled[c->root * HUB_SIGNALS + c->signal]++;
        o->sent = nbytes;
        break;
    case CALL_WAIT:
        o->seq = c->comm->awaited[c->root * HUB_SIGNALS + c->signal];
        c->comm->awaited[c->root * HUB_SIGNALS + c->signal] += c->nsignals;
        break;
    }
    return o;
}

struct run { /* a group's calls on one communicator */
    struct ncclComm *comm;
    struct stream *launch; /* the first stream used */
    struct nccl_op **op;   /* in execution order */
    int n;
    struct stream **other; /* the other streams, each once */
    int nothers;
    uint32_t site; /* where the first call was made */
};

static void note_stream(struct run *r, struct stream *s)
{
    if (!r->launch)
        r->launch = s;
    int known = s == r->launch;
    for (int i = 0; i < r->nothers; i++)
        known |= r->other[i] == s;
    if (!known)
        r->other[r->nothers++] = s;
}

/* All operations share the outbox; the first one posts what fits. */
static void give_outbox(struct run *r)
{
    struct outbox *const b = outbox_new(r->comm, r->n);
    for (int i = 0; i < r->n; i++) {
        r->op[i]->outbox = b;
        if (r->op[i]->call.kind == CALL_SEND)
            outbox_add(b, r->op[i]);
    }
    r->op[0]->posts = 1;
}

static void enqueue(struct run *r, struct gate *gate)
{
    struct fence last = {0};
    for (int i = 0; i < r->nothers; i++)
        simgpu_op_after(&r->op[0]->op, simgpu_stream_tail(r->other[i]));
    r->op[0]->gate = gate;
    give_outbox(r);
    struct profiler_launch *const launch = profiler_enter_launch(r->op, r->n);
    for (int i = 0; i < r->n; i++) {
        // a group's calls are collected and then launched once
        if (i > 0)
            r->op[i]->op.node.host_ps = simgpu_proc()->costs->api_host_ps;
        struct graph_access access[3];
        struct graph_move move;
        struct nccl_op *const o = r->op[i];
        fill_node(o, access, &move);
        stage(o);
        o->op.accesses = access;
        o->op.moves = &move;
        o->op.announced = 1;
        last = simgpu_stream_enqueue(r->launch, &o->op);
    }
    comm_note_tail(r->comm, last);
    for (int i = 0; i < r->nothers; i++) {
        struct op *const join = simgpu_op_new(sizeof *join, NULL, GRAPH_MARK,
                                              "ncclGroupEnd", r->site);
        join->announced = 1;
        simgpu_op_after(join, last);
        simgpu_stream_enqueue(r->other[i], join);
    }
    profiler_leave_launch(launch);
}

/* Collect the calls on one communicator, in execution order. */
static void collect(struct run *r, const struct nccl_call *calls, int n,
                    uint32_t group)
{
    static const int turn[] = {[CALL_COLL] = 0,
                               [CALL_PUT] = 1,
                               [CALL_WAIT] = 1,
                               [CALL_RECV] = 2,
                               [CALL_SEND] = 3};
    for (int i = 0; i < n; i++)
        if (calls[i].comm == r->comm)
            note_stream(r, calls[i].stream);
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < n; i++)
            if (calls[i].comm == r->comm && turn[calls[i].kind] == t)
                r->op[r->n++] = op_of(&calls[i], group);
}

static int first_of_comm(const struct nccl_call *calls, int i)
{
    for (int k = 0; k < i; k++)
        if (calls[k].comm == calls[i].comm)
            return 0;
    return 1;
}

void execute_calls(const struct nccl_call *calls, int n)
{
    const uint32_t group = n > 1 ? ++ngroups : 0;
    static const char of[] = "a group of %d calls";
    struct gate *const gate = simgpu_need(calloc(1, sizeof *gate), of, n);
    struct nccl_op **const ops =
        simgpu_need(calloc((size_t)n, sizeof *ops), of, n);
    struct stream **const streams =
        simgpu_need(calloc((size_t)n, sizeof *streams), of, n);
    atomic_store(&gate->refs, 1);
    simgpu_stream_ahead(calls->comm->device, n, calls->name, calls->site);
    for (int i = 0; i < n; i++) {
        if (!first_of_comm(calls, i))
            continue;
        struct run r = {.comm = calls[i].comm,
                        .op = ops,
                        .other = streams,
                        .site = calls[i].site};
        collect(&r, calls, n, group);
        atomic_fetch_add(&gate->refs, 1);
        enqueue(&r, gate);
    }
    atomic_store(&gate->open, 1);
    simgpu_wake(&gate->open);
    pass(gate);
    for (int i = 0; i < n; i++)
        explain_call(&calls[i]);
    free(ops);
    free(streams);
}

int execute_accesses(const struct nccl_call *c,
                     struct graph_access access[EXECUTE_ACCESSES])
{
    const size_t nbytes = c->count * reduce_type_size(c->type);
    size_t sent = c->kind == CALL_SEND || c->kind == CALL_PUT ? nbytes : 0;
    size_t received = c->kind == CALL_RECV ? nbytes : 0;
    struct graph_node n = {.site = c->site};
    if (c->kind == CALL_COLL)
        coll_sizes(c, &sent, &received);
    add_access(&n, access, c->sendbuf, sent, 0);
    add_access(&n, access, c->recvbuf, received, 1);
    return n.naccesses;
}

ncclResult_t execute_events(const struct nccl_call *calls, int n)
{
    const int device = simgpu_device_current();
    cudaError_t err = cudaSuccess;
    for (int i = 0; i < n && err == cudaSuccess; i++) {
        const struct nccl_call *const c = &calls[i];
        simgpu_device_set(c->comm->device);
        if (c->launched)
            err = cudaEventRecord(c->launched, c->handle);
    }
    simgpu_device_set(device);
    return err == cudaSuccess
               ? ncclSuccess
               : nccl_error(ncclUnhandledCudaError,
                            "Cuda failure '%s': launchCompletionEvent",
                            cudaGetErrorString(err));
}
