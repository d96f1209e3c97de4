/*
 * check.h: SIMGPU_CHECK=1: report hazards at the end of a run
 *
 * Hazards (graph/hazard.h) are found in the execution graphs of all processes,
 * once all of them are complete: by the last process of the job that ends. It
 * has kept the others' segments open since MPI_Init, so they may have exited by
 * then, and nothing is left behind when it exits too. Each process first waits
 * until its streams are empty, since only a kernel that has run shows what it
 * touches.
 *
 *     rank 0   ... exit: drain, count 1 of 3
 *     rank 1   ... exit: drain, count 2 of 3
 *     rank 2   ... exit: drain, count 3 of 3: hazards of ranks 0 to 2
 *
 * A process that is killed, or calls _exit(), is not counted, and then no
 * hazards are reported. Processes that don't know each other (no MPI_Init)
 * check their own graphs.
 */
#ifndef SIMGPU_CORE_CHECK_H
#define SIMGPU_CORE_CHECK_H

#include <stdint.h>

/* Record a mistake at this call site that the run noticed and survives. It goes
 * into the graph, whether or not SIMGPU_CHECK is set. */
void check_note(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Read SIMGPU_CHECK; called once, by start.c. -1: invalid. */
int check_start(void);

/* All processes of the job are known: keep their graphs open. */
void check_keep_graphs(void);

/* The process ends: called first, and after its own graph is complete. If
 * hazards are found, check_exit() doesn't return. */
void check_before_exit(void);
void check_exit(void);

#endif
