/*
 * Rosters: times, days, columns, groups, and the same from the ledger.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* mkstemp */
#include <string.h> /* strlen */
#include <unistd.h> /* unlink */

#include "fds.h"
#include "grader/intake/roster.h"
#include "suite.h"

static char err[256];

static struct roster *parse(const char *text)
{
    err[0] = 0;
    return roster_parse(text, strlen(text), "lab2-gradient-sync", err,
                        sizeof err);
}

static struct roster *good(const char *text)
{
    struct roster *const r = parse(text);
    ck_assert_msg(r != NULL, "%s", err);
    return r;
}

/* ---- times --------------------------------------------------------------- */

enum { MARCH_1 = 1772323200, DAY = 86400 }; /* 2026-03-01T00:00Z */

static const struct {
    const char *text;
    int64_t t; /* since MARCH_1; ROSTER_NEVER: it is no time */
} times[] = {
    {"2026-03-01", DAY - 1},
    {"2026-03-01Z", DAY - 1},
    {"2026-03-01T12:00", 43200},
    {"2026-03-01 12:00Z", 43200},
    {"2026-03-01T12:01:05Z", 43265},
    {"2026-03-01T12:00+01:00", 39600},
    {"2026-03-01T12:00-0530", 43200 + 19800},
    {"2026-03-01T12:00+14:59", 43200 - 53940},
    {"2026-03-01T12:00-00:00", 43200},
    {"2024-02-29T00:00", -731 * DAY},
    {"2026-02-29", ROSTER_NEVER},
    {"2026-04-31", ROSTER_NEVER},
    {"2026-13-01", ROSTER_NEVER},
    {"2026-03-01x", ROSTER_NEVER},
    {"2026-03-01T", ROSTER_NEVER},
    {"2026-03-01T12", ROSTER_NEVER},
    {"2026-03-01T24:00", ROSTER_NEVER},
    {"2026-03-01T12:00:", ROSTER_NEVER},
    {"2026-03-01T12:00+15:00", ROSTER_NEVER},
    {"2026-03-01T12:00+01:60", ROSTER_NEVER},
    {"2026-03-01T12:00+-1:00", ROSTER_NEVER},
    {"2026-03-01T12:00+01:-1", ROSTER_NEVER},
    {"2026-03-01T12:00*01:00", ROSTER_NEVER},
    {"2026-03-01T12:00+01:00x", ROSTER_NEVER},
    {"2026-03-01T12:00+01", ROSTER_NEVER},
    {"2026-03-01T12:00Zx", ROSTER_NEVER},
    {"", ROSTER_NEVER},
};

START_TEST(a_time_is_a_day_and_may_have_an_hour_and_a_zone)
{
    int64_t t = 0;
    ck_assert_int_eq(roster_timezone("UTC"), 0);
    const int wrong = times[_i].t == ROSTER_NEVER;
    ck_assert_msg(roster_time(times[_i].text, &t) == -wrong, "%s",
                  times[_i].text);
    if (!wrong)
        ck_assert_int_eq(t - MARCH_1, times[_i].t);
    ck_assert_int_eq(roster_deadline(times[_i].text, &t), -wrong);
    if (!wrong) // a deadline includes its last minute
        ck_assert_int_eq(t - MARCH_1,
                         times[_i].t + (times[_i].t % 60 ? 0 : 59));
}
END_TEST

START_TEST(a_zone_is_one_of_the_systems)
{
    char name[300] = "";
    ck_assert_int_eq(roster_timezone(""), 0);
    ck_assert_str_eq(getenv("TZ"), "UTC");
    ck_assert_int_eq(roster_timezone("Europe/Berlin"), 0);
    ck_assert_str_eq(getenv("TZ"), "Europe/Berlin");
    ck_assert_int_eq(roster_timezone("Europe/../Europe/Berlin"), -1);
    memset(name, '/', sizeof name - 1); // the folder itself, but too long
    ck_assert_int_eq(roster_timezone(name), -1);
    ck_assert_str_eq(getenv("TZ"), "Europe/Berlin");
}
END_TEST

static const struct {
    int64_t deadline, t;
    int late_days, days;
} lateness[] = {
    {1000, 999, 0, 0},
    {1000, 1000, 0, 0},
    {1000, 1001, 0, 1},
    {1000, 1000 + DAY, 0, 1},
    {1000, 1001 + DAY, 0, 2},
    {1000, 1001 + DAY, 1, 1},
    {1000, 1001 + DAY, 2, 0},
    {1000, 1001 + DAY, 3, 0},
    {0, 1000 * (int64_t)DAY, 0, 1000},
    {0, 1002 * (int64_t)DAY, 0, 1000},
    {0, 1002 * (int64_t)DAY, 3, 999},
    {ROSTER_NEVER, 1000, 0, 0},
    {1000, ROSTER_NEVER, 0, 0},
};

