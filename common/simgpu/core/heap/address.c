#define _GNU_SOURCE
#include "core/heap/address.h"

#include <errno.h>  /* EINVAL */
#include <stdlib.h> /* realloc */
#include <string.h> /* memmove */

#include "core/heap/heap_map.h"

/* A mapping, at an offset in the window. */
struct piece {
    uint64_t offset, nbytes;
    char *memory; /* address of its bytes in their own heap */
    uint64_t closed;
    uint64_t id; /* the allocation at `memory`, and where it was made */
    int device;
    uint32_t site;
};

/* All of these are protected by the heap table's lock. */
static struct heap *window;  /* NULL: nothing was ever reserved */
static struct heap reserved; /* its blocks are the reservations */
static struct piece *pieces; /* by offset */
static size_t npieces, pieces_cap;

static int create_window(void)
{
    if (window)
        return 0;
    if (heap_table.n == SPACE_HEAPS)
        return ENOMEM;
    struct heap *const h = &heap_table.heap[heap_table.n];
    *h = (struct heap){.user = space_window(heap_table.n),
                       .device = HEAP_PINNED,
                       .is_virtual = 1,
                       .nbytes = SPACE_WINDOW,
                       .owner = simgpu_proc()->id,
                       .fd = -1};
    if (heap_map_reserve(h) != 0)
        return errno;
    h->raw = &h->own;
    heap_table.n++;
    reserved.user = h->user;
    reserved.nbytes = h->nbytes;
    window = h;
    return 0;
}

/* The offset of p in the window, or UINT64_MAX if p is outside. */
static uint64_t offset_of(const void *p)
{
    return window && heap_of(p) == window
               ? (uint64_t)((const char *)p - window->user)
               : UINT64_MAX;
}

/* The first piece that ends behind offset. */
static size_t first_after(uint64_t offset)
{
    size_t i = 0;
    while (i < npieces && pieces[i].offset + pieces[i].nbytes <= offset)
        i++;
    return i;
}

/* Find the pieces [*first, *end) in a range. Returns true if the range
 * contains them entirely. */
static int find_pieces(uint64_t offset, uint64_t nbytes, size_t *first,
                       size_t *end)
{
    size_t i = *first = first_after(offset);
    while (i < npieces && pieces[i].offset < offset + nbytes)
        i++;
    *end = i;
    return *first == i ||
           (pieces[*first].offset >= offset &&
            pieces[i - 1].offset + pieces[i - 1].nbytes <= offset + nbytes);
}

/* True if the pieces fill the range. */
static int is_filled(uint64_t offset, uint64_t nbytes, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (pieces[i].offset != offset)
            return 0;
        offset += pieces[i].nbytes;
        nbytes -= pieces[i].nbytes;
    }
    return nbytes == 0;
}

/* Rebuild the blocks of a reservation from its pieces. */
static void make_blocks(const struct heap_entry *r)
{
    struct heap_entry *b;
    uint64_t end = UINT64_MAX; // end of the previous piece
    size_t i = first_after(r->offset);
    while ((b = block_before(window, window->user + r->offset + r->nbytes)) &&
           b->offset >= r->offset)
        block_remove(window, b);
    for (b = NULL; i < npieces && pieces[i].offset < r->offset + r->nbytes;
         i++) {
        const struct piece *const p = &pieces[i];
        if (p->offset != end)
            b = block_insert(window,
                             (struct heap_entry){.offset = p->offset,
                                                 .number = (uint32_t)p->id,
                                                 .site = p->site,
                                                 .id = p->id,
                                                 .device = p->device});
        b->nbytes += p->nbytes;
        b->closed |= p->closed;
        end = p->offset + p->nbytes;
    }
}

static int reserve(uint64_t nbytes, uint64_t alignment, void **out)
{
    uint64_t offset;
    int err = create_window();
    // every reservation has this alignment
    const uint64_t granted = ADDRESS_GRANULARITY;
    const uint64_t pad = alignment > granted ? alignment - granted : 0;
    // with the gap behind it, a reservation ends where another may begin
    const uint64_t all = nbytes + ADDRESS_GRANULARITY - block_pages(1);
    if (err == 0)
        err = block_place(&reserved, all + pad, &offset);
    if (err == 0) {
        const uintptr_t at = (uintptr_t)window->user + offset;
        offset += -at & (pad ? alignment - 1 : 0);
        block_insert(&reserved,
                     (struct heap_entry){.offset = offset, .nbytes = all});
        *out = window->user + offset;
    }
    return err;
}

