/*
 * hazard_text.c: hazards in words
 *
 *     race on bytes 0 to 4095 of the 8192-byte allocation made at a.cu:12
 *       scale writes them at a.cu:30 (rank 0, stream 2 of device 0)
 *       cudaMemcpyAsync reads them at a.cu:31 (rank 0, stream 3 of device 0)
 *       Nothing orders scale before cudaMemcpyAsync: an event recorded on ...
 */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <string.h> /* strcmp */

#include "graph/hazard/hazard.h"

struct text {
    char *out;
    size_t nbytes, at;
};

static void put(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->out + t->at, t->nbytes - t->at, format, args);
    va_end(args);
    if (n > 0)
        t->at += (size_t)n;
    if (t->at >= t->nbytes)
        t->at = t->nbytes - 1;
}

const char *hazard_kind_name(enum hazard_kind kind)
{
    static const char *const name[HAZARD_KINDS] = {"race",
                                                   "race in a group",
                                                   "lifetime",
                                                   "buffers overlap",
                                                   "uninitialised read",
                                                   "crossed collectives",
                                                   "memory"};
    return name[kind];
}

/* Write "bytes 0 to 4095 of the 8192-byte allocation made at a.cu:12". */
static void put_bytes(struct text *t, const struct hazard *h)
{
    const unsigned long long nbytes = h->end - h->begin;
    const int device = graph_variable_device(h->begin);
    if (h->alloc_nbytes == 0 && device >= 0) {
        put(t,
            "%llu bytes of a __device__ or __constant__ variable of device "
            "%d",
            nbytes, device);
        return;
    }
    if (h->alloc_nbytes == 0) {
        put(t, "%llu bytes of host memory at 0x%llx", nbytes,
            (unsigned long long)h->begin);
        return;
    }
    if (nbytes == 1)
        put(t, "byte %llu", (unsigned long long)h->begin);
    else
        put(t, "bytes %llu to %llu", (unsigned long long)h->begin,
            (unsigned long long)h->end - 1);
    put(t, " of the %llu-byte allocation made at %s",
        (unsigned long long)h->alloc_nbytes, h->alloc_site);
    if (h->alloc_place < 0)
        put(t, " in host memory");
}

/* Write "stream 2 of device 0" or "the host". */
static void put_place(struct text *t, const struct hazard_op *op)
{
    if (op->queue == 0 && op->thread == 0)
        put(t, "the host");
    else if (op->queue == 0 && op->thread >= GRAPH_FUNCTIONS)
        put(t, "a host function of stream %u", op->thread - GRAPH_FUNCTIONS);
    else if (op->queue == 0)
        put(t, "host thread %u", op->thread);
    else if (strcmp(op->stream, "default stream") == 0)
        put(t, "the default stream of device %d", (int)op->place);
    else
        put(t, "%s %u of device %d", op->stream, op->queue, (int)op->place);
}

/* Write "stream 2", for a sentence of advice. */
static void put_stream(struct text *t, const struct hazard_op *op)
{
    if (strcmp(op->stream, "default stream") == 0)
        put(t, "the default stream");
    else
        put(t, "stream %u", op->queue);
}

static void put_op(struct text *t, const struct hazard_op *op)
{
    static const char *const verb[GRAPH_TOUCHES] = {
        "reads them",     "writes them", "updates them",
        "allocates them", "frees them",  "still has them open"};
    put(t, "  %s %s at %s%s%s (rank %u, ", op->name, verb[op->how], op->site,
        op->from[0] ? ", called at " : "", op->from, op->node.rank);
    put_place(t, op);
    put(t, ")\n");
}

/* ---- advice -------------------------------------------------------------- */

static void put_race_of_ranks(struct text *t, const struct hazard_op *a,
                              const struct hazard_op *b)
{
    put(t, "  Nothing orders rank %u's %s and rank %u's %s. ", a->node.rank,
        a->name, b->node.rank, b->name);
    put(t, a->queue && b->queue
               ? "Signal a flag\n  after the one and wait for it before the "
                 "other, on the streams or in the\n  kernels, or share an "
                 "event between the processes. MPI orders them only if the\n"
                 "  first rank has waited for its stream.\n"
               : "Let the first rank wait for\n  its stream and then notify "
                 "the other (a message, MPI_Barrier), or share an\n  event "
                 "between the processes.\n");
}

