/*
 * callable.h: functions of other objects that device code may call
 *
 * A function of a host's library reads and writes memory without a record: a
 * kernel that compared a peer's memory by strcmp() would move its bytes at no
 * cost. Graded device code may therefore call only functions that touch no
 * memory but their own, and those of simgpu, which record what they touch.
 */
#ifndef SIMNVCC_CALLABLE_H
#define SIMNVCC_CALLABLE_H

#include <stddef.h>

/* A name has n characters and need not end there. */

/* True if the function's results depend only on its arguments and on the memory
 * that they point to, and hooks record its accesses to that memory. */
int callable_is_harmless(const char *name, size_t n);

/* True if graded device code may call the function. */
int callable_is_allowed(const char *name, size_t n);

/* What to call or to do instead of a function that is not allowed. */
const char *callable_instead(const char *name, size_t n);

#endif
