/*
 * ranks.h: functions that run as ranks of a job, below the CUDA API
 *
 * Ranks are forked children: simgpu's core starts in each with its first call,
 * and nothing calls it in the test's own process.
 */
#ifndef COMMLAB_TESTS_RANKS_H
#define COMMLAB_TESTS_RANKS_H

#include <stdatomic.h> /* atomic_store */
#include <stdio.h>     /* fprintf */
#include <sys/types.h> /* pid_t */
#include <unistd.h>    /* _exit */

#include "core/heap.h"
#include "core/proc.h"

struct peer;

struct shared { /* between the ranks of a test */
    _Atomic uint32_t ready[2], met[2], stopped, ping, pong;
    struct proc_id id[2];
    struct heap_ref ref;
};

struct shared *shared_new(void);

/* Set a word and wake who waits for it. */
void set(_Atomic uint32_t *word);

/* Wait for a word at work: to the watchdog of a rank that knows no other yet, a
 * wait for one that starts late would be a hang. */
void spin(const _Atomic uint32_t *word);

/* Attach this rank, 0 or 1, to the other, which is returned. Both have done so
 * by then. */
const struct peer *meet(struct shared *s);

/* Neither of two ranks goes on before the other is here, too: once. */
void await_other(struct shared *s);

struct rank {
    pid_t pid;
    int err; /* its standard error */
};

/* Run body as rank `rank` of n, in a process of its own. */
struct rank rank_start(int rank, int n, void (*body)(struct shared *),
                       struct shared *s);

/* Its exit status (128 + signal); text gets its output. */
int rank_end(struct rank r, char *text, size_t nbytes);

/* In a rank: print what was expected, and end the rank. */
#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x)) {                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);    \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)

/* The only rank of a job ends with status 0; or with a report that says this.
 */
void succeeds(void (*body)(struct shared *));
void faults(void (*body)(struct shared *), const char *says);

/* Both ranks of a job end with status 0. */
void both_succeed(void (*a)(struct shared *), void (*b)(struct shared *));

#endif
