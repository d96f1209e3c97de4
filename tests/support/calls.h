/*
 * calls.h: what the graph has of a call, as text for a golden file
 */
#ifndef COMMLAB_TESTS_CALLS_H
#define COMMLAB_TESTS_CALLS_H

#include <stdio.h>

struct graph;
struct graph_view;

/*
 * A line: index and part of the node, its name, kind, queue and the host's
 * time; group; match, by the index of the first node that has it; bytes of
 * elements (of a kernel: threads); deps; accesses, which have no address in
 * ordinary memory; moves.
 */
void calls_print(FILE *f, const struct graph *g, const struct graph_view *v);

#endif
