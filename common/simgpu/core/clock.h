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

/*
 * A communicator has been aborted here: operations that waited for its ranks
 * have ended without their match. A question whose past holds one of them has
 * no modelled answer any more. clock_host_ps() then goes on from what the thread
 * knew last by the host's cost of a call, so that a program that waits for a
 * deadline still meets it; clock_elapsed_ms() ends the run and says why.
 */
void clock_note_abort(void);

#endif
