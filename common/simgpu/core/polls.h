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

/* The calling thread has read a clock while polling; its modelled time: ps. 0:
 * it reads none. */
void poll_clock(uint64_t ps);

/* The calling thread does something else. Its time stays known until its next
 * reading. */
void poll_over(void);

/* True if the calling thread polls. */
int poll_goes_on(void);

#endif
