/*
 * check.h: SIMGPU_CHECK=1, what worked by luck is said at the end
 *
 * Hazards (graph/hazard.h) are found in the execution graphs of all processes,
 * when all of them are complete: the last process of the job that ends does it.
 * It has kept the others' segments open since MPI_Init, so they may be gone by
 * then, and nothing is left behind when it goes too. Each process first waits
 * until its streams are empty, as only a kernel that has run shows what it
 * touches.
 *
 *     rank 0   ... exit: drain, count 1 of 3
 *     rank 1   ... exit: drain, count 2 of 3
 *     rank 2   ... exit: drain, count 3 of 3: hazards of ranks 0 to 2
 *
 * A process that is killed, or leaves by _exit(), doesn't count, and then nobody
 * says anything: such a run has other troubles. Processes that don't know each
 * other (no MPI_Init) look at their own graphs.
 */
#ifndef SIMGPU_CORE_CHECK_H
#define SIMGPU_CORE_CHECK_H

#include <stdint.h>

/* A mistake that the run itself notices, at this call site, and survives. It goes
 * into the graph, checked or not. */
void check_note(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Read SIMGPU_CHECK; called once, by proc.c. -1: it means nothing. */
int check_start(void);

/* All processes of the job are known now: keep their graphs. */
void check_meet(void);

/* The process ends. First of all, and after its own graph is complete: if hazards
 * are found, it doesn't return. */
void check_before_exit(void);
void check_exit(void);

#endif
