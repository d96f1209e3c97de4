/*
 * multicast.c: addresses that stand for several memories (simgpu/multicast.h),
 * and the report of a mistake in a kernel's call
 *
 * The table has one entry per mapping. Mapping i begins at BASE + i * WINDOW,
 * far above all heaps.
 */
#include "simgpu/multicast.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

#include "core/heap/heap_space.h"
#include "core/report.h"
#include "core/site.h"
#include "device/access.h"
#include "device/grid.h"
#include "simgpu/kernel.h"

enum { MAPPINGS = 1024 };
static char *const BASE = (char *)0x300000000000;

static struct mapping {
    int n; /* 0: free entry */
    size_t nbytes;
    char *base[SIMGPU_MULTICAST_MAX];
} mapping[MAPPINGS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void simgpu_kernel_fault(const char *call, const char *what)
{
    const struct launch *const l = grid_launch();
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char site[256];
    simgpu_report_fault(
        NULL,
        "kernel %s on device %d calls %s:\n  %s.\nBlock (%u,%u,%u), thread "
        "(%u,%u,%u). The kernel was launched at %s.",
        l->kernel->name, l->device, call, what, b.x, b.y, b.z, t.x, t.y, t.z,
        simgpu_site_text(l->site, site, sizeof site));
}

char *simgpu_multicast_map(char *const *base, int n, size_t nbytes)
{
    char *at = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAPPINGS && n <= SIMGPU_MULTICAST_MAX && !at; i++)
        if (mapping[i].n == 0) {
            mapping[i].n = n;
            mapping[i].nbytes = nbytes;
            memcpy(mapping[i].base, base, (size_t)n * sizeof *base);
            at = BASE + (uint64_t)i * SPACE_WINDOW;
        }
    pthread_mutex_unlock(&lock);
    return at;
}

void simgpu_multicast_unmap(char *address)
{
    if (!address)
        return;
    pthread_mutex_lock(&lock);
    mapping[(uint64_t)(address - BASE) >> SPACE_SHIFT].n = 0;
    pthread_mutex_unlock(&lock);
}

int simgpu_multicast_find(const void *p, size_t nbytes,
                          char *place[SIMGPU_MULTICAST_MAX])
{
    const uint64_t distance = (uint64_t)((uintptr_t)p - (uintptr_t)BASE);
    const uint64_t i = distance >> SPACE_SHIFT;
    const uint64_t offset = distance & (SPACE_WINDOW - 1);
    char what[256];
    if (i >= MAPPINGS || mapping[i].n == 0) {
        snprintf(what, sizeof what,
                 "%s is no multimem address: take it from "
                 "ncclGetLsaMultimemPointer, of a window that is registered",
                 simgpu_pointer_text(p).text);
        simgpu_kernel_fault("a multimem instruction", what);
    }
    const struct mapping *const m = &mapping[i];
    if (offset + nbytes > m->nbytes) {
        snprintf(what, sizeof what,
                 "%zu bytes at offset %llu of multimem memory of %zu bytes",
                 nbytes, (unsigned long long)offset, m->nbytes);
        simgpu_kernel_fault("a multimem instruction", what);
    }
    if ((uintptr_t)p % nbytes) {
        snprintf(what, sizeof what, "%s is not aligned to %zu bytes",
                 simgpu_pointer_text(p).text, nbytes);
        simgpu_kernel_fault("a multimem instruction", what);
    }
    for (int r = 0; r < m->n; r++)
        place[r] = m->base[r] + offset;
    return m->n;
}

int simgpu_multicast_load(const void *p, size_t nbytes, void *part)
{
    const void *const pc = __builtin_return_address(0);
    char *place[SIMGPU_MULTICAST_MAX];
    const int n = simgpu_multicast_find(p, nbytes, place);
    for (int r = 0; r < n; r++) {
        access_touch(place[r], nbytes, ACCESS_REDUCED, pc);
        memcpy((char *)part + (size_t)r * nbytes, place[r], nbytes);
    }
    return n;
}

void simgpu_multicast_store(const void *p, size_t nbytes, const void *value)
{
    const void *const pc = __builtin_return_address(0);
    char *place[SIMGPU_MULTICAST_MAX];
    const int n = simgpu_multicast_find(p, nbytes, place);
    for (int r = 0; r < n; r++) {
        access_touch(place[r], nbytes, ACCESS_SPREAD, pc);
        memcpy(place[r], value, nbytes);
    }
}

void simgpu_multicast_update(void)
{
    access_by_the_switch();
}
