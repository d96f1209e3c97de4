#include "base/version.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcspn */

#include "base/embed.h"

extern const char version_file[];
EMBED(version_file, "common/VERSION");

void version_get(char *out, size_t nbytes)
{
    snprintf(out, nbytes, "%.*s", (int)strcspn(version_file, "\n"),
             version_file);
}
