/*
 * multicast.h: addresses that stand for the memories of several GPUs
 *
 * Only multimem instructions (simgpu/multimem.h) may use one. The addresses lie
 * where nothing is mapped.
 */
#ifndef SIMGPU_MULTICAST_H
#define SIMGPU_MULTICAST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMGPU_MULTICAST_MAX = 128 };

/* Give nbytes at each of n bases one address. NULL: there are too many. */
char *simgpu_multicast_map(char *const *base, int n, size_t nbytes);
void simgpu_multicast_unmap(char *address); /* NULL is allowed */

/* The n places that [p, p + nbytes) stands for. On a device thread: a mistake
 * ends the run with a message. */
int simgpu_multicast_find(const void *p, size_t nbytes,
                          char *place[SIMGPU_MULTICAST_MAX]);

/*
 * Multimem accesses of device code to nbytes at p. Load: the bytes of each
 * place, one after the other, to `part`; returns their number. Store: the same
 * bytes to all.
 */
int simgpu_multicast_load(const void *p, size_t nbytes, void *part);
void simgpu_multicast_store(const void *p, size_t nbytes, const void *value);

/* The next simgpu_sync_update() of this thread is the switch's. */
void simgpu_multicast_update(void);

/* The running kernel made a mistake in `call`: end the run with a message that
 * names kernel, thread and launch. */
void simgpu_kernel_fault(const char *call, const char *what)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
