/*
 * quiet.h: is anything happening in the job?
 *
 * A job is *quiet* while all threads of its known processes wait (wait.h) or
 * poll (polls.h), and nothing is completed. If it stays so, nothing will end
 * these waits, except that a thread which polls has a time limit. Then, and
 * only then, the clock of such a thread may run: how long a rank polls in vain
 * depends on the other ranks, and not on the speed of this machine.
 */
#ifndef SIMGPU_CORE_QUIET_H
#define SIMGPU_CORE_QUIET_H

#include <stdint.h>

/* True if a known process has a thread that neither waits nor polls. *progress
 * is the sum of control->progress over all processes, *npolling the number of
 * threads that poll. */
int quiet_broken(uint64_t *progress, int *npolling);

/* For the watchdog: the job was quiet for long enough, at this progress. */
void quiet_settled(uint64_t progress);

/* True if the job has been quiet for long enough, and still is. */
int quiet_still(void);

/* True if no thread of another process polls at an earlier modelled time, or at
 * the same one with a lower rank: its time limit may be over first. */
int quiet_is_earliest(uint64_t ps);

#endif
