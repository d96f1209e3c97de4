/*
 * heap.h: memory that a test, or the code that it calls, does not free
 */
#ifndef COMMLAB_TESTS_HEAP_H
#define COMMLAB_TESTS_HEAP_H

#include <check.h>

/* Each test of the case fails if it and its fixtures leave another number of
 * allocations than there were before. Call it before the case has other
 * fixtures. */
void heap_watch(TCase *t);

#endif
