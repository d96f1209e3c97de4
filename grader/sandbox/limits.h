/*
 * limits.h: what `ulimit`, or a scheduler, limits this process to
 *
 * Everything that a grading starts inherits these limits. One that is too low
 * makes a correct submission fail in ways that look like its own mistakes: a
 * rank cannot open a file, map its device's memory, or start a thread. So the
 * grader raises what it may, and does not grade with what is left too low.
 */
#ifndef GRADER_LIMITS_H
#define GRADER_LIMITS_H

#include <stddef.h>

/*
 * Raise this process's limits to what a grading needs, as far as its user may.
 * A write past the limit on file sizes then fails, rather than ending the
 * process. Children can be waited for, even if the program that started this
 * one ignores SIGCHLD.
 * Call it before any thread is started.
 */
void limits_raise(void);

/*
 * Call main_of(argc, argv) and return what it returns: on this stack, or, if
 * the limit on it is too low even for saying so, on another thread's.
 */
int limits_run(int (*main_of)(int argc, char **argv), int argc, char **argv);

/*
 * Returns 0 if a grading can run with this process's limits. Otherwise returns
 * -1 and says in why which limit is too low, and what to do.
 */
int limits_check(char *why, size_t nbytes);

#endif