START_TEST(a_day_that_has_begun_is_late)
{
    const struct student s = {.deadline = lateness[_i].deadline,
                              .late_days = lateness[_i].late_days};
    ck_assert_int_eq(roster_days_late(&s, lateness[_i].t), lateness[_i].days);
}
END_TEST

/* Days end at the deadline's time of day, also where the clocks change: on
 * 29 March 2026 Berlin's day has 23 hours, on 25 October 25. */
static const struct {
    const char *deadline, *t;
    int days;
} weekends[] = {
    {"2026-10-24T23:59", "2026-10-24T23:59:59", 0},
    {"2026-10-24T23:59", "2026-10-25T00:00", 1},
    {"2026-10-24T23:59", "2026-10-25T23:59", 1}, // after 25 hours
    {"2026-10-24T23:59", "2026-10-25T23:59:59", 1},
    {"2026-10-24T23:59", "2026-10-26T00:00", 2},
    {"2026-10-23T23:59", "2026-10-25T23:59:59", 2},
    {"2026-10-24", "2026-10-25T23:59:59", 1},
    {"2026-03-28T23:59", "2026-03-29T23:59:59", 1},
    {"2026-03-28T23:59", "2026-03-30T00:00", 2}, // after 23 hours
    {"2026-03-27T23:59", "2026-03-30T00:00", 3},
    {"2026-10-24T02:30", "2026-10-25T02:30:59+01:00", 1}, // the second 2:30
    {"2026-10-24T02:30", "2026-10-25T02:31:00+01:00", 2},
    {"2026-10-25T02:30", "2026-10-26T02:30:59", 1},
    {"2026-03-28T02:30", "2026-03-29T03:30:59", 1}, // there is no 2:30
    {"2026-03-28T02:30", "2026-03-29T03:31:00", 2},
    {"2026-02-28T12:00", "2026-03-02T12:00:59", 2},
    {"2026-10-24T23:59:30", "2026-10-24T23:59:31", 1},
    {"2026-10-24T23:59:00Z", "2026-10-24T23:59:59Z", 0},
    {"2026-10-24T23:59:00Z", "2026-10-25T00:00:00Z", 1},
};

START_TEST(a_late_day_is_a_day_of_the_courses_calendar)
{
    int64_t deadline, t;
    ck_assert_int_eq(roster_timezone("Europe/Berlin"), 0);
    ck_assert_int_eq(roster_deadline(weekends[_i].deadline, &deadline), 0);
    ck_assert_int_eq(roster_time(weekends[_i].t, &t), 0);
    ck_assert_int_eq(roster_days_between(deadline, t, 0), weekends[_i].days);
}
END_TEST

START_TEST(minutes_of_grace_move_the_time_of_submission)
{
    ck_assert_int_eq(roster_forgive(1000, 5), 700);
    ck_assert_int_eq(roster_forgive(1000, 0), 1000);
    ck_assert_int_eq(roster_forgive(ROSTER_NEVER, 5), ROSTER_NEVER);
}
END_TEST

/* ---- columns ------------------------------------------------------------- */

static const struct {
    const char *header, *row;
    int hour; /* of the deadline on MARCH_1 */
} deadlines[] = {
    {"deadline,deadline:lab2", "2026-03-01T01:00,2026-03-01T02:00", 2},
    {"deadline:lab2,deadline:lab2-gradient-sync",
     "2026-03-01T02:00,2026-03-01T03:00", 3},
    {"deadline:lab2-gradient-sync,deadline:lab2",
     "2026-03-01T03:00,2026-03-01T02:00", 3},
    {"deadline:lab1,deadline,DEADLINE:lab3",
     "2026-03-01T02:00,2026-03-01T01:00,2026-03-01T02:00", 1},
};

START_TEST(a_labs_own_deadline_counts)
{
    char text[300];
    ck_assert_int_eq(roster_timezone("UTC"), 0);
    snprintf(text, sizeof text, "student,%s\nada,%s\n", deadlines[_i].header,
             deadlines[_i].row);
    struct roster *const r = good(text);
    ck_assert_int_eq(r->student[0].deadline - MARCH_1,
                     3600 * deadlines[_i].hour + 59);
    roster_free(r);
}
END_TEST

