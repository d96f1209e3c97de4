/*
 * Faults of the machine: none of them may become a zero.
 *
 * Each is injected into a real grading. What comes out is infra, or, if the
 * fault did no harm, all points.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* mkdtemp */
#include <string.h>  /* strcmp, strstr */
#include <unistd.h>  /* getuid */

#include "child.h"
#include "grader/base/folder.h"
#include "grader/base/verb.h"
#include "suite.h"

static char dir[64];
static const char *build;

static void make_folder(void)
{
    build = child_build();
    strcpy(dir, "/tmp/commlab-faults-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
}

static void remove_folder(void)
{
    folder_remove(dir);
}

/* `grade run` of the solution's case, with `before` in front of it and `more`
 * behind. It has to end as infra, or with all 5 points. */
static int infra_or_full(const char *before, const char *more)
{
    struct child c =
        child_run(300,
                  "%s %s/tests/grader/grade run --lab lab1 --case communicator "
                  "--quiet --json %s/r.json "
                  "%s %s/../solutions/lab1-collectives",
                  before, build, dir, more, build);
    char path[128];
    snprintf(path, sizeof path, "%s/r.json", dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%s: no JSON: status %d\n%s%s", before, c.status,
                  c.out, c.err);
    const char *const outcome =
        json_string_value(json_object_get(j, "outcome"));
    const char *const why = json_string_value(json_object_get(j, "message"));
    const int infra = strcmp(outcome, "infra") == 0;
    ck_assert_msg(infra || json_number_value(json_object_get(j, "score")) == 5,
                  "%s %s: %s, %s", before, more, outcome, why);
    ck_assert_int_eq(c.status, infra ? EXIT_INFRA : EXIT_FULL);
    json_decref(j);
    child_clear(&c);
    return infra;
}

static int is_root(void)
{
    if (getuid() == 0)
        return 1;
    printf("skipped: a fault that needs root to be injected\n");
    return 0;
}

/* With room for the sources, for objects, for the program, for evidence ... */
static const int kib[] = {16, 256, 1024, 4096, 12288};

START_TEST(a_full_disk_is_no_zero)
{
    char before[256], more[128];
    if (!is_root())
        return;
    snprintf(before, sizeof before,
             "unshare -m sh -c 'mkdir -p %s/disk && mount -t tmpfs -o size=%dk "
             "none %s/disk && exec \"$@\"' sh",
             dir, kib[_i], dir);
    snprintf(more, sizeof more, "--work %s/disk/w", dir);
    ck_assert_int_eq(infra_or_full(before, more), 1);
}
END_TEST

/* Programs without which nothing runs. */
static const char *const programs[] = {"mpirun", "gcc", "bwrap", "sh"};

START_TEST(a_missing_program_is_no_zero)
{
    char before[256];
    if (!is_root())
        return;
    snprintf(before, sizeof before,
             "unshare -m sh -c 'mount --bind /dev/null $(realpath $(command -v "
             "%s)) && exec \"$@\"' sh",
             programs[_i]);
    ck_assert_int_eq(infra_or_full(before, ""), 1);
}
END_TEST

START_TEST(a_clock_that_jumps_changes_nothing)
{
    char before[128];
    struct child c = child_run(
        60,
        "printf '%%s\\n' '#define _GNU_SOURCE' '#include <sys/time.h>' "
        "'#include <sys/syscall.h>' '#include <time.h>' '#include <unistd.h>' "
        "'static long jump(void) { static long n; return (n++ %% 2 ? 1 : -1) * "
        "86400 * 400; }' "
        "'time_t time(time_t *t) { time_t x = syscall(SYS_time, 0) + jump(); "
        "if "
        "(t) *t = x; return x; }' "
        "'int gettimeofday(struct timeval *t, void *z) { (void)z; "
        "t->tv_sec = time(0); t->tv_usec = 0; return 0; }' "
        "'int clock_gettime(clockid_t c, struct timespec *t) { int r = "
        "syscall(SYS_clock_gettime, c, t); if (c == CLOCK_REALTIME) t->tv_sec "
        "+= "
        "jump(); return r; }' > %s/jump.c && gcc -shared -fPIC -w -o "
        "%s/jump.so "
        "%s/jump.c",
        dir, dir, dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    snprintf(before, sizeof before, "LD_PRELOAD=%s/jump.so", dir);
    ck_assert_int_eq(infra_or_full(before, ""), 0);
}
END_TEST

/* The kernel's choice under memory pressure: SIGKILL, to the grader's child. */
START_TEST(a_killed_grader_is_tried_again)
{
    struct child c = child_run(
        600,
        "cd %s; mkdir in; cp -r %s/../labs/lab1-collectives in/ada; "
        "printf 'student\\nada\\n' > r.csv; "
        "(for i in $(seq 500); do sleep 0.01; "
        "p=$(ps -eo pid,args | awk -v d=%s '$3 == \"run\" && index($0, d) "
        "{ print $1; exit }'); [ -n \"$p\" ] && kill -KILL $p && break; done) "
        "& "
        "%s/tests/grader/grade batch --roster r.csv --submissions in --ledger "
        "L.db "
        "--lab lab1 && sqlite3 L.db \"SELECT body FROM entry WHERE kind = "
        "'grading'\" | grep -o '\"outcome\":\"[a-z]*\"'",
        dir, build, dir, build);
    ck_assert_msg(strstr(c.out, "\"infra\"") && strstr(c.out, "\"fail\""),
                  "status %d\n%s%s", c.status, c.out, c.err);
    ck_assert(strstr(c.out, "\"infra\"") < strstr(c.out, "\"fail\""));
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("faults");
    TCase *const t = tcase_create("faults");
    tcase_set_timeout(t, 700);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, a_full_disk_is_no_zero, 0,
                        (int)(sizeof kib / sizeof *kib));
    tcase_add_loop_test(t, a_missing_program_is_no_zero, 0,
                        (int)(sizeof programs / sizeof *programs));
    tcase_add_test(t, a_clock_that_jumps_changes_nothing);
    tcase_add_test(t, a_killed_grader_is_tried_again);
    suite_add_tcase(s, t);
    return suite_run(s);
}
