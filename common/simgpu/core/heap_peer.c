#include <errno.h>    /* ENOENT */
#include <fcntl.h>    /* O_RDWR */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* lseek */

#include "core/heap_table.h"
#include "core/peer.h"
#include "core/report.h"

/* Map a peer's heap: its raw view, or an inaccessible one at `user`. */
static char *map_peer(const struct peer *p, int slot, char *user,
                      uint64_t *nbytes)
{
    const int fd =
        simgpu_proc_open(peer_pid(p), p->control->heap_fd[slot], O_RDWR);
    if (fd < 0)
        return NULL;
    const uint64_t all = (uint64_t)lseek(fd, 0, SEEK_END);
    *nbytes = (all - HEAP_COMMON) / (1 + HEAP_SHADOW);
    void *const at = mmap(
        user, user ? *nbytes : all, user ? PROT_NONE : PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_NORESERVE | (user ? MAP_FIXED_NOREPLACE : 0), fd, 0);
    close(fd);
    return at == MAP_FAILED ? NULL : at;
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
    uint64_t nbytes;
    if (!p->heap[slot])
        p->heap[slot] = map_peer(p, slot, NULL, &nbytes);
    char *const base = p->heap[slot];
    pthread_mutex_unlock(&heap_table.lock);
    if (!base)
        simgpu_report_fault(NULL,
                            "cannot map memory of rank %u (process %d): %m",
                            peer_rank(p), peer_pid(p));
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

/* The imported heap of (owner, device), created on first use. The lock is
 * held. */
static struct heap *import_heap(const struct heap_ref *ref)
{
    const struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p)
        return NULL;
    for (int i = PROC_MAX_DEVICES + 1; i < heap_table.n; i++)
        if (heap_table.heap[i].owner.nonce == ref->owner.nonce &&
            heap_table.heap[i].device == ref->device)
            return &heap_table.heap[i];
    if (heap_table.n == SPACE_HEAPS)
        return NULL;
    struct heap *const h = &heap_table.heap[heap_table.n];
    const int slot = heap_slot(ref->device);
    *h = (struct heap){.device = ref->device,
                       .owner = ref->owner,
                       .owner_rank = peer_rank(p),
                       .imported = 1,
                       .seen_as = seen_as(p, ref->device),
                       .fd = -1};
    h->user = map_peer(p, slot, space_window(heap_table.n), &h->nbytes);
    h->raw = h->user ? map_peer(p, slot, NULL, &h->nbytes) : NULL;
    if (!h->raw) {
        if (h->user)
            munmap(h->user, h->nbytes);
        h->user = NULL; // the window is free for the next attempt
        return NULL;
    }
    heap_table.n++;
    return h;
}

int heap_import(const struct heap_ref *ref, void **out)
{
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = import_heap(ref);
    const int alive = h && atomic_load(block_tag(h, ref->offset)) == ref->block;
    if (alive) {
        struct block *b = block_of(h, h->user + ref->offset);
        if (!b)
            b = block_insert(h, (struct block){.offset = ref->offset,
                                               .nbytes = ref->nbytes,
                                               .number = ref->block});
        b->opens++;
        *out = h->user + ref->offset;
    }
    pthread_mutex_unlock(&heap_table.lock);
    return alive ? 0 : ENOENT;
}

int heap_unimport(void *p)
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
