#include "core/heap/reach.h"

#include <stdio.h> /* snprintf */

#include "core/device.h"
#include "core/site.h"

int simgpu_heap_reaches(int device, const struct heap_block *b)
{
    if (b->device == HEAP_PINNED || b->mapped || b->pooled)
        return !(b->closed >> device & 1);
    return b->device == device || b->managed || b->imported ||
           device_reaches(device, b->device);
}

/* What gives the device access. */
static const char *remedy(int device, const struct heap_block *b, char out[160])
{
    if (b->mapped)
        snprintf(out, 160,
                 "Call cuMemSetAccess() for device %d first, on these "
                 "addresses",
                 device);
    else if (b->pooled)
        snprintf(out, 160,
                 "Call cudaMemPoolSetAccess() for device %d first, on its pool",
                 device);
    else
        snprintf(out, 160,
                 "Call cudaDeviceEnablePeerAccess(%d, 0) first, with device %d "
                 "current",
                 b->device, device);
    return out;
}

const char *simgpu_heap_unreached(int device, const struct heap_block *b,
                                  char out[REACH_TEXT])
{
    char from[256], whose[32] = "a host pool", first[160];
    if (b->device != HEAP_PINNED)
        snprintf(whose, sizeof whose, "device %d", b->device);
    snprintf(out, REACH_TEXT,
             "memory of %s, which device %d has no access to:\n  the %zu-byte "
             "allocation made at %s.\n%s.",
             whose, device, b->nbytes,
             simgpu_site_text(b->site, from, sizeof from),
             remedy(device, b, first));
    return out;
}
