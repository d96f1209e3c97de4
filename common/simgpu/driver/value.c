/*
 * value.c: streams that write values to memory and wait for them
 *
 * A write completes everything before it in its stream. A wait ends when the
 * word has the value; what follows in its stream is ordered after the stream or
 * kernel, of any process, that wrote the value (core/stream/flag.h). If the
 * host or a copy stored the value, its writer is unknown, and the graph has no
 * edge. On a captured stream, the operations of a call become one node.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "core/stream/flag.h"
#include "core/stream/lent.h"
#include "driver/context.h"

struct value_op {
    struct op op;
    void *p;
    uint64_t value;
    unsigned nbytes; /* 4 or 8 */
    unsigned flags;
};

/* ---- writing ------------------------------------------------------------- */

static void run_write(struct op *op)
{
    const struct value_op *const v = (struct value_op *)op;
    simgpu_flag_write(
        v->p, v->nbytes, v->value,
        (struct flag_source){.part = {simgpu_proc()->rank, op->node.index, 0}});
}

/* ---- waiting ------------------------------------------------------------- */

struct wait { /* a wait in progress */
    const struct value_op *op;
    struct flag_source by; /* the writer of the value */
};

/* The conditions, by flags and by the size of the word. */
static int is_equal(uint64_t word, uint64_t value)
{
    return word == value;
}

static int shares_bit(uint64_t word, uint64_t value)
{
    return (word & value) != 0;
}

static int nor_32(uint64_t word, uint64_t value)
{
    return (uint32_t) ~(word | value) != 0;
}

static int nor_64(uint64_t word, uint64_t value)
{
    return ~(word | value) != 0;
}

static int reaches_32(uint64_t word, uint64_t value) // cyclic
{
    return (int32_t)((uint32_t)word - (uint32_t)value) >= 0;
}

static int reaches_64(uint64_t word, uint64_t value)
{
    return (int64_t)(word - value) >= 0;
}

static flag_condition *condition_of(const struct value_op *v)
{
    static flag_condition *const of[][2] = {{reaches_32, reaches_64},
                                            {is_equal, is_equal},
                                            {shares_bit, shares_bit},
                                            {nor_32, nor_64}};
    return of[v->flags & 3][v->nbytes == 8];
}

static int met(void *arg)
{
    struct wait *const w = arg;
    const struct value_op *const v = w->op;
    flag_condition *const holds = condition_of(v);
    return holds(simgpu_flag_check(v->p, v->nbytes, holds, v->value, &w->by),
                 v->value);
}

static void describe(const void *arg, char *out, size_t nbytes)
{
    static const char *const relation[] = {
        "is >=", "is ==", "shares a bit with", "leaves a bit clear besides"};
    const struct value_op *const v = ((const struct wait *)arg)->op;
    struct flag_source by;
    char what[512];
    const uint64_t word = simgpu_flag_read(v->p, v->nbytes, &by);
    snprintf(out, nbytes, "waits until the word at %s %s %llu; it is %llu: %s",
             simgpu_pointer_text(v->p).text, relation[v->flags & 3],
             (unsigned long long)v->value, (unsigned long long)word,
             simgpu_heap_describe(v->p, what, sizeof what));
}

static void run_wait(struct op *op)
{
    struct wait w = {.op = (struct value_op *)op};
    const struct wait_note note = {.call = op->name,
                                   .site = op->node.site,
                                   .describe = describe,
                                   .arg = &w};
    simgpu_flag_wait(w.op->p, met, &w, &note);
    if (w.by.part.index)
        simgpu_op_part(op, &w.by.part, 1, 0);
}

/* ---- both ---------------------------------------------------------------- */

/* True for memory that a stream may write values to and wait on: device memory,
 * or host memory that devices can reach. Managed memory is neither. */
static int reachable(void *p, unsigned nbytes, struct heap_block *b)
{
    if ((uintptr_t)p % nbytes != 0)
        return 0;
    if (simgpu_heap_find(p, b) == 0)
        return !b->managed;
    b->device = HEAP_PINNED;
    b->place = simgpu_proc_place(HEAP_PINNED);
    return simgpu_heap_registered(p);
}

struct request {
    const char *name;
    uint32_t site;
    int writes;
    unsigned nbytes, flags;
    CUdeviceptr addr;
    uint64_t value;
};

