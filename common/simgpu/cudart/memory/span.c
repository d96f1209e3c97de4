#include "cudart/api.h"

#include "core/heap/heap.h"
#include "core/heap/heap_space.h" /* space_slot */
#include "core/heap/resident.h"
#include "core/stream/stream.h"
#include "cudart/memory/symbol.h"

static _Thread_local int inside_host_function;

int api_inside_host_function(void)
{
    return inside_host_function;
}

void api_host_function(int inside)
{
    inside_host_function = inside;
}

cudaError_t span_of(const void *p, size_t nbytes, int write, struct span *out)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) == 0) {
        const uint64_t begin = (uint64_t)((const char *)p - b.base);
        if (begin + nbytes > b.nbytes)
            return cudaErrorInvalidValue;
        *out = (struct span){.raw = simgpu_heap_raw(p),
                             .device = b.device,
                             .on_host = b.managed,
                             .place = b.place,
                             .access = {.alloc = b.id,
                                        .begin = begin,
                                        .end = begin + nbytes,
                                        .write = write}};
        return cudaSuccess;
    }
    if (!p || space_slot(p) >= 0)
        return cudaErrorInvalidValue;
    // ordinary memory: the process's address space counts as one allocation
    *out =
        (struct span){.raw = (char *)p,
                      .device = API_PAGEABLE,
                      .place = simgpu_proc_place(HEAP_PINNED),
                      .access = {.alloc = (uint64_t)simgpu_proc()->rank << 32,
                                 .begin = (uintptr_t)p,
                                 .end = (uintptr_t)p + nbytes,
                                 .write = write}};
    return cudaSuccess;
}

int api_span_variable(struct span *s, int device)
{
    const char *begin, *end;
    if (s->device != API_PAGEABLE || !symbol_holds(s->raw) ||
        !resident_find(s->raw, &begin, &end))
        return -1;
    s->access.begin += graph_variable(device);
    s->access.end += graph_variable(device);
    return device;
}

struct fence api_enqueue_touching(struct stream *s, struct op *op,
                                  const struct span *to,
                                  const struct span *from, size_t nbytes,
                                  const struct graph_access *access, size_t n)
{
    const struct graph_move move = {from->place, to->place, nbytes};
    op->node.naccesses = (uint32_t)n;
    op->node.nmoves = 1;
    op->node.latency_ps = simgpu_proc()->costs->copy_ps;
    op->node.bytes = nbytes;
    op->accesses = access;
    op->moves = &move;
    return simgpu_stream_enqueue(s, op);
}

struct fence api_enqueue(struct stream *s, struct op *op,
                         const struct span *const *spans, int n, size_t nbytes)
{
    struct graph_access access[2];
    for (int i = 0; i < n; i++) {
        access[i] = spans[i]->access;
        access[i].site = op->node.site;
    }
    return api_enqueue_touching(s, op, spans[0], spans[n - 1], nbytes, access,
                                (size_t)n);
}
