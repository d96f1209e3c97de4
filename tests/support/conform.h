/*
 * conform.h: run a conformance program (rule.h) and expect its rules to hold
 */
#ifndef COMMLAB_TESTS_CONFORM_H
#define COMMLAB_TESTS_CONFORM_H

/* The schedules that a rule has to hold under. */
extern const char *const conform_schedules[];
enum { CONFORM_SCHEDULES = 4 };

/*
 * Run build/tests/simgpu/PROGRAM with the words of `environment` set ("" or
 * "A=1 B=2"): under mpirun with nranks of them, by itself for 0. At least one
 * rule is checked, none fails, and the status is 0; else the test fails.
 */
void conform_run(const char *environment, const char *program, int nranks);

/* The same under a schedule, by number. */
void conform_schedule(int schedule, const char *program, int nranks);

#endif