START_TEST(an_attempts_own_time_counts)
{
    ck_assert_int_eq(roster_timezone("UTC"), 0);
    struct roster *const r =
        good("student,submitted,submitted@2,submitted@16,#x\n"
             "ada,2026-03-01T01:00,2026-03-01T02:00,2026-03-01T16:00,y\n");
    const struct student *const ada = r->student;
    ck_assert_int_eq(roster_submitted(ada, 0), ROSTER_NEVER);
    ck_assert_int_eq(roster_submitted(ada, 1) - MARCH_1, 3600);
    ck_assert_int_eq(roster_submitted(ada, 2) - MARCH_1, 7200);
    ck_assert_int_eq(roster_submitted(ada, 3), ROSTER_NEVER);
    ck_assert_int_eq(roster_submitted(ada, 16) - MARCH_1, 57600);
    ck_assert_int_eq(roster_submitted(ada, 17), ROSTER_NEVER);
    roster_free(r);
    struct roster *const own = good("student,submitted,submitted@1\n"
                                    "ada,2026-03-01T01:00,2026-03-01T02:00\n");
    ck_assert_int_eq(roster_submitted(own->student, 1) - MARCH_1, 7200);
    roster_free(own);
}
END_TEST

#define UNREAD " (begin its name with # if nothing is to read it)"
static const struct {
    const char *text, *says; /* NULL: it is a roster */
} rosters[] = {
    {"", "1: the header has no column \"student\""},
    {"name;student\n",
     "1: the header has no column \"student\": its fields are separated by ;, "
     "not by ,"},
    {"student,late_day\n", "1: there is no column \"late_day\": did you mean "
                           "\"late_days\"?" UNREAD},
    {"student,submited\n", "1: there is no column \"submited\": did you mean "
                           "\"submitted\"?" UNREAD},
    {"student,sectoin\n", "1: there is no column \"sectoin\": did you mean "
                          "\"section\"?" UNREAD},
    {"student,sisid\n",
     "1: there is no column \"sisid\": did you mean \"sis_id\"?" UNREAD},
    {"student,grp\n",
     "1: there is no column \"grp\": did you mean \"group\"?" UNREAD},
    {"student,dead\n", "1: there is no column \"dead\"" UNREAD},
    {"student,submitted@0\n", "1: there is no column \"submitted@0\": did you "
                              "mean \"submitted\"?" UNREAD},
    {"student,submitted@17\n", "1: there is no column \"submitted@17\": did "
                               "you mean \"submitted\"?" UNREAD},
    {"student,submitted@1x\n", "1: there is no column \"submitted@1x\": did "
                               "you mean \"submitted\"?" UNREAD},
    {"STUDENT,Name,EMAIL,Section,ID,SIS_ID,GitHub,Group,Deadline,Submitted,"
     "Late_Days,submitted@1,submitted@16,Deadline:x,#,,\nada\n",
     NULL},
    {"student,late_days\nada,1000\nbob,0\ncyd,\n", NULL},
    {"student,late_days\nada,1001\n", "2: late_days is a number of days"},
    {"student,late_days\n\nada,1x\n", "3: late_days is a number of days"},
    {"student\n.ada\n", "2: a student is 1 to 64 letters, digits and ._@+-"},
    {"student,deadline\nada,1\n",
     "2: a deadline is a time like 2026-03-01T23:59:00Z"},
    {"student,submitted@16\nada,1\n",
     "2: submitted is a time like 2026-03-01T23:59:00Z"},
    {"student\nbob\nada\n\nbob\ncyd\n",
     "5: bob is there twice, first in line 2"},
    {"student\nada\nbob\nAda\n",
     "4: Ada differs from ada in line 2 only in upper and lower case: if they "
     "are two students, give them two logins"},
    {"student,email\nada,a@x\nbob,\ncyd,\ndan,A@x\neve,a@x\n",
     "5: the email A@x is that of line 2, too: give each student another, or "
     "leave it empty"},
    {"student,id\nada,7\n\nbob,7\n",
     "4: the id 7 is that of line 2, too: give each student another, or leave "
     "it empty"},
    {"student,sis_id\nada,7\nbob,7\n",
     "3: the sis_id 7 is that of line 2, too: give each student another, or "
     "leave it empty"},
    {"student,github\nada,gh\nbob,GH\n",
     "3: the github GH is that of line 2, too: give each student another, or "
     "leave it empty"},
    {"student,name,section,group\nada,Ann,A,g\nbob,Ann,A,g\n", NULL},
    {"student,name\nada,Ada\nbob,Boole, Bob\n",
     "3: 3 fields, but the header has 2 columns: put a field that contains a "
     "comma in quotes"},
    {"student,name\nada,\nbob,Bob,\n",
     "3: 3 fields, but the header has 2 columns: put a field that contains a "
     "comma in quotes"},
    {"student,name\nada\nbob,\"Boole, Bob\"\n", NULL},
};

