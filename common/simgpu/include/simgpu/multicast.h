/*
 * multicast.h: addresses that stand for the memories of several GPUs
 *
 * Only multimem instructions (simgpu/multimem.h) can use these addresses. No
 * memory is mapped there.
 */
#ifndef SIMGPU_MULTICAST_H
#define SIMGPU_MULTICAST_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIMGPU_MULTICAST_MAX = 128 };

/* Map nbytes at each of n bases to one address. Returns NULL if there
 * are too many mappings. */
char *simgpu_multicast_map(char *const *base, int n, size_t nbytes);
void simgpu_multicast_unmap(char *address); /* address may be NULL */

/* The n addresses that [p, p + nbytes) stands for. On a device thread, a
 * mistake ends the run with a message. */
int simgpu_multicast_find(const void *p, size_t nbytes,
                          char *place[SIMGPU_MULTICAST_MAX]);

/*
 * Device code's multimem accesses to nbytes at p. Load: copies each memory's
 * bytes, one after the other, to `part`, and returns their number. Store:
 * writes the same bytes to all.
 */
int simgpu_multicast_load(const void *p, size_t nbytes, void *part);
void simgpu_multicast_store(const void *p, size_t nbytes, const void *value);

/* The switch does this thread's next simgpu_sync_update(). */
void simgpu_multicast_update(void);

/* The running kernel made a mistake in `call`: end the run with a message that
 * names kernel, thread and launch. */
void simgpu_kernel_fault(const char *call, const char *what)
    __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
