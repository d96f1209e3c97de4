/*
 * polls.h: threads that ask again and again whether something has ended
 *
 * A thread *polls* if its last poll failed and it has made no call since, but
 * to read a clock. It counts as active (wait.h), because it may do something
 * else at any time, for example when a time limit is over.
 */
#ifndef SIMGPU_CORE_POLLS_H
#define SIMGPU_CORE_POLLS_H

#include <stdint.h>

/* The calling thread's poll failed. */
void simgpu_poll_failed(void);

/* Publish the modelled time of the calling thread, which has read a clock while
 * polling. It remains published until poll_over(). */
void poll_clock(uint64_t ps);

/* Between a call with 1 and one with 0, what the calling thread records lets
 * its clock run: it stops polling, but its time stays published. */
void poll_clock_runs(int runs);

/* The calling thread does something else. */
void poll_over(void);

/* True if the calling thread polls. */
int poll_goes_on(void);

/* How often the calling thread has done something else. */
uint64_t poll_calls(void);

#endif
