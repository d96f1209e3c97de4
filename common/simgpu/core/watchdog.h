/*
 * watchdog.h: noticing that a job hangs, or has lost a process
 *
 * Each process has a thread that looks four times a second. A job in which no
 * known process has an active thread (wait.h), and in which nothing has been
 * done, for SIMGPU_HANG_SEC seconds (2 by default), hangs: everything that
 * could end a wait is itself waiting. A loaded machine doesn't look like that:
 * a thread that has something to do is active, running or not.
 *
 * A thread that has been woken but has not run since still counts as waiting.
 * So each watchdog checks whether the words that its threads sleep on have
 * changed, which is progress, and beats; a process whose watchdog has not
 * beaten during the quiet (stopped, or short of a core) is taken for one at
 * work.
 */
#ifndef SIMGPU_CORE_WATCHDOG_H
#define SIMGPU_CORE_WATCHDOG_H

/* Start this process's watchdog. It ends the process when the job hangs, when a
 * peer has crashed, and when another process has ended the job. */
void watchdog_start(void);

#endif
