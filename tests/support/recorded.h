/*
 * recorded.h: what kernels touched in a program's run, by its graph
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include "child.h"
#include "graph/read.h"

/* Run a shell command that ends with status 0, with a graph, which the caller
 * frees. What it has printed is left in c. */
struct graph *recorded_run(struct child *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The kernels of both touched and moved the same bytes, in order. */
void recorded_same_kernels(const struct graph *a, const struct graph *b);

#endif
