/*
 * hazard_init.h: initialised bytes of device memory
 *
 * A copy of uninitialised bytes leaves its destination uninitialised;
 * collectives and messages initialise everything they deliver. Host memory is
 * written by code that the graph doesn't show, so it counts as initialised; so
 * does memory without contents (GRAPH_NO_CONTENTS).
 */
#ifndef COMMLAB_GRAPH_HAZARD_INIT_H
#define COMMLAB_GRAPH_HAZARD_INIT_H

#include <stdint.h>

#include "base/map.h"
#include "graph/record/read.h"

struct hazard_written { /* disjoint ranges, ascending, with gaps between them */
    struct hazard_span {
        uint64_t begin, end;
    } * span;
    uint32_t n, room;
    int on_device;
};

struct hazard_init {   /* initialise by zeroing it */
    struct map number; /* by allocation: its position in alloc[], from 1 */
    struct hazard_written *alloc;
    uint32_t n, room;
};

/* Note an allocation of device memory, which is uninitialised. Allocations that
 * are not noted are host memory. Returns -1 if memory runs out. */
int hazard_init_note(struct hazard_init *s, uint64_t alloc);

/*
 * Let an operation begin: its writes initialise bytes. Returns 1, with the
 * first range in *out, if it reads uninitialised bytes: for a kernel, any
 * bytes; for other operations, a range without a single initialised byte, or
 * one part of what is copied to the host.
 * Returns 0 if there are none, -1 if memory runs out.
 */
int hazard_init_begin(struct hazard_init *s, const struct graph_view *v,
                      struct graph_access *out);

void hazard_init_release(struct hazard_init *s);

#endif
