#define _GNU_SOURCE
#include "scarce.h"

#include <check.h>
#include <errno.h>    /* ENOMEM */
#include <stdint.h>   /* uintptr_t */
#include <stdio.h>    /* BUFSIZ */
#include <stdlib.h>   /* abort */
#include <string.h>   /* memset */
#include <sys/mman.h> /* mmap */

/* The C library's own, under the names that are left when ours are called. */
void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);
void __libc_free(void *p);

static long left = -1; /* allocations until one fails; -1: none does */
static int failed;
static _Thread_local int none; /* all of this thread's fail */
static long held;              /* allocations that nothing has freed yet */

/* Not the buffers of streams: the C library does without them. */
static int fails(size_t nbytes)
{
    if (!none && (nbytes == 4096 || nbytes == BUFSIZ || left < 0 || left-- > 0))
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

/* ---- memory of just the size that was asked for -------------------------- */

enum { PAGE = 4096, JUNK = 0xa5 };
static const size_t yard_nbytes = (size_t)1 << 36; /* of addresses */
static char *yard, *yard_next;
static int fenced; /* allocations lie in the yard */

/*
 * Pages of its own: its size, the memory, and junk up to a multiple of 16
 * before a page that can't be touched.
 */
static void *fence(size_t nbytes)
{
    const size_t room = (nbytes + 15) / 16 * 16;
    const size_t pages = (room + 16 + PAGE - 1) / PAGE * PAGE;
    char *const at = yard_next;
    yard_next += pages + PAGE;
    if (yard_next > yard + yard_nbytes ||
        mprotect(at, pages, PROT_READ | PROT_WRITE) != 0)
        abort();
    memcpy(at, &nbytes, sizeof nbytes);
    return memset(at + pages - room, JUNK, room);
}

static int is_fenced(const void *p)
{
    return yard && (const char *)p >= yard &&
           (const char *)p < yard + yard_nbytes;
}

static char *pages_of(const void *p)
{
    return (char *)(((uintptr_t)p - 16) / PAGE * PAGE); // NOLINT: an address
}

static size_t size_of(const void *p)
{
    size_t nbytes;
    memcpy(&nbytes, pages_of(p), sizeof nbytes);
    return nbytes;
}

/* Nobody may touch it again. */
static void unfence(void *p)
{
    const size_t nbytes = size_of(p);
    const size_t room = (nbytes + 15) / 16 * 16;
    for (size_t i = nbytes; i < room; i++)
        if (((unsigned char *)p)[i] != JUNK)
            abort(); // written beyond its end
    char *const at = pages_of(p);
    madvise(at, (size_t)((char *)p - at) + room, MADV_DONTNEED);
    mprotect(at, (size_t)((char *)p - at) + room, PROT_NONE);
}

static void *fence_again(void *p, size_t nbytes)
{
    void *const larger = fence(nbytes);
    const size_t before = size_of(p);
    memcpy(larger, p, before < nbytes ? before : nbytes);
    unfence(p);
    return larger;
}

void scarce_just(int (*run)(void))
{
    yard = yard_next = mmap(NULL, yard_nbytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (yard == MAP_FAILED)
        abort();
    run(); // what is kept for later runs is kept now
    const long before = held;
    fenced = 1;
    const int result = run();
    fenced = 0;
    ck_assert_msg(result == 0, "failed with all memory");
    ck_assert_msg(held == before, "%ld allocations are not freed",
                  held - before);
}

/* ---- instead of the C library's ------------------------------------------ */

static void *counted(void *p)
{
    held += p != NULL;
    return p;
}

void *malloc(size_t nbytes)
{
    if (fails(nbytes))
        return NULL;
    return counted(fenced ? fence(nbytes) : __libc_malloc(nbytes));
}

void *calloc(size_t n, size_t nbytes)
{
    if (fails(n * nbytes))
        return NULL;
    return counted(fenced ? memset(fence(n * nbytes), 0, n * nbytes)
                          : __libc_calloc(n, nbytes));
}

void *realloc(void *p, size_t nbytes)
{
    if (fails(nbytes))
        return NULL;
    if (is_fenced(p))
        return fence_again(p, nbytes);
    if (!p)
        return counted(fenced ? fence(nbytes) : __libc_malloc(nbytes));
    return __libc_realloc(p, nbytes);
}

void free(void *p)
{
    const int err = errno;
    held -= p != NULL;
    if (is_fenced(p))
        unfence(p);
    else
        __libc_free(p);
    errno = err;
}

void scarce_none(void)
{
    none = 1;
}

void scarce_each(int (*run)(void), long dense)
{
    scarce_just(run);
    for (long n = 0;; n += 1 + n / dense) {
        failed = 0;
        left = n;
        const int result = run();
        left = -1;
        ck_assert_msg(failed || result == 0, "failed with all memory");
        if (!failed)
            return;
        ck_assert_msg(result != 0, "allocation %ld failed, and nothing did", n);
    }
}
