/*
 * heap.h: detects memory that a test, or code that it calls, does not free
 */
#ifndef COMMLAB_TESTS_HEAP_H
#define COMMLAB_TESTS_HEAP_H

#include <check.h>

/*
 * Make each test of the case fail if it and its fixtures leave more or fewer
 * allocations than there were before. Call it before the case gets other
 * fixtures.
 */
void heap_watch(TCase *t);

#endif
