/*
 * held.h: how many blocks of the host's memory a C program holds
 *
 * Instead of the C library's functions, which do no more than these. Bytes are
 * no measure: how much more than it was asked for malloc() takes depends on
 * what was freed before, and so on threads.
 */
#ifndef COMMLAB_TESTS_HELD_H
#define COMMLAB_TESTS_HELD_H

#include <errno.h> /* ENOMEM */
#include <stddef.h>

void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);
void *__libc_memalign(size_t alignment, size_t nbytes);
void __libc_free(void *p);

static _Atomic long held;

static void *counted(void *p)
{
    held += p != NULL;
    return p;
}

void *malloc(size_t nbytes)
{
    return counted(__libc_malloc(nbytes));
}

void *calloc(size_t n, size_t nbytes)
{
    return counted(__libc_calloc(n, nbytes));
}

void *realloc(void *p, size_t nbytes)
{
    void *const now = __libc_realloc(p, nbytes);
    held += (p == NULL && now != NULL) - (p != NULL && nbytes == 0);
    return now;
}

void *memalign(size_t alignment, size_t nbytes)
{
    return counted(__libc_memalign(alignment, nbytes));
}

void *aligned_alloc(size_t alignment, size_t nbytes)
{
    return memalign(alignment, nbytes);
}

int posix_memalign(void **p, size_t alignment, size_t nbytes)
{
    *p = memalign(alignment, nbytes);
    return *p ? 0 : ENOMEM;
}

void free(void *p)
{
    held -= p != NULL;
    __libc_free(p);
}

#endif