static CUresult check(CUstream stream, const struct request *r)
{
    struct heap_block b;
    if (!r->writes && r->flags & CU_STREAM_WAIT_VALUE_FLUSH)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (r->flags > (unsigned)(r->writes ? CU_STREAM_WRITE_VALUE_DEFAULT
                                        : CU_STREAM_WAIT_VALUE_NOR))
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult err = context_current();
    if (err)
        return err;
    if (!simgpu_stream_of(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    return reachable((void *)r->addr, r->nbytes, &b) ? CUDA_SUCCESS
                                                     : CUDA_ERROR_INVALID_VALUE;
}

/* Memory that a captured operation uses may have been freed since. */
static void find(const struct request *r, struct heap_block *b)
{
    char site[256], where[512];
    if (!reachable((void *)r->addr, r->nbytes, b))
        simgpu_report_fault(
            NULL,
            "%s at %s: the graph was captured with a word at %s, "
            "which is gone: %s.\nKeep it as long as a graph uses it.",
            r->name, simgpu_site_text(r->site, site, sizeof site),
            simgpu_pointer_text((void *)r->addr).text,
            simgpu_heap_describe((void *)r->addr, where, sizeof where));
}

static void enqueue(struct stream *s, const struct request *r)
{
    struct heap_block b;
    find(r, &b);
    struct value_op *const op =
        simgpu_op_new(sizeof *op, r->writes ? run_write : run_wait,
                      r->writes ? GRAPH_MEMSET : GRAPH_MARK, r->name, r->site);
    op->p = (void *)r->addr;
    op->value = r->value;
    op->nbytes = r->nbytes;
    op->flags = r->flags;
    const struct graph_access access = {
        .alloc = b.id,
        .begin = (uint64_t)((char *)op->p - b.base),
        .end = (uint64_t)((char *)op->p - b.base) + r->nbytes,
        .write = 2, // waits may read it at the same time: not a race
        .site = r->site};
    const struct graph_move move = {simgpu_proc_place(simgpu_stream_device(s)),
                                    b.place, r->nbytes};
    op->op.node.naccesses = b.id != 0;
    op->op.accesses = &access;
    op->op.node.nmoves = r->writes != 0;
    op->op.moves = &move;
    if (!r->writes)
        simgpu_lent_excuse();
    simgpu_stream_enqueue(s, &op->op);
}

/* ---- several at once ----------------------------------------------------- */

struct batch { /* requests that have been checked */
    unsigned n;
    struct request at[];
};

static void enqueue_all(void *batch, void *stream)
{
    const struct batch *const b = batch;
    for (unsigned i = 0; i < b->n; i++)
        enqueue(stream, &b->at[i]);
}

/* Enqueue n requests, or add them to the captured graph as one node. */
static CUresult submit(CUstream stream, const struct request *r, unsigned n)
{
    struct stream *const s = simgpu_stream_of(stream);
    const int refused = simgpu_stream_refuses(s, 0);
    if (refused)
        return (CUresult)refused;
    struct batch *const b = simgpu_need(malloc(sizeof *b + n * sizeof *r),
                                        "%u operations on memory", n);
    b->n = n;
    memcpy(b->at, r, n * sizeof *r);
    const struct stream_work work = {.name = r->name,
                                     .site = r->site,
                                     .kind = STREAM_WORK_MEMORY_OPS,
                                     .enqueue = enqueue_all,
                                     .release = free,
                                     .arg = b};
    if (!simgpu_stream_capture(s))
        enqueue_all(b, s);
    else if (simgpu_stream_defer(&s, 1, &work) == 0)
        return CUDA_SUCCESS;
    free(b);
    return CUDA_SUCCESS;
}

static CUresult submit_one(CUstream stream, struct request r)
{
    const CUresult err = check(stream, &r);
    return err ? err : submit(stream, &r, 1);
}

#define VALUE(name, writes, bits)                                              \
    CUresult name(CUstream stream, CUdeviceptr addr, cuuint##bits##_t value,   \
                  unsigned int flags)                                          \
    {                                                                          \
        return submit_one(stream,                                              \
                          (struct request){#name, CALLER_SITE(), writes,       \
                                           bits / 8, flags, addr, value});     \
    }
VALUE(cuStreamWriteValue32, 1, 32)
VALUE(cuStreamWaitValue32, 0, 32)
VALUE(cuStreamWriteValue64, 1, 64)
VALUE(cuStreamWaitValue64, 0, 64)

/* Convert an operation. Returns NOT_SUPPORTED or INVALID_VALUE for one that
 * there isn't, and 0 bytes for one that does nothing: streams need no barriers
 * between their operations. */
static CUresult request_of(const CUstreamBatchMemOpParams *p, uint32_t site,
                           struct request *out)
{
    const struct CUstreamMemOpWaitValueParams_st *const v = &p->waitValue;
    *out = (struct request){"cuStreamBatchMemOp", site,    0, 4, v->flags,
                            v->address,           v->value};
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: out->writes = 1; break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: out->writes = 1; /* fallthrough */
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        out->nbytes = 8;
        out->value = v->value64;
        break;
    case CU_STREAM_MEM_OP_BARRIER:
        out->nbytes = 0;
        return p->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU
                   ? CUDA_ERROR_INVALID_VALUE
                   : CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* If one of the operations is wrong, none is enqueued. */
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams *paramArray,
                            unsigned int flags)
{
    enum { MOST = 256 };
    const uint32_t site = CALLER_SITE();
    struct request r[MOST];
    unsigned n = 0;
    if (count > MOST || (count && !paramArray) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        CUresult err = request_of(&paramArray[i], site, &r[n]);
        if (err == CUDA_SUCCESS && r[n].nbytes)
            err = check(stream, &r[n++]);
        if (err != CUDA_SUCCESS)
            return err;
    }
    return n ? submit(stream, r, n) : context_current();
}
