/*
 * inline.h: accesses of device code that are announced without a call
 *
 * g++ announces an access of 4 bytes at p by `call __tsan_read4`, with p in
 * rdi. Most accesses are of bytes that the instruction has touched before, or
 * of those right behind them: its span (device/access_log.h). In the assembly
 * of a file each call becomes
 *
 *         if (begin <= p && p + 4 <= end) goto done;
 *         if (p == end && p + 4 <= limit) { end = p + 4; goto done; }
 *         __tsan_read4_at(p, &span);
 *     done:
 *
 * with a span in the thread's memory. What these calls change, and where all of
 * this is done: simgpu/inlined.h.
 */
#ifndef SIMNVCC_INLINE_H
#define SIMNVCC_INLINE_H

#include <stdio.h>

#include "calls.h"

/* Write the assembly to out; changed only if it has the mark of inlined.h. Then
 * kernels that promise something (calls.h) get their mark, too. */
void inline_accesses(const char *assembly, const struct calls *calls,
                     FILE *out);

#endif
