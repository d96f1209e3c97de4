#include "cudart/memory/life.h"

#include "core/heap/heap.h"
#include "core/stream/stream.h"

struct graph_access life_whole(const struct heap_block *b, enum graph_touch how,
                               uint32_t site)
{
    return (struct graph_access){
        .alloc = b->id, .end = b->nbytes, .write = how, .site = site};
}

struct free_op {
    struct op op;
    void *p;
};

static void run_free(struct op *op)
{
    simgpu_heap_free(((struct free_op *)op)->p);
}

/* Enqueue the operation that begins or ends an allocation's lifetime; the
 * latter then frees p. */
static void enqueue(struct stream *s, void *p, const struct heap_block *b,
                    enum graph_touch how, const char *call, uint32_t site)
{
    const struct graph_access access = life_whole(b, how, site);
    struct free_op *const op =
        simgpu_op_new(sizeof *op, p ? run_free : NULL, GRAPH_MARK, call, site);
    op->p = p;
    op->op.node.naccesses = 1;
    op->op.accesses = &access;
    simgpu_stream_enqueue(s, &op->op);
}

void life_mark(struct stream *s, void *p, enum graph_touch how,
               const char *call, uint32_t site)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) == 0)
        enqueue(s, NULL, &b, how, call, site);
}

void life_use(struct stream *s, void *p, const char *call, uint32_t site)
{
    life_mark(s, p, GRAPH_WRITE, call, site);
}

void life_end(struct stream *s, void *p, const struct heap_block *b,
              const char *call, uint32_t site)
{
    enqueue(s, p, b, GRAPH_FREE, call, site);
}
