/*
 * run.h: the threads of a block, for the files that make them wait
 *
 * A thread waits at a barrier of its block, for threads of its warp, or for a
 * word of memory that another stream, kernel or thread will write: then it
 * *polls*. The worker lets all other threads run first; when only polling
 * threads are left, it sleeps until one of the words has been written.
 */
#ifndef SIMGPU_DEVICE_RUN_H
#define SIMGPU_DEVICE_RUN_H

#include <stdint.h>

#include "core/flag.h" /* struct flag_source */

/* What a thread polls. */
struct poll {
    const void *p; /* NULL: nothing */
    unsigned nbytes;
    uint64_t value;        /* last value seen */
    struct flag_source by; /* and its writer */
    int acquires;          /* it orders what follows */
    int is_volatile;       /* the program itself reads it */
    int failed;            /* a compare-and-swap found another value */
    const void *unchanged; /* word that its last atomic left unchanged */
    const void *pc;        /* where in the program */
    unsigned peeks;        /* simgpu_sync_peek() since its last poll */
    flag_condition *met;   /* NULL: unknown */
    uint64_t target;
};

/* The poll of the running thread. */
struct poll *run_poll(void);

/* The thread polls: let the others run until it is its turn again. */
void run_yield(void);

#endif
