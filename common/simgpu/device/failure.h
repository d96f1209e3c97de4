/*
 * failure.h: mistakes of a kernel that the program gets an error for
 *
 * As on a GPU, the kernel ends at once, and every later call on its device
 * returns the error. A GPU doesn't tell where: the report does. The graph gets
 * a note, so a run that is checked fails even if the program ignores the error.
 *
 * With SIMGPU_FAIL=end, which labs start with, the report ends the run instead.
 */
#ifndef SIMGPU_DEVICE_FAILURE_H
#define SIMGPU_DEVICE_FAILURE_H

#include "device/access_log.h"

/* "reads 4 bytes": for failure_report(), valid until the thread's next call. */
const char *failure_access(enum touch_kind kind, size_t nbytes);

/* The line of the running kernel's instruction at pc, or of the program's call
 * of the function of CUDA's headers that it is in. Returns out. */
const char *failure_place(const void *pc, char *out, size_t nbytes);

/*
 * End the kernel with this cudaError_t value, because of what the instruction
 * at pc did. Only a kernel's first failure is printed. The report has the
 * kernel, its launch, the running thread, the line, and the text: what was
 * touched, and what to try.
 */
_Noreturn void failure_report(const struct launch *l, int error, const void *pc,
                              const char *did, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same for an access of a heap that is not within an allocation. */
_Noreturn void failure_bounds(const struct launch *l, const char *p,
                              size_t nbytes, enum touch_kind kind,
                              const void *pc);

#endif
