/*
 * recorder_graph.h: the recorder's copy of a rank's execution graph
 *
 * The rank sends the header and each record (graph/record/format.h), and
 * appends the same to its memfd. What it sent counts; the memfd is compared
 * with it. Finally the file gets a list of the operations that have begun.
 */
#ifndef GRADER_RECORDER_GRAPH_H
#define GRADER_RECORDER_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/format.h"

enum recorder_graph_result {
    RECORDER_GRAPH_TAKEN,
    RECORDER_GRAPH_WHOLE,  /* the graph is complete */
    RECORDER_GRAPH_FULL,   /* it is larger than allowed */
    RECORDER_GRAPH_FORGED, /* the memfd differs, or the bytes are not what the
                              kit sends */
    RECORDER_GRAPH_FAILED, /* this machine's fault, with errno */
};

/* Takes over the memfd. NULL with errno on failure. */
struct recorder_graph *recorder_graph_new(int memfd, const char *dir, int rank);

/* An incomplete graph becomes DIR/early/rank-R.graph, which serves for pictures
 * but not for verdicts. NULL is allowed. */
void recorder_graph_free(struct recorder_graph *g);

/* Take bytes, which may be cut anywhere. When the graph is complete, it becomes
 * DIR/rank-R.graph. */
enum recorder_graph_result recorder_graph_take(struct recorder_graph *g,
                                               const char *data, size_t nbytes);

/* The place of an allocation that has arrived, each reported once. Returns 1,
 * or 0 if there is none left. */
int recorder_graph_placed(struct recorder_graph *g, struct format_alloc *out);

/* The number of operations taken so far. */
uint32_t recorder_graph_nnodes(const struct recorder_graph *g);

/*
 * Note that an operation begins, and find the ranges that it overwrites
 * (graph/hazard/overwrite.h): *n of them, from malloc(). Returns TAKEN, FAILED,
 * or FORGED if there is no such operation or it has begun before.
 */
enum recorder_graph_result recorder_graph_begin(struct recorder_graph *g,
                                                uint32_t index,
                                                struct graph_access **ranges,
                                                size_t *n);

#endif
