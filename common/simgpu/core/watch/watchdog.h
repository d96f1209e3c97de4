/*
 * watchdog.h: detecting that a job hangs, or has lost a process
 *
 * Each process has a thread that checks the job four times a second. A job
 * hangs if for SIMGPU_HANG_SEC seconds (2 by default) no known process has had
 * an active thread (wait.h) and nothing has been completed: everything that
 * could end a wait is itself waiting. A loaded machine doesn't look like that,
 * because a thread that has something to do is active, running or not.
 *
 * A thread that has been woken but has not run since still counts as waiting.
 * Each watchdog therefore checks whether the words that its threads sleep on
 * have changed, which counts as progress, and beats. A process whose watchdog
 * has not beaten during the quiet period (because it is stopped, or short of a
 * core) is assumed to be working. So is a rank that has made no call yet
 * (newcomer.h).
 */
#ifndef SIMGPU_CORE_WATCH_WATCHDOG_H
#define SIMGPU_CORE_WATCH_WATCHDOG_H

#include <stddef.h>

/* Start this process's watchdog. It ends the process when the job hangs, when a
 * peer has crashed, or when another process has ended the job. */
void watchdog_start(void);

/* Have the report of a hang include this process's lines that f writes, which
 * ends them by a 0. There are at most WATCHDOG_REMARKS such functions. */
enum { WATCHDOG_REMARKS = 2 };
void simgpu_hang_remark(void (*f)(char *out, size_t nbytes));

#endif
