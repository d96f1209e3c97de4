#include "explain_text.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "graph/replay/harm.h"

static const struct text {
    const char *name;
    const char *what; /* with %u for the count and %s for the operation */
    const char *advice;
} texts[EXPLAIN_KINDS] = {
    [EXPLAIN_LAUNCHES] =
        {"launches",
         "the GPU waits for launches: %u of %s cost more to start "
         "than to run",
         "fuse short kernels into longer ones. A CUDA graph of them, recorded "
         "once, saves a part of it"},
    [EXPLAIN_EVENTS] =
        {"events", "the host spends its time on events: %u calls of %s",
         "record one event where the data is complete, and wait for that one"},
    [EXPLAIN_BATCH] =
        {"small-batch",
         "the kernels of a step are too short for the GPU: %u of %s cost more "
         "to start than to run",
         "give each step a larger batch, so that fewer and longer kernels do "
         "the same work (the saving is that of 8 times the batch)"},
    [EXPLAIN_ALLOCATION] =
        {"allocation",
         "the GPU waits while the host allocates and frees memory: %u calls of "
         "%s",
         "allocate once, before the first step, and use the buffer again"},
    [EXPLAIN_CALLS] =
        {"calls", "the host makes %u calls of %s while the GPU is idle",
         "do it once, before the first step, and use the result again"},
    [EXPLAIN_SYNC] =
        {"sync",
         "the host blocks: %u calls of %s, after each of which the GPU "
         "has nothing to do",
         "leave the wait out: a stream keeps its own order, and another "
         "stream can wait for it (cudaStreamWaitEvent). Block once, when the "
         "host needs a result"},
    [EXPLAIN_INPUT] =
        {"slow-input",
         "the GPU has nothing to do while the host works: %u calls of %s",
         "prepare the next step's input while the GPU works on this one: after "
         "the launches of a step and before the wait for it, or in a thread of "
         "its own"},
    [EXPLAIN_DEFAULT_STREAM] =
        {"default-stream",
         "work takes turns only because stream 0 and the streams of "
         "cudaStreamCreate wait for each other: %u of %s wait for it",
         "create the other streams with cudaStreamNonBlocking, and order what "
         "depends on each other by events (cudaStreamWaitEvent)"},
    [EXPLAIN_SMALL] =
        {"small",
         "%u transfers by %s are so small that they cost little but "
         "their start",
         "merge them into a few large ones (buckets of some MiB)"},
    [EXPLAIN_IMBALANCE] =
        {"imbalance",
         "one rank computes longer, and the others wait for it: "
         "%u of %s there",
         "divide the work evenly, and leave no rank extra work in each step"},
    [EXPLAIN_CHAIN] =
        {"chain", "ranks work one after another: %u of %s wait for other ranks",
         "cut the data into pieces, so that a rank works on the first while "
         "the next is still on its way (a pipeline); or use a tree"},
    [EXPLAIN_ROOT] =
        {"root", "most bytes go through one GPU: %u of %s share its link",
         "use the collective itself (ncclReduce for a sum, ncclBroadcast for "
         "copies), or a ring or a tree, so that each GPU carries an equal "
         "part"},
    [EXPLAIN_STAGED] =
        {"staged", "%u of %s go through the host's memory, without peer access",
         "enable peer access between these GPUs (cudaDeviceEnablePeerAccess)"},
    [EXPLAIN_PLACEMENT] =
        {"placement",
         "ranks that exchange most are far apart: %u of %s take "
         "slower paths than they need to",
         "put neighbours on GPUs with a direct link (commgraph topo shows "
         "them), or order the ring by the links"},
    [EXPLAIN_SLOW_LINK] =
        {"slow-link",
         "one cable is slower than all others like it: %u of %s "
         "wait for it",
         "go around it, give it fewer bytes, or have it replaced"},
    [EXPLAIN_UNGROUPED] =
        {"ungrouped",
         "messages run one after another: %u of %s could start "
         "with the one before",
         "put messages that don't depend on each other between ncclGroupStart "
         "and ncclGroupEnd"},
    [EXPLAIN_MPI] =
        {"mpi", "the data of GPUs goes through the host: %u of %s",
         "pass device buffers to NCCL instead of copying them to the host"},
    [EXPLAIN_BANDWIDTH] =
        {"bandwidth", "kernels are as fast as the GPU's memory: %u of %s",
         "move fewer bytes: fuse kernels that read what the one before wrote, "
         "or use 16-bit types (the saving is that of half the bytes)"},
    [EXPLAIN_OVERLAP] =
        {"overlap",
         "communication and computation take turns: %u of %s are "
         "not hidden behind kernels",
         "start it on a stream of its own as soon as its data is complete, and "
         "wait for it as late as possible"},
    [EXPLAIN_FAULT] =
        {"fault", "faults were planted in this run: %u of %s take longer",
         "it is not the program's doing: SIMGPU_FAULT slows what you see here. "
         "Find out how long the program takes to notice, and what it can leave "
         "to the healthy ranks"},
    [EXPLAIN_COMPUTE] =
        {"compute", "arithmetic were infinitely fast (%u of %s)",
         "make the kernel cheaper, use tensor cores, or use more GPUs"},
    [EXPLAIN_MEMORY] =
        {"memory", "GPU memory were infinitely fast (%u of %s)",
         "read and write fewer bytes: fuse kernels, use narrower types"},
    [EXPLAIN_NVLINK] =
        {"nvlink", "NVLinks were infinitely fast (%u of %s)",
         "send fewer bytes, or an algorithm that sends each byte less often"},
    [EXPLAIN_PCIE] = {"pcie",
                      "PCIe and the hosts were infinitely fast (%u of %s)",
                      "send fewer bytes, or keep them on the GPUs"},
    [EXPLAIN_NETWORK] =
        {"network", "the network were infinitely fast (%u of %s)",
         "reduce inside each node first, and send only the sums between nodes"},
    [EXPLAIN_LATENCY] =
        {"latency", "no transfer had latency (%u of %s)",
         "fewer and larger transfers, or an algorithm with fewer steps"},
    [EXPLAIN_HOST] = {"host", "calls and kernel starts cost no time (%u of %s)",
                      "fewer calls, or a CUDA graph"},
};

