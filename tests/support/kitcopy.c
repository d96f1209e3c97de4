#define _GNU_SOURCE
#include "kitcopy.h"

#include <check.h>
#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* mkdtemp */
#include <string.h>      /* strstr */
#include <sys/stat.h>    /* chmod */
#include <sys/statvfs.h> /* statvfs */

#include "child.h"
#include "labtest.h"

static char dir[64];

static void succeed(struct child c)
{
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

/* Creating files in memory takes a tenth of the time, and each test creates
 * some 3,000. A container's /dev/shm may be small, or not allow execution. */
static const char *place(void)
{
    static const char memory[] = "/dev/shm";
    // enough for several suites at a time
    static const unsigned long long ROOM = 4ull << 30;
    struct statvfs fs;
    return statvfs(memory, &fs) == 0 && !(fs.f_flag & ST_NOEXEC) &&
                   fs.f_bavail * fs.f_frsize >= ROOM
               ? memory
               : "/tmp";
}

void kitcopy_make(void)
{
    snprintf(dir, sizeof dir, "%s/commlab-kit-XXXXXX", place());
    ck_assert(mkdtemp(dir) != NULL);
    ck_assert(chmod(dir, 0755) == 0); // the sandbox's user reads the kit
    succeed(child_run(60,
                      "cd %s && git ls-files -z -co --exclude-standard | "
                      "xargs -0 cp -a --parents -t %s && mkdir %s/build && "
                      "cp -a %s/plan %s/simgpu %s/build",
                      labtest_root(), dir, dir, child_build(), child_build(),
                      dir));
}

/*
 * Don't copy folders in which other suites, the build for GPUs or `make mutate`
 * create and remove files meanwhile, nor the tests, which are most of the build
 * folder and don't run in a copy.
 */
void kitcopy_add_build(void)
{
    succeed(child_run(
        120,
        "tar -C %s --format=posix --exclude=./with-cuda --exclude=./tests "
        "--exclude=./mutate -cf - . | tar -C %s/build -xf -",
        child_build(), dir));
}

void kitcopy_remove(void)
{
    succeed(child_run(60, "rm -r %s", dir));
}

void kitcopy_expect(const char *commands, int status, const char *says)
{
    struct child c = child_run(900, "cd %s && { %s; } 2>&1", dir, commands);
    ck_assert_msg(c.status == status && strstr(c.out, says) && !c.timed_out,
                  "%s: status %d\n%s", commands, c.status, c.out);
    child_clear(&c);
}
