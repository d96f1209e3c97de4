/*
 * recorded.h: what the kernels of a program touched, from its graph
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include "child.h"
#include "graph/record/read.h"

/* Run a shell command, which must end with status 0 and record a graph. The
 * caller frees the graph. The output is in c. */
struct graph *recorded_run(struct child *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Check that the kernels of both graphs touched and moved the same
 * bytes, in order. */
void recorded_same_kernels(const struct graph *a, const struct graph *b);

#endif
