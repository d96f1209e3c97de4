/*
 * view.h: a page that shows a replayed run
 *
 * The page is a single file that needs no network. Its data about the run is
 * one JSON object, in columns, so a run of 40,000 operations takes a few
 * megabytes. A *number* is the position of an operation among those that are
 * shown:
 *
 *   strings    texts, for the numbers in name, site and span; 0 is ""
 *   rows       [name, rank, 1 for a queue]
 *   resources  [name, rate per second], rate 0 if no operation uses it
 *   drawing    [title, height, boxes, links] of the machine's panels that are
 *              used: boxes [kind, x, y, w, h, label] and links [resource, x, y,
 *              x, y, ...] as in topo/drawing.h
 *   uses       [[resource, amount], ...], shared by operations with equal uses
 *   rank, index, kind, name, site, span, bytes, match, use, bound: by number
 *   start      its start in ps, minus that of the previous number
 *   issued, ready, took   the time from the end of its call to its start, from
 *              its readiness to its start, and from its start to its end
 *   why        number of the operation that made it ready; -1: its own call,
 *              -2: an operation that is not shown
 *   late       number of the member that arrived last; -1: itself
 *   pieces     by number: [row, look, begin - start, length, ...]
 *   path       [number, begin, length, ...] of the critical path; empty if the
 *              run did not end
 *   hazards    [text, number or -1, number or -1, warning]
 *   memory     [GPU, its bytes, [time, change in bytes, ...]]
 *   steps      by span with messages: the fields of struct steps
 */
#ifndef COMMLAB_GRAPH_VIEW_H
#define COMMLAB_GRAPH_VIEW_H

#include <stdio.h>

#include "graph/replay/replay.h"

/* What the page shows. */
struct view {
    const struct graph *graph;
    const struct topo *topo;
    const struct replay *replay;
    const struct replay_options *options; /* options of the replay; NULL:
                                             none */
    const char *title;
    const char *in; /* by position: 1 to show it; NULL shows all. The page
                       covers the time from the first of them to the last */
};

/* Write the JSON object. Returns 0, or -1 if memory runs out or f
 * can't be written. */
int view_data(FILE *f, const struct view *v);

/* Write the page around view_data()'s output, with the same title or another.
 * Returns 0, or -1 if f can't be written. */
int view_page(FILE *f, const char *title, const char *data);

#endif
