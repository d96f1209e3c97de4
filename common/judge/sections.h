/*
 * sections.h: the iterations of cases in a graph
 *
 * The runner puts each iteration of a case in a range "CASE #ITERATION"
 * (spans.h). On each rank a section is what lies between the first and the last
 * operation of such a range.
 */
#ifndef COMMLAB_JUDGE_SECTIONS_H
#define COMMLAB_JUDGE_SECTIONS_H

#include "graph/read.h"

struct bounds {           /* of a section on a rank: positions, both included */
    uint32_t first, last; /* first: GRAPH_NOWHERE, the rank has none of it */
};

struct sections {
    const struct graph *g;
    uint32_t *of;      /* each operation: its section, or 0 */
    const char **name; /* of section i, from 1: its range */
    uint32_t nnames;
    struct bounds *bounds; /* (nranks, nnames), from section 1 */
};

/* The sections of g, which must outlive them; NULL if memory runs out. */
struct sections *sections_new(const struct graph *g);
void sections_free(struct sections *h);

/* The bounds of a range on a rank; NULL if it isn't there. */
const struct bounds *sections_bounds(const struct sections *h, uint32_t rank,
                                     const char *range);

/*
 * Mark, by position, what all ranks have of a range. Returns how much that is,
 * or -1 if a rank comes back to the range after it had left it: it contains
 * what does not belong to it.
 */
int64_t sections_mark(const struct sections *h, const char *range, char *in);

#endif
