#include "core/stream/virtual.h"

#include <errno.h> /* EINVAL */

#include "core/heap/address.h"
#include "core/heap/heap.h"
#include "core/stream/fence.h"
#include "core/stream/stream.h"

int simgpu_virtual_map(void *p, uint64_t nbytes, const void *memory)
{
    struct heap_block b;
    return simgpu_heap_find(memory, &b) == 0 ? address_map(p, nbytes, &b)
                                             : EINVAL;
}

/* Wait for all work of the devices that reach the pieces: those whose bits are
 * 0. */
static void drain(uint64_t closed, const char *call, uint32_t site)
{
    enum { MAX = 1024 };
    struct fence fences[MAX];
    int n = 0;
    for (int device = 0; device < simgpu_proc()->ndevices; device++)
        if (!(closed >> device & 1))
            n += stream_tails(device, 0, fences + n, MAX - n);
    simgpu_fence_join(fences, n, call, site);
}

int simgpu_virtual_unmap(void *p, uint64_t nbytes, const char *call,
                         uint32_t site)
{
    uint64_t closed;
    const int err = address_closed(p, nbytes, &closed);
    if (err)
        return err;
    drain(closed, call, site);
    return address_unmap(p, nbytes, site);
}
