/*
 * sections.h: a graph's iterations of cases
 *
 * The runner encloses each iteration of a case in a range "CASE #ITERATION"
 * (spans.h). A section is everything between the first and the last operation
 * of such a range, on each rank.
 */
#ifndef COMMLAB_JUDGE_SECTIONS_H
#define COMMLAB_JUDGE_SECTIONS_H

#include "graph/record/read.h"

struct bounds {           /* a section on a rank: positions, both included */
    uint32_t first, last; /* first is GRAPH_NOWHERE if the rank has none of
                             it */
};

struct sections {
    const struct graph *g;
    uint32_t *of;      /* by operation: its section, or 0 */
    const char **name; /* name of each section's range, from section 1 */
    uint32_t nnames;
    struct bounds *bounds; /* (nranks, nnames), starting with section 1 */
};

/* Find the sections of g, which must outlive the result; NULL if
 * memory runs out. */
struct sections *sections_new(const struct graph *g);
void sections_free(struct sections *h);

/* The bounds of a range on a rank; NULL if the rank lacks the range. */
const struct bounds *sections_bounds(const struct sections *h, uint32_t rank,
                                     const char *range);

/*
 * Mark, by position, the operations of a range on all ranks. Returns their
 * number, or -1 if a rank leaves the range and returns to it, so that
 * operations outside of the range lie between.
 */
int64_t sections_mark(const struct sections *h, const char *range, char *in);

#endif
