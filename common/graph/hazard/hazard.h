/*
 * hazard.h: races and other undefined behaviour
 *
 * A hazard is a bug that shows in some runs only, or never during the tests:
 * two operations touch the same bytes, at least one of them writes, and nothing
 * orders them. The graph of a run alone determines its hazards.
 * hazard_order.h defines happens-before.
 *
 * A hazard that something outside the graph may prevent is a *warning*: it is
 * reported, but is not a failure. These accesses are assumed to be ordered:
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

#include "base/rank_set.h"
#include "graph/record/read.h"

enum hazard_kind {
    HAZARD_RACE,          /* between two operations */
    HAZARD_GROUP,         /* between two calls of one group */
    HAZARD_LIFE,          /* between an operation and cudaMalloc or cudaFree */
    HAZARD_OVERLAP,       /* a collective's buffers overlap, but not in place */
    HAZARD_UNINITIALISED, /* a kernel reads bytes that were never written */
    HAZARD_CROSSED,       /* collectives issued in opposite orders */
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
    char from[64]; /* the call in another file that led to it, or "" */
};

struct hazard {
    enum hazard_kind kind;
    int warning;
    uint32_t section;
    struct hazard_op op[2]; /* in the order of issue; of two ranks, the
                                   lower first */
    int nops;               /* 2 for a race, else 1 */
    int behind; /* 1 + the index of the operation that has waited for the other
                   one, though not in the block that touches the bytes; 0: none
                 */
    uint64_t alloc, begin, end; /* the bytes */
    uint64_t alloc_nbytes;      /* 0: ordinary host memory */
    int32_t alloc_place;
    char alloc_site[128];      /* "" for ordinary memory */
    uint64_t count;            /* occurrences of the same calls */
    struct rank_set ranks;     /* those it occurs on */
    char text[512];            /* HAZARD_NOTED */
    struct hazard_op other[2]; /* HAZARD_CROSSED: the other rank's calls, in its
                                  order of issue */
    struct hazard_op third[2]; /* a third rank's, if nring > 2 */
    uint32_t nring;            /* ranks that wait for each other in a ring */
};

struct hazards {
    struct hazard *hazard; /* in the order in which they were found */
    size_t n;
    size_t nerrors; /* without warnings */
};

/* How many different hazards are kept: the first ones found. */
enum { HAZARD_MAX = 256 };

/*
 * Find the hazards of a graph. Each pair of calls is reported once, or once for
 * each section if sections are given (`section` has a number for each position;
 * it may be NULL). A hazard's section is that of its first operation, or of the
 * second if the first is in none. A graph that is part of a run (is_part) is
 * checked for uninitialised reads only by hazards_find_next(). Returns 0, or -1
 * with a line in err if memory runs out.
 */
int hazards_find(const struct graph *g, const uint32_t *section,
                 struct hazards *out, char *err, size_t err_nbytes);

/*
 * The same for a run that is checked in parts, in their order. Together the
 * parts are the run from its beginning. `past` keeps which bytes of device
 * memory the parts so far have written, so that uninitialised reads are found
 * in each of them, as in the whole run.
 */
struct hazard_past;
struct hazard_past *hazard_past_new(void); /* NULL if memory runs out */
void hazard_past_free(struct hazard_past *past);
int hazards_find_next(struct hazard_past *past, const struct graph *g,
                      const uint32_t *section, struct hazards *out, char *err,
                      size_t err_nbytes);
void hazards_release(struct hazards *h);

/* "race", ... */
const char *hazard_kind_name(enum hazard_kind kind);

/*
 * A report of a few lines that a student can act on: the bytes, the operations
 * with their call sites, and the missing order. Lines end with \n. Returns out.
 */
const char *hazard_text(const struct hazard *h, char *out, size_t nbytes);

/* A report in one line, without advice. */
const char *hazard_line(const struct hazard *h, char *out, size_t nbytes);

#endif
