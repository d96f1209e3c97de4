#include "core/stream/deferred.h"

#include <stdatomic.h> /* atomic_load */
#include <stdlib.h>    /* malloc */
#include <string.h>    /* memcpy */

#include "core/heap/operand.h"
#include "core/report.h"

static const struct stream_captures *_Atomic captures; /* NULL: none yet */

void stream_set_captures(const struct stream_captures *runtime)
{
    atomic_store(&captures, runtime);
}

int simgpu_stream_refuses(struct stream *s, int waits)
{
    const struct stream_captures *const c = atomic_load(&captures);
    return c ? c->refuses(s, waits) : 0;
}

int simgpu_stream_defer(struct stream *const *streams, int n,
                        const struct stream_work *work)
{
    return atomic_load(&captures)->defer(streams, n, work);
}

/* ---- one operation ------------------------------------------------------- */

struct template
{ /* an operation that has not been enqueued */
    size_t nbytes;
    struct op *op;
    struct graph_move *moves;
    struct graph_access *accesses;
    const char **at; /* the accesses' addresses; NULL: not in a heap */
};

static void *copy_of(const void *from, size_t nbytes)
{
    void *const to = simgpu_need(malloc(nbytes + 1), "a captured operation");
    if (nbytes)
        memcpy(to, from, nbytes);
    return to;
}

static void release(void *arg)
{
    struct template *const t = arg;
    free(t->op);
    free(t->moves);
    free(t->accesses);
    free(t->at);
    free(t);
}

/* The program may have freed the memory since the capture, and may have other
 * memory at the address. */
static void renew(const struct op *op, struct stream *s, const char *at,
                  struct graph_access *a)
{
    const uint64_t nbytes = a->end - a->begin;
    const struct operand o = {
        .call = op->name,
        .name = "an operand, as the graph was captured,",
        .site = op->node.site,
        .device = simgpu_stream_device(s),
        .remedy = " and keep it as long as a graph uses it",
        .check = "Capture the call again when its memory has changed."};
    const struct heap_block b = simgpu_operand_block(&o, at, nbytes);
    a->alloc = b.id;
    a->begin = (uint64_t)(at - b.base);
    a->end = a->begin + nbytes;
}

static void enqueue(void *arg, void *stream)
{
    const struct template *const t = arg;
    struct op *const op = copy_of(t->op, t->nbytes);
    const size_t n = op->node.naccesses;
    struct graph_access *const a = copy_of(t->accesses, n * sizeof *a);
    for (size_t i = 0; i < n; i++)
        if (t->at[i])
            renew(op, stream, t->at[i], &a[i]);
    op->moves = t->moves;
    op->accesses = a;
    simgpu_stream_enqueue(stream, op);
    free(a);
}

/* The addresses of the operation's accesses, most of which are to the
 * allocation of the one before. */
static const char **addresses(const struct op *op)
{
    const size_t n = op->node.naccesses;
    const char **const at =
        simgpu_need(calloc(n + 1, sizeof *at), "a captured operation");
    struct heap_block b = {.id = 0};
    for (size_t i = 0; i < n; i++) {
        const struct graph_access *const a = &op->accesses[i];
        if (a->alloc != b.id && heap_find_id(a->alloc, &b) != 0)
            b.id = 0;
        at[i] = b.id ? b.base + a->begin : NULL;
    }
    return at;
}

struct fence simgpu_stream_submit(struct stream *s, struct op *op,
                                  size_t nbytes)
{
    if (!simgpu_stream_capture(s))
        return simgpu_stream_enqueue(s, op);
    struct template *const t =
        simgpu_need(malloc(sizeof *t), "a captured operation");
    *t = (struct template){
        .nbytes = nbytes,
        .op = op,
        .moves = copy_of(op->moves, op->node.nmoves * sizeof *op->moves),
        .accesses =
            copy_of(op->accesses, op->node.naccesses * sizeof *op->accesses),
        .at = addresses(op)};
    const struct stream_work work = {.name = op->name,
                                     .site = op->node.site,
                                     .kind = STREAM_WORK_KERNEL,
                                     .enqueue = enqueue,
                                     .release = release,
                                     .arg = t};
    if (simgpu_stream_defer(&s, 1, &work) != 0)
        release(t);
    return (struct fence){0};
}
