/*
 * child.h: run a program and look at what it did
 *
 * Tests start whole programs, under mpirun if they have ranks. Every child has
 * a deadline; when it passes, the child's process group is killed and the
 * result says so. Standard output and standard error are separate; nothing
 * arrives on standard input, not even its end (base/no_input.h).
 */
#ifndef COMMLAB_TESTS_CHILD_H
#define COMMLAB_TESTS_CHILD_H

#include <stddef.h>

struct child {
    int status;      /* exit status, or 128 + signal */
    int timed_out;   /* 1 if the deadline passed */
    double sec;      /* wall clock */
    char *out, *err; /* NUL-terminated; child_clear frees them */
};

/*
 * Run a shell command line (printf format) for at most deadline_sec. The
 * deadline is for hangs: choose ten times what an idle machine needs.
 * CK_TIMEOUT_MULTIPLIER lengthens it on a slow machine, as it does Check's own.
 *
 * A message of the kit with "(nil)" or an empty "()", in any output, fails
 * the test that has called it.
 */
struct child child_run(double deadline_sec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void child_clear(struct child *c);

/* SIMGPU_SCHEDULE for a program whose result no schedule changes: that of
 * `make test SCHEDULE=...`, or "eager". */
const char *child_schedule(void);

/* Make a new, empty folder in $TMPDIR or /tmp, and write its path to path. The
 * test removes it with child_remove(). */
enum { CHILD_FOLDER = 4096 };
void child_folder(char path[CHILD_FOLDER], const char *name);
void child_remove(const char *path);

/* The build folder that the calling test belongs to ("build"), as an
 * absolute path. */
const char *child_build(void);

#endif
