#include "core/stream/op.h"

#include <stdatomic.h> /* atomic_compare_exchange_strong */
#include <stdlib.h>    /* calloc */

#include "core/heap/dataless.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/flip.h"
#include "core/stream/lent.h"

void *simgpu_op_new(size_t nbytes, void (*run)(struct op *),
                    enum graph_kind kind, const char *name, uint32_t site)
{
    struct op *const op = calloc(1, nbytes);
    if (!op)
        simgpu_report_fault(NULL, "out of host memory for an operation");
    op->run = run;
    op->name = site_call(name);
    op->node.kind = kind;
    op->node.name = graph_string(simgpu_proc()->graph, op->name);
    op->node.site = site;
    return op;
}

void simgpu_op_after(struct op *op, struct fence fence)
{
    if (!fence.stream)
        return;
    if (op->ndeps == op->cap_deps) {
        op->cap_deps = op->cap_deps ? 2 * op->cap_deps : 4;
        op->deps = realloc(op->deps, op->cap_deps * sizeof *op->deps);
        if (!op->deps)
            simgpu_report_fault(NULL, "out of host memory for an operation");
    }
    op->deps[op->ndeps++] = fence;
}

void simgpu_op_amend(struct op *op, double flops,
                     const struct graph_move *moves, size_t nmoves,
                     const struct graph_access *acc, size_t nacc)
{
    graph_amend(simgpu_proc()->graph, op->node.index, flops, moves, nmoves, acc,
                nacc);
    if (op->lent_moment)
        lent_compare(&op->node, op->name, op->lent_moment, acc, nacc);
    flip_choose(op, acc, nacc);
}

uint32_t simgpu_op_part(struct op *op, const struct graph_point *after,
                        size_t n, uint64_t latency_ps)
{
    graph_part(simgpu_proc()->graph, op->node.index, after, n, latency_ps);
    return ++op->part;
}

uint32_t simgpu_op_aside(struct op *op, unsigned slot, const char *name,
                         const struct graph_point *after, size_t n,
                         uint64_t latency_ps)
{
    enum { FIRST = 1 << 24 }; // larger than the numbers of all streams
    const uint32_t queue = FIRST + op->node.queue * OP_ASIDES + slot;
    graph_aside(simgpu_proc()->graph, op->node.index, queue, name, after, n,
                latency_ps);
    return ++op->part;
}

int op_is_dataless(const struct op *op)
{
    int touches = 0, reads = 0, writes_contents = 0;
    for (uint32_t i = 0; i < op->node.naccesses; i++) {
        const struct graph_access *const a = &op->accesses[i];
        const uint32_t how = a->write & GRAPH_TOUCH;
        // allocating or freeing, not an access to contents
        if (how > GRAPH_ATOMIC)
            continue;
        if (dataless(a->alloc) && how == GRAPH_ATOMIC)
            simgpu_dataless_fault(op->name, op->node.site,
                                  "a flag needs memory with contents");
        touches |= dataless(a->alloc);
        reads |= dataless(a->alloc) && how == GRAPH_READ;
        writes_contents |= !dataless(a->alloc) && how == GRAPH_WRITE;
    }
    if (reads && writes_contents)
        simgpu_dataless_fault(
            op->name, op->node.site,
            "it copies or computes from memory without contents "
            "into memory that has them");
    return touches;
}

void op_fail(struct op *op, int cuda_error)
{
    int none = 0;
    atomic_compare_exchange_strong(&op->failed, &none, cuda_error);
}

struct graph_ref *op_refs(const struct op *op, struct graph_ref few[OP_FEW])
{
    struct graph_ref *const refs =
        op->ndeps <= OP_FEW ? few : malloc(op->ndeps * sizeof *refs);
    if (!refs)
        simgpu_report_fault(NULL, "out of host memory for an operation");
    for (int i = 0; i < op->ndeps; i++)
        refs[i] = (struct graph_ref){simgpu_proc()->rank, op->deps[i].node};
    return refs;
}

void simgpu_op_broken(const struct op *op)
{
    graph_note_broken(simgpu_proc()->graph, op->node.index);
}

void op_free(struct op *op)
{
    free(op->deps);
    if (op->release)
        op->release(op);
    else
        free(op);
}
