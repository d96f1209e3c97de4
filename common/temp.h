/*
 * temp.h: where temporary files go
 */
#ifndef COMMLAB_TEMP_H
#define COMMLAB_TEMP_H

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */

/* A template for mkstemp() or mkdtemp(): $TMPDIR/NAME-XXXXXX, without TMPDIR
 * /tmp/NAME-XXXXXX. Returns out. */
static inline char *temp_path(char *out, size_t nbytes, const char *name)
{
    const char *const dir = getenv("TMPDIR");
    snprintf(out, nbytes, "%s/%s-XXXXXX", dir && dir[0] ? dir : "/tmp", name);
    return out;
}

#endif
