/*
 * temp.h: paths of temporary files
 */
#ifndef COMMLAB_BASE_TEMP_H
#define COMMLAB_BASE_TEMP_H

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */

/* A template for mkstemp() or mkdtemp(): $TMPDIR/NAME-XXXXXX, or
 * /tmp/NAME-XXXXXX if TMPDIR is not set. Returns out. */
static inline char *temp_path(char *out, size_t nbytes, const char *name)
{
    const char *const dir = getenv("TMPDIR");
    snprintf(out, nbytes, "%s/%s-XXXXXX", dir && dir[0] ? dir : "/tmp", name);
    return out;
}

#endif
