/*
 * aligned.h: accesses at addresses that are not multiples of their size
 *
 * A GPU accesses 2, 4, 8 or 16 bytes at a multiple of as many only. A type's
 * alignment is what the GPU's compiler relies on: it accesses 16 bytes of a
 * float4 at once, but a structure of two doubles in two parts. There are two
 * checks:
 *
 * - The thread sanitizer's hooks announce an access with its size if its type
 *   is aligned to that, or to 8 bytes. Accesses of packed types are announced
 *   as ranges of bytes, and never checked.
 * - The compiler may split an access before it inserts hooks, and an access
 *   within an instruction's span doesn't reach its hook. The undefined behavior
 *   sanitizer's check comes before both: it compares each address with the
 *   alignment of the type and, if they don't agree, calls a handler.
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
