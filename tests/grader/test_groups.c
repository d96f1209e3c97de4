/*
 * Control groups of both versions, in a folder that stands for the kernel's:
 * what is written there, what is missing, and what is killed and removed; and a
 * group that a user was given, which is divided.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>       /* EBUSY */
#include <fcntl.h>       /* AT_FDCWD */
#include <signal.h>      /* SIGKILL */
#include <stdarg.h>      /* va_list */
#include <stdio.h>       /* snprintf */
#include <string.h>      /* strlen */
#include <sys/stat.h>    /* mkdirat */
#include <sys/syscall.h> /* SYS_openat */
#include <time.h>        /* timespec */
#include <unistd.h>      /* syscall */

#include "child.h"
#include "fds.h"
#include "grader/sandbox/groups.h"
#include "suite.h"

enum { NAME = 77 };
#define GROUP "commlab-77"

static char dir[CHILD_FOLDER];

/* ---- instead of the kernel's --------------------------------------------- */

static const char root[] = "/sys/fs/cgroup";
static const char *lacks;           /* a file that no new group has */
static char killed[128];            /* by number */
static int ntries, slept_ms, stays; /* stays: who is killed does not end */
static int closed;                  /* no group can be made in the root */

/* Where a path of the kernel's is here. */
static const char *here(const char *path)
{
    static char mapped[2 * CHILD_FOLDER];
    if (strcmp(path, "/proc/self/cgroup") == 0)
        path = "/sys/fs/cgroup/self"; // begin_delegated()
    if (strncmp(path, root, strlen(root)) != 0)
        return path;
    snprintf(mapped, sizeof mapped, "%s%s", dir, path + strlen(root));
    return mapped;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    return (int)syscall(SYS_openat, AT_FDCWD, here(path), flags, mode);
}

int access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, here(path), mode, 0);
}

static const char *const files[] = {
    "cgroup.procs",      "memory.limit_in_bytes",
    "memory.swappiness", "memory.swap.max",
    "memory.max",        "pids.max"};
enum { NFILES = sizeof files / sizeof *files };

