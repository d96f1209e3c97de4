#include <errno.h> /* ENOENT */
#include <stdio.h> /* snprintf */

#include "core/heap_table.h"

enum { GRAVES = 256 };

static struct grave { /* a freed allocation, the newest of them */
    char *base;
    size_t nbytes;
    uint32_t site;
} graves[GRAVES];
static uint32_t ngraves;

void grave_dig(const struct heap *h, const struct block *b)
{
    graves[ngraves++ % GRAVES] =
        (struct grave){h->user + b->offset, b->nbytes, b->site};
}

int grave_find(const void *p, struct heap_block *out)
{
    for (uint32_t age = 1; age <= GRAVES; age++) {
        const struct grave *const g = &graves[(ngraves - age) % GRAVES];
        if (g->base && (const char *)p >= g->base &&
            (const char *)p < g->base + g->nbytes) {
            *out = (struct heap_block){
                .base = g->base, .nbytes = g->nbytes, .site = g->site};
            return 0;
        }
    }
    return ENOENT;
}

/* " on device 3", of another rank if it is imported; "" for pinned memory. */
static const char *on_device(const struct heap *h, char out[48])
{
    out[0] = 0;
    if (h && h->device != HEAP_PINNED && h->imported)
        snprintf(out, 48, " on device %d of rank %u", h->device, h->owner_rank);
    else if (h && h->device != HEAP_PINNED)
        snprintf(out, 48, " on device %d", h->device);
    return out;
}

const char *heap_describe(const void *p, char *out, size_t nbytes)
{
    struct heap_block b;
    char site[256], device[48];
    const int found = heap_find(p, &b) == 0;
    on_device(heap_of(p), device);
    if (b.base) {
        graph_site_text(proc()->graph, b.site, site, sizeof site);
        snprintf(out, nbytes, "byte %zu of the %zu-byte %s made at %s%s",
                 (size_t)((const char *)p - b.base), b.nbytes,
                 found ? "allocation" : "allocation, freed since,", site,
                 device);
        return out;
    }
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    const struct block *const before = h ? block_before(h, p) : NULL;
    const struct block near = before ? *before : (struct block){0};
    pthread_mutex_unlock(&heap_table.lock);
    if (before) {
        graph_site_text(proc()->graph, near.site, site, sizeof site);
        snprintf(
            out, nbytes,
            "%zu bytes past the end of the %zu-byte allocation made at "
            "%s%s",
            (size_t)((const char *)p - h->user - near.offset - near.nbytes),
            near.nbytes, site, device);
    } else {
        snprintf(out, nbytes,
                 h ? "device memory that was never allocated"
                   : "memory of the host");
    }
    return out;
}
