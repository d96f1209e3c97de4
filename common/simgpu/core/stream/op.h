/*
 * op.h: an operation, the unit of work in a stream
 *
 * A host thread creates an op, adds the fences that it has to follow and
 * enqueues it (stream.h), which records its node in the execution graph. The
 * stream's worker runs it later, after the previous op in the stream and after
 * its dependences. run() may sleep in simgpu_wait(), as a collective does, and
 * nowhere else.
 */
#ifndef SIMGPU_CORE_STREAM_OP_H
#define SIMGPU_CORE_STREAM_OP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h> /* pid_t */

#include "core/stream/fence.h"
#include "graph/record/record.h"

struct op {
    void (*run)(struct op *op);     /* on the worker; NULL: no work */
    void (*release)(struct op *op); /* after completion; NULL: free(op) */
    struct graph_node node; /* the owner sets kind, name, cost and match */
    const char *name;       /* must outlive the op */
    int always; /* run() even if the op touches dataless memory (dataless.h),
                   which it then leaves alone */
    /* set by stream.c and op.c */
    struct stream *stream;
    struct op *next;
    struct fence *deps;
    int ndeps, cap_deps;
    uint64_t seq;
    uint32_t before;      /* the node before it in its stream; 0: none */
    _Atomic int failed;   /* set by the first op_fail() */
    int overwrites;       /* what it overwrites is spoiled first (witness.h) */
    uint32_t part;        /* current part of its node, while it runs */
    uint64_t lent_moment; /* lent.h */
    pid_t issuer;         /* the thread that enqueued it (issuer.h) */
    int announced;        /* set by the owner: see simgpu_stream_ahead() */
    const struct plant *flip;       /* inverts a bit that it writes, or NULL */
    struct graph_access flipped;    /* bytes with that bit; end 0: not known */
    const struct graph_move *moves; /* valid until it is enqueued */
    const struct graph_access *accesses;
};

/* A zeroed op of at least `nbytes` (struct op first), named, at this site. */
void *simgpu_op_new(size_t nbytes, void (*run)(struct op *),
                    enum graph_kind kind, const char *name, uint32_t site);

/* Start op only after the fence has passed. The dependence is recorded even if
 * the fence has passed already, because the graph must not depend on timing. */
void simgpu_op_after(struct op *op, struct fence fence);

/* Called by run(): record on op's node what its execution has
 * shown. See graph_amend(). */
void simgpu_op_amend(struct op *op, double flops,
                     const struct graph_move *moves, size_t nmoves,
                     const struct graph_access *acc, size_t nacc);

/*
 * Called by run(): the op continues with its next part, which follows the parts
 * in `after`, whose ends the op has observed. See graph_part(). Returns the
 * number of the new part.
 */
uint32_t simgpu_op_part(struct op *op, const struct graph_point *after,
                        size_t n, uint64_t latency_ps);

/*
 * Called by run(): the op starts something over the network that it does not
 * wait for. See graph_aside(). slot selects one of OP_ASIDES queues of the op's
 * stream. Returns the number of the part.
 */
enum { OP_ASIDES = 64 };
uint32_t simgpu_op_aside(struct op *op, unsigned slot, const char *name,
                         const struct graph_point *after, size_t n,
                         uint64_t latency_ps);

/*
 * True if op touches dataless memory (dataless.h), so that it is only recorded.
 * Ends the run if op would write contents that depend on such memory.
 */
int op_is_dataless(const struct op *op);

/* Called by run(): the op ends without its match: graph_note_broken(). */
void simgpu_op_broken(const struct op *op);

/* Called by run(), or by a thread of the kernel that it runs: the op fails with
 * this cudaError_t value, and so does what follows it on its device. */
void op_fail(struct op *op, int cuda_error);

/* The nodes that op follows. They are in few[] or, if that is too small, in an
 * array that the caller frees. */
enum { OP_FEW = 16 };
struct graph_ref *op_refs(const struct op *op, struct graph_ref few[OP_FEW]);

/* Free op, by its release() if it has one. */
void op_free(struct op *op);

#endif
