/*
 * anyrun.h: random runs with everything that a graph can contain
 *
 * A run consists of kernels with parts, copies, calls, messages, collectives
 * and MPI calls of several ranks, in a few queues and threads. Sizes and times
 * are drawn from short lists, which makes many operations end at the same time
 * and many ranges share an end. A seed always gives the same run.
 */
#ifndef COMMLAB_TESTS_ANYRUN_H
#define COMMLAB_TESTS_ANYRUN_H

#include "synthetic.h"

enum { ANYRUN_RANKS = 4 }; /* the most ranks that a run has */

/* The machine of a seed's run, and its number of ranks. */
const char *anyrun_machine(uint64_t seed);
uint32_t anyrun_nranks(uint64_t seed);

/* Record the run; s has that many ranks. */
void anyrun_record(struct synthetic *s, uint64_t seed);

/* Append a message that is never received, and an operation that waits for
 * it. */
void anyrun_hang(struct synthetic *s);

#endif
