/*
 * timeline.h: drawing a timeline
 *
 * There is a row for each host thread and each queue. The members of one
 * operation (a collective, a send and its receive) are joined across ranks.
 * Hidden and exposed communication (overlap.h) look different.
 */
#ifndef COMMLAB_GRAPH_TIMELINE_H
#define COMMLAB_GRAPH_TIMELINE_H

#include <stdio.h>

#include "graph/replay.h"

/* The input of a picture. */
struct timeline {
    const struct graph *graph;
    const struct replay_time *time; /* replay_times() */
    const struct topo *topo;        /* names of resources; may be NULL */
    const char *title;
    const char *in;  /* by position: draw only the time in which those with 1
                        run; NULL: all of it; only SVG */
    uint32_t nranks; /* draw this many, from rank 0; 0: all; only SVG */
};

/*
 * The trace event format of Perfetto and chrome://tracing: a process for each
 * rank, a thread for each row, an arrow between the members of a match. Times
 * are microseconds, with all digits. Returns 0, or -1 with errno.
 */
int timeline_json(FILE *f, const struct timeline *t);

/*
 * A picture, readable in print and without colours. Leaves out bars narrower
 * than a quarter of a pixel next to one with the same look. Returns 0, or -1
 * with errno.
 */
int timeline_svg(FILE *f, const struct timeline *t);

#endif
