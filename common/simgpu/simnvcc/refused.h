/*
 * refused.h: calls that graded device code may not contain
 *
 * A call that is not inlined may leave stores unrecorded (calls.h), and a
 * function of another object touches memory without a record (callable.h).
 */
#ifndef SIMNVCC_REFUSED_H
#define SIMNVCC_REFUSED_H

#include "calls.h"

/* True if the assembly's kernels contain such a call; headers in `folder` are
 * simgpu's. If `says`, the first one is reported on stderr with its line. */
int refused_calls(const struct calls *c, const char *folder, int says);

#endif
