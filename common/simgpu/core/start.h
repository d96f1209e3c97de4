/*
 * start.h: what proc.c calls in the other files of the core, once
 */
#ifndef SIMGPU_CORE_START_H
#define SIMGPU_CORE_START_H

#include <stdint.h>

/* SIMGPU_SCHEDULE; -1 if the text means nothing (schedule.c). */
int schedule_set(const char *text);

/* The fault handler (fault.c); and its stack for the calling thread. */
void heap_start(void);
void heap_thread_start(void);

/* The thread that notices hangs (wait.c). */
void wait_start_watchdog(void);

/* The calling worker is at this operation from now on (wait.c). */
void wait_at(uint32_t node);

/* The calling thread works for a stream: it is no host thread (proc.c). */
void proc_become_worker(void);

/* proc_thread(), but UINT32_MAX for a worker. */
uint32_t proc_thread_or_worker(void);

#endif
