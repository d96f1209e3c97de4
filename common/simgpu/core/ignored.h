/*
 * ignored.h: failures that the program did not look at
 *
 * A failure counts as ignored if the caller's code throws the result away
 * (discard.h), and no later call asks for the last error. Only a run with
 * SIMGPU_CHECK=1 keeps count; its report names the first.
 */
#ifndef SIMGPU_CORE_IGNORED_H
#define SIMGPU_CORE_IGNORED_H

/* Keep count from now on. */
void ignored_start(void);

/* A call that returns to return_address has failed. */
void simgpu_ignored_note(const char *call, const char *error,
                         const void *return_address);

/* The program has asked for the last error. */
void ignored_forget(void);

/* At the end of the run: note the ignored failures as a fault. */
void ignored_report(void);

#endif
