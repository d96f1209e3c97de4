/*
 * remote.h: one-sided transfers by kernels, and when they have arrived
 *
 * A kernel that has put bytes into another device's memory does not know when
 * they arrive: a flag that it sets afterwards may get there before them. Their
 * write therefore counts from the next simgpu_arrive() on, which a fence of the
 * program calls before it sets a flag. Bytes that a kernel transfers *later*
 * are not even read before that.
 *
 *     put | flag                    the flag orders nothing: a race
 *     put | arrive | flag           the flag orders what was put
 *
 * The end of a kernel is an arrival.
 */
#ifndef SIMGPU_REMOTE_H
#define SIMGPU_REMOTE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum simgpu_transfer {
    SIMGPU_PUT,       /* `from` may change again at once */
    SIMGPU_PUT_LATER, /* not before the next arrival */
    SIMGPU_GET_LATER  /* `to` has the bytes after the next arrival */
};

/* A transfer by the running thread, for the call at pc, whose name lasts. The
 * memory was found to be valid. */
void simgpu_transfer(enum simgpu_transfer how, void *to, const void *from,
                     size_t nbytes, const char *call, const void *pc);

/* All transfers of the running kernel arrive. */
void simgpu_arrive(void);

#ifdef __cplusplus
}
#endif
#endif
