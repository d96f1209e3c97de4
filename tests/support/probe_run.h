/*
 * probe_run.h: for suites whose programs are probes (probe.h)
 */
#ifndef COMMLAB_TESTS_PROBE_RUN_H
#define COMMLAB_TESTS_PROBE_RUN_H

/* How often a word occurs in a text. */
int probe_count(const char *text, const char *word);

/*
 * Check that the modelled times of a run are the same under every schedule, and
 * include an operation with this name. `start` precedes the program ("mpirun -n
 * 4"); `probes` is its path in tests/ and its arguments.
 */
void probe_times(const char *start, const char *probes, const char *operation);

#endif