START_TEST(a_roster_is_taken_or_the_reason_told)
{
    struct roster *const r = parse(rosters[_i].text);
    ck_assert_str_eq(err, rosters[_i].says ? rosters[_i].says : "");
    ck_assert_int_eq(r == NULL, rosters[_i].says != NULL);
    roster_free(r);
}
END_TEST

static const char full[] =
    "github,student,group,name,sis_id,email,id,section,late_days,deadline,"
    "submitted,submitted@16\n"
    "gh,ada,g1,Ada,s1,a@x,i1,A,3,2026-03-01T01:00,2026-03-01T02:00,"
    "2026-03-01T03:00\n"
    ",bob,,,,,,,,,,\n";

static void ck_ada(const struct student *s)
{
    ck_assert_str_eq(s->key, "ada");
    ck_assert_str_eq(s->name, "Ada");
    ck_assert_str_eq(s->email, "a@x");
    ck_assert_str_eq(s->section, "A");
    ck_assert_str_eq(s->id, "i1");
    ck_assert_str_eq(s->sis_id, "s1");
    ck_assert_str_eq(s->github, "gh");
    ck_assert_str_eq(s->group, "g1");
    ck_assert_int_eq(s->late_days, 3);
    ck_assert_int_eq(s->deadline - MARCH_1, 3659);
    ck_assert_int_eq(s->submitted[0] - MARCH_1, 7200);
    ck_assert_int_eq(s->submitted[1], ROSTER_NEVER);
    ck_assert_int_eq(s->submitted[15] - MARCH_1, 10800);
}

static void ck_bob(const struct student *s)
{
    ck_assert_str_eq(s->key, "bob");
    ck_assert_str_eq(s->name, "");
    ck_assert_str_eq(s->group, "");
    ck_assert_int_eq(s->late_days, 0);
    ck_assert_int_eq(s->deadline, ROSTER_NEVER);
    ck_assert_int_eq(s->submitted[0], ROSTER_NEVER);
    ck_assert_int_eq(s->submitted[15], ROSTER_NEVER);
}

START_TEST(the_ledger_gives_back_what_it_was_given)
{
    ck_assert_int_eq(roster_timezone("UTC"), 0);
    struct roster *const r = good(full);
    json_t *const j = roster_json(r);
    struct roster *const again = roster_from_json(j);
    ck_assert_int_eq(again->n, 2);
    ck_ada(&r->student[0]);
    ck_bob(&r->student[1]);
    ck_ada(&again->student[0]);
    ck_bob(&again->student[1]);
    ck_assert_uint_eq(json_object_size(json_array_get(j, 0)), 12);
    ck_assert_uint_eq(json_object_size(json_array_get(j, 1)), 10);
    json_array_append(j, json_array_get(j, 0));
    ck_assert(roster_from_json(j) == NULL); // twice
    json_decref(j);
    roster_free(again);
    roster_free(r);
}
END_TEST

/* Older ledgers lack columns; students may be in any order. */
START_TEST(what_the_ledger_lacks_is_unknown)
{
    json_t *const j = json_pack("[{s:s, s:I},{s:s}]", "student", "bob",
                                "deadline", (json_int_t)5, "student", "ada");
    struct roster *const r = roster_from_json(j);
    ck_assert_str_eq(r->student[0].key, "ada");
    ck_assert_str_eq(r->student[0].github, "");
    ck_assert_int_eq(r->student[1].deadline, 5);
    ck_assert_int_eq(r->student[1].submitted[3], ROSTER_NEVER);
    roster_free(r);
    json_decref(j);
}
END_TEST

/* ---- students ------------------------------------------------------------ */

START_TEST(a_group_hands_in_together)
{
    struct roster *const r =
        good("student,group\nada,g2\nbob,g1\ncyd,g1\ndan,\neve,\n");
    const struct student *const s = r->student;
    ck_assert_ptr_eq(roster_find_group(r, "g1"), &s[1]);
    ck_assert_ptr_eq(roster_find_group(r, "g2"), &s[0]);
    ck_assert_ptr_null(roster_find_group(r, "g3"));
    ck_assert_ptr_null(roster_find_group(r, ""));
    ck_assert(roster_together(&s[1], &s[2]) && roster_together(&s[3], &s[3]));
    ck_assert(!roster_together(&s[0], &s[1]) && !roster_together(&s[3], &s[4]));
    ck_assert_ptr_eq(roster_find(r, "eve"), &s[4]);
    ck_assert_ptr_null(roster_find(r, "ev"));
    roster_free(r);
}
END_TEST

