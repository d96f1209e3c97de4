#include "explain_text.h"

#include <stdio.h> /* snprintf */

static const struct text {
    const char *name;
    const char *what; /* with %u: count, %s: name of the operation */
    const char *advice;
} texts[EXPLAIN_KINDS] = {
    [EXPLAIN_LAUNCHES] =
        {"launches",
         "the GPU waits for launches: %u of %s cost more to start "
         "than to run",
         "fuse short kernels into longer ones, or record them once as a CUDA "
         "graph and launch that"},
    [EXPLAIN_EVENTS] =
        {"events", "the host spends its time on events: %u calls of %s",
         "record one event where the data is complete, and wait for that one"},
    [EXPLAIN_CALLS] =
        {"calls", "the host makes %u calls of %s while the GPU is idle",
         "do it once, before the first step, and use the result again"},
    [EXPLAIN_SYNC] =
        {"sync",
         "the host blocks: %u calls of %s, after each of which the GPU "
         "has nothing to do",
         "let streams wait for each other (cudaStreamWaitEvent), and block "
         "once, when the host needs a result"},
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
         "use a ring or a tree, or the collective itself, so that each GPU "
         "carries an equal part"},
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
    [EXPLAIN_OVERLAP] =
        {"overlap",
         "communication and computation take turns: %u of %s are "
         "not hidden behind kernels",
         "start it on a stream of its own as soon as its data is complete, and "
         "wait for it as late as possible"},
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

const char *explain_advice(enum explain_kind kind)
{
    return texts[kind].advice;
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
    if (f->resource >= 0 && n >= 0 && (size_t)n < nbytes)
        snprintf(out + n, nbytes - (size_t)n, " [%s]",
                 topo_resource(topo, f->resource)->name);
    return out;
}
