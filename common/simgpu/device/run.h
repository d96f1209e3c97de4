/*
 * run.h: the threads of a block, as the files that give them things to wait for
 * see them
 *
 * A thread waits at a barrier of its block, for threads of its warp, or for a
 * word of memory that somebody else will write: then it *polls*. The worker lets
 * all other threads go on first; when all that is left polls, it sleeps until
 * one of the words has been written.
 */
#ifndef SIMGPU_DEVICE_RUN_H
#define SIMGPU_DEVICE_RUN_H

#include <stdint.h>

#include "core/flag.h" /* struct flag_source */

/* What a thread looks at over and over. */
struct poll {
    const void *p; /* NULL: it doesn't */
    unsigned nbytes;
    uint64_t value;        /* as it was last seen */
    struct flag_source by; /* and who wrote that */
    int acquires;          /* it orders what follows */
    int is_volatile;       /* the program reads it itself */
    const void *unchanged; /* the word that its last atomic left as it was */
    const void *pc;        /* where in the program */
    flag_condition *met;   /* known to nobody: NULL */
    uint64_t target;
};

/* That of the thread that runs. */
struct poll *run_poll(void);

/* The thread polls: let the others run until it is its turn again. */
void run_yield(void);

#endif
