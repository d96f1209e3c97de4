/*
 * probe_run.h: what suites share that run the probes of tests/probes
 */
#ifndef COMMLAB_TESTS_PROBE_RUN_H
#define COMMLAB_TESTS_PROBE_RUN_H

/* How often a word is in a text. */
int probe_count(const char *text, const char *word);

/*
 * The modelled times of a run are the same under every schedule, and are those
 * of, among others, an operation with this name. `start` is what comes before
 * the program ("mpirun -n 4"), `probes` its name and arguments.
 */
void probe_times(const char *start, const char *probes, const char *operation);

#endif
