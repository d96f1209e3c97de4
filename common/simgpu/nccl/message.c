#include "nccl/message.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */

#include "core/heap/dataless.h"
#include "core/report.h"
#include "core/site.h"
#include "core/wait.h"

struct outbox {
    struct ncclComm *comm;
    _Atomic int refs;
    int n; /* sends that are not posted yet */
    struct nccl_op **send;
    unsigned char *full; /* by peer: its channel was full in outbox_post() */
};

struct outbox *outbox_new(struct ncclComm *comm, int n)
{
    static const char of[] = "a group of %d calls";
    struct outbox *const b = simgpu_need(calloc(1, sizeof *b), of, n);
    b->send = simgpu_need(calloc((size_t)n, sizeof *b->send), of, n);
    b->full = simgpu_need(calloc((size_t)comm->nranks, 1), of, n);
    b->comm = comm;
    atomic_store(&b->refs, n);
    return b;
}

void outbox_leave(struct outbox *b)
{
    if (atomic_fetch_sub(&b->refs, 1) > 1)
        return;
    free(b->send);
    free(b->full);
    free(b);
}

void outbox_add(struct outbox *b, struct nccl_op *send)
{
    b->send[b->n++] = send;
}

/* ---- describing waits ---------------------------------------------------- */

/* "rank 0 receives from rank 2 of 4, message 3, 1024 elements" */
static void describe_message(const void *arg, char *out, size_t nbytes)
{
    const struct nccl_op *const o = arg;
    const struct nccl_call *const c = &o->call;
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

static struct hub_message *message_of(const struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    const int me = c->comm->rank, sends = c->kind == CALL_SEND;
    return hub_message(&c->comm->hub, sends ? me : c->root,
                       sends ? c->root : me, (uint32_t)o->seq);
}

/* ---- posting ------------------------------------------------------------- */

/* Post a send. Returns 1, 0 if its channel is full, or -1 if it is lost. */
static int post(struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    struct hub_message *const m = message_of(o);
    const int room =
        hub_reached(&m->turn, hub_turn((uint32_t)o->seq, HUB_FREE));
    if (room <= 0)
        return room;
    m->nbytes = o->sent;
    if (o->sent)
        simgpu_heap_export(c->sendbuf, &m->buf);
    hub_advance(&c->comm->hub, m, c->root);
    return 1;
}

int outbox_post(struct outbox *b)
{
    int left = 0;
    memset(b->full, 0, (size_t)b->comm->nranks);
    for (int i = 0; i < b->n; i++) {
        struct nccl_op *const o = b->send[i];
        // a channel's messages stay in order
        const int done = b->full[o->call.root] ? 0 : post(o);
        if (done < 0) {
            b->n = 0;
            return -1;
        }
        b->full[o->call.root] |= !done;
        if (!done)
            b->send[left++] = o;
    }
    b->n = left;
    return 0;
}

/* Sleep until the message has reached this turn; post sends meanwhile. */
static int wait_turn(struct nccl_op *o, enum hub_turn turn)
{
    struct hub_message *const m = message_of(o);
    const struct hub_view *const hub = &o->call.comm->hub;
    const struct wait_note note = note_of(o);
    const uint32_t enough = hub_turn((uint32_t)o->seq, turn);
    while (o->outbox->n > 0) {
        const uint32_t heard = hub_listen(hub);
        const int err = outbox_post(o->outbox);
        const int reached = err ? err : hub_reached(&m->turn, enough);
        if (reached == 0)
            simgpu_wait(hub_bell(hub), heard, &note);
        hub_ignore(hub);
        if (reached < 0)
            o->outbox->n = 0;
        if (reached != 0)
            return reached > 0 ? 0 : -1;
    }
    return hub_wait(&m->turn, enough, &note);
}

/* ---- receiving ----------------------------------------------------------- */

/* True if memory has no contents (dataless.h), so that the message is only
 * recorded. */
static int receives_nothing(const struct nccl_call *c,
                            const struct heap_ref *from)
{
    struct heap_block b;
    const int into = simgpu_heap_find(c->recvbuf, &b) == 0 && dataless(b.id);
    if (dataless(from->block) && !into)
        simgpu_dataless_fault(
            c->name, c->site,
            "it receives from memory without contents into memory "
            "that has them");
    return into;
}

int message_receive(struct nccl_op *o)
{
    const struct nccl_call *const c = &o->call;
    struct hub_message *const m = message_of(o);
    if (wait_turn(o, HUB_POSTED) != 0)
        return -1;
    if (m->nbytes != o->received) {
        char site[256];
        simgpu_report_fault(
            "message",
            "%s at %s: rank %d expects %zu bytes from rank %d, which "
            "sends %zu.\nBoth sides of a message must pass the same "
            "count and type.",
            c->name, simgpu_site_text(c->site, site, sizeof site),
            c->comm->rank, o->received, c->root, (size_t)m->nbytes);
    }
    if (o->received && !receives_nothing(c, &m->buf))
        memmove(simgpu_heap_raw(c->recvbuf), simgpu_heap_raw_ref(&m->buf),
                o->received);
    hub_advance(&c->comm->hub, m, c->root);
    return 0;
}

int message_finish(struct nccl_op *o)
{
    return wait_turn(o, HUB_RECEIVED);
}
