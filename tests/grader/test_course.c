/*
 * One gradebook over all labs: weights, dropped labs, the pool of late days.
 * And what a course keeps: the key, copies, the end of a term.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "child.h"
#include "grader/intake/roster.h"
#include "grader/ledger/ledger.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void append(const char *db, const char *kind, const char *lab,
                   const char *student, json_t *body)
{
    char path[CHILD_FOLDER + 64], err[512] = "";
    snprintf(path, sizeof path, "%s/%s", dir, db);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    char *const text = json_dumps(body, 0);
    const struct ledger_entry e = {.kind = kind,
                                   .student = student,
                                   .lab = lab,
                                   .attempt = *student ? 1 : 0,
                                   .digest = "",
                                   .body = text};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    free(text);
    json_decref(body);
    ledger_close(l);
}

static void plant_roster(const char *db, const char *lab, const char *csv)
{
    char err[512] = "";
    struct roster *const r = roster_parse(csv, strlen(csv), lab, err, 512);
    ck_assert_msg(r != NULL, "%s", err);
    append(db, "batch", lab, "",
           json_pack("{s:s, s:o}", "seed", "", "roster", roster_json(r)));
    roster_free(r);
}

/* Handed in so many hours after 2026-03-01T12:00Z. */
static void plant(const char *db, const char *lab, const char *student,
                  const char *outcome, double score, double most, int hours)
{
    int64_t t;
    ck_assert_int_eq(roster_time("2026-03-01T12:00Z", &t), 0);
    append(db, "grading", lab, student,
           json_pack("{s:I, s:i, s:{s:s, s:s, s:f, s:f, s:[]}}", "submitted",
                     (json_int_t)(t + 3600 * hours), "days_late", 0, "result",
                     "outcome", outcome, "title", lab, "score", score,
                     "max_score", most, "tests"));
}

#define DEADLINE ",2026-03-01T12:00Z\n"
static void make_ledgers(void)
{
    child_folder(dir, "course");
    plant_roster("1.db", "lab1-a",
                 "student,name,email,id,deadline\n"
                 "ada,Ada,a@x,7" DEADLINE "bob,,b@x,8" DEADLINE
                 "cyd,,,9" DEADLINE "+dan,,,10" DEADLINE);
    plant_roster("2.db", "lab2-b",
                 "student,deadline\nada" DEADLINE "bob" DEADLINE
                 "cyd" DEADLINE);
    plant_roster("2.db", "lab10-c",
                 "student,deadline\nada" DEADLINE "bob" DEADLINE
                 "cyd" DEADLINE);
    plant("1.db", "lab1-a", "ada", "pass", 10, 10, 30); // two days late
    plant("1.db", "lab1-a", "+dan", "pass", 10, 10, 0);
    plant("1.db", "lab1-a", "cyd", "fail", 5, 10, 20);
    plant("2.db", "lab2-b", "ada", "pass", 20, 20, 0);
    plant("2.db", "lab2-b", "bob", "fail", 10, 20, 0);
    plant("2.db", "lab2-b", "cyd", "suspected", 0, 20, 0);
    plant("2.db", "lab10-c", "ada", "fail", 5, 10, 20); // a day late
    append("2.db", "excuse", "lab10-c", "bob",
           json_pack("{s:s, s:s}", "by", "X", "reason", "ill"));
}

static void remove_ledgers(void)
{
    child_remove(dir);
}

