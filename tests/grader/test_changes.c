/*
 * What grade override, clear, excuse, extend and comment say, to the letter:
 * all that a TA sees of a change, or of why there is none.
 */
#define _GNU_SOURCE
#include <check.h>
#include <string.h> /* strncmp */

#include "child.h"
#include "planted.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void make_ledger(void)
{
    static const struct planted_grading all[] = {
        {"ada",
         1,
         {"pass", "suspected"},
         {5, 0},
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
         NULL},
        {"cyd", 2, {NULL}, {0}, "2026-03-01T12:00Z", NULL, NULL, 0, NULL}};
    child_folder(dir, "changes");
    planted_roster(dir, "student,group\nada,\nbob,g\ncyd,\ndan,g\neve,\n");
    for (int i = 0; i < 3; i++)
        planted_grading(dir, &all[i]);
}

static void remove_ledger(void)
{
    child_remove(dir);
}

static const struct {
    const char *command;
    int status;
    const char *out, *err;
} changes[] = {
    {"override --student bob --score 7", 0,
     "bob: partial, 7.00 points, attempt 1, 0 days late; points set to 7 by X: "
     "why\n",
     ""},
    {"override --student bob --score 4 --case ring", 0,
     "bob: partial, 9.00 points, attempt 1, 0 days late; points set for ring "
     "to "
     "4 by X: why\n",
     ""},
    {"override --student bob --score 6 --case ring", 1, "",
     "grade override: bob: that is more than there is (--bonus allows it)\n"},
    {"override --student bob --score 10", 0,
     "bob: pass, 10.00 points, attempt 1, 0 days late; points set to 10 by X: "
     "why\n",
     ""},
    {"override --student bob --score 10.5", 1, "",
     "grade override: bob: that is more than there is (--bonus allows it)\n"},
    {"override --student bob --score 10.5 --bonus", 0,
     "bob: pass, 10.50 points, attempt 1, 0 days late; points set to 10.5 by "
     "X: why\n",
     ""},
    {"override --student bob --score x", 2, "",
     "grade override: --score is a number of points, not x\n"},
    {"override --student bob --score=-1", 2, "",
     "grade override: --score is a number of points, not -1\n"},
    {"override --student bob --score 1e6", 2, "",
     "grade override: --score is a number of points, not 1e6\n"},
    {"override --student bob --score 1 --case rong", 1, "",
     "grade override: bob: the attempt has no case \"rong\": did you mean "
     "ring?\n"},
    {"override --student bob --score 1 --case other", 1, "",
     "grade override: bob: the attempt has no case \"other\"\n"},
    {"override --student bob --score 1 --attempt 2", 1, "",
     "grade override: bob: no such attempt was graded (grade status lists "
     "them)\n"},
    {"override --student eve --score 1", 0,
     "eve: given, 1.00 points; points set to 1 by X: why\n", ""},
    {"override --student bbo --score 1", 2, "",
     "grade override: the ledger's rosters have no student bbo: did you mean "
     "bob?\n"},
    {"override --student someone --score 1", 2, "",
     "grade override: the ledger's rosters have no student someone\n"},
    {"clear --student ada", 0,
     "ada: partial, 8.00 points, attempt 1, 0 days late; suspicion cleared by "
     "X: why\n",
     ""},
    {"clear --student ada --case ring", 1, "",
     "grade clear: ada: nothing of it is suspected\n"},
    {"clear --student ada --case tree", 0,
     "ada: partial, 8.00 points, attempt 1, 0 days late; suspicion cleared for "
     "tree by X: why\n",
     ""},
    {"clear --student ada --group", 0,
     "ada: partial, 8.00 points, attempt 1, 0 days late; suspicion cleared by "
     "X: why\n",
     ""},
    {"clear --student ada --score 5", 0,
     "ada: pass, 10.00 points, attempt 1, 0 days late; suspicion cleared to 5 "
     "by X: why\n",
     ""},
    {"clear --student ada --undo", 1, "",
     "grade clear: ada: no suspicion of it was cleared: there is nothing to "
     "undo\n"},
    {"clear --student ada --undo --score 1", 2, "",
     "grade clear: --undo needs no --score\n"},
    {"override --student bob --undo", 1, "",
     "grade override: bob: nothing of it was overridden: there is nothing to "
     "undo\n"},
    {"override --student bob", 2, "", "grade override: --score is missing\n"},
    {"override --student bob --undo --score 1", 2, "",
     "grade override: --undo needs no --score\n"},
    {"override --student cyd --score 0", 0,
     "cyd: fail, 0.00 points, attempt 2, 0 days late; points set to 0 by X: "
     "why\n",
     ""},
    {"clear --student bob", 1, "",
     "grade clear: bob: nothing of it is suspected\n"},
    {"clear --student eve", 1, "",
     "grade clear: eve: no such attempt was graded (grade status lists "
     "them)\n"},
    {"clear --student cyd", 1, "",
     "grade clear: cyd: the submission was not run: say how many points it has "
     "(--score)\n"},
    {"excuse --student bob --group", 0,
     "bob: excused, no score, attempt 1, 0 days late; excused by X: why\ndan: "
     "excused, no score, attempt 1, 0 days late; excused by X: why\n",
     ""},
    {"excuse --student eve", 0, "eve: excused, no score; excused by X: why\n",
     ""},
    {"extend --student bob --until 2026-02-28", 0,
     "bob: pass, 10.00 points, attempt 1, 1 day late; deadline extended to "
     "2026-02-28 23:59 UTC by X: why\n",
     ""},
    {"extend --student bob --until soon", 2, "",
     "grade extend: --until is a time like 2026-03-08T23:59:00+01:00, not "
     "soon\n"},
    {"comment --student bob", 0,
     "bob: pass, 10.00 points, attempt 1, 0 days late; comment by X: why\n",
     ""},
};

