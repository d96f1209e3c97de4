/*
 * hazard.h: what works by luck
 *
 * A hazard is a mistake that shows on some runs, or on none until it matters:
 * two operations touch the same bytes, one of them writes, and nothing orders
 * them. Whether a run has one follows from its graph alone, not from when things
 * happened to run. What happens-before is, hazard_order.h says.
 *
 * A hazard that may be none (something outside the graph may make up for it) is
 * a *warning*: worth a remark, not a failure. What is taken to be in order:
 *
 * - bytes of ranges that were recorded roughly (GRAPH_ROUGH);
 * - kernels of two devices that both touch some word atomically: they may well
 *   wait for each other. Not where the graph has what the word orders, as edges
 *   (GRAPH_KNOWN on both sides): then a flag without a fence is a race;
 * - atomics among each other.
 */
#ifndef COMMLAB_GRAPH_HAZARD_H
#define COMMLAB_GRAPH_HAZARD_H

#include "graph/read.h"

enum hazard_kind {
    HAZARD_RACE,          /* of two operations */
    HAZARD_GROUP,         /* of two calls of one group */
    HAZARD_LIFE,          /* of one with an allocation's beginning or end */
    HAZARD_OVERLAP,       /* a collective's buffers overlap, but not in place */
    HAZARD_UNINITIALISED, /* a kernel reads bytes that nobody has written */
    HAZARD_NOTED,         /* the run itself noticed it: graph_note_fault() */
    HAZARD_KINDS
};

struct hazard_op {         /* an operation, and how it touches the bytes */
    struct graph_ref node; /* index 0: there is none */
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
    struct hazard_op op[2]; /* as issued; of different ranks, the lower first */
    int nops;               /* a race has 2, others 1 */
    uint64_t alloc, begin, end; /* the bytes in question */
    uint64_t alloc_nbytes;      /* 0: ordinary memory of the host */
    int32_t alloc_place;
    char alloc_site[128]; /* "" for ordinary memory */
    uint64_t count;       /* how often the same calls met so */
    uint64_t ranks;       /* bit r: on rank r (of 64) */
    char text[512];       /* HAZARD_NOTED */
};

struct hazards {
    struct hazard *hazard; /* in the order in which they were found */
    size_t n;
    size_t nerrors; /* of them, no warnings */
};

/* More distinct hazards than this are not kept: the first ones matter. */
enum { HAZARD_MAX = 256 };

/*
 * Find the hazards of a graph: each pair of calls once; with sections (a number
 * for each position, or NULL) once for each section. A hazard's section is that
 * of its first operation, or, if that is 0, of the second. What the graph is only
 * a part of is not asked about what was written before. 0, or -1 with a line in
 * err: no memory.
 */
int hazards_find(const struct graph *g, const uint32_t *section,
                 struct hazards *out, char *err, size_t err_nbytes);
void hazards_release(struct hazards *h);

/* "race" and so on. */
const char *hazard_kind_name(enum hazard_kind kind);

/*
 * What it is, in a few lines that a student can act on: which bytes of what,
 * who, where, and the order that is missing. Lines end with \n. Returns out.
 */
const char *hazard_text(const struct hazard *h, char *out, size_t nbytes);

/* The same in one line, without what would help. */
const char *hazard_line(const struct hazard *h, char *out, size_t nbytes);

#endif
