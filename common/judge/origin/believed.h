/*
 * believed.h: which records of an execution graph show that bytes moved
 *
 * A record comes from the student's process. A copy between devices, a
 * collective or a message is believed to have moved bytes only if
 *
 *     the recorder saw it begin, in case it overwrites anything
 *                                     (hazard/overwrite.h; witnessed graphs)
 *     its cost covers as many bytes as it says it writes
 */
#ifndef COMMLAB_JUDGE_BELIEVED_H
#define COMMLAB_JUDGE_BELIEVED_H

#include "graph/record/read.h"

/* True if an operation's record is believed, and for every other
 * kind of operation. */
int believed(const struct graph *g, const struct graph_view *v);

/* True if a message is believed, which needs both sides to be. */
int believed_message(const struct graph *g, const struct graph_view *send,
                     const struct graph_view *recv);

#endif
