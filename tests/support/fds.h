/*
 * fds.h: file descriptors that a test leaves open
 */
#ifndef COMMLAB_TESTS_FDS_H
#define COMMLAB_TESTS_FDS_H

#include <check.h>

/* Each test of the case fails if as many descriptors are not open after its
 * fixtures as before. Call it before the case has other fixtures. */
void fds_watch(TCase *t);

/* How many this process has open. */
int fds_open(void);

#endif
