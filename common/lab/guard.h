/*
 * guard.h: endings of student code that no call reports
 *
 * Between guard_begin() and guard_end() this thread runs student code. If that
 * code computes for too long (an endless loop), calls exit() or MPI_Abort(), or
 * makes a call of MPI that fails, guard prints a line with the place in the
 * student's source and ends the process:
 *
 *     commlab: rank 1: exit(0) was called at ring.c:30, in the middle of ...
 *
 * The limit is on this thread's CPU time, which a thread doesn't use while it
 * waits, so a busy machine is not mistaken for an endless loop.
 */
#ifndef COMMLAB_LAB_GUARD_H
#define COMMLAB_LAB_GUARD_H

#include <mpi.h>

/* CPU seconds that student code may take in an iteration. The environment
 * variable COMMLAB_LOOP_SEC overrides it. */
enum { GUARD_LOOP_SEC = 5 };

/* Report failures on this communicator and on those derived from it. */
void guard_mpi(MPI_Comm comm);

/* Create this thread's timer now, for a process that may not create one
 * later. */
void guard_make_timer(void);

void guard_begin(int rank, const char *case_name);
void guard_end(void);

#endif
