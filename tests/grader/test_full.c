/*
 * A folder that is full: what each verb that writes says of it names the
 * folder, and no verb ends as if it had written. Needs root, for a file system
 * of a size.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */
#include <unistd.h> /* getuid */

#include "child.h"
#include "planted.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void setup(void)
{
    static const struct planted_grading all[] = {{"ada",
                                                  1,
                                                  {"pass", "fail"},
                                                  {5, 2},
                                                  "2026-03-01T12:00Z",
                                                  NULL,
                                                  NULL,
                                                  0,
                                                  NULL},
                                                 {"bob",
                                                  1,
                                                  {"pass", "pass"},
                                                  {5, 5},
                                                  "2026-03-01T12:00Z",
                                                  NULL,
                                                  NULL,
                                                  0,
                                                  NULL}};
    child_folder(dir, "full");
    planted_roster(dir, "student\nada\nbob\n");
    planted_grading(dir, &all[0]);
    planted_grading(dir, &all[1]);
    struct child c = child_run(
        60,
        "cd %s && mkdir t keys in in/ada && cp %s/../labs/lab1-collectives/* "
        "in/ada && cp L.db L.db.key keys && (cd in && tar -cf ../d.tar ada) && "
        "printf 'student\nada\nbob\n' > r.csv",
        dir, child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

static void teardown(void)
{
    child_remove(dir);
}

#define L      " --ledger L.db --lab lab1 "
#define RUN    "run --lab lab1 --student ada --case answer-alpha "
#define EXPORT "export" L "--format "

/* The folder t is full. */
static const struct {
    const char *command; /* $grade is added at its beginning */
    const char *says;
} verbs[] = {
    {EXPORT "csv -o t/x", "grade export: t/x: No space left on device"},
    {EXPORT "html -o t/x", "grade export: t/x: No space left on device"},
    {EXPORT "gradescope -o t/x", "grade export: t/x: No space left on device"},
    {EXPORT "moss -o t/x", "grade export: t/x/base/"},
    {"course -o t/x L.db", "grade course: t/x: No space left on device"},
    {"serve" L "--once --out t/x",
     "grade serve: t/x/index.html: No space left on device"},
    {"backup --ledger L.db -o t/x", "grade backup: t/x: "},
    {"replay --ledger L.db 2 -o t/x",
     "grade replay: cannot write t/x: No space left on device"},
    {RUN "--json t/x in/ada", "cannot write t/x: No space left on device"},
    {RUN "--work t/x in/ada", "t/x/src/bootstrap.c: No space left on device"},
    {"regrade" L, "/t/commlab-regrade-"},
    {"batch --roster r.csv --submissions in --ledger t/x.db --lab lab1",
     "/t/x.db: its disk is full: make space there"},
    {"batch --roster r.csv --submissions in --spool t/x --ledger M.db --lab "
     "lab1",
     "/t/x: No space left on device"},
    {"intake --roster r.csv --lab lab1 -o t/x d.tar", "/t/commlab-intake-"},
    {"key --ledger L.db --away", "/t/x/"},
};

START_TEST(a_full_folder_is_named)
{
    if (getuid() != 0)
        return;
    struct child c = child_run(
        120,
        "cd %s && unshare -m sh -c 'mount -t tmpfs -o size=64k none t && "
        "{ head -c 1M /dev/zero > t/fill; } 2> /dev/null; export TMPDIR=$PWD/t "
        "COMMLAB_KEYS=%s; exec %s/grade %s'",
        dir, strncmp(verbs[_i].command, "key", 3) == 0 ? "$PWD/t/x" : "$PWD",
        child_build(), verbs[_i].command);
    ck_assert_msg(c.status != 0, "%s", c.out);
    ck_assert_msg(strstr(c.err, verbs[_i].says) ||
                      strstr(c.out, verbs[_i].says),
                  "%s: %s%s", verbs[_i].command, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("full");
    TCase *const t = tcase_create("full");
    tcase_set_timeout(t, 150);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, a_full_folder_is_named, verbs);
    suite_add_tcase(s, t);
    return suite_run(s);
}
