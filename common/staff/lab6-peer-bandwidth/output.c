#include "output.h"

#include <errno.h>  /* errno */
#include <string.h> /* strerror */

static void complain(const char *command, const char *path)
{
    fprintf(stderr, "%s: cannot write %s: %s\n", command, path,
            strerror(errno));
}

FILE *output_open(const char *command, const char *path)
{
    FILE *const f = fopen(path, "w");
    if (!f)
        complain(command, path);
    return f;
}

int output_close(FILE *f, const char *command, const char *path)
{
    const int failed = ferror(f);
    if (fclose(f) == 0 && !failed)
        return 0;
    complain(command, path);
    return -1;
}
