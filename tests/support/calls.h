/*
 * calls.h: the graph's record of a call, as text for a golden file
 */
#ifndef COMMLAB_TESTS_CALLS_H
#define COMMLAB_TESTS_CALLS_H

#include <stdio.h>

struct graph;
struct graph_view;

/*
 * Print a line: index and part of the node, its name, kind, queue and the
 * host's time; group; match, as the index of its first node; bytes of elements
 * (for a kernel, threads); dependences; accesses, without addresses in ordinary
 * memory; moves.
 */
void calls_print(FILE *f, const struct graph *g, const struct graph_view *v);

#endif