static const struct {
    const char *options;
    int status;
    const char *out, *err; /* of out, the lines behind the head */
} courses[] = {
    {"1.db 2.db", 0,
     "\"+dan\",\"\",\"\",\"\",10.00,0,0,,0,0,,0,0,0,100.00,\"lab2: not asked "
     "for; lab10: not asked for\"\n"
     "\"ada\",\"Ada\",\"a@x\",\"\",10.00,2,0,20.00,0,0,5.00,1,0,0,83.33,\"lab1:"
     " 2 "
     "days late, 0 free; lab10: 1 day late, 0 free\"\n"
     "\"bob\",\"\",\"b@x\",\"\",,0,0,10.00,0,0,,0,0,0,25.00,\"lab1: nothing "
     "handed "
     "in; lab10: excused\"\n"
     "\"cyd\",\"\",\"\",\"\",5.00,1,0,,0,0,,0,0,0,,\"lab1: 1 day late, 0 free; "
     "lab2: waits, suspected; lab10: nothing handed in\"\n",
     ""},
    // a day of lab 1 is worth 1 of 10 points, one of lab 10 half of that
    {"--late-percent 10 --late-pool 2 --weights lab1=1,lab2=2,lab10=1 1.db "
     "2.db",
     0,
     "\"+dan\",\"\",\"\",\"\",10.00,0,0,,0,0,,0,0,2,100.00,\"lab2: not asked "
     "for; lab10: not asked for; 2 of 2 free days left\"\n"
     "\"ada\",\"Ada\",\"a@x\",\"\",10.00,2,2,20.00,0,0,4.50,1,0,0,86.25,\"lab1:"
     " 2 "
     "days late, 2 free; lab10: 1 day late, 0 free; 0 of 2 free days left\"\n"
     "\"bob\",\"\",\"b@x\",\"\",,0,0,10.00,0,0,,0,0,2,33.33,\"lab1: nothing "
     "handed "
     "in; lab10: excused; 2 of 2 free days left\"\n"
     "\"cyd\",\"\",\"\",\"\",5.00,1,1,,0,0,,0,0,1,,\"lab1: 1 day late, 1 free; "
     "lab2: waits, suspected; lab10: nothing handed in; 1 of 2 free days "
     "left\"\n",
     ""},
    {"--late-percent 10 --late-pool 1 --drop-lowest 1 --points 50 1.db 2.db", 0,
     "\"+dan\",\"\",\"\",\"\",10.00,0,0,,0,0,,0,0,1,50.00,\"lab2: not asked "
     "for; lab10: not asked for; 1 of 1 free days left\"\n"
     "\"ada\",\"Ada\",\"a@x\",\"\",9.00,2,1,20.00,0,0,4.50,1,0,0,47.50,\"lab1: "
     "2 "
     "days "
     "late, 1 free; lab10: 1 day late, 0 free; lab10: dropped; 0 of 1 free "
     "days left\"\n"
     "\"bob\",\"\",\"b@x\",\"\",,0,0,10.00,0,0,,0,0,1,25.00,\"lab1: nothing "
     "handed "
     "in; lab1: dropped; lab10: excused; 1 of 1 free days left\"\n"
     "\"cyd\",\"\",\"\",\"\",5.00,1,1,,0,0,,0,0,0,,\"lab1: 1 day late, 1 free; "
     "lab2: waits, suspected; lab10: nothing handed in; lab10: dropped; 0 of 1 "
     "free days left\"\n",
     ""},
    {"--weights lab1=1,lab2=0,lab10=0 1.db 2.db", 0,
     "\"+dan\",\"\",\"\",\"\",10.00,0,0,,0,0,,0,0,0,100.00,\"lab2: not asked "
     "for; lab10: not asked for\"\n"
     "\"ada\",\"Ada\",\"a@x\",\"\",10.00,2,0,20.00,0,0,5.00,1,0,0,100.00,"
     "\"lab1: 2 "
     "days late, 0 free; lab10: 1 day late, 0 free\"\n"
     "\"bob\",\"\",\"b@x\",\"\",,0,0,10.00,0,0,,0,0,0,0.00,\"lab1: nothing "
     "handed "
     "in; lab10: excused\"\n"
     "\"cyd\",\"\",\"\",\"\",5.00,1,0,,0,0,,0,0,0,50.00,\"lab1: 1 day late, 0 "
     "free; lab2: waits, suspected; lab10: nothing handed in\"\n",
     ""},
    {"--format canvas --assignments lab2=22,course=33 1.db 2.db", 0,
     "Points Possible,,,,,10.00,20.00,10.00,100.00\n"
     "\"+dan\",\"10\",\"\",\"+dan\",\"\",10.00,,,100.00\n"
     "\"Ada\",\"7\",\"\",\"ada\",\"\",10.00,20.00,5.00,83.33\n"
     "\"bob\",\"8\",\"\",\"bob\",\"\",,10.00,EX,25.00\n"
     "\"cyd\",\"9\",\"\",\"cyd\",\"\",5.00,,,\n",
     ""},
    {"--format moodle 1.db", 0,
     "\"\",\"\",\"+dan\",10.00,\"\",100.00,\"\"\n"
     "\"a@x\",\"\",\"ada\",10.00,\"2 days late\",100.00,\"lab1: 2 days late, 0 "
     "free\"\n"
     "\"b@x\",\"\",\"bob\",-,\"nothing handed in\",0.00,\"lab1: nothing handed "
     "in\"\n"
     "\"\",\"\",\"cyd\",5.00,\"1 day late\",50.00,\"lab1: 1 day late, 0 "
     "free\"\n",
     ""},
    {"--weights lab1=1 1.db 2.db", 2, "",
     "grade course: --weights: how much does lab2-b weigh?\n"},
    {"--weights lab3=1 1.db", 2, "",
     "grade course: --weights: the ledgers have no lab3\n"},
    {"--weights lab1=x 1.db", 2, "",
     "grade course: --weights: x is no weight for lab1\n"},
    {"--weights lab1 1.db", 2, "",
     "grade course: --weights is LAB=VALUE,..., not lab1\n"},
    {"--assignments lab9=1 1.db", 2, "",
     "grade course: --assignments: the ledgers have no lab9\n"},
    {"3.db", 2, "", "grade course: 3.db: unable to open database file\n"},
};

