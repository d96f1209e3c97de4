/*
 * sandbox.h: running code that a student wrote
 *
 * A level says how well the code is isolated from this machine. Each level
 * includes those before it.
 *
 *   0  a separate environment; limits on files and cores and, if this user may
 *      make control groups, on memory and processes
 *   1  never root: if the grader is root, a separate user; files: read what
 *      programs need, write what is bound (Landlock); no system calls that no
 *      lab needs (seccomp); no new privileges
 *   2  namespaces (bubblewrap): no network, only /usr and what is bound,
 *      read-only, with private /tmp, /dev and /proc; the processes end with it
 *   3  control groups are required. Needs root, and so uses a separate user
 *
 * The clock is outside at every level: when time is up, everything inside is
 * killed. It counts the run's own time, not what other programs took
 * (base/idle.h). The kernel limits memory and processes, by control groups,
 * root's or those that a user was given (delegated.h), or by a count for each
 * user; where this user may set no limit, the grader watches both, and kills.
 * Below level 2 a bound path has the name that it has outside (sandbox_path()).
 */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include "grader/sandbox/log.h"

enum {
    SANDBOX_LEVEL = 2, /* the default */
    SANDBOX_MAX_LEVEL = 3,
    SANDBOX_MAX_BINDS = 8,
    SANDBOX_MAX_ARGS = 192,
    SANDBOX_MOST_PRINTED = 64 << 20, /* bytes of output; more ends the run */
    SANDBOX_LOUD = 8 << 20           /* more than this without progress
                                        is a loop */
};

struct sandbox {
    int level;
    const char *tmp; /* folder that replaces /tmp below level 2 */
    struct {
        const char *from, *to;
        int writable;
    } bind[SANDBOX_MAX_BINDS];
    int nbinds;
    const char *env[16][2]; /* name, value; ended by NULL: sandbox_env() */
    double limit_sec;       /* own time */
    const char *watch;      /* folder whose files grow while there is progress;
                             NULL: not watched */
    double idle_sec;        /* own time in which it may not grow */
    long long most_bytes;   /* how large it may become */
    int memory_mib;         /* 0: GROUPS_MEMORY_MIB */
    int keeps_modes;        /* nothing inside may change a file's mode */
    int no_input;           /* standard input never ends, for mpirun
                             (no_input.h) */
};

struct sandbox_end {   /* how a run ended */
    int infra;         /* this machine's fault; log says why */
    int timed_out;     /* limit_sec or idle_sec has passed */
    int overlong;      /* ... limit_sec */
    int crowded;       /* it had more than GROUPS_PROCESSES processes and
                              threads, where the kernel doesn't limit them */
    long beside;       /* threads that other programs started during it, if the
                              kernel may have refused it some for that, where
                              it has no limit of its own; infra, unless the
                              run ended with status 0 */
    int too_busy;      /* the machine left it too little time; infra */
    double own_sec;    /* ... this much */
    int flooded;       /* it wrote more than most_bytes */
    int loud;          /* it printed more than SANDBOX_MOST_PRINTED or, on a
                          machine too slow for that, more than SANDBOX_LOUD
                          before it timed out */
    int disk_was_full; /* at some time, for any reason */
    int out_of_memory; /* it exceeded its limit */
    int status;        /* exit status, or 128 + signal */
    double sec;
    struct log log;    /* stdout and stderr, or the reason for infra */
    char missing[128]; /* limits that could not be set; "": none */
    const char *memory, *processes; /* what limits them */
    const char *limits; /* which level of limits that is: "root control group",
                           "delegated control group", "namespace limits and
                           watchdog", "watchdog only"; NULL: nothing ran */
    long refused;       /* how often a control group refused it another process
                           or thread */
};

/* Add an environment variable. Name and value must outlive s. */
void sandbox_env(struct sandbox *s, const char *name, const char *value);

/* Run argv (ended by NULL) in the sandbox. All paths are the sandbox's. */
void sandbox_run(const struct sandbox *s, const char *const *argv,
                 struct sandbox_end *end);

/*
 * True if other programs may have kept the run from starting processes or
 * threads; `why` then says so. Results that are right in spite of
 * that stand. Others are this machine's fault, even if the run ended with
 * status 0.
 */
int sandbox_was_crowded(const struct sandbox_end *end, char *why,
                        size_t nbytes);

/* The name of a bound path inside: its `to`, or below level 2 its `from`. */
const char *sandbox_path(const struct sandbox *s, const char *to);

#endif
