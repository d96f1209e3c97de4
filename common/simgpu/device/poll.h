/*
 * poll.h: threads that wait for words of memory
 *
 * A thread waits at a barrier of its block, or for threads of its warp, or for
 * a word of memory that another stream, kernel or thread will write: then it
 * *polls*. So does a thread at a barrier of some other kind, whose generation
 * changes once all have come. The worker runs all other threads first. When
 * only polling threads are left, it sleeps until one of the words has been
 * written.
 */
#ifndef SIMGPU_DEVICE_POLL_H
#define SIMGPU_DEVICE_POLL_H

#include <stdint.h>

#include "core/stream/flag.h" /* struct flag_source */

/* What a thread polls. */
struct poll {
    const void *p; /* NULL: does not poll */
    unsigned nbytes;
    uint64_t value;        /* last value seen */
    struct flag_source by; /* who wrote that value */
    int acquires;          /* orders what the thread does next */
    int is_volatile;       /* the program itself reads it */
    int failed;            /* a compare-and-swap that found another value */
    const void *pc;        /* the instruction */
    uint32_t site;         /* the program's line, if known already */
    unsigned peeks;        /* calls of simgpu_sync_peek() since its last poll */
    flag_condition *met;   /* NULL: unknown condition */
    uint64_t target;
    const uint64_t *meeting; /* waits at a barrier instead, while *meeting is */
    uint64_t before;         /* this */
};

/* The poll of the running thread. */
struct poll *poll_current(void);

/* The same, or NULL if no thread of its block has polled. */
struct poll *poll_pending(void);

/* Suspend the polling thread until the others have run. */
void poll_yield(void);

/* Suspend the running thread while *generation, which only threads of its grid
 * change, is `before`. */
void poll_meeting(const uint64_t *generation, uint64_t before);

#endif
