/*
 * hazard_behind.h: what was known before a block that is behind
 *
 * A kernel's part begins when everything has ended that the kernel has waited
 * for. A block that did not wait knows less (graph_behind()): what was known
 * when an earlier part of the kernel began. The walk in hazard_order.h passes
 * that part first, so its clock is kept if a later part refers to it. The
 * kernel's own parts count as ordered: races between the blocks of a kernel are
 * found elsewhere.
 */
#ifndef COMMLAB_GRAPH_HAZARD_BEHIND_H
#define COMMLAB_GRAPH_HAZARD_BEHIND_H

#include "base/map.h"
#include "graph/hazard/hazard_order.h"

struct hazard_behind { /* initialise by zeroing it */
    struct map kept;   /* by position of a part: its place in clock[], from 1 */
    uint32_t **clock;  /* NULL until the part begins */
    uint32_t n, room, nchains;
    uint32_t *result;
};

/* Find the parts of the graph whose clocks are needed. Returns 0, or -1 if
 * memory runs out; so does the next function. */
int hazard_behind_init(struct hazard_behind *b, const struct graph *g);

/* Node `at` begins with the clock `known`, of nchains entries. */
int hazard_behind_begin(struct hazard_behind *b, uint32_t at,
                        const uint32_t *known, uint32_t nchains);

/* The clock that counts for an access of the node at v, which is in this chain
 * and has just begun with the clock `known`. It is valid until the next call.
 */
const uint32_t *hazard_behind_clock(struct hazard_behind *b,
                                    const struct graph_view *v, uint32_t at,
                                    const struct graph_access *a,
                                    uint32_t chain, const uint32_t *known);

void hazard_behind_release(struct hazard_behind *b);

#endif
