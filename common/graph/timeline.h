/*
 * timeline.h: when what ran, as a picture
 *
 * One row for each host thread and each queue. Operations that form one (a
 * collective, a send and its receive) are joined across ranks. Communication
 * that a device's own computation hides is told apart from what it waits for
 * (overlap.h).
 */
#ifndef COMMLAB_GRAPH_TIMELINE_H
#define COMMLAB_GRAPH_TIMELINE_H

#include <stdio.h>

#include "graph/replay.h"

/* What a picture is made of. */
struct timeline {
    const struct graph *graph;
    const struct replay_time *time; /* replay_times() */
    const struct topo *topo;        /* names of resources; may be NULL */
    const char *title;
    const char *span; /* NULL, or draw only what happens while operations of
                         spans whose names hold this text run; SVG alone */
};

/*
 * The trace event format, as Perfetto and chrome://tracing read it: a process
 * for each rank, a thread for each row, an arrow between the members of a match.
 * Times are microseconds, with all digits. Returns 0, or -1 with errno.
 */
int timeline_json(FILE *f, const struct timeline *t);

/*
 * A picture for people, readable in print and without colours. What is
 * narrower than a quarter of a pixel beside its like is left out. Returns 0, or
 * -1 with errno.
 */
int timeline_svg(FILE *f, const struct timeline *t);

#endif
