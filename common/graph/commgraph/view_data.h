/*
 * view_data.h: a replayed run as the JSON that the viewer's page reads
 *
 * One object, in columns by position, so that a run of 40,000 operations has a
 * few megabytes:
 *
 *   strings    what the numbers in name, site, span stand for; 0 is ""
 *   rows       [name, rank, 1 for a queue]
 *   resources  [name, rate per second], rate 0 if none uses it
 *   drawing    [title, height, boxes, links] of the machine's panels that are
 *              used: boxes [kind, x, y, w, h, label] and links [resource, x, y,
 *              x, y, ...] as in topo/drawing.h
 *   uses       [[resource, amount], ...] of alike operations
 *   rank, index, kind, name, site, span, bytes, match, use, bound: of each node
 *   start      its start in ps, minus that of the node before it
 *   issued, ready, took   how long before its start its call ended and it was
 *              ready; from start to end
 *   why        position of what made it ready, -1: its own call
 *   late       position of the member that arrived last, -1: itself
 *   pieces     of each node: [row, look, begin - start, length, ...]
 *   path       [node, begin, length, ...] of the critical path
 *   hazards    [text, position or -1, position or -1, warning]
 *   memory     [GPU, its bytes, [time, bytes more or less, ...]]
 *   steps      of each span with messages, the fields of struct steps
 */
#ifndef COMMLAB_COMMGRAPH_VIEW_DATA_H
#define COMMLAB_COMMGRAPH_VIEW_DATA_H

#include "command.h"

/* Returns 0, or -1 if memory runs out or f can't be written. */
int view_data(FILE *f, const struct command_run *r, const char *title);

#endif
