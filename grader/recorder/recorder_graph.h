/*
 * recorder_graph.h: the recorder's copy of a rank's execution graph
 *
 * The rank sends the header and then each record (graph/format.h), and appends
 * it to its memfd. What it has sent counts; the memfd is compared with it. The
 * file then gets a list of the operations that have begun.
 */
#ifndef GRADER_RECORDER_GRAPH_H
#define GRADER_RECORDER_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "graph/format.h"

enum recorder_graph_result {
    RECORDER_GRAPH_TAKEN,
    RECORDER_GRAPH_WHOLE,  /* that was the end of it */
    RECORDER_GRAPH_FULL,   /* it is larger than it may be */
    RECORDER_GRAPH_FORGED, /* the memfd holds something else, or the bytes are
                              none that the kit sends */
    RECORDER_GRAPH_FAILED, /* with errno: this machine's fault */
};

/* Takes the memfd over. NULL with errno on failure. */
struct recorder_graph *recorder_graph_new(int memfd, const char *dir, int rank);

/* What did not come to its end becomes DIR/early/rank-R.graph: good for
 * pictures, but not for verdicts. NULL is allowed. */
void recorder_graph_free(struct recorder_graph *g);

/* Take bytes, cut anywhere. At the end they become DIR/rank-R.graph. */
enum recorder_graph_result recorder_graph_take(struct recorder_graph *g,
                                               const char *data, size_t nbytes);

/* The place of an allocation that has come, each once: 1, or 0 if there is no
 * other. */
int recorder_graph_placed(struct recorder_graph *g, struct format_alloc *out);

/* Number of operations that have been taken. */
uint32_t recorder_graph_nnodes(const struct recorder_graph *g);

/*
 * Note that an operation begins, and find the ranges that it overwrites
 * (graph/overwrite.h): *n of them, from malloc. TAKEN, FAILED, or FORGED if
 * there is no such operation or it has begun before.
 */
enum recorder_graph_result recorder_graph_begin(struct recorder_graph *g,
                                                uint32_t index,
                                                struct graph_access **ranges,
                                                size_t *n);

#endif
