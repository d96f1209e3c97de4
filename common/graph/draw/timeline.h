/*
 * timeline.h: drawing a timeline
 *
 * There is a row for each host thread and each queue. Lines join the members of
 * one operation (a collective, a send and its receive) across ranks. Hidden and
 * exposed communication (overlap.h) look different.
 */
#ifndef COMMLAB_GRAPH_TIMELINE_H
#define COMMLAB_GRAPH_TIMELINE_H

#include <stdio.h>

#include "graph/replay/replay.h"

/* The input of a picture. */
struct timeline {
    const struct graph *graph;
    const struct replay_time *time; /* replay_times() */
    const struct topo *topo;        /* gives names of resources; may be NULL */
    const char *title;
    const char *in;  /* SVG only: nodes to draw, by position; the picture covers
                        the time in which they run. NULL draws all of them */
    uint32_t nranks; /* SVG only: number of ranks to draw, from rank 0; 0:
                        all */
};

/*
 * Write the trace event format of Perfetto and chrome://tracing: a process for
 * each rank, a thread for each row, an arrow between the members of a match.
 * Times are microseconds, with all digits. Returns 0, or -1 with errno.
 */
int timeline_json(FILE *f, const struct timeline *t);

/*
 * Draw a picture that is readable in print and without colours. Leaves out bars
 * narrower than a quarter of a pixel next to one with the same look. Returns 0,
 * or -1 with errno.
 */
int timeline_svg(FILE *f, const struct timeline *t);

#endif
