/*
 * believed.h: which records of an execution graph show that bytes moved
 *
 * A record comes from the student's process. A copy between devices, a
 * collective and a message are believed to have moved bytes only if
 *
 *     the recorder has seen it begin, if it overwrites anything
 *                                     (graph/overwrite.h; witnessed graphs)
 *     its cost is that of as many bytes as it says that it writes
 */
#ifndef COMMLAB_JUDGE_BELIEVED_H
#define COMMLAB_JUDGE_BELIEVED_H

#include "graph/read.h"

/* True for what is none of these, too. */
int believed(const struct graph *g, const struct graph_view *v);

/* Of a message, both of whose sides have to be believed. */
int believed_message(const struct graph *g, const struct graph_view *send,
                     const struct graph_view *recv);

#endif
