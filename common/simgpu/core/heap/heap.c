#define _GNU_SOURCE
#include "core/heap/heap.h"

#include <errno.h>    /* ENOMEM */
#include <fcntl.h>    /* fallocate */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* memset */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* ftruncate */

#include "core/control.h"
#include "core/heap/address.h"
#include "core/heap/dataless.h"
#include "core/heap/heap_map.h"
#include "core/limit.h"
#include "core/report.h"
#include "core/witness.h"

enum {
    POISON = 0xCB,
    KEPT_MAX = 16 << 20,  /* pages of a freed block are kept up to here: they
                            most likely serve the next one */
    FILL_MAX = 64 << 20,  /* larger allocations start as zeros: filling them
                              would take a second per gigabyte */
    FILL_STEP = 64 << 10, /* bytes written at once */
};

static uint32_t next_block = 1;
static int no_key = -1; /* 0 once allocations have protection keys */

static _Noreturn void cannot_map(const struct heap *h)
{
    char hint[LIMIT_HINT];
    simgpu_report_fault(NULL, "cannot map device memory at %p: %m%s",
                        (void *)h->user,
                        simgpu_limit_hint(errno, hint, sizeof hint));
}

/* The byte that new memory consists of. The caller must
 * hold the table's lock. */
static int new_byte(void)
{
    static int byte = -1;
    if (byte >= 0)
        return byte;
    const char *const text = getenv("SIMGPU_FILL");
    byte = text && strcmp(text, "poison") == 0 ? POISON : 0;
    if (text && *text && !byte && strcmp(text, "zeros") != 0)
        simgpu_report_fault(NULL, "SIMGPU_FILL=%s: use poison or zeros", text);
    return byte;
}

/* Create the memfd of a heap of this process. */
static void heap_create(struct heap *h, int slot)
{
    const int pinned = slot == PROC_MAX_DEVICES;
    char hint[LIMIT_HINT];
    h->device = pinned ? HEAP_PINNED : slot;
    const uint64_t nbytes =
        pinned ? SPACE_WINDOW : simgpu_proc_gpu(slot)->mem_nbytes;
    h->user = space_window(slot);
    h->owner = simgpu_proc()->id;
    h->fd = memfd_create("simgpu-heap", MFD_CLOEXEC);
    if (h->fd < 0 || ftruncate(h->fd, (off_t)heap_file_nbytes(nbytes)) != 0)
        simgpu_report_fault(NULL, "cannot create the memory of device %d: %m%s",
                            h->device,
                            simgpu_limit_hint(errno, hint, sizeof hint));
    if (heap_map_init(h, h->fd) != 0)
        cannot_map(h);
    h->raw = &h->own;
    control_own()->heap_fd[slot] = h->fd;
    if (!pinned)
        witness_heap(slot, h->fd);
}

static struct heap *heap_own(int device)
{
    const int slot = heap_slot(device);
    struct heap *const h = &heap_table.heap[slot];
    if (!h->raw)
        heap_create(h, slot);
    return h;
}

/* True if no page of these bytes is in use. */
static int is_hole(const struct heap *h, uint64_t begin, uint64_t nbytes)
{
    const off_t used = lseek(h->fd, (off_t)begin, SEEK_DATA);
    return used < 0 || (uint64_t)used >= begin + nbytes;
}

/* Return pages of the heap's file to the system, if any are in use, which makes
 * them zeros again. Checking takes a small fraction of the time of punching. */
static void discard(const struct heap *h, uint64_t begin, uint64_t nbytes)
{
    if (!is_hole(h, begin, nbytes))
        fallocate(h->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)begin, (off_t)nbytes);
}

/*
 * Fill a new block with a byte. Most blocks are holes in the heap's file, which
 * read as zeros. Any other byte is written through the file: that takes a third
 * less time than storing it, since no page is mapped before the program touches
 * it. The caller must hold the lock.
 */
