/*
 * aligned.h: accesses at addresses that are not multiples of their size
 *
 * A GPU accesses 2, 4, 8 or 16 bytes at a multiple of as many only. The
 * compiler's hooks announce an access with its size if its type is aligned to
 * that, or to 8 bytes; the accesses of packed types are announced as ranges of
 * bytes, and never checked. So 16 bytes have to be at a multiple of 8 only.
 */
#ifndef SIMGPU_DEVICE_ALIGNED_H
#define SIMGPU_DEVICE_ALIGNED_H

#include "device/access_log.h"

static inline int aligned_is(const volatile void *p, size_t nbytes)
{
    return ((uintptr_t)p & (nbytes > 8 ? 7 : nbytes - 1)) == 0;
}

/* Fail the kernel, with cudaErrorMisalignedAddress. */
_Noreturn void aligned_fail(const struct access_log *g, const volatile void *p,
                            size_t nbytes, enum touch_kind kind,
                            const void *pc);

#endif
