/*
 * check.h: SIMGPU_CHECK=1, which reports hazards at the end of a run
 *
 * Hazards (graph/hazard/hazard.h) are found in the execution graphs of all
 * processes, once these are complete, by the last process of the job that ends.
 * It has kept the other processes' segments open since MPI_Init, so those may
 * have exited, and no files are left behind when it exits, too. Each process
 * first waits until its streams are empty, since only a kernel that has run
 * shows what it touches.
 *
 *     rank 0   ... exit: drain, count 1 of 3
 *     rank 1   ... exit: drain, count 2 of 3
 *     rank 2   ... exit: drain, count 3 of 3: hazards of ranks 0 to 2
 *
 * A process that is killed, or calls _exit(), is not counted, and no hazards
 * are reported. Processes that don't know each other (without MPI_Init) check
 * their own graphs.
 */
#ifndef SIMGPU_CORE_WATCH_CHECK_H
#define SIMGPU_CORE_WATCH_CHECK_H

#include <pthread.h> /* pthread_mutex_t */
#include <stddef.h>
#include <stdint.h>

/* Record a mistake at this call site that the run detected and survived. It is
 * recorded in the graph even without SIMGPU_CHECK. */
void simgpu_check_note(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what may be a mistake. */
void simgpu_check_warn(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Record a call that reads or writes ("reads") nbytes bytes from p on, if they
 * exceed an allocation or if it has been freed: programs tend to ignore the
 * error that CUDA returns. */
void check_note_bounds(uint32_t site, const char *call, const char *verb,
                       const void *p, size_t nbytes);

/* The call sites of which something has been said. */
struct check_sites {
    pthread_mutex_t lock; /* PTHREAD_MUTEX_INITIALIZER */
    uint32_t seen[64];
    int n;
};

/* True the first time that it is called with this site; never, once there are
 * too many. */
int check_is_new(struct check_sites *s, uint32_t site);

/* Remark on the copy of pageable memory by this call, which counts on what
 * drivers do. Has no effect without SIMGPU_CHECK. */
void check_remark_pageable(uint32_t site, const char *call);

/* Read SIMGPU_CHECK. start.c calls it once. Returns -1 for an invalid value. */
int check_start(void);

/* True with SIMGPU_CHECK=1. */
int simgpu_check_is_on(void);

/* Open the graphs of all processes of the job, once all are known. */
void check_keep_graphs(void);

/* Call these when the process ends: the first one before its own
 * graph is complete, the second one after. check_exit() does not
 * return if it finds hazards. */
void check_before_exit(void);
void check_exit(void);

#endif
