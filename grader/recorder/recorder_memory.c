#define _GNU_SOURCE
#include "grader/recorder/recorder_memory.h"

#include <fcntl.h>    /* F_GET_SEALS */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memset */
#include <sys/stat.h> /* fstat */
#include <unistd.h>   /* pwrite */

#include "base/map.h"
#include "grader/base/room.h"

enum { MOST_DEVICES = 64, SPOILED = 256, SPOIL = 0xFF };

struct heap {
    int fd; /* -1 if there is none yet */
    uint64_t nbytes;
};

struct place { /* where an allocation lies */
    uint32_t heap;
    uint64_t offset, nbytes;
};

struct recorder_memory {
    int nheaps;
    struct heap *heap; /* by rank and device */
    struct map number; /* by allocation: its position in place[], from 1 */
    struct place *place;
    size_t n, cap;
};

struct recorder_memory *recorder_memory_new(int nranks)
{
    struct recorder_memory *const m = calloc(1, sizeof *m);
    const int n = nranks * MOST_DEVICES;
    if (!m || !(m->heap = malloc((size_t)n * sizeof *m->heap))) {
        free(m);
        return NULL;
    }
    m->nheaps = n;
    for (int i = 0; i < n; i++)
        m->heap[i].fd = -1;
    return m;
}

void recorder_memory_free(struct recorder_memory *m)
{
    if (!m)
        return;
    for (int i = 0; i < m->nheaps; i++)
        if (m->heap[i].fd >= 0)
            close(m->heap[i].fd);
    map_release(&m->number);
    free(m->heap);
    free(m->place);
    free(m);
}

int recorder_memory_has(int fd, uint64_t at, uint64_t n)
{
    struct stat s;
    return fd >= 0 && fcntl(fd, F_GET_SEALS) >= 0 && fstat(fd, &s) == 0 &&
           at <= (uint64_t)s.st_size && n <= (uint64_t)s.st_size - at;
}

int recorder_memory_heap(struct recorder_memory *m, uint32_t rank,
                         uint32_t device, int fd)
{
    struct heap *const heap =
        device < MOST_DEVICES ? &m->heap[rank * MOST_DEVICES + device] : NULL;
    struct stat s;
    if (!heap || heap->fd >= 0 || !recorder_memory_has(fd, 0, 0) ||
        fstat(fd, &s) != 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *heap = (struct heap){fd, (uint64_t)s.st_size};
    return 0;
}

int recorder_memory_place(struct recorder_memory *m, uint32_t rank,
                          const struct format_alloc *a)
{
    if (a->alloc >> 32 != rank || a->device >= MOST_DEVICES ||
        map_get(&m->number, a->alloc))
        return -1;
    if (room_make((void **)&m->place, m->n, &m->cap, sizeof *m->place) != 0)
        return -1;
    uint64_t *const number = map_at(&m->number, a->alloc);
    if (!number)
        return -1;
    m->place[m->n++] =
        (struct place){rank * MOST_DEVICES + a->device, a->offset, a->nbytes};
    *number = m->n;
    return 0;
}

int recorder_memory_knows(const struct recorder_memory *m, uint64_t alloc)
{
    return map_get(&m->number, alloc) != 0;
}

int recorder_memory_spoil(struct recorder_memory *m,
                          const struct graph_access *range, uint64_t number)
{
    const uint64_t known = map_get(&m->number, range->alloc);
    const struct place *const p = known ? &m->place[known - 1] : NULL;
    unsigned char bytes[SPOILED];
    const struct heap *const heap = p ? &m->heap[p->heap] : NULL;
    if (!p || heap->fd < 0)
        return 0;
    if (range->begin >= range->end || range->end > p->nbytes ||
        p->offset > heap->nbytes || p->nbytes > heap->nbytes - p->offset)
        return -1;
    const uint64_t all = range->end - range->begin;
    const size_t n = all < SPOILED ? (size_t)all : SPOILED;
    const uint64_t at = p->offset + range->begin + number % (all - n + 1);
    memset(bytes, SPOIL, n);
    // a rank that truncates its memory bears the consequences
    return pwrite(heap->fd, bytes, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}
