/*
 * noted.h: what a rank (ranks.h) has recorded, in lines
 */
#ifndef COMMLAB_TESTS_NOTED_H
#define COMMLAB_TESTS_NOTED_H

#include "graph/read.h"

/* This process's own graph, which the caller frees. */
struct graph *noted_graph(void);

/* Print it to standard error: a line for each part of a node, each queue and
 * each fault. Of sites only the file is shown, as lines move. */
void noted_print(void);

#endif
