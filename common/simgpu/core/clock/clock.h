/*
 * clock.h: modelled time, for the program's timing calls
 *
 * The answers come from replaying the causal past of the call
 * (graph/record/live.h), so they are the same in every run and on every
 * machine. Work that no thread has waited for is in no call's past: it slows
 * nothing down until a thread waits for it.
 */
#ifndef SIMGPU_CORE_CLOCK_CLOCK_H
#define SIMGPU_CORE_CLOCK_CLOCK_H

#include <time.h> /* clockid_t */

#include "core/stream/fence.h"

/* The time on one of this machine's clocks, in nanoseconds. */
int64_t clock_machine_ns(clockid_t id);

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
 * When an operation of this process, which has done its work, began and ended.
 * Only its own causal past counts: operations that are not ordered with it
 * don't slow it down. Returns -1 if there is no modelled answer (see below).
 */
int simgpu_clock_span(uint32_t node, uint64_t *start_ps, uint64_t *end_ps);

/* Map the graphs of all known ranks, so that those of ranks that die can still
 * be read. */
void clock_keep_graphs(void);

/*
 * Note that a communicator has been aborted here. Operations that waited for
 * its ranks have ended without their match; they are noted as broken
 * (graph_note_broken()), and cost nothing. If a rank never records its part of
 * a match that isn't broken, a call whose past contains it has no modelled
 * answer. From then on clock_host_ps() only advances by the host's cost of each
 * call, so that a program that waits for a deadline still reaches it, and
 * clock_elapsed_ms() ends the run with a message.
 */
void simgpu_clock_note_abort(void);

#endif
