/*
 * value.c: streams that write and wait for values in memory
 *
 * A write completes everything before it in its stream. A wait ends when the
 * word has the value, and what follows it in its stream is ordered after the
 * stream or kernel, of any process, that wrote the value (core/flag.h). The
 * writer of a value that the host stored, or a copy, is unknown: the graph then
 * has no edge.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */

#include "core/flag.h"
#include "core/heap.h"
#include "core/site.h"
#include "core/stream.h"
#include "driver/context.h"

struct value_op {
    struct op op;
    void *p;
    uint32_t value;
    unsigned flags;
};

/* ---- writing ------------------------------------------------------------- */

static void run_write(struct op *op)
{
    const struct value_op *const v = (struct value_op *)op;
    simgpu_flag_write(
        v->p, sizeof v->value, v->value,
        (struct flag_source){.part = {simgpu_proc()->rank, op->node.index, 0}});
}

/* ---- waiting ------------------------------------------------------------- */

struct wait { /* a wait under way */
    const struct value_op *op;
    struct flag_source by; /* the writer of what it waited for */
};

/* target: the value, with the flags in the upper half. */
static int holds(uint64_t word, uint64_t target)
{
    const uint32_t is = (uint32_t)word, value = (uint32_t)target;
    switch (target >> 32) {
    case CU_STREAM_WAIT_VALUE_EQ: return is == value;
    case CU_STREAM_WAIT_VALUE_AND: return (is & value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR: return ~(is | value) != 0;
    default: return (int32_t)(is - value) >= 0; // GEQ, cyclic
    }
}

static int met(void *arg)
{
    struct wait *const w = arg;
    const struct value_op *const v = w->op;
    const uint64_t target = v->value | (uint64_t)v->flags << 32;
    return holds(
        simgpu_flag_check(v->p, sizeof v->value, holds, target, &w->by),
        target);
}

static void describe(const void *arg, char *out, size_t nbytes)
{
    static const char *const relation[] = {
        "is >=", "is ==", "shares a bit with", "leaves a bit clear besides"};
    const struct value_op *const v = ((const struct wait *)arg)->op;
    struct flag_source by;
    char what[512];
    const uint64_t word = simgpu_flag_read(v->p, sizeof v->value, &by);
    snprintf(out, nbytes, "waits until the word at %p %s %u; it is %u: %s",
             v->p, relation[v->flags & 3], v->value, (unsigned)word,
             simgpu_heap_describe(v->p, what, sizeof what));
}

static void run_wait(struct op *op)
{
    struct wait w = {.op = (struct value_op *)op};
    const struct wait_note note = {.call = "cuStreamWaitValue32",
                                   .site = op->node.site,
                                   .describe = describe,
                                   .arg = &w};
    simgpu_flag_wait(w.op->p, met, &w, &note);
    if (w.by.part.index)
        simgpu_op_part(op, &w.by.part, 1, 0);
}

/* ---- both ---------------------------------------------------------------- */

/* True for memory that a stream may write and wait for: of a device, or host
 * memory that devices can reach. Managed memory is neither. */
static int reachable(void *p, struct heap_block *b)
{
    if ((uintptr_t)p % sizeof(cuuint32_t) != 0)
        return 0;
    if (simgpu_heap_find(p, b) == 0)
        return !b->managed;
    b->device = HEAP_PINNED;
    b->place = simgpu_proc_place(HEAP_PINNED);
    return simgpu_heap_registered(p);
}

static CUresult enqueue(const char *name, uint32_t site, CUstream stream,
                        CUdeviceptr addr, cuuint32_t value, unsigned flags,
                        int write)
{
    struct heap_block b;
    const CUresult err = context_current();
    if (err)
        return err;
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!reachable((void *)addr, &b))
        return CUDA_ERROR_INVALID_VALUE;
    struct value_op *const op =
        simgpu_op_new(sizeof *op, write ? run_write : run_wait,
                      write ? GRAPH_MEMSET : GRAPH_MARK, name, site);
    op->p = (void *)addr;
    op->value = value;
    op->flags = flags;
    const struct graph_access access = {
        .alloc = b.id,
        .begin = (uint64_t)((char *)op->p - b.base),
        .end = (uint64_t)((char *)op->p - b.base) + sizeof value,
        .write = 2, // waits may read it meanwhile: no race
        .site = site};
    const struct graph_move move = {simgpu_proc_place(simgpu_stream_device(s)),
                                    b.place, sizeof value};
    op->op.node.naccesses = b.id != 0;
    op->op.accesses = &access;
    op->op.node.nmoves = write != 0;
    op->op.moves = &move;
    simgpu_stream_enqueue(s, &op->op);
    return CUDA_SUCCESS;
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr,
                              cuuint32_t value, unsigned int flags)
{
    if (flags != CU_STREAM_WRITE_VALUE_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
    return enqueue("cuStreamWriteValue32", CALLER_SITE(), stream, addr, value,
                   flags, 1);
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr,
                             cuuint32_t value, unsigned int flags)
{
    if (flags & CU_STREAM_WAIT_VALUE_FLUSH)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (flags > CU_STREAM_WAIT_VALUE_NOR)
        return CUDA_ERROR_INVALID_VALUE;
    return enqueue("cuStreamWaitValue32", CALLER_SITE(), stream, addr, value,
                   flags, 0);
}
