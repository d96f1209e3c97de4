#include "core/stream/pending_pages.h"

#include <stdint.h> /* uintptr_t */

#include "core/heap/heap.h"

enum { PAGE = PENDING_PAGE };

char *pending_page(const void *p)
{
    return (char *)((uintptr_t)p / PAGE * PAGE);
}

/* The memory of one malloc() that has pages of its own, as glibc's has from a
 * certain size on: the word before it contains its size and this bit. */
enum { IS_MAPPED = 2, HEADER = 16 };

static int has_own_pages(const char *p, size_t nbytes, char **end)
{
    if ((uintptr_t)p % PAGE != HEADER)
        return 0;
    const size_t word = *(const size_t *)(p - sizeof(size_t));
    const size_t size = word / PAGE * PAGE;
    *end = pending_page(p) + size;
    return (word & IS_MAPPED) && size >= nbytes + HEADER &&
           size < nbytes + 2 * PAGE;
}

/* Leave out a first and last page that contain other bytes of the allocation,
 * unless there are no other pages: a system call for those bytes would fail. */
static void leave_shared(char *base, size_t nbytes, const struct heap_block *b,
                         char **first, char **end)
{
    char *const behind = base + nbytes;
    char *const from = base == b->base ? base : pending_page(base + PAGE - 1);
    char *const to =
        behind == b->base + b->nbytes ? *end : pending_page(behind);
    if (from < to) {
        *first = from;
        *end = to;
    }
}

int pending_pages(char *base, size_t nbytes, char **first, char **end)
{
    struct heap_block b;
    char *const behind = base + nbytes;
    char *own;
    const int pinned = simgpu_heap_find(base, &b) == 0;
    *first = pending_page(base);
    *end = pending_page(behind + PAGE - 1);
    if (pinned && b.device == HEAP_PINNED && !b.mapped && !b.imported) {
        leave_shared(base, nbytes, &b, first, end);
        return 1;
    }
    size_t nall;
    const char *const all = heap_registered_range(base, &nall);
    if (pinned || !all)
        return 0;
    if (!has_own_pages(all, nall, &own) || behind > own) {
        *first = pending_page(base + PAGE - 1);
        *end = pending_page(behind);
    }
    if (*first > *end)
        *end = *first;
    return 1;
}
