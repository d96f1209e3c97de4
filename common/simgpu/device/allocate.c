#include "device/allocate.h"

#include <malloc.h> /* malloc_usable_size */
#include <stdatomic.h>
#include <stdlib.h> /* malloc */

#include "core/proc.h" /* PROC_MAX_DEVICES */
#include "core/report.h"
#include "core/site.h"
#include "device/grid.h"
#include "simgpu/kernel.h"

static _Atomic size_t limit[PROC_MAX_DEVICES]; /* 0: ALLOCATE_LIMIT */
static _Atomic size_t used[PROC_MAX_DEVICES];

void *simgpu_malloc(size_t nbytes);
void simgpu_free(void *p);

void allocate_set_limit(int device, size_t nbytes)
{
    atomic_store(&limit[device], nbytes);
}

static size_t limit_of(int device)
{
    const size_t set = atomic_load(&limit[device]);
    return set ? set : ALLOCATE_LIMIT;
}

void *simgpu_malloc(size_t nbytes)
{
    if (simgpu_outside)
        return malloc(nbytes);
    const struct launch *const l = grid_launch();
    void *const p = malloc(nbytes);
    const size_t more = p ? malloc_usable_size(p) : 0;
    if (atomic_fetch_add(&used[l->device], more) + more <= limit_of(l->device))
        return p;
    atomic_fetch_sub(&used[l->device], more);
    free(p);
    simgpu_report_warning(
        simgpu_site(__builtin_return_address(0)),
        "malloc() of %zu bytes in kernel %s returns NULL: the heap of device "
        "code is full, %zu bytes. Set cudaLimitMallocHeapSize before the first "
        "launch, or free memory",
        nbytes, l->kernel->name, limit_of(l->device));
    return NULL;
}

void simgpu_free(void *p)
{
    if (!simgpu_outside && p)
        atomic_fetch_sub(&used[grid_launch()->device], malloc_usable_size(p));
    free(p);
}
