/*
 * operand.c: the bytes that an operation touches
 */
#include "cublas/handle.h"

#include <stdlib.h> /* realloc */

#include "core/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream.h"

static void add(struct touches *t, uint64_t alloc, uint64_t begin,
                uint64_t nbytes, int write)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->access = realloc(t->access, t->room * sizeof *t->access);
        if (!t->access)
            simgpu_report_fault(NULL, "%s: out of host memory for its operands",
                                t->call.name);
    }
    t->access[t->n++] = (struct graph_access){.alloc = alloc,
                                              .begin = begin,
                                              .end = begin + nbytes,
                                              .write = (uint32_t)write,
                                              .site = t->call.site};
}

static void check(const struct touches *t, const char *what, const void *p,
                  size_t nbytes, struct heap_block *b)
{
    char site[256], where[512];
    if (simgpu_heap_find(p, b) != 0)
        simgpu_report_fault(
            NULL,
            "%s at %s: %s is %p, memory that the GPU cannot reach.\n"
            "Allocate it with cudaMalloc.",
            t->call.name, simgpu_site_text(t->call.site, site, sizeof site),
            what, p);
    if ((const char *)p + nbytes > b->base + b->nbytes)
        simgpu_report_fault(
            NULL,
            "%s at %s: %s needs %zu bytes, but starts at %s.\n"
            "Matrices are stored column by column: check m, n, k and "
            "the leading dimension.",
            t->call.name, simgpu_site_text(t->call.site, site, sizeof site),
            what, nbytes, simgpu_heap_describe(p, where, sizeof where));
}

void *touch(struct touches *t, const char *what, const void *p,
            size_t column_nbytes, size_t pitch_nbytes, size_t columns,
            int write)
{
    struct heap_block b;
    if (column_nbytes == 0 || columns == 0)
        return NULL;
    check(t, what, p, (columns - 1) * pitch_nbytes + column_nbytes, &b);
    if (pitch_nbytes == column_nbytes) { // contiguous: one range
        column_nbytes *= columns;
        columns = 1;
    }
    const uint64_t begin = (uint64_t)((const char *)p - b.base);
    for (size_t i = 0; i < columns; i++)
        add(t, b.id, begin + i * pitch_nbytes, column_nbytes, write);
    t->nbytes += column_nbytes * columns;
    return simgpu_heap_raw(p);
}

const float *touch_scalar(struct touches *t, cublasHandle_t handle,
                          const char *what, const float *p, float *value)
{
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return touch(t, what, p, sizeof *p, sizeof *p, 1, 0);
    *value = *p;
    return NULL;
}

struct fence enqueue(struct stream *s, struct op *op, struct touches *t,
                     double flops, enum topo_math math)
{
    const int32_t place = simgpu_proc_place(simgpu_stream_device(s));
    const struct graph_move move = {place, place, t->nbytes};
    op->node.latency_ps = simgpu_proc()->costs->kernel_ps;
    op->node.flops = flops;
    op->node.math = math;
    op->node.nmoves = 1;
    op->node.naccesses = (uint32_t)t->n;
    op->moves = &move;
    op->accesses = t->access;
    const struct fence m = simgpu_stream_enqueue(s, op);
    free(t->access);
    return m;
}
