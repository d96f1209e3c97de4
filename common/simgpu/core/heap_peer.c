#define _GNU_SOURCE
#include <errno.h>    /* ENOENT */
#include <fcntl.h>    /* O_RDWR */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* lseek */

#include "core/heap_table.h"
#include "core/limit.h"
#include "core/peer.h"
#include "core/report.h"

enum { SHADOW_STEP = 1 << 30 }; /* bytes of a heap whose shadow is mapped */

/* Open a peer's heap; its size to *nbytes. -1 with errno. */
static int open_peer(const struct peer *p, int slot, uint64_t *nbytes)
{
    const int fd =
        simgpu_proc_open(peer_pid(p), p->control->heap_fd[slot], O_RDWR);
    const uint64_t all = fd < 0 ? 0 : (uint64_t)lseek(fd, 0, SEEK_END);
    *nbytes = (all - HEAP_COMMON) / (1 + HEAP_SHADOW);
    return fd;
}

/* Map bytes of an open heap for simgpu's own use; NULL with errno. */
static char *map_bytes(int fd, uint64_t offset, uint64_t nbytes)
{
    void *const at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
    return at == MAP_FAILED ? NULL : at;
}

/* The raw view of a peer's heap, mapped once; the lock is held. NULL with
 * errno. */
static char *raw_view(struct peer *p, int slot)
{
    uint64_t nbytes;
    if (p->heap[slot])
        return p->heap[slot];
    const int fd = open_peer(p, slot, &nbytes);
    if (fd < 0)
        return NULL;
    p->heap[slot] = map_bytes(fd, 0, nbytes);
    close(fd);
    return p->heap[slot];
}

static _Noreturn void cannot_map(const struct peer *p)
{
    char hint[LIMIT_HINT];
    simgpu_report_fault(NULL, "cannot map memory of rank %u (process %d): %m%s",
                        peer_rank(p), peer_pid(p),
                        simgpu_limit_hint(errno, hint, sizeof hint));
}

void *simgpu_heap_raw_ref(const struct heap_ref *ref)
{
    const int slot = heap_slot(ref->device);
    if (ref->owner.nonce == simgpu_proc()->id.nonce)
        return heap_table.heap[slot].raw + ref->offset;
    struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p)
        simgpu_report_fault(NULL,
                            "process %d, which owns a buffer in use, is gone",
                            ref->owner.pid);
    pthread_mutex_lock(&heap_table.lock);
    char *const base = raw_view(p, slot);
    pthread_mutex_unlock(&heap_table.lock);
    if (!base)
        cannot_map(p);
    return base + ref->offset;
}

/* The ordinal in this process of a peer's device: each may see other GPUs. */
static int seen_as(const struct peer *p, int device)
{
    if (device == HEAP_PINNED)
        return device;
    for (int i = 0; i < PROC_MAX_DEVICES; i++)
        if (simgpu_proc_place(i) == p->control->place[device])
            return i;
    return device;
}

/* Map both views of an imported heap and what its words share; -1 with
 * errno. */
