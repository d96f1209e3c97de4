#define _GNU_SOURCE
#include "scarce.h"

#include <check.h>
#include <errno.h>     /* ENOMEM */
#include <malloc.h>    /* malloc_usable_size */
#include <stdatomic.h> /* atomic_fetch_add */
#include <stdint.h>    /* uintptr_t */
#include <stdio.h>     /* BUFSIZ */
#include <stdlib.h>    /* abort */
#include <string.h>    /* memset */
#include <sys/mman.h>  /* mmap */
#include <sys/wait.h>  /* waitpid */
#include <unistd.h>    /* fork */

/* The C library's functions, under the names that remain when this file
 * replaces the usual ones. */
void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);
void __libc_free(void *p);

static long left = -1; /* allocations until one fails; -1: none fails */
static int failed;
static _Thread_local int none; /* all allocations of this thread fail */
static _Atomic long held;      /* allocations that have not been freed */

/* Count down to the failing allocation. Buffers of streams never fail: the C
 * library works without them. */
static int fails(size_t nbytes)
{
    if (!none && (nbytes == 4096 || nbytes == BUFSIZ || left < 0 || left-- > 0))
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

/* ---- memory of exactly the requested size -------------------------------- */

enum { PAGE = 4096, JUNK = 0xa5 };
static const size_t yard_nbytes = (size_t)1 << 36; /* bytes of address space */
static char *yard;
static _Atomic size_t yard_used;
static size_t fenced = SIZE_MAX; /* allocations of at least this size are put
                                    in the yard */

/*
 * Allocate separate pages: first the size, then the memory, then junk up to a
 * multiple of 16, which ends at a page that can't be accessed.
 */
static void *fence(size_t nbytes)
{
    const size_t room = (nbytes + 15) / 16 * 16;
    const size_t pages = (room + 16 + PAGE - 1) / PAGE * PAGE;
    const size_t used = atomic_fetch_add(&yard_used, pages + PAGE);
    char *const at = yard + used;
    if (used + pages + PAGE > yard_nbytes ||
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

/* Make the memory inaccessible. */
static void unfence(void *p)
{
    const size_t nbytes = size_of(p);
    const size_t room = (nbytes + 15) / 16 * 16;
    for (size_t i = nbytes; i < room; i++)
        if (((unsigned char *)p)[i] != JUNK)
            abort(); // the program wrote beyond the end
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

/* Move a block of the C library that has grown to the fenced size
 * into the yard. */
static void *fence_grown(void *p, size_t nbytes)
{
    void *const larger = fence(nbytes);
    const size_t before = malloc_usable_size(p);
    memcpy(larger, p, before < nbytes ? before : nbytes);
    __libc_free(p);
    return larger;
}

static void open_yard(void)
{
    yard_used = 0;
    yard = mmap(NULL, yard_nbytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (yard == MAP_FAILED)
        abort();
}

void scarce_just(int (*run)(void))
{
    open_yard();
    run(); // fills caches that later runs keep
    const long before = held;
    fenced = 0;
    const int result = run();
    fenced = SIZE_MAX;
    ck_assert_msg(result == 0, "failed with all memory");
    ck_assert_msg(held == before, "%ld allocations are not freed",
                  held - before);
}

void __libc_freeres(void);

/* How many of the current blocks the C library frees when the program ends, as
 * tried in a child. */
static int kept_by_libc(void)
{
    int status = 0;
    held = 0;
    const pid_t child = fork();
    if (child == 0) {
        __libc_freeres();
        _exit((int)-held);
    }
    if (waitpid(child, &status, 0) != child)
        abort();
    return WEXITSTATUS(status);
}

void scarce_from_now(size_t nbytes)
{
    held = kept_by_libc();
    open_yard();
    fenced = nbytes;
}

long scarce_left(void)
{
    fenced = SIZE_MAX;
    __libc_freeres();
    return held;
}

/* ---- replacements for the C library's functions -------------------------- */

static void *counted(void *p)
{
    held += p != NULL;
    return p;
}

void *malloc(size_t nbytes)
{
    if (fails(nbytes))
        return NULL;
    return counted(nbytes >= fenced ? fence(nbytes) : __libc_malloc(nbytes));
}

void *calloc(size_t n, size_t nbytes)
{
    if (fails(n * nbytes))
        return NULL;
    return counted(n * nbytes >= fenced
                       ? memset(fence(n * nbytes), 0, n * nbytes)
                       : __libc_calloc(n, nbytes));
}

void *realloc(void *p, size_t nbytes)
{
    if (fails(nbytes))
        return NULL;
    if (is_fenced(p))
        return fence_again(p, nbytes);
    if (!p)
        return counted(nbytes >= fenced ? fence(nbytes)
                                        : __libc_malloc(nbytes));
    return nbytes >= fenced ? fence_grown(p, nbytes)
                            : __libc_realloc(p, nbytes);
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

long scarce_held(void)
{
    return held;
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
