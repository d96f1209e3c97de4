#include "nccl/rma.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memmove */

#include "core/heap/dataless.h"

enum { SIGNAL_BYTES = 8 }; /* the word that a signal increments */

int rma_put(struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    const struct graph_ref me = {simgpu_proc()->rank, o->op.node.index};
    if (hub_lost(&c->comm->hub))
        return -1;
    struct heap_block b;
    if (o->sent && simgpu_heap_find(c->target, &b) == 0 && !dataless(b.id))
        memmove(simgpu_heap_raw(c->target), simgpu_heap_raw(c->sendbuf),
                o->sent);
    hub_post_signal(&c->comm->hub, c->root, c->signal, (uint32_t)o->seq, me);
    return 0;
}

/* Index of the first signal of the wait that is missing; nsignals if none
 * is. */
static uint32_t first_missing(const struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    struct graph_ref from;
    uint32_t i = 0;
    while (i < c->nsignals && hub_find_signal(&c->comm->hub, c->root, c->signal,
                                              (uint32_t)o->seq + i, &from))
        i++;
    return i;
}

/* "rank 0 waits for 2 signals 0 of rank 1, 1 has come" */
static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct nccl_op *const o = arg;
    const struct nccl_call *const c = &o->call;
    const int per_context = c->comm->config.rma_signals;
    snprintf(out, nbytes,
             "rank %d waits for %u more signals (index %d, context %d) of rank "
             "%d; %u have come",
             c->comm->rank, c->nsignals, c->signal % per_context,
             c->signal / per_context, c->root, first_missing(o));
}

int rma_wait(struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    const struct hub_view *const hub = &c->comm->hub;
    _Atomic uint32_t *const count = &hub->hub->member[hub->rank].signals;
    const struct wait_note note = {
        .call = c->name, .site = c->site, .describe = describe, .arg = o};
    for (;;) {
        const uint32_t seen = atomic_load(count);
        if (first_missing(o) == c->nsignals)
            break;
        if (seen & HUB_LOST)
            return -1;
        simgpu_wait(count, seen, &note);
    }
    for (uint32_t i = 0; i < c->nsignals; i++) {
        struct graph_ref from;
        hub_find_signal(hub, c->root, c->signal, (uint32_t)o->seq + i, &from);
        const struct graph_point end = {from.rank, from.index, 0};
        if (from.index)
            simgpu_op_part(&o->op, &end, 1, 0);
    }
    return 0;
}

void rma_fill_node(struct nccl_op *o, struct graph_access *access,
                   struct graph_move *move)
{
    const struct nccl_call *const c = &o->call;
    struct graph_node *const n = &o->op.node;
    if (c->kind == CALL_WAIT)
        return;
    o->op.always = 1; // a put without data still signals
    n->nmoves = 1;
    *move = (struct graph_move){.from = simgpu_proc_place(c->comm->device),
                                .to = c->comm->hub.hub->member[c->root].place,
                                .nbytes = o->sent ? o->sent : SIGNAL_BYTES};
    n->bytes = move->nbytes;
    struct heap_block b;
    if (o->sent == 0 || simgpu_heap_find(c->target, &b) != 0)
        return;
    const uint64_t begin = (uint64_t)(c->target - b.base);
    access[n->naccesses++] = (struct graph_access){.alloc = b.id,
                                                   .begin = begin,
                                                   .end = begin + o->sent,
                                                   .write = GRAPH_WRITE,
                                                   .site = n->site};
}
