/*
 * declared.h: declarations that only the device's view of a file has
 *
 * Between #ifdef __CUDA_ARCH__ and #endif there may be types, variables and
 * functions that only device code uses. They are inserted into the host's text
 * in front of the next declaration that both views have, and so into the same
 * namespace and class.
 */
#ifndef SIMNVCC_DECLARED_H
#define SIMNVCC_DECLARED_H

#include "edit.h"
#include "tokens.h"

/*
 * Add these declarations to the edits of the host's text, except three kinds:
 * what the host's view declares differently; functions whose names the host's
 * view declares elsewhere, since host code's calls would then be ambiguous; and
 * specializations (arch.c).
 */
void declared_add(const struct tokens *host, const struct tokens *device,
                  struct edits *e);

#endif
