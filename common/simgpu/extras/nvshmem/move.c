#include "extras/nvshmem/move.h"

#include <string.h> /* memcpy */

#include "extras/nvshmem/world.h"
#include "simgpu/kernel.h"
#include "simgpu/nccl_window.h" /* simgpu_memcpy */
#include "simgpu/remote.h"

void move_out(const struct shmem_request *r, void *to, const void *from,
              size_t nbytes, int later)
{
    simgpu_transfer(later ? SIMGPU_PUT_LATER : SIMGPU_PUT, to, from, nbytes,
                    r->call, r->pc);
}

void move_in(const struct shmem_request *r, void *to, const void *from,
             size_t nbytes)
{
    if (nbytes)
        FOR(r, simgpu_memcpy(to, from, nbytes));
}

/* Do iput and iget, with elements dst and sst apart. */
static void move_strided(const struct shmem_request *r)
{
    const ptrdiff_t size = (ptrdiff_t)r->size;
    for (size_t i = 0; i < r->nelems; i++) {
        char *const to = (char *)r->dest + (ptrdiff_t)i * r->dst * size;
        const char *const from =
            (const char *)r->source + (ptrdiff_t)i * r->sst * size;
        if (r->kind == REQUEST_IPUT)
            move_out(r, heap_of_pe(r, to, r->size, r->pe, "dest"), from,
                     r->size, 0);
        else
            move_in(r, to, heap_of_pe(r, from, r->size, r->pe, "source"),
                    r->size);
    }
}

void move_do(const struct shmem_request *r)
{
    const size_t nbytes = r->nelems * r->size;
    switch (r->kind) {
    case REQUEST_PUT:
        move_out(r, heap_of_pe(r, r->dest, nbytes, r->pe, "dest"), r->source,
                 nbytes, r->nbi);
        break;
    case REQUEST_GET: {
        const void *const from =
            heap_of_pe(r, r->source, nbytes, r->pe, "source");
        if (r->nbi)
            simgpu_transfer(SIMGPU_GET_LATER, r->dest, from, nbytes, r->call,
                            r->pc);
        else
            move_in(r, r->dest, from, nbytes);
        break;
    }
    case REQUEST_IPUT:
    case REQUEST_IGET: move_strided(r); break;
    default: // fence or quiet
        simgpu_arrive();
        simgpu_fence_system();
        break;
    }
}
