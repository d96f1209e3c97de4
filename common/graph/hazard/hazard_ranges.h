/*
 * hazard_ranges.h: the last touches of each byte of an allocation
 *
 * An allocation is cut into pieces. Each piece has the set of touches that
 * later touches must still be compared with:
 *
 *     bytes      0       100            400       500
 *                |-------|--------------|         |----
 *     touches     write A  write A       none      atomic E
 *                          read B
 *                          read C
 *
 * A touch is dropped when another supersedes it: one that is ordered after it
 * and clashes with everything that it would clash with. So a set holds at most
 * one write, and one read and one atomic for each chain. A touch that clashed
 * has been reported, so the next write drops it.
 *
 * Pieces lie in two stacks, below and above the place of the last touch, so
 * touches in ascending order need neither a search nor a move. Sets are
 * immutable and shared between pieces.
 */
#ifndef COMMLAB_GRAPH_HAZARD_RANGES_H
#define COMMLAB_GRAPH_HAZARD_RANGES_H

#include <stdint.h>

#include "base/map.h"
#include "graph/hazard/hazard_behind.h"
#include "graph/hazard/hazard_order.h"

struct hazard_touch {
    uint32_t at; /* the operation's position */
    struct hazard_point point;
    uint32_t how; /* enum graph_touch, without its flags */
};

struct hazard_set {
    uint32_t nrefs, n;
    struct hazard_touch touch[];
};

struct hazard_pieces { /* a stack */
    struct hazard_piece {
        uint64_t begin, end;
        struct hazard_set *set;
    } * piece;
    uint32_t n, room;
};

struct hazard_ranges { /* initialise by zeroing it: no touches */
    struct hazard_pieces low, high;
};

/* Called when `now` clashes with an earlier touch of these bytes and nothing
 * orders the two. */
typedef int hazard_clash_fn(void *arg, const struct hazard_touch *before,
                            const struct hazard_touch *now, uint64_t begin,
                            uint64_t end);

/*
 * Operation `now`, which begins with the clock `known`, touches bytes [begin,
 * end). Calls clash() for each earlier touch by another operation that clashes
 * with it and, unless it is a FREE, has not ended according to the clock.
 * Returns 0, or -1 if memory runs out or clash() returned -1.
 */
int hazard_ranges_touch(struct hazard_ranges *r, const struct hazard_touch *now,
                        const uint32_t *known, uint64_t begin, uint64_t end,
                        hazard_clash_fn *clash, void *arg);

void hazard_ranges_release(struct hazard_ranges *r);

struct hazard_table {   /* by allocation; initialise by zeroing it */
    struct map numbers; /* by allocation: its position in ranges[], from 1 */
    struct hazard_ranges *ranges;
    uint32_t n, room;
    uint64_t alloc; /* the allocation being touched, for clash() */
    struct hazard_behind *behind; /* NULL: all accesses of an operation follow
                                     what it follows */
};

/*
 * Call hazard_ranges_touch() for each access of operation `at`, except rough
 * ranges. Returns 0, or -1 if memory runs out or clash() returned -1.
 */
int hazard_table_touch(struct hazard_table *t, const struct graph_view *v,
                       uint32_t at, struct hazard_point point,
                       const uint32_t *known, hazard_clash_fn *clash,
                       void *arg);
void hazard_table_release(struct hazard_table *t);

#endif