START_TEST(a_course_is_one_gradebook)
{
    struct child c =
        child_run(60, "cd %s && %s/tests/grader/grade course -o - %s", dir,
                  child_build(), courses[_i].options);
    ck_assert_str_eq(c.err, courses[_i].err);
    ck_assert_int_eq(c.status, courses[_i].status);
    const char *const end = strchr(c.out, '\n');
    ck_assert_str_eq(end ? end + 1 : "", courses[_i].out);
    child_clear(&c);
}
END_TEST

START_TEST(its_columns_are_its_labs)
{
    static const char *const heads[][2] = {
        {"csv 1.db 2.db",
         "student,name,email,section,lab1-a,lab1-a days_late,lab1-a "
         "free,lab2-b,"
         "lab2-b days_late,lab2-b free,lab10-c,lab10-c days_late,lab10-c free,"
         "free_left,total,feedback\n"},
        {"canvas --assignments lab2=22,course=33 1.db 2.db",
         "Student,ID,SIS User ID,SIS Login ID,Section,\"lab1-a\",\"lab2-b "
         "(22)\",\"lab10-c\",\"Course (33)\"\n"},
        {"moodle 1.db",
         "Email address,ID number,Username,\"lab1-a (points)\",\"lab1-a "
         "feedback\",\"Course (points)\",\"Course feedback\"\n"}};
    for (int i = 0; i < 3; i++) {
        struct child c = child_run(
            60, "cd %s && %s/tests/grader/grade course -o - --format %s", dir,
            child_build(), heads[i][0]);
        ck_assert_msg(strncmp(c.out, heads[i][1], strlen(heads[i][1])) == 0,
                      "%s%s", c.out, c.err);
        child_clear(&c);
    }
}
END_TEST

/* ---- what is kept -------------------------------------------------------- */

static struct child sh(int status, const char *commands)
{
    struct child c =
        child_run(60, "cd %s && grade=%s/tests/grader/grade && { %s; }", dir,
                  child_build(), commands);
    ck_assert_msg(c.status == status, "%s: %d: %s%s", commands, c.status, c.out,
                  c.err);
    return c;
}

/* Before its first grading, the plan says how many points a lab has. */
START_TEST(a_lab_without_gradings_has_its_plans_points)
{
    plant_roster("4.db", "lab2-gradient-sync", "student\nada\nbob\n");
    struct child c =
        sh(0, "$grade course -o - --format canvas 4.db | sed -n 2p && "
              "$grade override --ledger 4.db --lab lab2 --student ada --by X "
              "--reason 'on paper' --score 80 > said && "
              "$grade course -o - 4.db | sed 1d");
    ck_assert_str_eq(
        c.out, "Points Possible,,,,,100.00,100.00\n"
               "\"ada\",\"\",\"\",\"\",80.00,0,0,0,80.00,\"\"\n"
               "\"bob\",\"\",\"\",\"\",,0,0,0,0.00,\"lab2: nothing handed "
               "in\"\n");
    child_clear(&c);
}
END_TEST

/* A batch's commands end in options, and people's may. */
START_TEST(options_may_follow_operands)
{
    struct child c =
        sh(0, "$grade course -o want 1.db && export POSIXLY_CORRECT=1 && "
              "$grade course 1.db -o got && cmp want got");
    child_clear(&c);
}
END_TEST

/* It has names; the live page has none (tests/grader/test_serve.c). */
START_TEST(a_site_is_for_staff_alone)
{
    struct child c =
        sh(0, "umask 022 && $grade export --ledger 1.db --lab lab1 --format "
              "html -o site && stat -c %a site && umask 000 && $grade export "
              "--ledger 1.db --lab lab1 --format html -o other && stat -c %a "
              "other");
    ck_assert_str_eq(c.out, "700\n700\n");
    child_clear(&c);
}
END_TEST

