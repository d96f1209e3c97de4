/*
 * fiber.h: stacks that one thread runs in turn
 *
 * The threads of a block are fibers of one worker, which continue when they are
 * switched to. On x86-64 and arm64 a switch saves the registers that a call
 * must preserve and takes some nanoseconds; elsewhere it is swapcontext(),
 * which makes a system call.
 */
#ifndef SIMGPU_DEVICE_FIBER_H
#define SIMGPU_DEVICE_FIBER_H

#include <stddef.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define FIBER_SAVES_STACK 1
#else
#define FIBER_SAVES_STACK 0
#include <ucontext.h>
#endif

struct fiber {
#if FIBER_SAVES_STACK
    void *sp; /* while it is not running */
#else
    ucontext_t context;
#endif
};

/* A fiber that will run entry() on this stack; entry never returns. */
void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void));

/* Leave `from`, which is running, and continue `to`. */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
