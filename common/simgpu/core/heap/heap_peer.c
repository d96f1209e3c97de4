#define _GNU_SOURCE
#include <errno.h>    /* ENOENT */
#include <sys/mman.h> /* mprotect */
#include <unistd.h>   /* close */

#include "core/heap/heap_map.h"
#include "core/limit.h"
#include "core/report.h"

/* The raw view of a peer's heap, with at least its first `end` bytes. The
 * caller must hold the lock. Returns NULL with errno. */
static char *raw_view(struct peer *p, int slot, uint64_t end)
{
    struct heap_view *const v = &p->heap[slot];
    if (v->nbytes >= end)
        return v->at;
    const int fd = peer_open_heap(p, slot);
    const int ok = fd >= 0 && heap_map_view(v, fd, end) == 0;
    const int err = errno;
    if (fd >= 0)
        close(fd);
    errno = err;
    return ok ? v->at : NULL;
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
        return heap_table.heap[slot].own.at + ref->offset;
    struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p)
        simgpu_report_fault(NULL,
                            "process %d, which owns a buffer in use, is gone",
                            ref->owner.pid);
    pthread_mutex_lock(&heap_table.lock);
    char *const base = raw_view(p, slot, ref->offset + ref->nbytes);
    pthread_mutex_unlock(&heap_table.lock);
    if (!base)
        cannot_map(p);
    return base + ref->offset;
}

/* The number in this process of a peer's device: each
 * process may see other GPUs. */
static int seen_as(const struct peer *p, int device)
{
    if (device == HEAP_PINNED)
        return device;
    for (int i = 0; i < PROC_MAX_DEVICES; i++)
        if (simgpu_proc_place(i) == p->control->place[device])
            return i;
    return device;
}

/* Map what the words of an imported heap share. Returns -1 with errno. */
static int map_heap(struct heap *h)
{
    const int fd = peer_open_heap(h->peer, heap_slot(h->device));
    if (fd < 0)
        return -1;
    const int err = heap_map_init(h, fd);
    close(fd);
    if (err)
        heap_map_release(h);
    return err;
}

/* The imported heap of (owner, device), created on first use. The caller must
 * hold the lock. Returns NULL with errno. */
static struct heap *import_heap(const struct heap_ref *ref, struct peer *p)
{
    for (int i = PROC_MAX_DEVICES + 1; i < heap_table.n; i++)
        if (heap_table.heap[i].imported &&
            heap_table.heap[i].owner.nonce == ref->owner.nonce &&
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
                       .peer = p,
                       .user = space_window(heap_table.n),
                       .raw = &p->heap[heap_slot(ref->device)],
                       .fd = -1};
    if (map_heap(h) != 0)
        return NULL;
    heap_table.n++;
    return h;
}

/* Where the allocation was made, if this process made it; else 0. The caller
 * must hold the lock. */
static uint32_t site_of(const struct heap_ref *ref)
{
    struct heap *const own = &heap_table.heap[heap_slot(ref->device)];
    if (ref->owner.nonce != simgpu_proc()->id.nonce)
        return 0;
    const struct heap_entry *const b = block_of(own, own->user + ref->offset);
    return b ? b->site : 0;
}

int simgpu_heap_import(const struct heap_ref *ref, void **out)
{
    struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p)
        return ENOENT;
    pthread_mutex_lock(&heap_table.lock);
    struct heap *const h = import_heap(ref, p);
    const int mapped = h && heap_map_show(h, ref->offset + ref->nbytes) == 0;
    if (!mapped && peer_alive(p))
        cannot_map(p);
    const _Atomic uint32_t *const tag =
        mapped ? block_tag(h, ref->offset) : NULL;
    const int alive = tag && atomic_load(tag) == ref->block;
    if (alive) {
        struct heap_entry *b = block_of(h, h->user + ref->offset);
        if (!b)
            b = block_insert(h, (struct heap_entry){.offset = ref->offset,
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
    struct heap_entry *const b = h && h->imported ? block_of(h, p) : NULL;
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
