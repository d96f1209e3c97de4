/*
 * view.h: a page to look at a replayed run with
 *
 * The page is one file that needs no network. What it knows of the run is one
 * JSON object, in columns, so that a run of 40,000 operations has a few
 * megabytes. A *number* is that of an operation among those shown, by position:
 *
 *   strings    what the numbers in name, site, span stand for; 0 is ""
 *   rows       [name, rank, 1 for a queue]
 *   resources  [name, rate per second], rate 0 if none uses it
 *   drawing    [title, height, boxes, links] of the machine's panels that are
 *              used: boxes [kind, x, y, w, h, label] and links [resource, x, y,
 *              x, y, ...] as in topo/drawing.h
 *   uses       [[resource, amount], ...] of alike operations
 *   rank, index, kind, name, site, span, bytes, match, use, bound: of each one
 *   start      its start in ps, minus that of the one before it
 *   issued, ready, took   how long before its start its call ended and it was
 *              ready; from start to end
 *   why        number of what made it ready, -1: its own call, -2: one that is
 *              not shown
 *   late       number of the member that arrived last, -1: itself
 *   pieces     of each one: [row, look, begin - start, length, ...]
 *   path       [number, begin, length, ...] of the critical path; of a run that
 *              did not end there is none
 *   hazards    [text, number or -1, number or -1, warning]
 *   memory     [GPU, its bytes, [time, bytes more or less, ...]]
 *   steps      of each span with messages, the fields of struct steps
 */
#ifndef COMMLAB_GRAPH_VIEW_H
#define COMMLAB_GRAPH_VIEW_H

#include <stdio.h>

#include "graph/replay.h"

/* What to show. */
struct view {
    const struct graph *graph;
    const struct topo *topo;
    const struct replay *replay;
    const struct replay_options *options; /* of the replay; NULL: none */
    const char *title;
    const char *in; /* by position: 1, show it; NULL: show all. The page begins
                       with the first of them and ends with the last */
};

/* The JSON object. Returns 0, or -1 if memory runs out or f can't be
 * written. */
int view_data(FILE *f, const struct view *v);

/* The page for what view_data() wrote: with the same title, or another. Returns
 * 0, or -1 if f can't be written. */
int view_page(FILE *f, const char *title, const char *data);

#endif
