#include "scarce.h"

#include <check.h>
#include <errno.h>  /* ENOMEM */
#include <stdio.h>  /* BUFSIZ */
#include <stdlib.h> /* size_t */

/* The C library's own, under the names that are left when ours are called. */
void *__libc_malloc(size_t nbytes);
void *__libc_calloc(size_t n, size_t nbytes);
void *__libc_realloc(void *p, size_t nbytes);

static long left = -1; /* allocations until one fails; -1: none does */
static int failed;

/* Not the buffers of streams: the C library does without them. */
static int fails(size_t nbytes)
{
    if (nbytes == 4096 || nbytes == BUFSIZ || left < 0 || left-- > 0)
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t nbytes)
{
    return fails(nbytes) ? NULL : __libc_malloc(nbytes);
}

void *calloc(size_t n, size_t nbytes)
{
    return fails(n * nbytes) ? NULL : __libc_calloc(n, nbytes);
}

void *realloc(void *p, size_t nbytes)
{
    return fails(nbytes) ? NULL : __libc_realloc(p, nbytes);
}

void scarce_each(int (*run)(void), long dense)
{
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
