/*
 * fds.h: file descriptors that a test leaves open
 */
#ifndef COMMLAB_TESTS_FDS_H
#define COMMLAB_TESTS_FDS_H

#include <check.h>

/*
 * Make each test of the case fail if, after its fixtures, more or fewer
 * descriptors are open than before. Call it before the case gets other
 * fixtures.
 */
void fds_watch(TCase *t);

/* The number of descriptors that this process has open. */
int fds_open(void);

#endif
