#define _GNU_SOURCE
#include "core/heap/heap_map.h"

#include <errno.h>    /* errno */
#include <fcntl.h>    /* O_RDWR */
#include <stdlib.h>   /* calloc */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* lseek */

#include "core/limit.h"
#include "core/report.h"

enum {
    SHOWN_MIN = 64 << 20, /* bytes that a view shows at first */
    CHUNK = 16 << 20,     /* bytes whose shadow is mapped at a time */
    GUARD = 4096,         /* bytes behind a raw view, inaccessible: MPI does
                             not check the length of a buffer */
};

/* Held while a chunk is added, which also happens with
 * the table's lock held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The size of the heap in a file, from heap_file_nbytes(). */
static uint64_t nbytes_of(int fd)
{
    const off_t all = lseek(fd, 0, SEEK_END);
    return all < 0 ? 0 : ((uint64_t)all - HEAP_COMMON) / (1 + HEAP_SHADOW);
}

/* How many bytes of a heap to show, so that the first `end` are included. */
static uint64_t reach(uint64_t heap_nbytes, uint64_t end)
{
    uint64_t nbytes = SHOWN_MIN;
    while (nbytes < end)
        nbytes *= 2;
    return nbytes < heap_nbytes ? nbytes : heap_nbytes;
}

/* Map bytes of a heap's file for simgpu's own use. Returns NULL with errno. */
static char *map_bytes(int fd, uint64_t offset, uint64_t nbytes)
{
    void *const at = mmap(NULL, nbytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE, fd, (off_t)offset);
    return at == MAP_FAILED ? NULL : at;
}

int heap_map_init(struct heap *h, int fd)
{
    h->nbytes = nbytes_of(fd);
    h->shadow = calloc(h->nbytes / CHUNK + 1, sizeof *h->shadow);
    h->common =
        map_bytes(fd, heap_file_nbytes(h->nbytes) - HEAP_COMMON, HEAP_COMMON);
    return h->shadow && h->common ? 0 : -1;
}

void heap_map_release(struct heap *h)
{
    const int err = errno;
    if (h->common)
        munmap(h->common, HEAP_COMMON);
    free(h->shadow);
    errno = err;
}

int heap_map_view(struct heap_view *v, int fd, uint64_t end)
{
    const uint64_t nbytes = reach(nbytes_of(fd), end);
    if (atomic_load(&v->nbytes) >= nbytes)
        return 0;
    char *const at = mmap(NULL, nbytes + GUARD, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    if (mmap(at, nbytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED) {
        const int err = errno;
        munmap(at, nbytes + GUARD);
        errno = err;
        return -1;
    }
    atomic_store(&v->at, at);
    atomic_store(&v->nbytes, nbytes);
    return 0;
}

/* A GPU can have more memory than one window; the next window then follows. */
static int show_user(struct heap *h, int fd, uint64_t end)
{
    const uint64_t all = reach(h->nbytes, end);
    const uint64_t nbytes = all < SPACE_WINDOW ? all : SPACE_WINDOW;
    const int open = h->device == HEAP_PINNED && !h->imported;
    if (h->shown >= nbytes)
        return 0;
    if (mmap(h->user + h->shown, nbytes - h->shown,
             open ? PROT_READ | PROT_WRITE : PROT_NONE,
             MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd,
             (off_t)h->shown) == MAP_FAILED)
        return -1;
    h->shown = nbytes;
    return 0;
}

/* Open the heap's file, for file_close(). Returns -1 with errno. */
static int file_open(const struct heap *h)
{
    return h->imported ? peer_open_heap(h->peer, heap_slot(h->device)) : h->fd;
}

static void file_close(const struct heap *h, int fd)
{
    const int err = errno;
    if (h->imported && fd >= 0)
        close(fd);
    errno = err;
}

int heap_map_show(struct heap *h, uint64_t end)
{
    if (h->shown >= end && atomic_load(&h->raw->nbytes) >= end)
        return 0;
    const int fd = file_open(h);
    const int ok = fd >= 0 && show_user(h, fd, end) == 0 &&
                   heap_map_view(h->raw, fd, end) == 0;
    file_close(h, fd);
    return ok ? 0 : -1;
}

int heap_map_reserve(struct heap *h)
{
    char *const at = mmap(NULL, h->nbytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return -1;
    atomic_store(&h->own.at, at);
    atomic_store(&h->own.nbytes, h->nbytes);
    return 0;
}

int heap_map_alias(const struct heap *h, uint64_t offset,
                   const struct heap *from, const char *p, uint64_t nbytes)
{
    const off_t at = p - from->user;
    const int fd = file_open(from);
    const int ok =
        fd >= 0 &&
        mmap(h->user + offset, nbytes, PROT_NONE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, at) != MAP_FAILED &&
        mmap(h->own.at + offset, nbytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, at) != MAP_FAILED;
    file_close(from, fd);
    return ok ? 0 : -1;
}

void heap_map_unalias(const struct heap *h, uint64_t offset, uint64_t nbytes)
{
    munmap(h->user + offset, nbytes);
    mmap(h->own.at + offset, nbytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

/* Map a chunk, unless another thread has. The caller must hold the lock.
 * Returns NULL with errno. */
static char *add_chunk(const struct heap *h, uint64_t i)
{
    char *at = atomic_load(&h->shadow[i]);
    if (at)
        return at;
    const uint64_t begin = i * CHUNK;
    const uint64_t nbytes =
        h->nbytes - begin < CHUNK ? h->nbytes - begin : CHUNK;
    const int fd = file_open(h);
    if (fd >= 0)
        at = map_bytes(fd, h->nbytes + begin * HEAP_SHADOW,
                       nbytes * HEAP_SHADOW);
    file_close(h, fd);
    atomic_store(&h->shadow[i], at);
    return at;
}

char *heap_map_shadow(const struct heap *h, uint64_t offset)
{
    char hint[LIMIT_HINT];
    const uint64_t i = offset / CHUNK;
    char *at = atomic_load(&h->shadow[i]);
    if (!at) {
        pthread_mutex_lock(&lock);
        at = add_chunk(h, i);
        pthread_mutex_unlock(&lock);
    }
    if (!at && (!h->imported || peer_alive(h->peer)))
        simgpu_report_fault(NULL, "cannot map what device memory shares: %m%s",
                            simgpu_limit_hint(errno, hint, sizeof hint));
    return at ? at + offset % CHUNK * HEAP_SHADOW : NULL;
}

_Atomic uint32_t *block_tag(const struct heap *h, uint64_t offset)
{
    char *const at = heap_map_shadow(h, offset);
    return at ? (_Atomic uint32_t *)(at + HEAP_SHADOW_TAG) : NULL;
}
