#include "fds.h"

#include <dirent.h> /* opendir */
#include <stdlib.h> /* abort */

static int nbefore;

int fds_open(void)
{
    int n = 0;
    DIR *const d = opendir("/proc/self/fd");
    if (!d)
        abort();
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void begin(void)
{
    nbefore = fds_open();
}

static void end(void)
{
    ck_assert_int_eq(fds_open(), nbefore);
}

void fds_watch(TCase *t)
{
    tcase_add_checked_fixture(t, begin, end);
}
