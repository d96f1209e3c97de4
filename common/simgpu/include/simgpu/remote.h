/*
 * remote.h: one-sided transfers by kernels, and when they arrive
 *
 * A kernel that has put bytes into another device's memory doesn't know when
 * they arrive: a flag that it sets afterwards may arrive before them. The write
 * therefore counts as happening from the next simgpu_arrive() on, which the
 * program's fence calls before the program sets a flag. Bytes of a *later*
 * transfer are not even read before that.
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
    SIMGPU_PUT_LATER, /* `from` may not change before the next arrival */
    SIMGPU_GET_LATER  /* `to` has the bytes after the next arrival */
};

/* Record a transfer by the running thread, for the call at pc. The call's name
 * must outlive the run; the memory has been checked. */
void simgpu_transfer(enum simgpu_transfer how, void *to, const void *from,
                     size_t nbytes, const char *call, const void *pc);

/* Make all transfers of the running kernel arrive. */
void simgpu_arrive(void);

#ifdef __cplusplus
}
#endif
#endif
