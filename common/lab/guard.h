/*
 * guard.h: endings of student code that no call reports
 *
 * Between guard_begin() and guard_end() this thread runs student code. If that
 * computes for too long (an endless loop), calls exit() or MPI_Abort(), or a
 * call of MPI fails in it, a line says so, with the place in the student's
 * source, and the process ends:
 *
 *     commlab: rank 1: exit(0) was called at ring.c:30, in the middle of ...
 *
 * Time is this thread's CPU time, so that a busy machine is not mistaken for a
 * loop: threads that wait don't compute.
 */
#ifndef COMMLAB_LAB_GUARD_H
#define COMMLAB_LAB_GUARD_H

#include <mpi.h>

/* CPU seconds that student code may take in an iteration; the environment
 * variable COMMLAB_LOOP_SEC overrides it. */
enum { GUARD_LOOP_SEC = 5 };

/* Report what fails on this communicator, and on those made from it. */
void guard_mpi(MPI_Comm comm);

/* Make the timer of this thread now: where no process may make one later. */
void guard_make_timer(void);

void guard_begin(int rank, const char *case_name);
void guard_end(void);

#endif
