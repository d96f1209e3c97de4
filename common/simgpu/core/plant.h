/*
 * plant.h: faults that SIMGPU_FAULT plants in this process
 *
 * A fault strikes at an operation of its rank, never at a moment of this
 * machine's clock: an operation that a stream is given, or a call of MPI. They
 * are counted where the host issues them, which no schedule changes. A fault
 * with a modelled time strikes at the first operation that the host issues at
 * that time or later.
 *
 *     kill, lost, flip    strike once, here
 *     stall, slow, link   take modelled time, which a replay adds: each is
 *                         noted in the graph (graph_note_harm())
 */
#ifndef SIMGPU_CORE_PLANT_H
#define SIMGPU_CORE_PLANT_H

#include "core/plant_text.h"
#include "core/proc.h"

/* Read SIMGPU_FAULT. Returns -1 with a line in err. */
int plant_start(const char *text, char *err, size_t err_nbytes);

/* Note the faults that last from the start in the process's graph. now_ps
 * returns the calling thread's modelled time. */
void plant_begin(const struct proc *self, uint64_t (*now_ps)(void));

/*
 * The calling thread is about to issue n operations, `call` first; the node of
 * the first is the next that it records. Returns the kill or loss that strikes
 * before one of them, NULL if none does. Notes and prints it.
 */
const struct plant *plant_ahead(uint64_t n, const char *call, uint32_t site);

/* Count an operation that the thread issues now. Notes a stall or a slowdown
 * that begins here, and returns a flip that strikes, or NULL. */
const struct plant *plant_count(const char *call, uint32_t site);

/* End this process by the signal of the fault. */
_Noreturn void plant_kill(const struct plant *kill);

/* Which of a buffer's bits a flip inverts. */
uint64_t plant_bit(const struct plant *flip, uint64_t nbits);

#endif
