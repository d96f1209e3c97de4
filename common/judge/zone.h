/*
 * zone.h: the bytes before and behind each output, which nothing may write
 *
 * An output is recorded with its zones (JUDGE_RED_ZONE). The graph, if there is
 * one, shows which operation wrote there, and a note in it which line and
 * thread of a kernel did so first (GRAPH_PLACE). Both are only for the message.
 */
#ifndef COMMLAB_JUDGE_ZONE_H
#define COMMLAB_JUDGE_ZONE_H

#include "judge/judge.h"

/*
 * Fail the verdict if a zone of a rank's output has changed. p has the output's
 * `whole` bytes, zones included. Returns 1 if it has, else 0.
 */
int zone_changed(const struct judge_task *t, int rank, int iteration,
                 const char *name, const unsigned char *p, size_t whole,
                 int is_before, struct judge_verdict *v);

#endif
