/*
 * What a process that is confined can still do: sockets, modes, files, limits.
 * Each is tried in a child, whose status is the line that failed.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>        /* EACCES */
#include <fcntl.h>        /* open */
#include <stdio.h>        /* snprintf */
#include <sys/resource.h> /* getrlimit */
#include <sys/socket.h>   /* socket */
#include <sys/stat.h>     /* chmod */
#include <sys/syscall.h>  /* SYS_landlock_create_ruleset */
#include <sys/wait.h>     /* waitpid */
#include <unistd.h>       /* fork */

#include "child.h"
#include "fds.h"
#include "grader/sandbox/confine.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void setup(void)
{
    child_folder(dir, "confine");
}

static void teardown(void)
{
    child_remove(dir);
}

/* Run it in a child: 0, or what it returns. */
static int confined(int (*run)(int i), int i)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(run(i));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

#define TRY(condition)                                                         \
    do                                                                         \
        if (!(condition))                                                      \
            return __LINE__ % 250 + 1;                                         \
    while (0)

static const char *in_dir(const char *name)
{
    static char path[CHILD_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

/* ---- limits -------------------------------------------------------------- */

static int has_limits(int unused)
{
    struct rlimit core, files;
    (void)unused;
    confine_rlimits();
    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_NOFILE, &files);
    TRY(core.rlim_cur == 0 && core.rlim_max == 0);
    TRY(files.rlim_cur == 4096 && files.rlim_max == 4096);
    return 0;
}

START_TEST(core_files_and_open_files_are_limited)
{
    struct rlimit now;
    getrlimit(RLIMIT_NOFILE, &now);
    if (now.rlim_max >= 4096)
        ck_assert_int_eq(confined(has_limits, 0), 0);
    else
        printf("skipped: this user may not open 4096 files\n");
}
END_TEST

/* ---- calls --------------------------------------------------------------- */

/* Whether the filter refuses such a socket; others may fail, but not so. */
static int is_refused(int family, int kind)
{
    const int s = socket(family, kind, 0);
    if (s >= 0)
        close(s);
    return s < 0 && errno == EACCES;
}

static int has_sockets(int keeps_modes)
{
    TRY(confine_calls(keeps_modes) == 0);
    for (int family = 0; family < 64; family++)
        TRY(is_refused(family, SOCK_STREAM) ==
            (family != AF_UNSPEC && family != AF_UNIX && family != AF_INET &&
             family != AF_INET6));
    for (int flags = 0; flags <= SOCK_CLOEXEC; flags += SOCK_CLOEXEC)
        for (int kind = 0; kind < 16; kind++) {
            const int is_other =
                kind == SOCK_DGRAM || kind == SOCK_RAW || kind == SOCK_PACKET;
            TRY(is_refused(AF_INET, kind | flags) == is_other);
            TRY(is_refused(AF_INET6, kind | flags) == is_other);
            TRY(!is_refused(AF_UNIX, kind | flags));
        }
    return 0;
}

START_TEST(sockets_are_local_or_streams)
{
    ck_assert_int_eq(confined(has_sockets, _i), 0);
}
END_TEST

static int has_calls(int keeps_modes)
{
    const int fd = open(dir, O_RDONLY | O_CLOEXEC);
    TRY(confine_calls(keeps_modes) == 0);
    errno = 0;
    TRY((chmod(dir, 0700) != 0) == keeps_modes);
    TRY((fchmod(fd, 0700) != 0) == keeps_modes);
    TRY((fchmodat(AT_FDCWD, dir, 0700, 0) != 0) == keeps_modes);
    TRY(errno == (keeps_modes ? EPERM : 0));
    errno = 0; // the first and the last of those that are always refused
    TRY(syscall(SYS_ptrace, -1, 0, NULL, NULL) != 0 && errno == EPERM);
    errno = 0;
    TRY(syscall(SYS_open_by_handle_at, -1, NULL, 0) != 0 && errno == EPERM);
    return 0;
}

START_TEST(modes_are_kept_if_they_are_to_be)
{
    ck_assert_int_eq(confined(has_calls, _i), 0);
}
END_TEST

/* For bubblewrap, which inherits it: instructions of 8 bytes, from the first
 * one on, more of them where modes are kept. */
START_TEST(the_filter_is_a_file)
{
    struct stat st[2];
    for (int keeps = 0; keeps < 2; keeps++) {
        const int fd = confine_calls_fd(keeps);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
        ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 0);
        ck_assert_int_eq(fstat(fd, &st[keeps]), 0);
        ck_assert_int_eq(st[keeps].st_size % 8, 0);
        close(fd);
    }
    ck_assert_int_gt(st[0].st_size, 0);
    ck_assert_int_gt(st[1].st_size, st[0].st_size);
}
END_TEST