static int is_default(const struct hazard_op *op)
{
    return strcmp(op->stream, "default stream") == 0;
}

/* If one of them is in the default stream, say why that does not order them. */
static void put_default_stream(struct text *t, const struct hazard_op *a,
                               const struct hazard_op *b)
{
    const struct hazard_op *const other = is_default(a) ? b : a;
    if (is_default(a) == is_default(b) ||
        strncmp(other->stream, "non-blocking", 12) != 0)
        return;
    put(t,
        "  The default stream waits for other streams, but not for "
        "non-blocking ones: pass\n  %s the stream of %s.\n",
        is_default(a) ? a->name : b->name, other->name);
}

static void put_race_of_streams(struct text *t, const struct hazard_op *a,
                                const struct hazard_op *b)
{
    put(t, "  Nothing orders %s before %s: an event recorded on ", a->name,
        b->name);
    put_stream(t, a);
    put(t, " after\n  %s, and waited on by ", a->name);
    put_stream(t, b);
    put(t, " before %s, would.\n", b->name);
    put_default_stream(t, a, b);
}

static void put_race_with_host(struct text *t, const struct hazard_op *a,
                               const struct hazard_op *b)
{
    if (a->queue) {
        const int is_access = strcmp(b->name, "host code") == 0;
        put(t, "  The host doesn't wait for %s before %s: ", a->name,
            is_access ? "this access" : b->name);
        put(t, "synchronising ");
        put_stream(t, a);
        put(t, "\n  between the two would.\n");
    } else {
        put(t, "  %s is still in progress when %s begins: wait for it first.\n",
            a->name, b->name);
    }
}

static void put_race_of_block(struct text *t, const struct hazard_op *kernel,
                              const struct hazard_op *other)
{
    put(t,
        "  Rank %u's %s waits for rank %u's %s, but in another block.\n  What "
        "a block has waited for orders that block alone. Have each block "
        "wait\n  itself, or for the one that did: by grid.sync(), or by a flag "
        "that it sets.\n",
        kernel->node.rank, kernel->name, other->node.rank, other->name);
}

static void put_race(struct text *t, const struct hazard *h)
{
    const struct hazard_op *const a = &h->op[0], *const b = &h->op[1];
    if (h->behind)
        put_race_of_block(t, &h->op[h->behind - 1], &h->op[2 - h->behind]);
    else if (a->node.rank != b->node.rank)
        put_race_of_ranks(t, a, b);
    else if (a->queue && b->queue)
        put_race_of_streams(t, a, b);
    else
        put_race_with_host(t, a, b);
    if (h->warning)
        put(t,
            "  (A host function runs in between. If it signals the host, and "
            "the host\n  waits for the signal, the two are ordered.)\n");
}

static void put_life(struct text *t, const struct hazard *h)
{
    const struct hazard_op *const a = &h->op[0], *const b = &h->op[1];
    const int frees = b->how == GRAPH_FREE || a->how == GRAPH_FREE;
    const struct hazard_op *const life = b->how >= GRAPH_ALLOC ? b : a;
    const struct hazard_op *const use = life == a ? b : a;
    if (use->how == GRAPH_HOLD || strstr(use->name, "Close"))
        put(t,
            "  %s on rank %u closes the handle only afterwards, or unordered "
            "with it: close it\n  first, and tell rank %u so (a message, "
            "MPI_Barrier) before it calls %s.\n",
            use->name, use->node.rank, life->node.rank, life->name);
    else if (!frees)
        put(t,
            "  The allocation takes effect in stream order, and %s does not "
            "wait for\n  it: wait on an event recorded after %s.\n",
            use->name, life->name);
    else if (life == b)
        put(t,
            "  %s does not wait for %s, which may still be using the memory: "
            "%s.\n",
            life->name, use->name,
            life->queue ? "let its stream\n  wait on an event recorded after it"
                        : "synchronise that\n  stream first");
    else
        put(t,
            "  %s uses memory that may be freed by then: free it after its "
            "last use.\n",
            use->name);
}

