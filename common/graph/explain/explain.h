/*
 * explain.h: why a run takes as long as it does
 *
 * A *cause* is something that a student can change: calls, waits, order,
 * balance, placement. For each cause, the run is replayed as if it had been
 * changed (whatif.h); the difference is what the change would save. A *limit*
 * remains however the program is written: it is how much shorter the run would
 * be without a cost of the machine (the bandwidth of a kind of link, latency,
 * the host's calls), or with perfect overlap.
 *
 * Causes are ordered by what they save. A general cause includes special ones:
 * if a rank's communication starts late, it is badly overlapped as well. So a
 * cause is left out if a more certain one saves nearly as much, and little is
 * left to save after that.
 *
 * Measuring starts at the first device operation of each rank. Set-up calls,
 * such as the creation of a communicator, count only if the program repeats
 * them.
 */
#ifndef COMMLAB_GRAPH_EXPLAIN_H
#define COMMLAB_GRAPH_EXPLAIN_H

#include "graph/replay/replay.h"

enum explain_kind {
    /* causes */
    EXPLAIN_LAUNCHES,       /* short kernels */
    EXPLAIN_BATCH,          /* steps of short kernels: a small batch */
    EXPLAIN_EVENTS,         /* events and waits between streams */
    EXPLAIN_ALLOCATION,     /* allocations in each step */
    EXPLAIN_CALLS,          /* other calls in each step */
    EXPLAIN_SYNC,           /* the host blocks */
    EXPLAIN_INPUT,          /* the GPU waits for work of the host */
    EXPLAIN_DEFAULT_STREAM, /* other streams wait for the default stream */
    EXPLAIN_SMALL,          /* small transfers, which cost latency */
    EXPLAIN_IMBALANCE,      /* ranks with more work than others */
    EXPLAIN_CHAIN,          /* ranks that work one after another */
    EXPLAIN_ROOT,           /* one GPU's link carries most bytes */
    EXPLAIN_STAGED,         /* copies through the host, without peer access */
    EXPLAIN_PLACEMENT,      /* ranks that exchange much are far apart */
    EXPLAIN_SLOW_LINK,      /* a degraded cable */
    EXPLAIN_UNGROUPED,      /* messages sent one after another */
    EXPLAIN_MPI,            /* bytes that go through MPI */
    EXPLAIN_BANDWIDTH,      /* bytes that kernels move in GPU memory */
    EXPLAIN_OVERLAP,        /* communication and computation take turns */
    EXPLAIN_FAULT,          /* planted faults: graph_note_harm() */
    EXPLAIN_CAUSES,
    /* limits: the run is unchanged, but this costs nothing */
    EXPLAIN_COMPUTE = EXPLAIN_CAUSES,
    EXPLAIN_MEMORY,
    EXPLAIN_NVLINK,
    EXPLAIN_PCIE,
    EXPLAIN_NETWORK,
    EXPLAIN_LATENCY,
    EXPLAIN_HOST,
    EXPLAIN_KINDS
};

struct explain_finding {
    enum explain_kind kind;
    uint64_t saves_ps;
    uint32_t node;  /* position of a representative operation, or
                       GRAPH_NOWHERE */
    uint32_t count; /* similar operations: same rank, same call site */
    double ratio;   /* imbalance, root: the largest divided by the mean */
    int resource;   /* slow link, limits: a resource of the kind; -1: none */
};

struct explain {
    uint64_t length_ps; /* length of what is measured */
    uint64_t setup_ps;  /* calls that were left out, on the slowest rank */
    uint32_t setup;     /* position of the longest of them, or GRAPH_NOWHERE */
    struct explain_finding cause[EXPLAIN_CAUSES]; /* largest saving first */
    struct explain_finding limit[EXPLAIN_KINDS - EXPLAIN_CAUSES]; /* same
                                                                     order */
    int ncauses, nlimits; /* findings that would save at least 1 % */
};

/*
 * span: NULL, or measure only operations in spans whose names contain this
 * text. options: sets of algorithms and protocols; may be NULL. Returns 0, or
 * -1 with a line in err: the run can't be replayed, or has no such span.
 */
int explain_run(const struct graph *g, const struct topo *topo,
                const struct replay_options *options, const char *span,
                struct explain *out, char *err, size_t err_nbytes);

#endif