static void fill_new(const struct heap *h, uint64_t offset, size_t nbytes,
                     int byte)
{
    static char pattern[FILL_STEP];
    if (is_hole(h, offset, block_pages(nbytes))) {
        if (byte == 0)
            return;
        memset(pattern, byte, sizeof pattern);
        while (nbytes > 0) {
            const size_t step = nbytes < FILL_STEP ? nbytes : FILL_STEP;
            const ssize_t n = pwrite(h->fd, pattern, step, (off_t)offset);
            if (n <= 0)
                break;
            offset += (uint64_t)n;
            nbytes -= (size_t)n;
        }
    }
    memset(h->own.at + offset, byte, nbytes); // what pwrite() has not written
}

static _Atomic int has_managed, has_mapped;

int heap_has_managed(void)
{
    return atomic_load(&has_managed);
}

int heap_has_mapped(void)
{
    return atomic_load(&has_mapped);
}

static int alloc(int device, size_t nbytes, enum heap_kind kind,
                 int32_t numa_place, uint32_t site, void **out)
{
    *out = NULL;
    if (nbytes == 0)
        return 0;
    simgpu_proc();
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_own(device);
    uint64_t offset;
    const int err = block_place(h, nbytes, &offset);
    if (err == 0) {
        const int empty = device != HEAP_PINNED && kind == HEAP_ORDINARY &&
                          nbytes >= dataless_limit();
        const int zeroed = kind == HEAP_ZEROED;
        const uint32_t number = next_block++ | (empty ? DATALESS_BLOCK : 0);
        block_insert(
            h, (struct heap_entry){.offset = offset,
                                   .nbytes = nbytes,
                                   .number = number,
                                   .site = site,
                                   .managed = kind == HEAP_MANAGED,
                                   .numa_place = numa_place,
                                   .closed = numa_place ? UINT64_MAX : 0});
        if (heap_map_show(h, offset + block_pages(nbytes)) != 0)
            cannot_map(h);
        atomic_store(block_tag(h, offset), number);
        h->used += block_pages(nbytes);
        *out = h->user + offset;
        if (kind == HEAP_MANAGED)
            atomic_store(&has_managed, 1);
        if (kind == HEAP_MANAGED || device == HEAP_PINNED)
            atomic_store(&has_mapped, 1);
        if (kind == HEAP_MANAGED && device != HEAP_PINNED)
            mprotect(*out, block_pages(nbytes), PROT_READ | PROT_WRITE);
        if (zeroed || (nbytes <= FILL_MAX && !empty))
            fill_new(h, offset, nbytes, zeroed ? 0 : new_byte());
        else
            discard(h, offset, block_pages(nbytes)); // bytes of a freed block
        const uint64_t id = (uint64_t)simgpu_proc()->rank << 32 | number;
        const int32_t place =
            numa_place ? numa_place
                       : simgpu_proc_place(zeroed ? HEAP_PINNED : device);
        if (device == HEAP_PINNED)
            graph_note_alloc(simgpu_proc()->graph, id, place, nbytes, site);
        else
            graph_note_placed(simgpu_proc()->graph, id, place, nbytes, site,
                              (uint32_t)device, offset);
    }
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

int simgpu_heap_alloc(int device, size_t nbytes, enum heap_kind kind,
                      uint32_t site, void **out)
{
    return alloc(device, nbytes, kind, 0, site, out);
}

int heap_alloc_numa(int32_t place, size_t nbytes, uint32_t site, void **out)
{
    return alloc(HEAP_PINNED, nbytes, HEAP_ORDINARY, place, site, out);
}

void heap_open(void *p, uint64_t devices)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap_entry *const b = block_of(heap_of(p), p);
    if (b) {
        b->closed = ~devices;
        b->pooled = 1;
    }
    pthread_mutex_unlock(&heap_table.lock);
}

