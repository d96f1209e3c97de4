/*
 * hazard_ranges.h: who touched which bytes of an allocation last
 *
 * An allocation is cut into pieces; each has the set of touches that a later one
 * may still have to be compared with:
 *
 *     bytes      0       100            400       500
 *                |-------|--------------|         |----
 *     touches     write A  write A       nobody    atomic E
 *                          read B
 *                          read C
 *
 * A touch is forgotten when another makes up for it: one that follows it in
 * order and clashes with whatever it would clash with. So a set holds at most
 * one write, and of reads and atomics one for each chain. What clashed has been
 * told, and is forgotten with the next write.
 *
 * Pieces lie in two stacks, below and above the place of the last touch, so
 * touches in ascending order cost no search and no moving. Sets never change,
 * and are shared between pieces.
 */
#ifndef COMMLAB_GRAPH_HAZARD_RANGES_H
#define COMMLAB_GRAPH_HAZARD_RANGES_H

#include <stdint.h>

#include "graph/hazard_order.h"

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

struct hazard_ranges { /* zeroed: nobody has touched anything */
    struct hazard_pieces low, high;
};

/* `now` clashes with an earlier touch on these bytes; nothing orders them. */
typedef int hazard_clash_fn(void *arg, const struct hazard_touch *before,
                            const struct hazard_touch *now, uint64_t begin,
                            uint64_t end);

/*
 * Operation `now`, at whose beginning `known` is known, touches bytes
 * [begin, end). Calls clash() for each earlier touch of another operation that
 * clashes with it and is not known to be over; of a FREE, always. 0, or -1: no memory, or clash()
 * said so.
 */
int hazard_ranges_touch(struct hazard_ranges *r, const struct hazard_touch *now,
                        const uint32_t *known, uint64_t begin, uint64_t end,
                        hazard_clash_fn *clash, void *arg);

void hazard_ranges_release(struct hazard_ranges *r);

#endif
