/*
 * conform.h: runs of conformance programs (rule.h), whose rules must hold
 */
#ifndef COMMLAB_TESTS_CONFORM_H
#define COMMLAB_TESTS_CONFORM_H

/* The schedules under which a rule must hold. */
extern const char *const conform_schedules[];
enum { CONFORM_SCHEDULES = 4 };

/*
 * Run build/tests/simgpu/PROGRAM under mpirun with nranks ranks, or by itself
 * if nranks is 0. `environment` sets variables ("" or "A=1 B=2"). The test
 * fails unless the program checks at least one rule, all rules hold, and its
 * status is 0.
 */
void conform_run(const char *environment, const char *program, int nranks);

/* The same under a schedule, given by its number. */
void conform_schedule(int schedule, const char *program, int nranks);

#endif