static int map_heap(struct heap *h, struct peer *p, int slot, char *window)
{
    const int fd = open_peer(p, slot, &h->nbytes);
    if (fd < 0)
        return -1;
    h->user = mmap(window, heap_shown(h), PROT_NONE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    h->common =
        map_bytes(fd, heap_file_nbytes(h->nbytes) - HEAP_COMMON, HEAP_COMMON);
    close(fd);
    char *const raw = raw_view(p, slot);
    if (h->user != MAP_FAILED && h->common && raw) {
        h->raw = raw;
        return 0;
    }
    const int err = errno;
    if (h->user != MAP_FAILED)
        munmap(h->user,
               heap_shown(h)); // the window is free for the next attempt
    if (h->common)
        munmap(h->common, HEAP_COMMON);
    errno = err;
    return -1;
}

/*
 * Map the shadow of an imported heap's first `end` bytes, and in fact of twice
 * what was mapped. An old mapping stays, because threads sleep on its words; so
 * all of them together are at most twice the last. -1 with errno.
 */
static int reach_shadow(struct heap *h, struct peer *p, uint64_t end)
{
    uint64_t reach = SHADOW_STEP, nbytes;
    while (reach < end)
        reach *= 2;
    reach = reach < h->nbytes ? reach : h->nbytes;
    if (h->shadow_nbytes >= reach * HEAP_SHADOW)
        return 0;
    const int fd = open_peer(p, heap_slot(h->device), &nbytes);
    if (fd < 0)
        return -1;
    char *const at = map_bytes(fd, nbytes, reach * HEAP_SHADOW);
    close(fd);
    if (!at)
        return -1;
    atomic_store(&h->shadow, at);
    h->shadow_nbytes = reach * HEAP_SHADOW;
    return 0;
}

/* The imported heap of (owner, device), created on first use. The lock is
 * held. NULL with errno. */
static struct heap *import_heap(const struct heap_ref *ref, struct peer *p)
{
    for (int i = PROC_MAX_DEVICES + 1; i < heap_table.n; i++)
        if (heap_table.heap[i].owner.nonce == ref->owner.nonce &&
            heap_table.heap[i].device == ref->device)
            return &heap_table.heap[i];
    if (heap_table.n == SPACE_HEAPS)
        simgpu_report_fault(NULL,
                            "memory of more than %d devices of other processes "
                            "has been opened here (cudaIpcOpenMemHandle): use "
                            "fewer ranks",
                            SPACE_HEAPS - PROC_MAX_DEVICES - 1);
    struct heap *const h = &heap_table.heap[heap_table.n];
    *h = (struct heap){.device = ref->device,
                       .owner = ref->owner,
                       .owner_rank = peer_rank(p),
                       .imported = 1,
                       .seen_as = seen_as(p, ref->device),
                       .fd = -1};
    if (map_heap(h, p, heap_slot(ref->device), space_window(heap_table.n)) != 0)
        return NULL;
    heap_table.n++;
    return h;
}

/* Where the allocation was made, if this process made it; 0. The lock is held.
 */
static uint32_t site_of(const struct heap_ref *ref)
{
    struct heap *const own = &heap_table.heap[heap_slot(ref->device)];
    if (ref->owner.nonce != simgpu_proc()->id.nonce)
        return 0;
    const struct block *const b = block_of(own, own->user + ref->offset);
    return b ? b->site : 0;
}

int simgpu_heap_import(const struct heap_ref *ref, void **out)
{
    struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p)
        return ENOENT;
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = import_heap(ref, p);
    const int mapped = h && reach_shadow(h, p, ref->offset + ref->nbytes) == 0;
    if (!mapped && peer_alive(p))
        cannot_map(p);
    const int alive =
        mapped && atomic_load(block_tag(h, ref->offset)) == ref->block;
    if (alive) {
        struct block *b = block_of(h, h->user + ref->offset);
        if (!b)
            b = block_insert(h, (struct block){.offset = ref->offset,
                                               .nbytes = ref->nbytes,
                                               .number = ref->block,
                                               .site = site_of(ref)});
        b->opens++;
        *out = h->user + ref->offset;
    }
    pthread_mutex_unlock(&heap_table.lock);
    return alive ? 0 : ENOENT;
}

int simgpu_heap_unimport(void *p)
{
    int err = EINVAL;
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = heap_of(p);
    struct block *const b = h && h->imported ? block_of(h, p) : NULL;
    if (b) {
        err = 0;
        if (--b->opens == 0) {
            freed_add(h, b);
            mprotect(h->user + b->offset, block_pages(b->nbytes), PROT_NONE);
            block_remove(h, b);
        }
    }
    pthread_mutex_unlock(&heap_table.lock);
    return err;
}
