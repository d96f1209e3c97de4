/*
 * version.h: the kit's version
 */
#ifndef COMMLAB_BASE_VERSION_H
#define COMMLAB_BASE_VERSION_H

#include <stddef.h>

/* Write the version in common/VERSION, such as 0.9.0, to out, cut to fit. */
void version_get(char *out, size_t nbytes);

#endif
