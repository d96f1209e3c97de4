#include <stdlib.h> /* calloc */

#include "core/stream.h"

void *op_new(size_t nbytes, void (*run)(struct op *), enum graph_kind kind,
             const char *name, uint32_t site)
{
    struct op *const op = calloc(1, nbytes);
    if (!op)
        proc_fault(NULL, "out of host memory for an operation");
    op->run = run;
    op->name = name;
    op->node.kind = kind;
    op->node.name = graph_string(proc()->graph, name);
    op->node.site = site;
    return op;
}

void op_after(struct op *op, struct mark mark)
{
    if (!mark.stream)
        return;
    if (op->ndeps == op->cap_deps) {
        op->cap_deps = op->cap_deps ? 2 * op->cap_deps : 4;
        op->deps = realloc(op->deps, op->cap_deps * sizeof *op->deps);
        if (!op->deps)
            proc_fault(NULL, "out of host memory for an operation");
    }
    op->deps[op->ndeps++] = mark;
}

void op_amend(struct op *op, double flops, const struct graph_move *moves,
              size_t nmoves, const struct graph_access *acc, size_t nacc)
{
    graph_amend(proc()->graph, op->node.index, flops, moves, nmoves, acc, nacc);
}

uint32_t op_part(struct op *op, const struct graph_point *after, size_t n,
                 uint64_t latency_ps)
{
    graph_part(proc()->graph, op->node.index, after, n, latency_ps);
    return ++op->part;
}
