#define _GNU_SOURCE
#include "grader/base/folder.h"

#include <errno.h>    /* errno */
#include <ftw.h>      /* nftw */
#include <stdio.h>    /* remove */
#include <sys/stat.h> /* mkdir */

static int make(const char *path, mode_t mode)
{
    struct stat st;
    if (mkdir(path, mode) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return -1;
}

int folder_make(const char *path)
{
    return make(path, 0700);
}

int folder_make_shared(const char *path)
{
    return make(path, 0777);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    remove(path);
    return 0; // continue with the rest
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
