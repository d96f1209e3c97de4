/*
 * anyrun.h: runs drawn by lot, with all that a graph can have
 *
 * Kernels with parts, copies, calls, messages, collectives and MPI of several
 * ranks, in a few queues and threads. Sizes and times come from short lists, so
 * many operations end at the same time and many ranges meet at an end. A seed
 * always gives the same run.
 */
#ifndef COMMLAB_TESTS_ANYRUN_H
#define COMMLAB_TESTS_ANYRUN_H

#include "synthetic.h"

enum { ANYRUN_RANKS = 4 }; /* at most */

/* The machine of a seed's run, and how many ranks it has. */
const char *anyrun_machine(uint64_t seed);
uint32_t anyrun_nranks(uint64_t seed);

/* Record the run into that many ranks. */
void anyrun_record(struct synthetic *s, uint64_t seed);

/* After it, a message that is never received, and what waits for it. */
void anyrun_hang(struct synthetic *s);

#endif
