/*
 * sandbox_watch.h: following a run, and stopping it in time
 *
 * While a run prints, the grader looks at its folder, its time, and what the
 * kernel does not limit (struct sandbox_end says what is found).
 */
#ifndef GRADER_SANDBOX_WATCH_H
#define GRADER_SANDBOX_WATCH_H

#include <sys/types.h>

#include "grader/sandbox/groups.h"
#include "grader/sandbox/sandbox.h"

/* How many threads other programs may start before the kernel refuses a run
 * that is only watched its own. */
enum { WATCH_BESIDE = 8 * GROUPS_PROCESSES };

/* Read the run's output from fd until it ends or the run must be stopped. */
void watch_follow(int fd, const struct sandbox *s, pid_t keeper,
                  struct sandbox_end *end);

/* True if the run has to be stopped. */
int watch_is_over(const struct sandbox_end *end);

/* Check what was written since the last look, or by a run too short for one. */
void watch_again(const struct sandbox *s, struct sandbox_end *end);

/* True if the disk with the evidence, or with a folder bound for writing, is
 * full. */
int watch_disk_is_full(const struct sandbox *s);

/* The number of threads on this machine; 0 if it is unknown. */
long watch_machine_threads(void);

/* The number behind a name in a file of /proc; 0 if there is none. */
long long watch_number_in(const char *path, const char *name);

#endif