const char *explain_name(enum explain_kind kind)
{
    return texts[kind].name;
}

/* ---- advice that depends on what the program does already --------------- */

/* True for a kernel of a CUDA graph, whose launch costs the host nothing. */
static int is_replayed(const struct graph *g, uint32_t node)
{
    enum { NEXT_TO_NOTHING_PS = 10000 };
    return g->nodes[node].node.host_ps < NEXT_TO_NOTHING_PS;
}

static int is_blocking_copy(const struct graph *g, uint32_t node)
{
    return g->nodes[node].node.kind == GRAPH_COPY;
}

/* True for a copy from the host. */
static int is_input(const struct graph *g, uint32_t node)
{
    const struct graph_view *const v = &g->nodes[node];
    return v->node.kind == GRAPH_COPY && v->nmoves > 0 && v->moves[0].from < 0;
}

/* True if the operation's stream has no kernels. */
static int has_own_stream(const struct graph *g, uint32_t node)
{
    const struct graph_node *const n = &g->nodes[node].node;
    for (uint32_t at = g->first[n->rank]; at < g->first[n->rank + 1]; at++)
        if (g->nodes[at].node.kind == GRAPH_KERNEL &&
            g->nodes[at].node.queue == n->queue)
            return 0;
    return 1;
}

/* Instead of the general advice, for a representative operation like this. The
 * first that applies. */
static const struct special {
    enum explain_kind kind;
    int (*applies)(const struct graph *g, uint32_t node);
    const char *advice;
} specials[] = {
    {EXPLAIN_LAUNCHES, is_replayed,
     "fuse short kernels into longer ones: in a CUDA graph, too, each of them "
     "has to start"},
    {EXPLAIN_SYNC, is_blocking_copy,
     "copy with cudaMemcpyAsync from or to pinned memory (cudaMallocHost), and "
     "block once, when the host needs a result"},
    {EXPLAIN_OVERLAP, is_input,
     "copy the next input on a stream of its own while kernels work on this "
     "one: two buffers, and an event in each direction"},
    {EXPLAIN_OVERLAP, has_own_stream,
     "it has a stream of its own. Cut it into parts, start each as soon as its "
     "data is complete, and let no kernel wait for it before one needs the "
     "result"},
};

const char *explain_advice(const struct graph *g,
                           const struct explain_finding *f)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (specials[i].kind == f->kind && f->node != GRAPH_NOWHERE &&
            specials[i].applies(g, f->node))
            return specials[i].advice;
    return texts[f->kind].advice;
}

/* True for a fault that costs time, and that no rank before has noted. */
static int is_first_note(const struct graph *g, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(g->harms[k].text, g->harms[i].text) == 0)
            return 0;
    return harm_costs(g->harms[i].harm);
}

const char *explain_what(const struct graph *g, const struct topo *topo,
                         const struct explain_finding *f, char *out,
                         size_t nbytes)
{
    const char *const name =
        f->node == GRAPH_NOWHERE ? "" : g->nodes[f->node].name;
    int n = snprintf(out, nbytes, texts[f->kind].what, f->count,
                     name[0] ? name : "(no name)");
    if (f->ratio > 0 && n >= 0 && (size_t)n < nbytes)
        n += snprintf(out + n, nbytes - (size_t)n,
                      " (%.1f times the mean of all)", f->ratio);
    for (size_t i = 0; f->kind == EXPLAIN_FAULT && i < g->nharms; i++)
        if (is_first_note(g, i) && n >= 0 && (size_t)n < nbytes)
            n += snprintf(out + n, nbytes - (size_t)n, " [%s]",
                          g->harms[i].text);
    if (f->resource >= 0 && n >= 0 && (size_t)n < nbytes)
        snprintf(out + n, nbytes - (size_t)n, " [%s]",
                 topo_resource(topo, f->resource)->name);
    return out;
}
