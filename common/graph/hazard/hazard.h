/*
 * hazard.h: races and other undefined behaviour
 *
 * A hazard is a bug that shows in some runs only, or in none during the tests:
 * two operations touch the same bytes, one of them writes, and nothing orders
 * them. The graph of a run determines its hazards, independently of timing.
 * hazard_order.h defines happens-before.
 *
 * A hazard that something outside the graph may prevent is a *warning*: it is
 * reported, but not a failure. The following are assumed to be ordered:
 *
 * - ranges that were recorded approximately (GRAPH_ROUGH);
 * - kernels of two devices that both access some flag atomically, since they
 *   may wait for each other. This does not apply if the graph has the edges
 *   that the flag establishes (GRAPH_KNOWN on both sides): then a flag without
 *   a fence is a race;
 * - kernels of one device that both access some flag atomically and both call
 *   a fence (GRAPH_FENCED);
 * - atomics with each other.
 */
#ifndef COMMLAB_GRAPH_HAZARD_H
#define COMMLAB_GRAPH_HAZARD_H

#include "graph/read.h"

enum hazard_kind {
    HAZARD_RACE,          /* of two operations */
    HAZARD_GROUP,         /* of two calls of one group */
    HAZARD_LIFE,          /* of an operation and a cudaMalloc or cudaFree */
    HAZARD_OVERLAP,       /* a collective's buffers overlap, but not in place */
    HAZARD_UNINITIALISED, /* a kernel reads bytes that were never written */
    HAZARD_NOTED,         /* reported by the run itself: graph_note_fault() */
    HAZARD_KINDS
};

struct hazard_op {         /* an operation, and how it touches the bytes */
    struct graph_ref node; /* index 0: none */
    int32_t place;
    uint32_t queue, thread;               /* queue 0: on the host */
    uint8_t kind;                         /* enum graph_kind */
    uint32_t how;                         /* enum graph_touch */
    char name[64], site[128], stream[32]; /* stream: "stream", ... */
};

struct hazard {
    enum hazard_kind kind;
    int warning;
    uint32_t section;
    struct hazard_op op[2]; /* as issued; of two ranks, the lower one first */
    int nops;               /* a race has 2, others 1 */
    uint64_t alloc, begin, end; /* the bytes */
    uint64_t alloc_nbytes;      /* 0: ordinary host memory */
    int32_t alloc_place;
    char alloc_site[128]; /* "" for ordinary memory */
    uint64_t count;       /* occurrences of the same calls */
    uint64_t ranks;       /* bit r: on rank r (of 64) */
    char text[512];       /* HAZARD_NOTED */
};

struct hazards {
    struct hazard *hazard; /* in the order in which they were found */
    size_t n;
    size_t nerrors; /* without warnings */
};

/* The first hazards are kept, up to this number of different ones. */
enum { HAZARD_MAX = 256 };

/*
 * Find the hazards of a graph, each pair of calls once, or once for each
 * section if sections are given (a number for each position; may be NULL). The
 * section of a hazard is that of its first operation, or, if that is 0, of the
 * second. A graph that is part of a run (is_part) is not checked for
 * uninitialised reads. Returns 0, or -1 with a line in err if memory runs out.
 */
int hazards_find(const struct graph *g, const uint32_t *section,
                 struct hazards *out, char *err, size_t err_nbytes);
void hazards_release(struct hazards *h);

/* "race", ... */
const char *hazard_kind_name(enum hazard_kind kind);

/*
 * A report of a few lines that a student can act on: the bytes, the operations
 * and their call sites, and the missing order. Lines end with \n. Returns out.
 */
const char *hazard_text(const struct hazard *h, char *out, size_t nbytes);

/* The same in one line, without the advice. */
const char *hazard_line(const struct hazard *h, char *out, size_t nbytes);

#endif
