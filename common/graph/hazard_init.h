/*
 * hazard_init.h: which bytes of device memory have been written
 *
 * A copy hands on what it copies, written or not; collectives and messages count
 * as writing all that they deliver. Host memory is written by code that the
 * graph doesn't show, so it counts as written; as does memory without contents
 * (GRAPH_NO_CONTENTS).
 */
#ifndef COMMLAB_GRAPH_HAZARD_INIT_H
#define COMMLAB_GRAPH_HAZARD_INIT_H

#include <stdint.h>

#include "graph/map.h"
#include "graph/read.h"

struct hazard_written { /* disjoint ranges, ascending; they don't touch */
    struct hazard_span {
        uint64_t begin, end;
    } * span;
    uint32_t n, room;
    int on_device;
};

struct hazard_init {   /* zeroed, it knows no device memory */
    struct map number; /* of an allocation in alloc[], from 1 */
    struct hazard_written *alloc;
    uint32_t n, room;
};

/* This allocation is of device memory, and nothing has been written to it. -1:
 * no memory. Those that were not noted are of host memory. */
int hazard_init_note(struct hazard_init *s, uint64_t alloc);

/*
 * An operation begins. Returns 1 when it reads bytes that nobody has written,
 * the first of them in *out: a kernel any bytes, others a whole range of which
 * not one byte was written. 0 if there are none; -1: no memory. From then on,
 * what it writes is written.
 */
int hazard_init_begin(struct hazard_init *s, const struct graph_view *v,
                      struct graph_access *out);

void hazard_init_release(struct hazard_init *s);

#endif