static void put_overlap(struct text *t, const struct hazard *h)
{
    const struct hazard_op *const a = &h->op[0];
    put(t, "  %s at %s (rank %u, ", a->name, a->site, a->node.rank);
    put_place(t, a);
    put(t,
        ") sends and receives them.\n  Its buffers overlap, but it is not "
        "in place: that takes the same pointer;\n  for ncclAllGather "
        "sendbuff = recvbuff + rank * count, for ncclReduceScatter\n  recvbuff "
        "= sendbuff + rank * count, in elements.\n  ncclAlltoAll is never in "
        "place.\n");
}

static void put_unwritten(struct text *t)
{
    put(t, "  They were never written: cudaMalloc doesn't clear memory. Copy "
           "data there,\n  or call cudaMemset.\n");
}

static void put_count(struct text *t, const struct hazard *h)
{
    const int nranks = rank_set_count(&h->ranks);
    if (h->count > 1 && nranks > 1)
        put(t, "  (%llu times, on %d ranks)\n", (unsigned long long)h->count,
            nranks);
    else if (h->count > 1)
        put(t, "  (%llu times)\n", (unsigned long long)h->count);
}

/* "rank 0: ncclAllReduce at a.c:10, then ncclBroadcast at a.c:11" */
static void put_calls(struct text *t, const struct hazard_op op[2])
{
    put(t, "rank %u: %s at %s, then %s at %s", op[0].node.rank, op[0].name,
        op[0].site, op[1].name, op[1].site);
}

static void put_crossed(struct text *t, const struct hazard *h)
{
    put(t,
        h->nring ? "%s of several communicators: ranks wait in a ring\n  "
                 : "%s of two communicators: ranks issue them in opposite "
                   "orders\n  ",
        hazard_kind_name(h->kind));
    put_calls(t, h->op);
    put(t, "\n  ");
    put_calls(t, h->other);
    if (h->nring) {
        put(t, "\n  ");
        put_calls(t, h->third);
    }
    if (h->nring > 3)
        put(t, "\n  and so on, on %u ranks", h->nring);
    put(t, "\n  A collective occupies its device until all its ranks have "
           "begun. If the device has\n  no room for both, or a call "
           "synchronises it, each rank waits for the other. Issue\n  "
           "collectives of different communicators in the same order on all "
           "ranks.\n");
}

const char *hazard_text(const struct hazard *h, char *out, size_t nbytes)
{
    struct text t = {out, nbytes, 0};
    out[0] = 0;
    if (h->kind == HAZARD_NOTED) {
        put(&t, "%s\n", h->text);
        put_count(&t, h);
        return out;
    }
    if (h->kind == HAZARD_CROSSED) {
        put_crossed(&t, h);
        put_count(&t, h);
        return out;
    }
    put(&t, "%s on ", hazard_kind_name(h->kind));
    put_bytes(&t, h);
    put(&t, "\n");
    for (int i = 0; i < h->nops && h->kind != HAZARD_OVERLAP; i++)
        put_op(&t, &h->op[i]);
    switch (h->kind) {
    case HAZARD_RACE: put_race(&t, h); break;
    case HAZARD_GROUP:
        put(&t, "  Both calls are in one group, whose calls are unordered: one "
                "must not send or\n  write what the other receives. Is the "
                "index of the block wrong? Otherwise use\n  separate "
                "buffers, or separate groups.\n");
        break;
    case HAZARD_LIFE: put_life(&t, h); break;
    case HAZARD_OVERLAP: put_overlap(&t, h); break;
    case HAZARD_UNINITIALISED: put_unwritten(&t); break;
    default: break;
    }
    put_count(&t, h);
    return out;
}

const char *hazard_line(const struct hazard *h, char *out, size_t nbytes)
{
    struct text t = {out, nbytes, 0};
    out[0] = 0;
    if (h->kind == HAZARD_NOTED) {
        put(&t, "%s", h->text);
        return out;
    }
    put(&t, "%s: ", hazard_kind_name(h->kind));
    if (h->kind == HAZARD_CROSSED) {
        put_calls(&t, h->op);
        put(&t, "; ");
        put_calls(&t, h->other);
        return out;
    }
    for (int i = 0; i < h->nops; i++)
        put(&t, "%s%s (%s)", i ? " and " : "", h->op[i].name, h->op[i].site);
    put(&t, " on rank %u%s, ", h->op[0].node.rank,
        h->nops == 2 ? ": nothing orders them" : "");
    put_bytes(&t, h);
    return out;
}
