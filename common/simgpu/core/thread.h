/*
 * thread.h: host threads, as the graph numbers them
 */
#ifndef SIMGPU_CORE_THREAD_H
#define SIMGPU_CORE_THREAD_H

#include <stdint.h>

/* Number of the calling host thread in the graph, given by its first call. The
 * thread that starts simgpu is 0. */
uint32_t thread_number(void);

/* The calling thread is a host thread that the watchdog waits for: it has made
 * a call, even if that recorded nothing. Once simgpu has started. */
void thread_enter(void);

/* A number for calls that no thread of the program makes; and the calling
 * thread takes it, as thread_reserve() returned it. Returns what it was. */
uint32_t thread_reserve(void);
uint32_t thread_adopt(uint32_t reserved);

/* As thread_number(), but UINT32_MAX for a stream's worker. */
uint32_t thread_or_worker(void);

/* The calling thread works for a stream: it is no host thread. */
void thread_become_worker(void);

/* Give the calling thread a stack for signal handlers, once: kernels run on
 * small stacks, and the fault handler (fault.h) needs room. */
void thread_add_signal_stack(void);

#endif