/* The block's tag is in the shadow's first page, which is always in use. */
static void clear_shadow(const struct heap *h, uint64_t offset, uint64_t nbytes)
{
    enum { PAGE = 4096 };
    memset(heap_map_shadow(h, offset), 0, PAGE);
    discard(h, h->nbytes + offset * HEAP_SHADOW + PAGE, nbytes - PAGE);
}

/* True if the owner of an imported block has freed it. */
static int is_gone(const struct heap *h, const struct heap_entry *b)
{
    const _Atomic uint32_t *const tag =
        h->imported ? block_tag(h, b->offset) : NULL;
    return h->imported && (!tag || atomic_load(tag) != b->number);
}

/* The lock is held. */
static void free_block(struct heap *h, struct heap_entry *b)
{
    const uint64_t nbytes = block_pages(b->nbytes);
    freed_add(h, b);
    if (h->device != HEAP_PINNED)
        pkey_mprotect(h->user + b->offset, nbytes, PROT_NONE, no_key);
    if (b->nbytes > KEPT_MAX)
        discard(h, b->offset, nbytes);
    clear_shadow(h, b->offset, nbytes * HEAP_SHADOW);
    h->used -= nbytes;
    block_remove(h, b);
}

int simgpu_heap_free(void *p)
{
    if (!p)
        return 0;
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    struct heap_entry *const b = block_of(h, p);
    const int err =
        !b || h->user + b->offset != p || h->imported || h->is_virtual ? EINVAL
                                                                       : 0;
    if (err == 0)
        free_block(h, b);
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

void heap_reset(int device)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = &heap_table.heap[heap_slot(device)];
    while (h->nblocks)
        free_block(h, &h->block[h->nblocks - 1]);
    pthread_mutex_unlock(&heap_table.lock);
}

void heap_free_pending(void *p)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    struct heap_entry *const b = block_of(h, p);
    if (b)
        b->free_pending = 1;
    pthread_mutex_unlock(&heap_table.lock);
}

void heap_note_free(const void *p, uint32_t site)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    struct heap_entry *const b = block_of(h, p);
    if (b)
        b->freed_site = site;
    pthread_mutex_unlock(&heap_table.lock);
}

void heap_note_used(const void *p, size_t nbytes)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    struct heap_entry *const b = block_of(h, p);
    if (b) {
        b->used = (uint64_t)((const char *)p - h->user) - b->offset;
        b->used_nbytes = nbytes;
    }
    pthread_mutex_unlock(&heap_table.lock);
}

/* The place of a heap's bytes. A peer's device may be none of this process's,
 * such as one of another node: its own process knows its place. */
static int32_t place_of(const struct heap *h, int device)
{
    if (!h->imported)
        return simgpu_proc_place(device);
    return h->device == HEAP_PINNED ? TOPO_HOST_PLACE(simgpu_peer_node(h->peer))
                                    : h->peer->control->place[h->device];
}

static void fill(struct heap_block *out, const struct heap *h,
                 const struct heap_entry *b)
{
    *out = (struct heap_block){
        .base = h->user + b->offset,
        .nbytes = b->nbytes,
        .device = h->imported ? h->seen_as : h->device,
        .place = b->numa_place,
        .closed = b->closed,
        .id = (uint64_t)h->owner_rank << 32 | b->number,
        .site = b->site,
        .used = b->used_nbytes ? h->user + b->offset + b->used : NULL,
        .used_nbytes = b->used_nbytes,
        .managed = b->managed,
        .pooled = b->pooled,
        .imported = h->imported,
        .free_pending = b->free_pending,
        .owner = h->owner,
    };
    if (h->is_virtual) {
        out->device = b->device;
        out->id = b->id;
        out->mapped = 1;
    } else if (!h->imported) {
        out->id = (uint64_t)simgpu_proc()->rank << 32 | b->number;
    }
    if (!b->numa_place)
        out->place = place_of(h, out->device);
}