static const struct {
    const char *a, *b, *both;
} joined[] = {
    {"ada,1\nbob,1\n", "bob,2\ncyd,2\n", "ada1 bob2 cyd2 "},
    {"cyd,1\n", "ada,2\nbob,2\n", "ada2 bob2 cyd1 "},
    {"ada,1\nbob,1\n", "cyd,2\n", "ada1 bob1 cyd2 "},
    {"ada,1\n", "ada,2\n", "ada2 "},
    {"", "ada,2\n", "ada2 "},
    {"ada,1\n", "", "ada1 "},
    {"", "", ""},
};

START_TEST(the_second_rosters_word_counts)
{
    char text[2][100], both[100] = "";
    snprintf(text[0], sizeof text[0], "student,section\n%s", joined[_i].a);
    snprintf(text[1], sizeof text[1], "student,section\n%s", joined[_i].b);
    struct roster *const r = roster_join(good(text[0]), good(text[1]));
    for (int i = 0; i < r->n; i++) {
        strcat(both, r->student[i].key);
        strcat(both, r->student[i].section);
        strcat(both, " ");
    }
    ck_assert_str_eq(both, joined[_i].both);
    roster_free(r);
}
END_TEST

START_TEST(another_encoding_is_found_in_any_column)
{
    static const char *const rows[] = {"bob,\xE9,,", "bob,,\xE9,", "bob,,,\xE9",
                                       "bob,,,"};
    for (int i = 0; i < 4; i++) {
        char text[100];
        snprintf(text, sizeof text, "student,name,section,group\nada\n%s\n",
                 rows[i]);
        struct roster *const r = good(text);
        ck_assert_ptr_eq(roster_not_utf8(r), i < 3 ? &r->student[1] : NULL);
        roster_free(r);
    }
}
END_TEST

/* ---- files --------------------------------------------------------------- */

START_TEST(a_file_is_named_in_what_is_wrong_with_it)
{
    char path[] = "/tmp/commlab-roster-XXXXXX", want[300];
    const int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, "student\nada\n", 12), 12);
    struct roster *r = roster_load(path, "lab1", err, sizeof err);
    ck_assert_msg(r && r->n == 1, "%s", err);
    roster_free(r);
    ck_assert_int_eq(write(fd, "-x\n", 3), 3);
    ck_assert_ptr_null(roster_load(path, "lab1", err, sizeof err));
    snprintf(want, sizeof want, "%s:3: a student is 1 to 64 letters, digits %s",
             path, "and ._@+-");
    ck_assert_str_eq(err, want);
    ck_assert_int_eq(ftruncate(fd, 64 << 20), 0);
    ck_assert_ptr_null(roster_load(path, "lab1", err, sizeof err));
    snprintf(want, sizeof want, "%s: longer than 67108864 bytes", path);
    ck_assert_str_eq(err, want);
    close(fd);
    unlink(path);
    ck_assert_ptr_null(roster_load(path, "lab1", err, sizeof err));
    snprintf(want, sizeof want, "%s: No such file or directory", path);
    ck_assert_str_eq(err, want);
    ck_assert_ptr_null(roster_load("/tmp", "lab1", err, sizeof err));
    ck_assert_str_eq(err, "/tmp: Is a directory");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("roster");
    TCase *const t = tcase_create("roster");
    fds_watch(t);
    SUITE_LOOP(t, a_time_is_a_day_and_may_have_an_hour_and_a_zone, times);
    tcase_add_test(t, a_zone_is_one_of_the_systems);
    SUITE_LOOP(t, a_day_that_has_begun_is_late, lateness);
    SUITE_LOOP(t, a_late_day_is_a_day_of_the_courses_calendar, weekends);
    tcase_add_test(t, minutes_of_grace_move_the_time_of_submission);
    SUITE_LOOP(t, a_labs_own_deadline_counts, deadlines);
    tcase_add_test(t, an_attempts_own_time_counts);
    SUITE_LOOP(t, a_roster_is_taken_or_the_reason_told, rosters);
    tcase_add_test(t, the_ledger_gives_back_what_it_was_given);
    tcase_add_test(t, what_the_ledger_lacks_is_unknown);
    tcase_add_test(t, a_group_hands_in_together);
    SUITE_LOOP(t, the_second_rosters_word_counts, joined);
    tcase_add_test(t, another_encoding_is_found_in_any_column);
    tcase_add_test(t, a_file_is_named_in_what_is_wrong_with_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
