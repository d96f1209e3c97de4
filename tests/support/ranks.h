/*
 * ranks.h: functions that run as ranks of a job, without the CUDA API
 *
 * Ranks are forked children. simgpu's core starts in each of them with its
 * first call, and is never called in the test's own process.
 */
#ifndef COMMLAB_TESTS_RANKS_H
#define COMMLAB_TESTS_RANKS_H

#include <stdatomic.h> /* atomic_store */
#include <stdio.h>     /* fprintf */
#include <sys/types.h> /* pid_t */
#include <unistd.h>    /* _exit */

#include "core/heap/heap.h"
#include "core/proc.h"

struct peer;

struct shared { /* shared by the ranks of a test */
    _Atomic uint32_t ready[2], met[2], stopped, ping, pong;
    struct proc_id id[2];
    struct heap_ref ref;
};

struct shared *shared_new(void);

/* Set a word and wake those that wait for it. */
void set(_Atomic uint32_t *word);

/* Wait for a word by polling. A wait for a rank that starts late would look
 * like a hang to the watchdog of a rank that knows no other yet. */
void spin(const _Atomic uint32_t *word);

/* Attach this rank, 0 or 1, to the other one, which is returned. Both are
 * attached when it returns. */
const struct peer *meet(struct shared *s);

/* Wait until both ranks have called this. Usable once. */
void await_other(struct shared *s);

struct rank {
    pid_t pid;
    int err; /* pipe of its standard error */
};

/* Run body as rank `rank` of n in a new process. */
struct rank rank_start(int rank, int n, void (*body)(struct shared *),
                       struct shared *s);

/* Wait for its exit status (128 + signal); text gets its output. */
int rank_end(struct rank r, char *text, size_t nbytes);

/* In a rank: print the expectation that failed, and end the rank. */
#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x)) {                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #x);    \
            _exit(1);                                                          \
        }                                                                      \
    } while (0)

/* Run the only rank of a job. It must end with status 0, or with a report that
 * contains `says`. */
void succeeds(void (*body)(struct shared *));
void faults(void (*body)(struct shared *), const char *says);

/* Run the two ranks of a job. Both must end with status 0. */
void both_succeed(void (*a)(struct shared *), void (*b)(struct shared *));

#endif