START_TEST(a_change_is_told_to_the_letter)
{
    struct child c =
        child_run(60,
                  "cd %s && %s/tests/grader/grade %s --ledger L.db --lab lab1 "
                  "--by X --reason why",
                  dir, child_build(), changes[_i].command);
    ck_assert_str_eq(c.err, changes[_i].err);
    ck_assert_str_eq(c.out, changes[_i].out);
    ck_assert_int_eq(c.status, changes[_i].status);
    child_clear(&c);
}
END_TEST

/* One after another, on the same ledger. */
static const char *const undone[][2] = {
    {"override --student bob --score 7", "bob: partial, 7.00 points"},
    {"override --student bob --score 6", "bob: partial, 6.00 points"},
    {"override --student bob --undo", "bob: partial, 7.00 points, attempt 1, 0 "
                                      "days late; points no longer set by X"},
    {"override --student bob --case ring --score 1", "bob: partial, 3.00 poi"},
    {"override --student bob --case tree --undo", ""},
    {"override --student bob --case ring --undo", "bob: partial, 7.00 points"},
    {"override --student bob --undo", "bob: pass, 10.00 points"},
    {"override --student bob --undo", ""},
    {"override --student eve --score 4", "eve: given, 4.00 points"},
    {"override --student eve --undo",
     "eve: missing, no score; points no longe"},
    {"clear --student ada", "ada: partial, 8.00 points"},
    {"clear --student ada --undo",
     "ada: suspected, no score, attempt 1, 0 days "
     "late; suspicion no longer cleared by X"},
    {"clear --student ada --undo", ""},
    {"clear --student ada --score 4", "ada: partial, 9.00 points"},
    {"override --student dan --group --score 5", "bob: partial, 5.00 points"},
    {"override --student dan --group --undo", "bob: pass, 10.00 points"},
};

START_TEST(the_last_change_is_taken_back)
{
    for (size_t i = 0; i < sizeof undone / sizeof *undone; i++) {
        const char *const want = undone[i][1];
        struct child c = child_run(
            60,
            "cd %s && %s/tests/grader/grade %s --ledger L.db --lab lab1 "
            "--by X --reason why",
            dir, child_build(), undone[i][0]);
        ck_assert_msg(strncmp(c.out, want, strlen(want)) == 0,
                      "%s: not %s but %s%s", undone[i][0], want, c.out, c.err);
        ck_assert_msg(c.status == !*want, "%s: %d", undone[i][0], c.status);
        child_clear(&c);
    }
}
END_TEST

START_TEST(no_ledger_is_made)
{
    struct child c =
        child_run(60,
                  "cd %s && %s/tests/grader/grade comment --student bob "
                  "--ledger no.db --lab lab1 --by X --reason why; "
                  "s=$?; ls no.db; exit $s",
                  dir, child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strncmp(c.err,
                          "grade comment: no.db: No such file or directory\n",
                          48) == 0,
                  "%s", c.err);
    ck_assert_str_eq(c.out, "");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("changes");
    TCase *const t = tcase_create("changes");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_ledger, remove_ledger);
    tcase_add_loop_test(t, a_change_is_told_to_the_letter, 0,
                        sizeof changes / sizeof *changes);
    tcase_add_test(t, the_last_change_is_taken_back);
    tcase_add_test(t, no_ledger_is_made);
    suite_add_tcase(s, t);
    return suite_run(s);
}
