#define _GNU_SOURCE
#include "verb.h"

#include <errno.h>    /* errno */
#include <ftw.h>      /* nftw */
#include <stdarg.h>   /* va_list */
#include <stdlib.h>   /* strtol */
#include <sys/stat.h> /* mkdir */

int verb_wrong(const char *verb, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "grade %s: ", verb);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

int verb_number(const char *text, long least, long most, int *value)
{
    char *end;
    errno = 0;
    const long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < least || v > most)
        return -1;
    *value = (int)v;
    return 0;
}

int verb_make_folder(const char *path)
{
    struct stat st;
    if (mkdir(path, 0700) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return -1;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    remove(path);
    return 0; // what cannot be removed stays; the rest need not
}

void verb_remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
