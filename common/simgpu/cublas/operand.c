/*
 * operand.c: the bytes that an operation touches
 */
#include "cublas/handle.h"

#include <stdint.h> /* uint16_t */
#include <stdlib.h> /* realloc */

#include "base/narrow.h"
#include "core/heap/operand.h"
#include "core/report.h"
#include "core/stream/deferred.h"
#include "cublas/column.h"

/* A library's kernel has read its operands before it writes a result, so even
 * what it overwrites must have been written before. */
static uint32_t access_of(enum touch_use use)
{
    return use == TOUCH_WRITE   ? GRAPH_WRITE
           : use == TOUCH_MAYBE ? GRAPH_READ | GRAPH_BLIND
                                : GRAPH_READ | GRAPH_FIRST;
}

static void add(struct touches *t, uint64_t alloc, uint64_t begin,
                uint64_t nbytes, enum touch_use use)
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
                                              .write = access_of(use),
                                              .site = t->call.site};
}

void *touch(struct touches *t, const char *what, const void *p,
            size_t column_nbytes, size_t pitch_nbytes, size_t columns,
            enum touch_use use)
{
    const struct operand o = {
        .call = t->call.name,
        .name = what,
        .site = t->call.site,
        .device = simgpu_stream_device(t->stream),
        .remedy = "",
        .check = "Matrices are stored column by column: check m, n, k and the "
                 "leading dimension."};
    if (column_nbytes == 0 || columns == 0 || use == TOUCH_NOT)
        return NULL;
    const struct heap_block b = simgpu_operand_block(
        &o, p, (columns - 1) * pitch_nbytes + column_nbytes);
    if (pitch_nbytes == column_nbytes) { // contiguous: one range
        column_nbytes *= columns;
        columns = 1;
    }
    const uint64_t begin = (uint64_t)((const char *)p - b.base);
    for (size_t i = 0; i < columns; i++)
        add(t, b.id, begin + i * pitch_nbytes, column_nbytes, use);
    t->nbytes += column_nbytes * columns;
    return simgpu_heap_raw(p);
}

void *touch_vector(struct touches *t, const char *what, const void *p,
                   size_t size, int n, int inc, enum touch_use use)
{
    return touch(t, what, p, size, (size_t)abs(inc) * size,
                 n > 0 ? (size_t)n : 0, use);
}

void *touch_triangle(struct touches *t, const char *what, const void *p,
                     size_t size, cublasFillMode_t fill, int n, int ld,
                     enum touch_use use)
{
    for (int col = 0; col < n; col++) {
        const int from = fill == CUBLAS_FILL_MODE_LOWER ? col : 0;
        const int rows = fill == CUBLAS_FILL_MODE_LOWER ? n - col : col + 1;
        touch(t, what,
              (const char *)p +
                  ((size_t)col * (size_t)ld + (size_t)from) * size,
              (size_t)rows * size, (size_t)rows * size, 1, use);
    }
    return n > 0 && use != TOUCH_NOT ? simgpu_heap_raw(p) : NULL;
}

static double complex read_scalar(const void *p, cudaDataType type)
{
    switch (type) {
    case CUDA_C_64F: return *(const double complex *)p;
    case CUDA_C_32F: return *(const float complex *)p;
    case CUDA_R_64F: return *(const double *)p;
    case CUDA_R_32I: return *(const int32_t *)p;
    case CUDA_R_16F:
        return (double)narrow_to_float(*(const uint16_t *)p, NARROW_FP16);
    case CUDA_R_16BF:
        return (double)narrow_to_float(*(const uint16_t *)p, NARROW_BF16);
    default: return (double)*(const float *)p;
    }
}

struct scalar touch_scalar(struct touches *t, cublasHandle_t handle,
                           const char *what, const void *p, cudaDataType type)
{
    const size_t size = column_operand_nbytes(type);
    struct scalar s = {.type = type};
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        s.at = touch(t, what, p, size, size, 1, 0);
    else
        s.value = read_scalar(p, type);
    return s;
}

double complex scalar_now_complex(const struct scalar *s)
{
    return s->at ? read_scalar(s->at, s->type) : s->value;
}

double scalar_now(const struct scalar *s)
{
    return creal(scalar_now_complex(s));
}

int scalar_is_zero(const struct scalar *s)
{
    return !s->at && s->value == 0;
}

enum touch_use scalar_use(const struct scalar *s)
{
    return s->at ? TOUCH_MAYBE : scalar_is_zero(s) ? TOUCH_NOT : TOUCH_READ;
}

struct fence enqueue(struct stream *s, struct op *op, size_t nbytes,
                     struct touches *t, double flops, enum topo_math math)
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
    const struct fence m = simgpu_stream_submit(s, op, nbytes);
    free(t->access);
    return m;
}