/* ---- files --------------------------------------------------------------- */

static int opens(const char *name, int flags)
{
    const int fd = open(in_dir(name), flags | O_CLOEXEC, 0600);
    const int err = errno;
    if (fd >= 0)
        close(fd);
    TRY(fd >= 0 || err == EACCES);
    return fd >= 0 ? 0 : -1;
}

static int has_files(int unused)
{
    static char paths[4][CHILD_FOLDER + 64];
    static const char *const names[] = {"r", "one", "none", "w"};
    (void)unused;
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof *paths, "%s", in_dir(names[i]));
    const char *const readable[] = {paths[0], paths[1], paths[2], NULL},
                      *const writable[] = {paths[3], NULL};
    const int fd = dup(0);
    close(fd);
    TRY(confine_files(readable, writable) == 0);
    const int next = dup(0);
    TRY(next == fd); // nothing is left open
    TRY(opens("r/a", O_RDONLY) == 0);
    TRY(opens("r/a", O_WRONLY) == -1);
    TRY(opens("r/new", O_WRONLY | O_CREAT) == -1);
    TRY(opens("one", O_RDONLY) == 0);
    TRY(opens("one", O_WRONLY) == -1);
    TRY(opens("w/a", O_RDWR) == 0);
    TRY(opens("w/new", O_WRONLY | O_CREAT) == 0);
    TRY(mkdir(in_dir("w/folder"), 0700) == 0);
    TRY(unlink(in_dir("w/a")) == 0);
    TRY(mkdir(in_dir("r/folder"), 0700) != 0);
    TRY(opens("other", O_RDONLY) == -1);
    TRY(opens(".", O_RDONLY) == -1);
    return 0;
}

static int has_one_file(int unused)
{
    static char path[CHILD_FOLDER + 64];
    (void)unused;
    snprintf(path, sizeof path, "%s", in_dir("one"));
    const char *const none[] = {NULL}, *const one[] = {path, NULL};
    TRY(confine_files(none, one) == 0);
    TRY(opens("one", O_RDWR) == 0);
    TRY(opens("other", O_RDONLY) == -1);
    return 0;
}

START_TEST(files_are_those_that_are_listed)
{
    struct child c = child_run(20,
                               "cd %s && mkdir r w && touch r/a w/a one "
                               "other",
                               dir);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1) {
        printf("skipped: this kernel has no Landlock\n");
        return;
    }
    ck_assert_int_eq(confined(_i ? has_one_file : has_files, 0), 0);
}
END_TEST

/* ---- users --------------------------------------------------------------- */

static int is_other(int uid)
{
    uid_t u[3];
    gid_t g[3];
    TRY(confine_user((uid_t)uid) == 0);
    TRY(getresuid(&u[0], &u[1], &u[2]) == 0);
    TRY(getresgid(&g[0], &g[1], &g[2]) == 0);
    for (int i = 0; i < 3; i++)
        TRY(u[i] == (uid_t)uid && g[i] == (gid_t)uid);
    TRY(getgroups(0, NULL) == 0);
    TRY(confine_user(0) == -1); // and does not come back
    return 0;
}

START_TEST(a_user_is_another_in_everything)
{
    if (geteuid() == 0)
        ck_assert_int_eq(confined(is_other, 12345), 0);
    else
        printf("skipped: only root can be another user\n");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("confine");
    TCase *const t = tcase_create("confine");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, core_files_and_open_files_are_limited);
    tcase_add_loop_test(t, sockets_are_local_or_streams, 0, 2);
    tcase_add_loop_test(t, modes_are_kept_if_they_are_to_be, 0, 2);
    tcase_add_test(t, the_filter_is_a_file);
    tcase_add_loop_test(t, files_are_those_that_are_listed, 0, 2);
    tcase_add_test(t, a_user_is_another_in_everything);
    suite_add_tcase(s, t);
    return suite_run(s);
}
