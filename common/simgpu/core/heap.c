#define _GNU_SOURCE
#include "core/heap.h"

#include <errno.h>    /* ENOMEM */
#include <fcntl.h>    /* fallocate */
#include <pthread.h>  /* pthread_mutex_t */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* realloc */
#include <string.h>   /* memset */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* ftruncate */

#include "core/dataless.h"
#include "core/flag.h" /* FLAG_SHADOW */
#include "core/heap_space.h"
#include "core/page.h"

enum {
    PAGE = 4096,
    POISON = 0xCB,
    POISON_MAX = 64 << 20, /* larger allocations start as zeros: filling them
                              would cost a second a gigabyte */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap heaps[SPACE_HEAPS]; /* this process's, then peers' */
static int nheaps = PROC_MAX_DEVICES + 1;
static uint32_t next_block = 1;

/* A heap's memfd: its bytes and their shadow. */
static uint64_t file_nbytes(uint64_t heap_nbytes)
{
    return heap_nbytes * (1 + FLAG_SHADOW);
}

static int slot_of(int device)
{
    return device == HEAP_PINNED ? PROC_MAX_DEVICES : device;
}

/* Make the memfd of a heap of this process and map both of its views. */
static void heap_create(struct heap *h, int slot)
{
    const int pinned = slot == PROC_MAX_DEVICES;
    h->device = pinned ? HEAP_PINNED : slot;
    h->user = space_window(slot);
    h->nbytes = pinned ? SPACE_WINDOW
                       : topo_gpu(proc()->topo, proc_place(slot))->mem_nbytes;
    h->owner = proc()->id;
    h->fd = memfd_create("simgpu-heap", MFD_CLOEXEC);
    if (h->fd < 0 || ftruncate(h->fd, (off_t)file_nbytes(h->nbytes)) != 0)
        proc_fault(NULL, "cannot make the memory of device %d: %m", h->device);
    if (mmap(h->user, h->nbytes, pinned ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, h->fd,
             0) == MAP_FAILED)
        proc_fault(NULL,
                   "cannot map device memory at %p: %m.\nSomething else "
                   "occupies that address; is a memory limit (ulimit -v) set?",
                   (void *)h->user);
    h->raw = mmap(NULL, file_nbytes(h->nbytes), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, h->fd, 0);
    if (h->raw == MAP_FAILED)
        proc_fault(NULL, "cannot map device memory: %m; is a memory limit "
                         "(ulimit -v) set?");
    page_own()->heap_fd[slot] = h->fd;
}

static struct heap *heap_own(int device)
{
    const int slot = slot_of(device);
    struct heap *const h = &heaps[slot];
    if (!h->raw)
        heap_create(h, slot);
    return h;
}

/* The heap whose user view holds p, or NULL. */
static struct heap *heap_of(const void *p)
{
    const int slot = space_slot(p);
    return slot >= 0 && slot < nheaps && heaps[slot].raw ? &heaps[slot] : NULL;
}

/* Index of the first block of h that begins behind offset. */
static size_t block_after(const struct heap *h, uint64_t offset)
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

static struct block *block_at(struct heap *h, uint64_t offset)
{
    const size_t i = block_after(h, offset);
    if (i == 0)
        return NULL;
    struct block *const b = &h->block[i - 1];
    return offset < b->offset + b->nbytes ? b : NULL;
}

static uint64_t pages(uint64_t nbytes)
{
    return (nbytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

/* First fit; a page that belongs to nobody follows each block. */
static int place(const struct heap *h, uint64_t nbytes, size_t *index,
                 uint64_t *offset)
{
    uint64_t end = 0;
    for (size_t i = 0; i <= h->nblocks; i++) {
        const uint64_t next = i < h->nblocks ? h->block[i].offset : h->nbytes;
        if (end + pages(nbytes) + PAGE <= next) {
            *index = i;
            *offset = end;
            return 0;
        }
        if (i < h->nblocks)
            end = next + pages(h->block[i].nbytes) + PAGE;
    }
    return ENOMEM;
}

static struct block *insert(struct heap *h, size_t index, struct block b)
{
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

static _Atomic uint32_t *tag_of(const struct heap *h, uint64_t offset);

int heap_alloc(int device, size_t nbytes, int managed, uint32_t site,
               void **out)
{
    *out = NULL;
    if (nbytes == 0)
        return 0;
    proc();
    pthread_mutex_lock(&lock);
    struct heap *const h = heap_own(device);
    size_t index;
    uint64_t offset;
    const int err =
        nbytes > h->nbytes ? ENOMEM : place(h, nbytes, &index, &offset);
    if (err == 0) {
        const int empty =
            device != HEAP_PINNED && !managed && nbytes >= dataless_limit();
        const uint32_t number = next_block++ | (empty ? DATALESS_BLOCK : 0);
        insert(h, index,
               (struct block){.offset = offset,
                              .nbytes = nbytes,
                              .number = number,
                              .site = site,
                              .managed = managed});
        atomic_store(tag_of(h, offset), number);
        h->used += pages(nbytes);
        *out = h->user + offset;
        if (managed && device != HEAP_PINNED)
            mprotect(*out, pages(nbytes), PROT_READ | PROT_WRITE);
        if (nbytes <= POISON_MAX && !empty)
            memset(h->raw + offset, POISON, nbytes);
        graph_note_alloc(proc()->graph, (uint64_t)proc()->rank << 32 | number,
                         proc_place(device), nbytes, site);
    }
    pthread_mutex_unlock(&lock);
    return err;
}

/* Remember what was there, for the message about a later use. */
static void bury(const struct heap *h, const struct block *b);

static struct grave { /* a freed allocation, the newest 256 */
    char *base;
    size_t nbytes;
    uint32_t site;
} graves[256];
static uint32_t ngraves;

static void bury(const struct heap *h, const struct block *b)
{
    graves[ngraves++ % 256] =
        (struct grave){h->user + b->offset, b->nbytes, b->site};
}

/* Give a block's memory back, its shadow's too. */
static void discard(const struct heap *h, const struct block *b)
{
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    fallocate(h->fd, mode, (off_t)b->offset, (off_t)pages(b->nbytes));
    fallocate(h->fd, mode, (off_t)(h->nbytes + b->offset * FLAG_SHADOW),
              (off_t)(pages(b->nbytes) * FLAG_SHADOW));
}

/*
 * The number of the block that begins here, for peers that have mapped the heap:
 * it lies in the shadow, so it goes when the block's memory is given back.
 */
static _Atomic uint32_t *tag_of(const struct heap *h, uint64_t offset)
{
    return (_Atomic uint32_t *)(h->raw + h->nbytes + offset * FLAG_SHADOW +
                                FLAG_TAG);
}

/* The owner of an imported block has freed it. */
static int is_gone(const struct heap *h, const struct block *b)
{
    return h->imported && atomic_load(tag_of(h, b->offset)) != b->number;
}

static void forget(struct heap *h, struct block *b)
{
    const size_t index = (size_t)(b - h->block);
    memmove(b, b + 1, (h->nblocks - index - 1) * sizeof *b);
    h->nblocks--;
}

/* The lock is held. */
static void free_block(struct heap *h, struct block *b)
{
    bury(h, b);
    if (h->device != HEAP_PINNED)
        mprotect(h->user + b->offset, pages(b->nbytes), PROT_NONE);
    discard(h, b);
    h->used -= pages(b->nbytes);
    forget(h, b);
}

int heap_free(void *p)
{
    if (!p)
        return 0;
    pthread_mutex_lock(&lock);
    struct heap *const h = heap_of(p);
    const uint64_t offset = h ? (uint64_t)((char *)p - h->user) : 0;
    struct block *const b = h ? block_at(h, offset) : NULL;
    const int err = !b || b->offset != offset || h->imported ? EINVAL : 0;
    if (err == 0)
        free_block(h, b);
    pthread_mutex_unlock(&lock);
    return err;
}

void heap_reset(int device)
{
    pthread_mutex_lock(&lock);
    struct heap *const h = &heaps[slot_of(device)];
    while (h->nblocks)
        free_block(h, &h->block[h->nblocks - 1]);
    pthread_mutex_unlock(&lock);
}

void heap_condemn(void *p)
{
    pthread_mutex_lock(&lock);
    struct heap *const h = heap_of(p);
    struct block *const b =
        h ? block_at(h, (uint64_t)((char *)p - h->user)) : NULL;
    if (b)
        b->condemned = 1;
    pthread_mutex_unlock(&lock);
}

static void fill(struct heap_block *out, const struct heap *h,
                 const struct block *b)
{
    *out = (struct heap_block){
        .base = h->user + b->offset,
        .nbytes = b->nbytes,
        .device = h->device,
        .id = (uint64_t)h->owner_rank << 32 | b->number,
        .site = b->site,
        .managed = b->managed,
        .imported = h->imported,
        .condemned = b->condemned,
        .owner = h->owner,
    };
    if (!h->imported)
        out->id = (uint64_t)proc()->rank << 32 | b->number;
}

int heap_find(const void *p, struct heap_block *out)
{
    if (space_slot(p) < 0) {
        *out = (struct heap_block){0};
        return ENOENT;
    }
    int err = ENOENT;
    pthread_mutex_lock(&lock);
    struct heap *const h = heap_of(p);
    const struct block *const b =
        h ? block_at(h, (uint64_t)((const char *)p - h->user)) : NULL;
    *out = (struct heap_block){0};
    if (b) {
        fill(out, h, b);
        err = is_gone(h, b) ? ENOENT : 0;
    } else {
        for (uint32_t i = 0; i < 256; i++)
            if (graves[i].base && (const char *)p >= graves[i].base &&
                (const char *)p < graves[i].base + graves[i].nbytes)
                *out = (struct heap_block){.base = graves[i].base,
                                           .nbytes = graves[i].nbytes,
                                           .site = graves[i].site};
    }
    pthread_mutex_unlock(&lock);
    return err;
}

void *heap_raw(const void *p)
{
    const struct heap *const h = heap_of(p);
    return h ? h->raw + ((const char *)p - h->user) : (void *)p;
}

void *heap_shadow(const void *p)
{
    const struct heap *const h = heap_of(p);
    if (!h)
        return NULL;
    const uint64_t offset = (uint64_t)((const char *)p - h->user);
    return h->raw + h->nbytes + offset / 4 * 4 * FLAG_SHADOW;
}

int heap_export(const void *p, struct heap_ref *out)
{
    struct heap_block b;
    if (heap_find(p, &b) != 0)
        return ENOENT;
    const struct heap *const h = heap_of(p);
    *out = (struct heap_ref){
        .owner = h->owner,
        .device = h->device,
        .block = (uint32_t)b.id,
        .offset = (uint64_t)((const char *)p - h->user),
        .nbytes = (uint64_t)(b.base + b.nbytes - (const char *)p),
    };
    return 0;
}

/* Map a peer's heap: its raw view, or with `user` an inaccessible one. */
static char *map_peer(const struct peer *p, int slot, char *user,
                      uint64_t *nbytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", peer_pid(p),
             p->page->heap_fd[slot]);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    const uint64_t all = (uint64_t)lseek(fd, 0, SEEK_END);
    *nbytes = all / file_nbytes(1);
    void *const at = mmap(
        user, user ? *nbytes : all, user ? PROT_NONE : PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_NORESERVE | (user ? MAP_FIXED_NOREPLACE : 0), fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
}

void *heap_raw_ref(const struct heap_ref *ref)
{
    const int slot = slot_of(ref->device);
    if (ref->owner.nonce == proc()->id.nonce)
        return heaps[slot].raw + ref->offset;
    struct peer *const p = proc_attach(&ref->owner);
    if (!p)
        proc_fault(NULL, "the process %d that owns a buffer is gone",
                   ref->owner.pid);
    pthread_mutex_lock(&lock);
    uint64_t nbytes;
    if (!p->heap[slot])
        p->heap[slot] = map_peer(p, slot, NULL, &nbytes);
    char *const base = p->heap[slot];
    pthread_mutex_unlock(&lock);
    if (!base)
        proc_fault(NULL, "cannot map memory of rank %u (process %d): %m",
                   peer_rank(p), peer_pid(p));
    return base + ref->offset;
}

/* The imported heap of (owner, device), made on first use. Lock is held. */
static struct heap *import_heap(const struct heap_ref *ref)
{
    const struct peer *const p = proc_attach(&ref->owner);
    if (!p)
        return NULL;
    for (int i = PROC_MAX_DEVICES + 1; i < nheaps; i++)
        if (heaps[i].owner.nonce == ref->owner.nonce &&
            heaps[i].device == ref->device)
            return &heaps[i];
    if (nheaps == SPACE_HEAPS)
        return NULL;
    struct heap *const h = &heaps[nheaps];
    const int slot = slot_of(ref->device);
    *h = (struct heap){.device = ref->device,
                       .owner = ref->owner,
                       .owner_rank = peer_rank(p),
                       .imported = 1,
                       .fd = -1};
    h->user = map_peer(p, slot, space_window(nheaps), &h->nbytes);
    h->raw = h->user ? map_peer(p, slot, NULL, &h->nbytes) : NULL;
    if (!h->raw) {
        if (h->user)
            munmap(h->user, h->nbytes);
        h->user = NULL; // the window is free for the next attempt
        return NULL;
    }
    nheaps++;
    return h;
}

int heap_import(const struct heap_ref *ref, void **out)
{
    pthread_mutex_lock(&lock);
    struct heap *const h = import_heap(ref);
    const int alive = h && atomic_load(tag_of(h, ref->offset)) == ref->block;
    if (alive) {
        struct block *b = block_at(h, ref->offset);
        if (!b)
            b = insert(h, block_after(h, ref->offset),
                       (struct block){.offset = ref->offset,
                                      .nbytes = ref->nbytes,
                                      .number = ref->block});
        b->opens++;
        *out = h->user + ref->offset;
    }
    pthread_mutex_unlock(&lock);
    return alive ? 0 : ENOENT;
}

int heap_unimport(void *p)
{
    int err = EINVAL;
    pthread_mutex_lock(&lock);
    struct heap *const h = heap_of(p);
    struct block *const b =
        h && h->imported ? block_at(h, (uint64_t)((char *)p - h->user)) : NULL;
    if (b) {
        err = 0;
        if (--b->opens == 0) {
            bury(h, b);
            mprotect(h->user + b->offset, pages(b->nbytes), PROT_NONE);
            const size_t index = (size_t)(b - h->block);
            memmove(b, b + 1, (h->nblocks - index - 1) * sizeof *b);
            h->nblocks--;
        }
    }
    pthread_mutex_unlock(&lock);
    return err;
}

void heap_each(void (*fn)(void *arg, const struct heap_block *b), void *arg)
{
    struct heap_block b;
    pthread_mutex_lock(&lock);
    for (int slot = 0; slot <= PROC_MAX_DEVICES; slot++)
        for (size_t i = 0; i < heaps[slot].nblocks; i++) {
            fill(&b, &heaps[slot], &heaps[slot].block[i]);
            fn(arg, &b);
        }
    pthread_mutex_unlock(&lock);
}

void heap_usage(int device, size_t *used, size_t *total)
{
    pthread_mutex_lock(&lock);
    const struct heap *const h = heap_own(device);
    *used = h->used;
    *total = h->nbytes;
    pthread_mutex_unlock(&lock);
}

int heap_protect(const struct heap_block *b, int open)
{
    return mprotect(b->base, pages(b->nbytes),
                    open ? PROT_READ | PROT_WRITE : PROT_NONE);
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
    pthread_mutex_lock(&lock);
    const struct heap *const h = heap_of(p);
    const uint64_t offset = h ? (uint64_t)((const char *)p - h->user) : 0;
    const size_t i = h ? block_after(h, offset) : 0;
    const struct block near = i ? h->block[i - 1] : (struct block){0};
    pthread_mutex_unlock(&lock);
    if (i) {
        graph_site_text(proc()->graph, near.site, site, sizeof site);
        snprintf(out, nbytes,
                 "%zu bytes past the end of the %zu-byte allocation made at "
                 "%s%s",
                 (size_t)(offset - near.offset - near.nbytes), near.nbytes,
                 site, device);
    } else {
        snprintf(out, nbytes,
                 h ? "device memory that was never allocated"
                   : "memory of the host");
    }
    return out;
}
