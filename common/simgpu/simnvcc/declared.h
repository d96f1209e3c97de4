/*
 * declared.h: declarations that only the device's view of a file has
 *
 * Between #ifdef __CUDA_ARCH__ and #endif there may be types, variables and
 * functions that only device code uses. They go into the host's text where the
 * device's text has them: in front of the declaration that both views have
 * next, and so in the same namespace and class.
 */
#ifndef SIMNVCC_DECLARED_H
#define SIMNVCC_DECLARED_H

#include "edit.h"
#include "tokens.h"

/* Add them to the edits of the host's text. Left out: what the host's view
 * declares in other words; a function whose name it declares elsewhere: a call
 * of host code would find both; specializations (arch.c). */
void declared_add(const struct tokens *host, const struct tokens *device,
                  struct edits *e);

#endif
