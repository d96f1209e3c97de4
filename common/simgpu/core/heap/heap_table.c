#include "core/heap/heap_table.h"

#include <errno.h>  /* ENOMEM */
#include <stdlib.h> /* realloc */
#include <string.h> /* memmove */

enum { PAGE = 4096 };

struct heap_table heap_table = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                .n = PROC_MAX_DEVICES + 1};

int heap_slot(int device)
{
    return device == HEAP_PINNED ? PROC_MAX_DEVICES : device;
}

/* Index of the first block of h that starts after offset. */
static size_t index_after(const struct heap *h, uint64_t offset)
{
    size_t low = 0, high = h->nblocks;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (h->block[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct heap_entry *block_before(struct heap *h, const void *p)
{
    const size_t i = index_after(h, (uint64_t)((const char *)p - h->user));
    return i ? &h->block[i - 1] : NULL;
}

struct heap_entry *block_of(struct heap *h, const void *p)
{
    struct heap_entry *const b = h ? block_before(h, p) : NULL;
    return b && (const char *)p < h->user + b->offset + b->nbytes ? b : NULL;
}

uint64_t block_pages(uint64_t nbytes)
{
    return (nbytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

int block_place(const struct heap *h, uint64_t nbytes, uint64_t *offset)
{
    if (nbytes > h->nbytes)
        return ENOMEM;
    uint64_t end = 0;
    for (size_t i = 0; i <= h->nblocks; i++) {
        const uint64_t next = i < h->nblocks ? h->block[i].offset : h->nbytes;
        if (end + block_pages(nbytes) + PAGE <= next) {
            *offset = end;
            return 0;
        }
        if (i < h->nblocks)
            end = next + block_pages(h->block[i].nbytes) + PAGE;
    }
    return ENOMEM;
}

struct heap_entry *block_insert(struct heap *h, struct heap_entry b)
{
    const size_t index = index_after(h, b.offset);
    if (h->nblocks == h->cap) {
        h->cap = h->cap ? 2 * h->cap : 64;
        h->block = realloc(h->block, h->cap * sizeof *h->block);
        if (!h->block)
            abort();
    }
    memmove(&h->block[index + 1], &h->block[index],
            (h->nblocks - index) * sizeof *h->block);
    h->nblocks++;
    h->block[index] = b;
    return &h->block[index];
}

void block_remove(struct heap *h, struct heap_entry *b)
{
    const size_t index = (size_t)(b - h->block);
    memmove(b, b + 1, (h->nblocks - index - 1) * sizeof *b);
    h->nblocks--;
}

/* ---- freed blocks, for messages ------------------------------------------ */

enum { FREED = 256 };

static struct freed { /* the most recently freed allocations */
    char *base;
    size_t nbytes;
    uint32_t site, freed_site;
} freed[FREED];
static uint32_t nfreed;

void freed_add(const struct heap *h, const struct heap_entry *b)
{
    freed[nfreed++ % FREED] =
        (struct freed){h->user + b->offset, b->nbytes, b->site, b->freed_site};
}

int freed_find(const void *p, struct heap_block *out)
{
    for (uint32_t age = 1; age <= FREED; age++) {
        const struct freed *const f = &freed[(nfreed - age) % FREED];
        if (f->base && (const char *)p >= f->base &&
            (const char *)p < f->base + f->nbytes) {
            *out = (struct heap_block){.base = f->base,
                                       .nbytes = f->nbytes,
                                       .site = f->site,
                                       .freed = f->freed_site};
            return 0;
        }
    }
    return ENOENT;
}
