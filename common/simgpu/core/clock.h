/*
 * clock.h: modelled time, for the program's timing calls
 *
 * The answers come from replaying the causal past of the call (graph/live.h),
 * so they are the same on every run and every machine. Work that the thread has
 * not waited for is in no call's past: it slows nothing down until it is waited
 * for.
 */
#ifndef SIMGPU_CORE_CLOCK_H
#define SIMGPU_CORE_CLOCK_H

#include "core/fence.h"

/*
 * The time on the calling host thread, in picoseconds since the job began. It
 * never decreases.
 */
uint64_t clock_host_ps(void);

/*
 * Milliseconds from the op at fence a to the op at fence b, both passed, as
 * cudaEventElapsedTime reports them.
 */
float clock_elapsed_ms(struct fence a, struct fence b);

/*
 * When an operation of this process, which has done its work, began and ended,
 * as its own causal past says: what runs beside it unordered is not in it. -1:
 * no modelled answer (see below).
 */
int simgpu_clock_span(uint32_t node, uint64_t *start_ps, uint64_t *end_ps);

/*
 * A communicator has been aborted here: operations that waited for its ranks
 * have ended without their match, and a call whose past contains one of them
 * has no modelled answer any more. From then on simgpu_clock_host_ps() advances
 * by the host's cost of a call, so that a program that waits for a deadline
 * still meets it; clock_elapsed_ms() ends the run with a message.
 */
void simgpu_clock_note_abort(void);

#endif