START_TEST(a_key_is_moved_away_and_a_copy_needs_it)
{
    struct child c =
        sh(0, "$grade key --ledger 1.db && export COMMLAB_KEYS=$PWD/keys && "
              "$grade key --ledger 1.db --away > place && test ! -e 1.db.key "
              "&& test -e \"$(cat place)\" && $grade key --ledger 1.db | cmp - "
              "place && $grade backup --ledger 1.db -o copy.db && $grade "
              "verify --ledger copy.db && ! $grade backup --ledger 1.db -o "
              "copy.db && rm \"$(cat place)\" && ! $grade verify --ledger "
              "copy.db");
    ck_assert_msg(strncmp(c.out, "1.db.key\ncopy.db: whole; head ", 30) == 0,
                  "%s", c.out);
    ck_assert_msg(strstr(c.err,
                         "grade: the key of 1.db is in the same folder, so a "
                         "copy of the folder has both (grade key --away "
                         "moves it)\n") == c.err,
                  "%s", c.err);
    ck_assert_msg(strstr(c.err, "copy.db is there already") &&
                      strstr(c.err, "is not here: give it as --key FILE"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_copy_is_deleted_without_the_ledgers_key)
{
    struct child c = sh(
        0,
        "export COMMLAB_KEYS=$PWD/keys && $grade key --ledger 1.db --away && "
        "$grade backup --ledger 1.db -o copy.db && $grade backup --ledger "
        "copy.db -o again.db && $grade delete --ledger copy.db --yes && "
        "$grade verify --ledger 1.db && ls *.db");
    ck_assert_msg(strstr(c.out, "the key stays: ") &&
                      strstr(c.out, ": the ledger that was copied needs it\n"
                                    "deleted copy.db\n") &&
                      strstr(c.out, "\n1.db\n2.db\nagain.db\n"),
                  "%s", c.out);
    child_clear(&c);
    // the archive of a term is read with the key that stays
    c = sh(0, "export COMMLAB_KEYS=$PWD/keys && $grade delete --ledger 1.db "
              "--keep-key --yes && $grade verify --ledger again.db && "
              "ls *.db");
    ck_assert_msg(strstr(c.out, "\n2.db\nagain.db\n"), "%s", c.out);
    child_clear(&c);
    // a key of its own goes with the copy
    c = sh(0, "mv keys/*.key again.db.key && $grade delete --ledger again.db "
              "--yes && ls");
    ck_assert_msg(strstr(c.out, "deleted again.db.key\ndeleted again.db\n"),
                  "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_term_is_listed_and_then_deleted)
{
    struct child c = sh(
        0, "mkdir 1.db.spool; touch 1.db.spool/x 1.db.regrade; $grade delete "
           "--ledger 1.db; ls -d 1.db*; $grade delete --ledger 1.db --yes; ls");
    ck_assert_str_eq(
        c.out, "1.db.key\n  (no copy of the ledger can be read without this "
               "key: --keep-key keeps it)\n1.db.spool\n1.db.regrade\n"
               "1.db\n--yes deletes "
               "this\n1.db\n1.db.key\n1.db.regrade\n1.db.spool\ndeleted "
               "1.db.key\ndeleted 1.db.spool\ndeleted 1.db.regrade\n"
               "deleted 1.db\n2.db\n2.db.key\n");
    child_clear(&c);
    c = sh(2, "$grade delete --ledger 1.db --yes");
    ck_assert_str_eq(c.err, "grade delete: 1.db: No such file or directory\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("course");
    TCase *const t = tcase_create("course");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_ledgers, remove_ledgers);
    SUITE_LOOP(t, a_course_is_one_gradebook, courses);
    tcase_add_test(t, its_columns_are_its_labs);
    tcase_add_test(t, a_lab_without_gradings_has_its_plans_points);
    tcase_add_test(t, a_site_is_for_staff_alone);
    tcase_add_test(t, options_may_follow_operands);
    tcase_add_test(t, a_key_is_moved_away_and_a_copy_needs_it);
    tcase_add_test(t, a_copy_is_deleted_without_the_ledgers_key);
    tcase_add_test(t, a_term_is_listed_and_then_deleted);
    suite_add_tcase(s, t);
    return suite_run(s);
}
