#include <stdio.h> /* snprintf */

#include "core/heap/heap_table.h"
#include "core/site.h"

/* " on device 3", with the rank for an imported heap; "" for pinned memory. */
static const char *on_device(const struct heap *h, char out[48])
{
    out[0] = 0;
    if (h && h->device != HEAP_PINNED && h->imported)
        snprintf(out, 48, " on device %d of rank %u", h->device, h->owner_rank);
    else if (h && h->device != HEAP_PINNED)
        snprintf(out, 48, " on device %d", h->device);
    return out;
}

const char *simgpu_heap_describe(const void *p, char *out, size_t nbytes)
{
    struct heap_block b;
    char site[256], freed[256], device[48];
    const int found = simgpu_heap_find(p, &b) == 0;
    on_device(heap_of(p), device);
    if (b.base) {
        simgpu_site_text(b.site, site, sizeof site);
        if (b.freed)
            simgpu_site_text(b.freed, freed, sizeof freed);
        snprintf(out, nbytes,
                 "byte %zu of the %s%zu-byte allocation made at %s%s%s%s",
                 (size_t)((const char *)p - b.base), found ? "" : "freed ",
                 b.nbytes, site, device, b.freed ? ",\nfreed at " : "",
                 b.freed ? freed : "");
        return out;
    }
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    const struct heap_entry *const before = h ? block_before(h, p) : NULL;
    const struct heap_entry near = before ? *before : (struct heap_entry){0};
    pthread_mutex_unlock(&heap_table.lock);
    if (before) {
        simgpu_site_text(near.site, site, sizeof site);
        snprintf(
            out, nbytes,
            "%zu bytes past the end of the %zu-byte allocation made at "
            "%s%s",
            (size_t)((const char *)p - h->user - near.offset - near.nbytes),
            near.nbytes, site, device);
    } else {
        snprintf(out, nbytes,
                 h ? "device memory that was never allocated" : "host memory");
    }
    return out;
}
