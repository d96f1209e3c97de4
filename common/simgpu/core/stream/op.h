/*
 * op.h: an operation, the unit of work of a stream
 *
 * A host thread makes an op, adds what it has to follow and enqueues it
 * (stream.h), which records its node in the execution graph. The stream's
 * worker runs it later, after the op before it in the stream and after its
 * dependences. run() may sleep in simgpu_wait(), as a collective does, and
 * nowhere else.
 */
#ifndef SIMGPU_CORE_OP_H
#define SIMGPU_CORE_OP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* pid_t */

#include "core/fence.h"
#include "graph/record.h"

struct op {
    void (*run)(struct op *op);     /* on the worker; NULL: nothing to do */
    void (*release)(struct op *op); /* after completion; NULL: free(op) */
    struct graph_node node; /* filled by the owner: kind, name, cost, match */
    const char *name;       /* lasts as long as the op */
    int always; /* run() even if the op touches dataless memory (dataless.h),
                   which it then leaves alone */
    /* set by stream.c and op.c */
    struct stream *stream;
    struct op *next;
    struct fence *deps;
    int ndeps, cap_deps;
    uint64_t seq;
    _Atomic int failed; /* the first op_fail() */
    int overwrites; /* what lies there is spoiled before it runs (witness.h) */
    uint32_t part;  /* of its node, while it runs */
    pid_t issuer;   /* the thread that enqueued it (issuer.h) */
    const struct graph_move *moves; /* lifetime: until enqueued */
    const struct graph_access *accesses;
};

/* A zeroed op of at least `nbytes` (struct op first), named, at this site. */
void *simgpu_op_new(size_t nbytes, void (*run)(struct op *),
                    enum graph_kind kind, const char *name, uint32_t site);

/* Start op only after the fence has passed. The graph records the dependence
 * even if it has passed already: the graph must not depend on timing. */
void simgpu_op_after(struct op *op, struct fence fence);

/* Record on op's node, from run(), what its execution has shown. See
 * graph_amend(). */
void simgpu_op_amend(struct op *op, double flops,
                     const struct graph_move *moves, size_t nmoves,
                     const struct graph_access *acc, size_t nacc);

/*
 * From run(): the op continues with its next part, after the parts `after`
 * whose ends it has seen. See graph_part(). Returns the number of the new part.
 */
uint32_t simgpu_op_part(struct op *op, const struct graph_point *after,
                        size_t n, uint64_t latency_ps);

/*
 * From run(): the op starts something over the network that it does not wait
 * for. See graph_aside(). slot: one of OP_ASIDES queues of the op's stream.
 * Returns the number of the part.
 */
enum { OP_ASIDES = 16 };
uint32_t simgpu_op_aside(struct op *op, unsigned slot, const char *name,
                         const struct graph_point *after, size_t n,
                         uint64_t latency_ps);

/*
 * True if op touches dataless memory (dataless.h), so that it is only recorded.
 * Ends the run if op would write contents that depend on such memory.
 */
int op_is_dataless(const struct op *op);

/* From run(), or a thread of the kernel that it runs: op fails with this
 * cudaError_t value, and with it what follows it on its device. */
void op_fail(struct op *op, int cuda_error);

/* Free op, by its release() if it has one. */
void op_free(struct op *op);

#endif
