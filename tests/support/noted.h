/*
 * noted.h: a rank's (ranks.h) execution graph, as lines of text
 */
#ifndef COMMLAB_TESTS_NOTED_H
#define COMMLAB_TESTS_NOTED_H

#include "graph/record/read.h"

/* This process's own graph. The caller frees it. */
struct graph *noted_graph(void);

/* Print it to standard error, with a line for each part of a node, each queue
 * and each fault. Sites are shown without line numbers, which change. */
void noted_print(void);

#endif