int simgpu_address_reserve(uint64_t nbytes, uint64_t alignment, void **out)
{
    simgpu_proc();
    pthread_mutex_lock(&heap_table.lock);
    const int err = reserve(nbytes, alignment, out);
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

/* The reservation that contains the range, without the
 * gap behind it; or NULL. */
static struct heap_entry *reservation_of(const void *p, uint64_t nbytes)
{
    const uint64_t offset = offset_of(p);
    struct heap_entry *const r =
        offset == UINT64_MAX ? NULL : block_of(&reserved, p);
    return r && block_pages(r->nbytes) - nbytes >=
                       offset - r->offset + ADDRESS_GRANULARITY - block_pages(1)
               ? r
               : NULL;
}

int simgpu_address_is_reserved(const void *p, uint64_t nbytes)
{
    pthread_mutex_lock(&heap_table.lock);
    const int is = reservation_of(p, nbytes) != NULL;
    pthread_mutex_unlock(&heap_table.lock);
    return is;
}

int simgpu_address_free(const void *p, uint64_t nbytes)
{
    size_t first, end;
    pthread_mutex_lock(&heap_table.lock);
    struct heap_entry *const r = reservation_of(p, nbytes);
    const int whole =
        r && offset_of(p) == r->offset &&
        r->nbytes == nbytes + ADDRESS_GRANULARITY - block_pages(1);
    if (whole)
        find_pieces(r->offset, nbytes, &first, &end);
    const int err = whole && first == end ? 0 : EINVAL;
    if (err == 0)
        block_remove(&reserved, r);
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

static void insert(size_t at, struct piece p)
{
    if (npieces == pieces_cap) {
        pieces_cap = pieces_cap ? 2 * pieces_cap : 64;
        pieces = realloc(pieces, pieces_cap * sizeof *pieces);
        if (!pieces)
            abort();
    }
    memmove(&pieces[at + 1], &pieces[at], (npieces - at) * sizeof *pieces);
    pieces[at] = p;
    npieces++;
}

/* Map memory of block b. */
static int map(const void *p, uint64_t nbytes, const struct heap_block *b)
{
    size_t first, end;
    const struct heap_entry *const r = reservation_of(p, nbytes);
    const uint64_t offset = offset_of(p);
    if (!r || nbytes > b->nbytes)
        return EINVAL;
    find_pieces(offset, nbytes, &first, &end);
    if (first != end)
        return EINVAL;
    if (heap_map_alias(window, offset, heap_of(b->base), b->base, nbytes) != 0)
        return errno;
    insert(first, (struct piece){.offset = offset,
                                 .nbytes = nbytes,
                                 .memory = b->base,
                                 .closed = UINT64_MAX,
                                 .id = b->id,
                                 .device = b->device,
                                 .site = b->site});
    make_blocks(r);
    return 0;
}

int address_map(void *p, uint64_t nbytes, const struct heap_block *b)
{
    pthread_mutex_lock(&heap_table.lock);
    const int err = map(p, nbytes, b);
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

/* Find the entire pieces that fill a range. Returns
 * EINVAL if there are none. */
static int find_filled(const void *p, uint64_t nbytes, size_t *first,
                       size_t *end)
{
    const uint64_t offset = offset_of(p);
    return reservation_of(p, nbytes) &&
                   find_pieces(offset, nbytes, first, end) && *first < *end &&
                   is_filled(offset, nbytes, *first, *end)
               ? 0
               : EINVAL;
}

int address_closed(const void *p, uint64_t nbytes, uint64_t *closed)
{
    size_t first, end;
    *closed = UINT64_MAX;
    pthread_mutex_lock(&heap_table.lock);
    const int err = find_filled(p, nbytes, &first, &end);
    for (size_t i = first; err == 0 && i < end; i++)
        *closed &= pieces[i].closed;
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

int address_unmap(const void *p, uint64_t nbytes, uint32_t site)
{
    size_t first, end;
    pthread_mutex_lock(&heap_table.lock);
    const int err = find_filled(p, nbytes, &first, &end);
    if (err == 0) {
        freed_add(window, &(struct heap_entry){.offset = offset_of(p),
                                               .nbytes = nbytes,
                                               .site = pieces[first].site,
                                               .freed_site = site});
        memmove(&pieces[first], &pieces[end], (npieces - end) * sizeof *pieces);
        npieces -= end - first;
        make_blocks(reservation_of(p, nbytes));
        heap_map_unalias(window, offset_of(p), nbytes);
    }
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

int simgpu_address_open(const void *p, uint64_t nbytes, int device, int allowed)
{
    size_t first, end;
    const uint64_t bit = UINT64_C(1) << device;
    pthread_mutex_lock(&heap_table.lock);
    const int err = find_filled(p, nbytes, &first, &end);
    for (size_t i = first; err == 0 && i < end; i++)
        pieces[i].closed =
            allowed ? pieces[i].closed & ~bit : pieces[i].closed | bit;
    if (err == 0)
        make_blocks(reservation_of(p, nbytes));
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

void *simgpu_address_memory(const void *p)
{
    char *memory = NULL;
    pthread_mutex_lock(&heap_table.lock);
    const uint64_t offset = offset_of(p);
    const size_t i = offset == UINT64_MAX ? npieces : first_after(offset);
    if (i < npieces && pieces[i].offset <= offset)
        memory = pieces[i].memory + (offset - pieces[i].offset);
    pthread_mutex_unlock(&heap_table.lock);
    return memory;
}
