/*
 * clock.h: modelled time, as the program may ask for it
 *
 * The answers come from replaying the causal past of the question (see
 * graph/live.h), so they are the same on every run and every machine. Work that
 * nobody has waited for is in no question's past: it slows nothing down, until
 * somebody waits for it.
 */
#ifndef SIMGPU_CORE_CLOCK_H
#define SIMGPU_CORE_CLOCK_H

#include "core/stream.h"

/*
 * Now, on the calling host thread, in picoseconds since the job began. Never
 * goes back.
 */
uint64_t clock_host_ps(void);

/*
 * From the op at mark a to the op at mark b, both passed, as cudaEventElapsedTime
 * gives it, in milliseconds.
 */
float clock_elapsed_ms(struct mark a, struct mark b);

#endif