static void put(const char *group, const char *file, const char *text)
{
    char path[2 * CHILD_FOLDER];
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void get(const char *group, const char *file, char text[64])
{
    char path[2 * CHILD_FOLDER];
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *const f = fopen(path, "r");
    text[f ? fread(text, 1, 63, f) : 0] = 0;
    if (f)
        fclose(f);
}

/* A new group has its files, and what it has counted is 0. */
int mkdir(const char *path, mode_t mode)
{
    char group[2 * CHILD_FOLDER];
    snprintf(group, sizeof group, "%s", here(path));
    if (closed && strcmp(strrchr(path, '/'), path + strlen(root)) == 0) {
        errno = EACCES;
        return -1;
    }
    if (mkdirat(AT_FDCWD, group, mode) != 0)
        return -1;
    for (int i = 0; i < NFILES && strncmp(path, root, strlen(root)) == 0; i++)
        if (!lacks || strcmp(files[i], lacks) != 0)
            put(group, files[i], "");
    return 0;
}

/* A group without processes goes with all its files. */
int rmdir(const char *path)
{
    char group[2 * CHILD_FOLDER], members[64];
    snprintf(group, sizeof group, "%s", here(path));
    get(group, "cgroup.procs", members);
    ntries++;
    if (members[0]) {
        errno = EBUSY;
        return -1;
    }
    for (int i = 0; i < NFILES; i++) {
        char file[2 * CHILD_FOLDER + 64];
        snprintf(file, sizeof file, "%s/%s", group, files[i]);
        unlink(file);
    }
    return unlinkat(AT_FDCWD, group, AT_REMOVEDIR);
}

/* Only noted; but child.h ends groups of processes. */
int kill(pid_t pid, int signal)
{
    const size_t n = strlen(killed);
    if (pid < 0)
        return (int)syscall(SYS_kill, pid, signal);
    ck_assert_int_eq(signal, SIGKILL);
    if (n < sizeof killed - 16)
        snprintf(killed + n, sizeof killed - n, "%d ", (int)pid);
    return 0;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    slept_ms += (int)(t->tv_sec * 1000 + t->tv_nsec / 1000000);
    struct child c = {.out = NULL};
    if (!stays)
        c = child_run(20,
                      "for f in $(find %s -name cgroup.procs); do : > $f; "
                      "done",
                      dir);
    child_clear(&c);
    return 0;
}

/* ---- folders ------------------------------------------------------------- */

static char memory[CHILD_FOLDER + 32], pids[CHILD_FOLDER + 32];

/* The groups are of this version. */
static void begin(int version)
{
    struct child c = child_run(20,
                               version == 1 ? "cd %s && mkdir memory pids"
                                            : "cd %s && : > cgroup.controllers",
                               dir);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    snprintf(memory, sizeof memory, "%s%s/" GROUP, dir,
             version == 1 ? "/memory" : "");
    snprintf(pids, sizeof pids, "%s%s/" GROUP, dir,
             version == 1 ? "/pids" : "");
}

static void setup(void)
{
    child_folder(dir, "groups");
    lacks = NULL;
    killed[0] = 0;
    ntries = slept_ms = stays = closed = 0;
}

static void teardown(void)
{
    child_remove(dir);
}

static void ck_file(const char *group, const char *file, const char *want)
{
    char text[64];
    get(group, file, text);
    ck_assert_msg(strcmp(text, want) == 0, "%s/%s: %s, not %s", group, file,
                  text, want);
}

/* ---- entering ------------------------------------------------------------ */

static const struct {
    int version, memory_mib;
    const char *limit;
} limits[] = {
    {1, 0, "6442450944"},
    {1, 256, "268435456"},
    {2, 0, "6442450944"},
    {2, 1, "1048576"},
};

/* Also where a killed grader has left such a group, which has counted. */
START_TEST(a_process_enters_groups_with_its_limits)
{
    const int v1 = limits[_i].version == 1;
    const char *const limit = v1 ? "memory.limit_in_bytes" : "memory.max",
                      *const other =
                          v1 ? "memory.max" : "memory.limit_in_bytes";
    char missing[64] = "x", pid[32];
    struct stat st;
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    begin(limits[_i].version);
    for (int again = 0; again < 2; again++) {
        groups_enter(NAME, limits[_i].memory_mib, missing, sizeof missing);
        ck_assert_str_eq(missing, "");
        ck_file(memory, limit, limits[_i].limit);
        ck_file(pids, "pids.max", "512");
        ck_file(memory, "cgroup.procs", pid);
        ck_file(pids, "cgroup.procs", pid);
        ck_file(memory, other, "");
        ck_assert(stat(memory, &st) == 0 && (st.st_mode & 07777) == 0700);
        put(memory, "cgroup.procs", "");
        put(pids, "cgroup.procs", "");
        put(memory, other, "counted");
    }
}
END_TEST

static const struct {
    int version;
    const char *lacks, *missing;
} missings[] = {
    {1, "memory.limit_in_bytes", "memory"},
    {1, "pids.max", "processes"},
    {1, "cgroup.procs", "memory, processes"},
    {2, "memory.max", "memory"},
    {2, "pids.max", "processes"},
    {2, "cgroup.procs", "memory, processes"},
};

START_TEST(what_cannot_be_limited_is_told)
{
    char missing[64];
    begin(missings[_i].version);
    lacks = missings[_i].lacks;
    groups_enter(NAME, 0, missing, sizeof missing);
    ck_assert_str_eq(missing, missings[_i].missing);
}
END_TEST

START_TEST(another_limit_on_processes_is_enough)
{
    static const char *const texts[][2] = {{"memory, processes", "memory"},
                                           {"processes", ""},
                                           {"memory", "memory"},
                                           {"", ""}};
    for (int i = 0; i < 4; i++) {
        char missing[64];
        strcpy(missing, texts[i][0]);
        groups_forget_processes(missing);
        ck_assert_str_eq(missing, texts[i][1]);
    }
}
END_TEST

/* In one with processes in it, or where there are none. */
START_TEST(a_group_of_others_is_not_entered)
{
    char missing[64];
    groups_enter(NAME, 0, missing, sizeof missing);
    ck_assert_str_eq(missing, "memory, processes");
    begin(1);
    groups_enter(NAME, 0, missing, sizeof missing);
    put(pids, "cgroup.procs", "");
    put(memory, "cgroup.procs", "5");
    groups_enter(NAME, 0, missing, sizeof missing);
    ck_assert_str_eq(missing, "memory");
    ck_file(memory, "cgroup.procs", "5");
}
END_TEST

/* Swap would let a run grow past its limit, and the machine stall. */
START_TEST(memory_does_not_move_to_swap)
{
    char missing[64];
    begin(_i + 1);
    groups_enter(NAME, 256, missing, sizeof missing);
    ck_file(memory, "memory.swappiness", _i == 0 ? "0" : "");
    ck_file(memory, "memory.swap.max", _i == 0 ? "" : "0");
    put(memory, "cgroup.procs", "");
    put(pids, "cgroup.procs", "");
    lacks = _i == 0 ? "memory.swappiness" : "memory.swap.max";
    groups_enter(NAME, 256, missing, sizeof missing);
    ck_assert_str_eq(missing, "");
}
END_TEST

/* ---- groups that a user was given ---------------------------------------- */

#define UNIT "/user.slice/run.scope"

/*
 * Make a hierarchy of version 2 in which another user owns the root, and this
 * process the group UNIT. Each folder has the files that list the controllers
 * it may use and those it passes on.
 */
static void begin_delegated(const char *own, const char *controllers,
                            const char *passed_on)
{
    struct child c = child_run(
        20,
        "cd %s && : > cgroup.controllers && mkdir -p ." UNIT " && "
        "printf '1:name=x:/other\\n0::%s\\n' > self && cd ." UNIT " && "
        "echo %s > cgroup.controllers && echo %s > cgroup.subtree_control && "
        "printf '12\\n345\\n' > cgroup.procs",
        dir, own, controllers, passed_on);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    closed = 1;
    snprintf(memory, sizeof memory, "%s" UNIT "/" GROUP, dir);
}

static const struct {
    const char *own, *controllers, *passed_on;
    const char *moved, *missing;
} units[] = {
    // its processes have to leave it, the last of which is the last written
    {UNIT, "cpu memory pids", "", "345\n", ""},
    // another grader has done that
    {UNIT "/commlab-rest", "memory pids", "memory pids", "", ""},
    // it is above this process's group
    {UNIT "/leaf", "memory pids", "cpu memory pids", "", ""},
    // not all that is needed was given
    {UNIT, "cpu pids", "", "", "memory, processes"},
    {UNIT, "memory.x pids", "", "", "memory, processes"},
    {UNIT "/leaf", "memory pids", "pids", "", "memory, processes"},
};

START_TEST(a_users_own_group_is_divided)
{
    char rest[CHILD_FOLDER + 64], unit[CHILD_FOLDER + 32], missing[64],
        text[64];
    begin_delegated(units[_i].own, units[_i].controllers, units[_i].passed_on);
    groups_enter(NAME, 1, missing, sizeof missing);
    ck_assert_str_eq(missing, units[_i].missing);
    snprintf(unit, sizeof unit, "%s" UNIT, dir);
    snprintf(rest, sizeof rest, "%s/commlab-rest", unit);
    ck_file(rest, "cgroup.procs", units[_i].moved);
    if (units[_i].moved[0])
        ck_file(unit, "cgroup.subtree_control", "+memory +pids");
    if (units[_i].missing[0])
        return;
    snprintf(text, sizeof text, "%d", (int)getpid());
    ck_file(memory, "memory.max", "1048576");
    ck_file(memory, "pids.max", "512");
    ck_file(memory, "cgroup.procs", text);
    ck_assert_int_eq(groups_are_delegated(), 1);
    put(memory, "cgroup.procs", "");
    groups_remove(NAME);
    ck_assert_int_ne(faccessat(AT_FDCWD, memory, F_OK, 0), 0);
}
END_TEST

/* Its processes move back, since nothing was gained. */
START_TEST(a_group_that_stays_undivided_keeps_its_processes)
{
    char unit[CHILD_FOLDER + 32], rest[CHILD_FOLDER + 64], missing[64];
    begin_delegated(UNIT, "memory pids", "");
    snprintf(unit, sizeof unit, "%s" UNIT, dir);
    snprintf(rest, sizeof rest, "%s/commlab-rest", unit);
    struct child c =
        child_run(20, "ln -sf /dev/full %s/cgroup.subtree_control", unit);
    child_clear(&c);
    stays = 1;
    groups_enter(NAME, 1, missing, sizeof missing);
    ck_assert_str_eq(missing, "memory, processes");
    ck_file(rest, "cgroup.procs", "345\n");
    ck_file(unit, "cgroup.procs", "345\n45\n"); // written over what was there
}
END_TEST

static const struct {
    int version;
    const char *text;
    long refused;
} refusals[] = {
    {1, "max 7\n", 7}, {2, "max 0\n", 0}, {2, "max 12\n", 12}, {2, "", 0}};

START_TEST(refused_processes_are_counted)
{
    begin(refusals[_i].version);
    ck_assert_int_eq(groups_refused(NAME), 0); // no group
    ck_assert_int_eq(mkdirat(AT_FDCWD, pids, 0700), 0);
    put(pids, "pids.events", refusals[_i].text);
    ck_assert_int_eq(groups_refused(NAME), refusals[_i].refused);
}
END_TEST

START_TEST(what_is_told_is_cut_off)
{
    char missing[64];
    groups_enter(NAME, 0, missing, 6);
    ck_assert_str_eq(missing, "memor");
    groups_enter(NAME, 0, missing, 7);
    ck_assert_str_eq(missing, "memory");
    groups_enter(NAME, 0, missing, 10);
    ck_assert_str_eq(missing, "memory, p");
}
END_TEST

START_TEST(a_limit_that_cannot_be_written_is_missing)
{
    char missing[64];
    begin(1);
    struct child c =
        child_run(20, "ln -s /dev/full %s/memory.limit_in_bytes", dir);
    child_clear(&c);
    lacks = "memory.limit_in_bytes";
    groups_enter(NAME, 0, missing, sizeof missing);
    ck_assert_str_eq(missing, "memory");
    ck_file(memory, "cgroup.procs", "");
}
END_TEST

/* ---- memory -------------------------------------------------------------- */

static const struct {
    int version;
    const char *file, *text, *failcnt; /* failcnt: of version 1 */
    enum groups_memory is;
} counts[] = {
    {1, "memory.oom_control", "oom_kill_disable 1\nunder_oom 1\noom_kill 0\n",
     "7\n", GROUPS_ENOUGH},
    {1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
     "7\n", GROUPS_LIMIT},
    {1, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
     "0\n", GROUPS_MACHINE},
    {1, "memory.oom_control", "oom_kill_disable 1\n", "7\n", GROUPS_ENOUGH},
    {2, "memory.events", "max 3\noom 1\noom_kill 0\n", NULL, GROUPS_ENOUGH},
    {2, "memory.events", "max 3\noom 1\noom_kill 2\n", NULL, GROUPS_LIMIT},
    {2, "memory.events", "max 3\noom 0\noom_kill 2\n", NULL, GROUPS_MACHINE},
    {2, "memory.oom_control", "oom_kill 2\n", NULL, GROUPS_ENOUGH},
};

START_TEST(whose_memory_ran_out_is_counted)
{
    begin(counts[_i].version);
    ck_assert_int_eq(groups_memory(NAME), GROUPS_ENOUGH); // no group
    ck_assert_int_eq(mkdirat(AT_FDCWD, memory, 0700), 0);
    put(memory, counts[_i].file, counts[_i].text);
    if (counts[_i].failcnt)
        put(memory, "memory.failcnt", counts[_i].failcnt);
    ck_assert_int_eq(groups_memory(NAME), counts[_i].is);
    ck_assert_int_eq(groups_memory(NAME + 1), GROUPS_ENOUGH);
}
END_TEST

/* ---- the end ------------------------------------------------------------- */

static const struct {
    const char *members, *killed;
} groups[] = {
    {"", ""},
    {"12\n345\n", "12 345 "},
    {"0\n1\n2\n", "2 "}, // of other namespaces, init
    {"12", "12 "},
    {"12\nx\n13\n", "12 "},
};

START_TEST(what_is_left_is_killed_and_the_groups_are_removed)
{
    char missing[64];
    begin(1);
    groups_enter(NAME, 0, missing, sizeof missing);
    put(memory, "cgroup.procs", "");
    put(pids, "cgroup.procs", groups[_i].members);
    ntries = 0;
    groups_remove(NAME);
    ck_assert_str_eq(killed, groups[_i].killed);
    ck_assert_int_eq(ntries, groups[_i].members[0] ? 3 : 2);
    ck_assert_int_eq(slept_ms, groups[_i].members[0] ? 5 : 0);
    ck_assert_int_ne(faccessat(AT_FDCWD, memory, F_OK, 0), 0);
    ck_assert_int_ne(faccessat(AT_FDCWD, pids, F_OK, 0), 0);
    groups_remove(NAME); // there are none
    ck_assert_int_eq(slept_ms, groups[_i].members[0] ? 5 : 0);
}
END_TEST

/* A second, for each group. */
START_TEST(what_cannot_be_killed_is_left)
{
    char missing[64];
    begin(1);
    groups_enter(NAME, 0, missing, sizeof missing);
    ntries = 0;
    stays = 1;
    groups_remove(NAME);
    ck_assert_int_eq(ntries, 400);
    ck_assert_int_eq(slept_ms, 2000);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("groups");
    TCase *const t = tcase_create("groups");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, a_process_enters_groups_with_its_limits, limits);
    SUITE_LOOP(t, what_cannot_be_limited_is_told, missings);
    tcase_add_test(t, another_limit_on_processes_is_enough);
    tcase_add_test(t, a_group_of_others_is_not_entered);
    tcase_add_loop_test(t, memory_does_not_move_to_swap, 0, 2);
    SUITE_LOOP(t, a_users_own_group_is_divided, units);
    tcase_add_test(t, a_group_that_stays_undivided_keeps_its_processes);
    SUITE_LOOP(t, refused_processes_are_counted, refusals);
    tcase_add_test(t, what_is_told_is_cut_off);
    tcase_add_test(t, a_limit_that_cannot_be_written_is_missing);
    SUITE_LOOP(t, whose_memory_ran_out_is_counted, counts);
    SUITE_LOOP(t, what_is_left_is_killed_and_the_groups_are_removed, groups);
    tcase_add_test(t, what_cannot_be_killed_is_left);
    suite_add_tcase(s, t);
    return suite_run(s);
}
