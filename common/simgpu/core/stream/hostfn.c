#include "core/stream/hostfn.h"

#include <stdlib.h> /* free */

#include "core/host.h"
#include "core/proc.h"
#include "core/thread.h"

static _Thread_local struct op *running; /* NULL: no host function */
static _Thread_local int has_called;

void hostfn_run(struct op *op, void (*fn)(void *), void *data)
{
    running = op;
    has_called = 0;
    fn(data);
    running = NULL;
}

/* The call follows what its function waited for. */
static uint32_t add_after(struct graph_node *n,
                          const struct graph_access *accesses)
{
    struct graph_ref few[OP_FEW], *const deps = op_refs(running, few);
    n->ndeps = host_ndeps(running->ndeps);
    const uint32_t node =
        graph_add(simgpu_proc()->graph, n, deps, NULL, accesses);
    if (deps != few)
        free(deps);
    return node;
}

uint32_t hostfn_record(struct graph_node *n,
                       const struct graph_access *accesses)
{
    n->thread = thread_number();
    if (!running)
        return graph_add(simgpu_proc()->graph, n, NULL, NULL, accesses);
    const uint32_t rank = simgpu_proc()->rank;
    const uint32_t was =
        thread_adopt(GRAPH_FUNCTIONS + running->node.queue + 1);
    n->thread = thread_number();
    if (!has_called && running->before)
        host_begin_again(running->name, running->node.site,
                         (struct graph_ref){rank, running->before});
    has_called = 1;
    const uint32_t node = add_after(n, accesses);
    thread_adopt(was);
    simgpu_op_part(running, &(struct graph_point){rank, node, 0}, 1, 0);
    return node;
}
