/*
 * sandbox.h: running what a student wrote
 *
 * bubblewrap gives the command namespaces of its own: no network, a read-only
 * world of /usr and what is bound, private /tmp, /dev and /proc; its processes
 * die with it. A control group limits memory and processes where this user may
 * make one. The clock is here: when time is up, everything inside is killed.
 */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include <stddef.h>

enum {
    SANDBOX_OUTPUT = 64 << 10,
    SANDBOX_MAX_BINDS = 8,
    SANDBOX_MAX_ARGS = 128
};

struct sandbox {
    struct {
        const char *from, *to;
        int writable;
    } bind[SANDBOX_MAX_BINDS];
    int nbinds;
    const char *env[16][2]; /* name, value; ended by NULL */
    double limit_sec;
    const char *watch; /* folder whose files grow while there is progress, */
    double idle_sec;   /* and how long they may not; NULL: not watched */
};

struct sandbox_end { /* how it ended */
    int infra; /* the sandbox itself could not be made: why is in output */
    int timed_out;
    int status; /* exit status, or 128 + signal */
    double sec;
    char output[SANDBOX_OUTPUT + 1]; /* stdout and stderr, its first part */
    size_t dropped;                  /* bytes of output beyond */
};

/* Run argv (ended by NULL) inside; all paths are as seen there. */
void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end);

#endif
