/*
 * entry.h: whether the program looks at the failures of its calls, and whether
 * its threads take turns
 *
 * Every function of NCCL begins with NCCL_ENTER(). A failure counts as ignored
 * if the caller discards the result (core/watch/discard.h). A call that fails
 * inside a group also fails the group, so it is ignored only if the result of
 * ncclGroupEnd is discarded, too.
 *
 * Only one thread at a time may use a communicator (NCCL's user guide, "Thread
 * Safety"): from the beginning of a call until it returns, or until its group
 * has ended. Any thread may query or abort it; what a call of another thread
 * uses is freed only after that call has returned.
 */
#ifndef SIMGPU_NCCL_ENTRY_H
#define SIMGPU_NCCL_ENTRY_H

#include <nccl.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/wait.h"

struct entry_use {    /* a communicator's */
    const void *by;   /* the thread that uses it; NULL: none */
    const void *last; /* the last thread that has used it */
    const char *call;
    uint32_t site;
    int has_returned;          /* the call; its group has not ended */
    int nslow;                 /* calls to come that take longer (entry.c) */
    _Atomic uint32_t nreturns; /* futex: calls that have returned */
    struct entry_use *next;
};

struct entry {
    const char *call;
    const void *from; /* return address */
};

#define NCCL_ENTER()                                                           \
    __attribute__((cleanup(entry_leave), unused)) struct entry entry_here =    \
        entry_enter(__func__ + 1, __builtin_return_address(0))
struct entry entry_enter(const char *call, const void *from);
void entry_leave(struct entry *e);

/* Note that the thread's current call fails with this result, or succeeds after
 * all (ncclSuccess). */
void entry_result(ncclResult_t result);

/* Note that the thread's current call has made the communicator that this
 * belongs to, and uses it. */
void entry_made(struct entry_use *u);

/* Note that the thread's current call uses a communicator. Ends the run if
 * another thread is using it. */
void entry_use(struct entry_use *u, uint32_t site);

/* Wait until no other thread is in a call that uses the communicator. The call
 * returns soon, because nothing that it waits for can still come. */
void entry_await_others(struct entry_use *u, const struct wait_note *note);

/* Note that the thread's group has begun, or that its end is returned. */
void entry_group(int is_open);

#endif
