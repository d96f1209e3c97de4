/*
 * inline.h: recording accesses of device code without a call
 *
 * For an access of 4 bytes at p, g++ inserts `call __tsan_read4` with p in rdi.
 * Most accesses touch bytes that the instruction has touched before, or the
 * bytes right behind them: its span (device/access_log.h). In a file's
 * assembly, each such call becomes
 *
 *         if (begin <= p && p + 4 <= end) goto done;
 *         if (p == end && p + 4 <= limit) { end = p + 4; goto done; }
 *         __tsan_read4_at(p, &span);
 *     done:
 *
 * with a span in the thread's memory. simgpu/inlined.h describes which
 * registers these calls change, and where this is done.
 */
#ifndef SIMNVCC_INLINE_H
#define SIMNVCC_INLINE_H

#include <stdio.h>

#include "calls.h"

/* Write the assembly to out. Accesses are changed only if the
 * assembly has the mark of inlined.h; kernels with promises (calls.h)
 * then get their mark, too. */
void inline_accesses(const char *assembly, const struct calls *calls,
                     FILE *out);

#endif
