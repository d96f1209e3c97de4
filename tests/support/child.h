/*
 * child.h: run a program and look at what it did
 *
 * Tests start whole programs, under mpirun where they have ranks. Every child
 * has a deadline; when it passes, the child's process group is killed and the
 * result says so. Standard output and standard error are kept apart; nothing
 * arrives on standard input, not even its end (base/no_input.h).
 */
#ifndef COMMLAB_TESTS_CHILD_H
#define COMMLAB_TESTS_CHILD_H

#include <stddef.h>

struct child {
    int status;      /* exit status, or 128 + signal */
    int timed_out;   /* the deadline passed */
    double sec;      /* wall clock */
    char *out, *err; /* NUL-terminated; child_clear frees them */
};

/*
 * Run a shell command line (printf format) with at most deadline_sec. The
 * deadline is for hangs: choose ten times what an idle machine needs. On a slow
 * one CK_TIMEOUT_MULTIPLIER lengthens it, as it does Check's own.
 */
struct child child_run(double deadline_sec, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void child_clear(struct child *c);

/* A new, empty folder in $TMPDIR or /tmp, whose path goes to path; the test is
 * to child_remove() it. */
enum { CHILD_FOLDER = 4096 };
void child_folder(char path[CHILD_FOLDER], const char *name);
void child_remove(const char *path);

/* Folder of the build the calling test belongs to ("build"), absolute. */
const char *child_build(void);

#endif
