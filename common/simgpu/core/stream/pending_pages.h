/*
 * pending_pages.h: which pages of pinned memory can be protected
 *
 * Protecting a page also protects the other bytes on it, which accesses have to
 * step over, and for which a system call would fail.
 */
#ifndef SIMGPU_CORE_STREAM_PENDING_PAGES_H
#define SIMGPU_CORE_STREAM_PENDING_PAGES_H

#include <stddef.h>

enum { PENDING_PAGE = 4096 };

/* The page that contains a byte. */
char *pending_page(const void *p);

/*
 * Find the pages [*first, *end) to protect for nbytes bytes at base: all that
 * contain nothing but pinned memory, without a first and last page that also
 * contain other bytes of the allocation, unless there are no other pages. The
 * range is empty if there is none. Returns 0 if the memory is not pinned.
 */
int pending_pages(char *base, size_t nbytes, char **first, char **end);

#endif
