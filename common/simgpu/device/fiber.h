/*
 * fiber.h: stacks that one thread switches between
 *
 * The threads of a block are fibers of one worker; a fiber runs only when it is
 * switched to. On x86-64 and arm64 a switch saves the registers that a call
 * must preserve, which takes a few nanoseconds. Elsewhere it is swapcontext(),
 * which makes a system call.
 */
#ifndef SIMGPU_DEVICE_FIBER_H
#define SIMGPU_DEVICE_FIBER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define FIBER_SAVES_STACK 1
#else
#define FIBER_SAVES_STACK 0
#include <ucontext.h>
#endif

struct fiber {
#if FIBER_SAVES_STACK
    void *sp; /* saved stack pointer while not running */
#else
    ucontext_t context;
#endif
    uint64_t gets; /* what fiber_switch() returns when it continues */
};

/* Prepare a fiber that will run entry() on this stack; entry never returns. */
void fiber_init(struct fiber *f, void *stack, size_t nbytes,
                void (*entry)(void));

/* Load the fiber's saved registers into the processor's cache, because it runs
 * soon. */
static inline void fiber_prefetch(const struct fiber *f)
{
#if FIBER_SAVES_STACK
    __builtin_prefetch(f->sp);
#else
    (void)f;
#endif
}

/* Leave `from`, which is running, and continue `to`. A function should return
 * the result as its own: it then has no frame on the stack, through which the
 * fiber would have to return. */
#if FIBER_SAVES_STACK
uint64_t simgpu_switch_stacks(void **save, void *sp, uint64_t gets)
    __attribute__((visibility("hidden")));
static inline uint64_t fiber_switch(struct fiber *from, struct fiber *to)
{
    return simgpu_switch_stacks(&from->sp, to->sp, to->gets);
}
#else
uint64_t fiber_switch(struct fiber *from, struct fiber *to);
#endif

#endif
