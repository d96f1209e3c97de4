/*
 * clock.h: modelled time, as the program may ask for it
 *
 * The answers come from replaying the causal past of the question (see
 * graph/read.h), so they are the same on every run and every machine.
 */
#ifndef SIMGPU_CORE_CLOCK_H
#define SIMGPU_CORE_CLOCK_H

#include "core/stream.h"

/* When the op at the (passed) mark ended; 0 for the empty mark. */
uint64_t clock_mark_ps(struct mark m);

/* Now, on the calling host thread. Never goes back. */
uint64_t clock_host_ps(void);

/* b - a as cudaEventElapsedTime gives it, in milliseconds: one replay. */
float clock_elapsed_ms(struct mark a, struct mark b);

#endif