int simgpu_heap_find(const void *p, struct heap_block *out)
{
    if (space_slot(p) < 0) {
        *out = (struct heap_block){0};
        return ENOENT;
    }
    int err = ENOENT;
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    const struct heap_entry *const b = block_of(h, p);
    *out = (struct heap_block){0};
    if (b) {
        fill(out, h, b);
        err = is_gone(h, b) ? ENOENT : 0;
    } else {
        freed_find(p, out);
    }
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

int heap_find_id(uint64_t id, struct heap_block *out)
{
    int err = ENOENT;
    pthread_mutex_lock(&heap_table.lock);
    for (int i = 0; i < heap_table.n && err; i++) {
        const struct heap *const h = &heap_table.heap[i];
        for (size_t k = 0; k < h->nblocks && err; k++) {
            fill(out, h, &h->block[k]);
            err = out->id == id && !is_gone(h, &h->block[k]) ? 0 : ENOENT;
        }
    }
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}

int simgpu_heap_is_freed(const void *p)
{
    struct heap_block b;
    return simgpu_heap_find(p, &b) != 0 && b.base != NULL;
}

void *simgpu_heap_raw(const void *p)
{
    const struct heap *const h = heap_of(p);
    const uint64_t at = h ? (uint64_t)((const char *)p - h->user) : 0;
    return h && at < atomic_load(&h->raw->nbytes)
               ? atomic_load(&h->raw->at) + at
               : (void *)p;
}

void *heap_shadow(const void *p)
{
    const struct heap *const h = heap_of(p);
    if (!h)
        return NULL;
    if (h->is_virtual)
        return heap_shadow(simgpu_address_memory(p));
    const uint64_t at = (uint64_t)((const char *)p - h->user) / 4 * 4;
    return at < h->nbytes ? heap_map_shadow(h, at) : NULL;
}

void *heap_common(const void *p)
{
    const struct heap *const h = heap_of(p);
    if (h && h->is_virtual)
        return heap_common(simgpu_address_memory(p));
    return h ? h->common : NULL;
}

int simgpu_heap_export(const void *p, struct heap_ref *out)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) != 0)
        return ENOENT;
    const struct heap *h = heap_of(p);
    if (b.mapped) { // only as far as its piece extends
        p = simgpu_address_memory(p);
        h = heap_of(p);
        simgpu_heap_find(p, &b);
    }
    *out = (struct heap_ref){
        .owner = h->owner,
        .device = h->device,
        .block = (uint32_t)b.id,
        .offset = (uint64_t)((const char *)p - h->user),
        .nbytes = (uint64_t)(b.base + b.nbytes - (const char *)p),
    };
    return 0;
}

void heap_each(void (*fn)(void *arg, const struct heap_block *b), void *arg)
{
    struct heap_block b;
    pthread_mutex_lock(&heap_table.lock);
    for (int slot = 0; slot <= PROC_MAX_DEVICES; slot++)
        for (size_t i = 0; i < heap_table.heap[slot].nblocks; i++) {
            fill(&b, &heap_table.heap[slot], &heap_table.heap[slot].block[i]);
            fn(arg, &b);
        }
    pthread_mutex_unlock(&heap_table.lock);
}

void heap_usage(int device, size_t *used, size_t *total)
{
    simgpu_proc();
    pthread_mutex_lock(&heap_table.lock);
    const struct heap *const h = heap_own(device);
    *used = h->used;
    *total = h->nbytes;
    pthread_mutex_unlock(&heap_table.lock);
}

void heap_protect(const struct heap_block *b, int prot, int key)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(b->base);
    const struct heap_entry *const now = block_of(h, b->base);
    if (key >= 0)
        no_key = 0;
    if (now && now->number == (uint32_t)b->id)
        pkey_mprotect(b->base, block_pages(b->nbytes), prot, key);
    pthread_mutex_unlock(&heap_table.lock);
}
