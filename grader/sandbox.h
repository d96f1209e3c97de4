/*
 * sandbox.h: running what a student wrote
 *
 * How far it is kept apart from this machine is a level; each has what those
 * before it have.
 *
 *   0  an environment of its own, limits on files and cores, and, where this
 *      user may make control groups, on memory and processes
 *   1  never root: if the grader is, a user of its own; files: reads what
 *      programs need, writes what is bound (Landlock);
 *      refuses system calls that no lab needs (seccomp); no new privileges
 *   2  namespaces (bubblewrap): no network, a read-only world of /usr and what
 *      is bound, private /tmp, /dev and /proc; its processes die with it
 *   3  the control groups are no longer optional. Needs root, and so has a user
 *      of its own
 *
 * The clock is here at every level: when time is up, everything inside is
 * killed. Below 2 there is no private world: a path that is bound is seen under
 * the name that it has outside (sandbox_path()).
 */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include "log.h"

enum {
    SANDBOX_LEVEL = 2, /* unless something else is asked for */
    SANDBOX_MAX_LEVEL = 3,
    SANDBOX_MAX_BINDS = 8,
    SANDBOX_MAX_ARGS = 192,
    SANDBOX_MOST_PRINTED = 64 << 20, /* bytes of output; more ends it */
    SANDBOX_LOUD = 8 << 20           /* more, without progress, is a loop */
};

struct sandbox {
    int level;
    const char *tmp; /* a folder that is /tmp below level 2 */
    struct {
        const char *from, *to;
        int writable;
    } bind[SANDBOX_MAX_BINDS];
    int nbinds;
    const char *env[16][2]; /* name, value; ended by NULL: sandbox_env() */
    double limit_sec;
    const char *watch;    /* folder whose files grow while there is progress, */
    double idle_sec;      /* how long they may not (sandbox_idle.h); NULL: not
                             watched */
    long long most_bytes; /* and how large they may become */
    int memory_mib;       /* 0: GROUPS_MEMORY_MIB */
    int keeps_modes;      /* nothing inside may change a file's mode */
    int no_input;         /* its input does not end: for mpirun (no_input.h) */
};

struct sandbox_end { /* how it ended */
    int infra;       /* this machine's fault: why is in log */
    int timed_out;
    int flooded;       /* it wrote more than most_bytes */
    int loud;          /* it printed more than SANDBOX_MOST_PRINTED; or, on a
                          machine too slow for that, more than SANDBOX_LOUD
                          before it timed out */
    int disk_was_full; /* at some moment; whose doing it was is not said */
    int out_of_memory; /* it took more than its control group's limit */
    int status;        /* exit status, or 128 + signal */
    double sec;
    struct log log;    /* stdout and stderr; or why infra */
    char missing[128]; /* limits that could not be set, or "" */
};

/* One variable more. Name and value have to outlive s. */
void sandbox_env(struct sandbox *s, const char *name, const char *value);

/* Run argv (ended by NULL) inside; all paths are as seen there. */
void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end);

/* What a bound path is called inside: its `to`, or below level 2 its `from`. */
const char *sandbox_path(const struct sandbox *s, const char *to);

#endif
