/*
 * links.h: how the ranks of a case use the machine's links
 */
#ifndef COMMLAB_JUDGE_LINKS_H
#define COMMLAB_JUDGE_LINKS_H

#include "judge/judge.h"

/*
 * Bytes that all ranks' messages put on the busiest link, whose name ("nvlink
 * G0->G3") goes to *link. Counts sends only, on the path that NCCL's messages
 * take, and only links whose names start with `prefix` ("out " selects network
 * ports, "" all links). NaN without a graph.
 */
double links_busiest(const struct judge_task *t, int iteration,
                     const char *prefix, const char **link);

/* The highest rate, in bytes/s, at which any of the task's ranks can send: the
 * sum over the links from its GPU that lead to other ranks. */
double links_out_rate(const struct judge_task *t);

#endif
