/*
 * thread.h: host threads, with their numbers in the graph
 */
#ifndef SIMGPU_CORE_THREAD_H
#define SIMGPU_CORE_THREAD_H

#include <stdint.h>

/* The calling host thread's number in the graph, which its first call
 * determines. The thread that starts simgpu is 0. */
uint32_t thread_number(void);

/* Note that the calling thread is a host thread that the watchdog
 * waits for: it has made a call, even if that recorded nothing. Call
 * it once simgpu has started. */
void thread_enter(void);

/* Reserve a number for calls that no thread of the program makes.
 * thread_adopt() gives it to the calling thread, and returns that thread's
 * previous number. */
uint32_t thread_reserve(void);
uint32_t thread_adopt(uint32_t reserved);

/* As thread_number(), but UINT32_MAX for a stream's worker. */
uint32_t thread_or_worker(void);

/* The calling thread works for a stream, so it is not a host thread. */
void thread_become_worker(void);

/* Give the calling thread a stack for signal handlers, once: kernels run on
 * small stacks, which are too small for the fault handler (fault.h). It is
 * freed when the thread ends. */
void thread_add_signal_stack(void);

#endif
