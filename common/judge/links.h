/*
 * links.h: the machine's links, as the ranks of a case use them
 */
#ifndef COMMLAB_JUDGE_LINKS_H
#define COMMLAB_JUDGE_LINKS_H

#include "judge/judge.h"

/*
 * Bytes of all ranks' messages on the busiest link, with the link's name
 * ("nvlink G0->G3") in *link. Counts sends only, on the path that NCCL's
 * messages take, and only links whose names begin with `prefix` ("out ":
 * network ports; "": all). NaN without a graph.
 */
double links_busiest(const struct judge_task *t, int iteration,
                     const char *prefix, const char **link);

/* The highest rate, in bytes/s, at which any of the task's ranks can send: the
 * sum over the links out of its GPU that lead to other ranks. */
double links_out_rate(const struct judge_task *t);

#endif
