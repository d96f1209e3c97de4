/*
 * span.h: the operations of an NVTX range
 */
#ifndef COMMLAB_GRAPH_SPAN_H
#define COMMLAB_GRAPH_SPAN_H

#include "graph/record/read.h"

/*
 * Mark, by position, all operations of each rank from the first to the last in
 * a span whose name contains this text, including those in nested ranges.
 * Existing marks stay. Returns the number of marked operations.
 */
uint32_t span_mark(const struct graph *g, const char *span, char *in);

#endif
