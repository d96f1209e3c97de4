/*
 * recorder_graph.h: the recorder's copy of a rank's execution graph
 *
 * The rank sends the header and then each record (graph/format.h), and appends
 * it to its memfd. What it has sent counts; the memfd is compared with it.
 */
#ifndef GRADER_RECORDER_GRAPH_H
#define GRADER_RECORDER_GRAPH_H

#include <stddef.h>

enum recorder_graph_result {
    RECORDER_GRAPH_TAKEN,
    RECORDER_GRAPH_WHOLE,  /* that was the end of it */
    RECORDER_GRAPH_FULL,   /* it is larger than it may be */
    RECORDER_GRAPH_FORGED, /* the memfd holds something else */
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

#endif
