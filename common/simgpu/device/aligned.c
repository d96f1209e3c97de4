#include "device/aligned.h"

#include <cuda_runtime_api.h> /* cudaErrorMisalignedAddress */
#include <stdio.h>            /* snprintf */

#include "core/heap/heap_space.h" /* space_slot */
#include "device/failure.h"

void aligned_fail(const struct access_log *g, const volatile void *p,
                  size_t nbytes, enum touch_kind kind, const void *pc)
{
    char what[512] = "a local or shared variable";
    if (space_slot((const void *)p) >= 0)
        simgpu_heap_describe((const void *)p, what, sizeof what);
    failure_report(
        g->launch, cudaErrorMisalignedAddress, pc, failure_access(kind, nbytes),
        "%s.\nThe address is %zu past a multiple of %zu, and a GPU "
        "accesses %zu bytes at multiples of %zu only.\nIs the "
        "pointer cast from one to a smaller type?",
        what, (size_t)((uintptr_t)p % nbytes), nbytes, nbytes, nbytes);
}
