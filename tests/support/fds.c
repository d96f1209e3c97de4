#include "fds.h"

#include <dirent.h> /* opendir */

static int nbefore;

static int nopen(void)
{
    int n = 0;
    DIR *const d = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void begin(void)
{
    nbefore = nopen();
}

static void end(void)
{
    ck_assert_int_eq(nopen(), nbefore);
}

void fds_watch(TCase *t)
{
    tcase_add_checked_fixture(t, begin, end);
}
