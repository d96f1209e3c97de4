/* Exports of a class made by hand: each format, to the byte. */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <math.h> /* NAN */
#include <sodium.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strlen */
#include <unistd.h> /* access */

#include "fds.h"
#include "grader/base/folder.h"
#include "grader/export/export.h"
#include "grader/export/export_pages.h"
#include "suite.h"

enum { NROWS = 7 };

#define STUDENT(k, called, mail, group_of, number)                             \
    {                                                                          \
        .key = (k), .name = (called), .email = (mail), .section = (group_of),  \
        .id = (number), .sis_id = "1" number, .github = "", .group = ""        \
    }
static struct student students[NROWS] = {
    STUDENT("ada", "Ada", "a@x", "A", "1"),
    STUDENT("bob", "", "b@x", "B", "2"),
    STUDENT("cyd", "C, \"D\"", "", "", "3"),
    STUDENT("dan", "Dan", "", "", "4"),
    STUDENT("eve", "Eve", "", "", "5"),
    STUDENT("fay", "Fay", "", "", "6"),
    STUDENT("gil", "Gil", "", "", "7"),
};

#define TIMES(a, b) .time_us = (a), .reference_us = (b)
static struct grading_case all_pass[] = {
    {"ring", "", "mpirun ring", OUTCOME_PASS, 1, 4, 0, 4, 4, TIMES(12.5, 10)},
    {"tree", "", "mpirun tree", OUTCOME_PASS, 1, 4, 0, 2, 2, TIMES(NAN, NAN)},
    {"odd", "", "mpirun odd", OUTCOME_PASS, 2, 4, 1, 4, 4, TIMES(NAN, NAN)},
};
static struct grading_case mixed[] = {
    {"ring", "takes 2.5 times as long", "mpirun ring", OUTCOME_FAIL, 1, 4, 0,
     1.5, 4, TIMES(12.5, 10)},
    {"tree", "rank 12 did not get to the end of this case", "mpirun tree",
     OUTCOME_FAIL, 1, 4, 0, 0, 2, TIMES(NAN, NAN), .unfinished = 1},
    {"odd", "not implemented: part 2", "mpirun odd", OUTCOME_FAIL, 2, 4, 1, 0,
     4, TIMES(NAN, NAN)},
};
static struct attempt counts[2] = {{.number = 1, .submitted = 86400},
                                   {.number = 2, .submitted = 86401}};

static struct row rows[NROWS] = {
    {.student = &students[0],
     .attempt = 1,
     .counts = &counts[0],
     .has_score = 1,
     .final = 10,
     .g = {.outcome = OUTCOME_PASS,
           .message = "",
           .notes = "",
           .score = 10,
           .max_score = 10,
           .cases = all_pass,
           .ncases = 3}},
    {.student = &students[1],
     .attempt = 2,
     .counts = &counts[1],
     .has_score = 1,
     .days_late = 1,
     .final = 1.35,
     .g = {.outcome = OUTCOME_FAIL,
           .message = "so\nso",
           .notes = "of 2 files",
           .score = 1.5,
           .max_score = 10,
           .cases = mixed,
           .ncases = 3}},
    {.student = &students[2],
     .attempt = 1,
     .counts = &counts[0],
     .g = {.outcome = OUTCOME_INFRA, .message = "disk 3 is full", .notes = ""}},
    {.student = &students[3],
     .attempt = 1,
     .counts = &counts[0],
     .g = {.outcome = OUTCOME_SUSPECTED, .message = "odd", .notes = "see it"}},
    {.student = &students[4], .g = {.message = "", .notes = ""}},
    {.student = &students[5], .excused = 1, .g = {.message = "", .notes = ""}},
    {.student = &students[6],
     .given = 1,
     .given_score = 7.5,
     .has_score = 1,
     .days_late = 2,
     .final = 7.5,
     .g = {.message = "", .notes = ""}},
};

static char dir[64], out[80];
static struct export class = {.lab = "lab1-x",
                              .title = "Rings",
                              .assignment = "77",
                              .out = out,
                              .row = rows,
                              .nrows = NROWS,
                              .max_score = 10};

static void setup(void)
{
    strcpy(dir, "/tmp/commlab-rows-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(out, sizeof out, "%s/out", dir);
    rows[1].notes = json_pack("[s]", "a day more");
    roster_timezone("UTC");
}

static void teardown(void)
{
    json_decref(rows[1].notes);
    folder_remove(dir);
}

/* What was written: to DIR/out, or a file in it. */
static char *written(const char *name)
{
    static char text[1 << 16];
    char path[256];
    snprintf(path, sizeof path, "%s%s", out, name);
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* ---- tables -------------------------------------------------------------- */

static const struct {
    int (*export)(const struct export *e);
    const char *text;
} tables[] = {
    {export_csv,
     "student,name,email,section,attempt,outcome,score,max_score,submitted,"
     "days_late,final,feedback,\"ring\",\"tree\",\"odd\"\n"
     "\"ada\",\"Ada\",\"a@x\",\"A\",1,pass,10.00,10.00,1970-01-02T00:00:00+"
     "0000,0,10.00,\"3 of 3 cases pass\",4.00,2.00,4.00\n"
     "\"bob\",\"\",\"b@x\",\"B\",2,partial,1.50,10.00,1970-01-02T00:00:01+0000,"
     "1,"
     "1.35,\"0 of 3 cases pass; so so; of 2 files; 1 day late; a day "
     "more\",1.50,0.00,0.00\n"
     "\"cyd\",\"C, "
     "\"\"D\"\"\",\"\",\"\",1,infra,,,1970-01-02T00:00:00+0000,0,,\"not graded "
     "yet\",,,\n"
     "\"dan\",\"Dan\",\"\",\"\",1,suspected,,,1970-01-02T00:00:00+0000,0,,\"a "
     "person will look at it; see it\",,,\n"
     "\"eve\",\"Eve\",\"\",\"\",0,missing,,,,0,,\"nothing handed in\",,,\n"
     "\"fay\",\"Fay\",\"\",\"\",0,excused,,,,0,,\"excused\",,,\n"
     "\"gil\",\"Gil\",\"\",\"\",0,given,7.50,,,2,7.50,\"points without a "
     "submission; 2 days late\",,,\n"},
    {export_canvas,
     "Student,ID,SIS User ID,SIS Login ID,Section,\"Rings (77)\"\n"
     "Points Possible,,,,,10.00\n"
     "\"Ada\",\"1\",\"11\",\"ada\",\"A\",10.00\n"
     "\"bob\",\"2\",\"12\",\"bob\",\"B\",1.35\n"
     "\"C, \"\"D\"\"\",\"3\",\"13\",\"cyd\",\"\",\n"
     "\"Dan\",\"4\",\"14\",\"dan\",\"\",\n"
     "\"Eve\",\"5\",\"15\",\"eve\",\"\",\n"
     "\"Fay\",\"6\",\"16\",\"fay\",\"\",EX\n"
     "\"Gil\",\"7\",\"17\",\"gil\",\"\",7.50\n"},
    {export_moodle,
     "Email address,ID number,Username,\"Rings (points)\",\"Rings feedback\"\n"
     "\"a@x\",\"11\",\"ada\",10.00,\"3 of 3 cases pass\"\n"
     "\"b@x\",\"12\",\"bob\",1.35,\"0 of 3 cases pass; so so; of 2 files; 1 "
     "day "
     "late; a day more\"\n"
     "\"\",\"13\",\"cyd\",-,\"not graded yet\"\n"
     "\"\",\"14\",\"dan\",-,\"a person will look at it; see it\"\n"
     "\"\",\"15\",\"eve\",-,\"nothing handed in\"\n"
     "\"\",\"16\",\"fay\",-,\"excused\"\n"
     "\"\",\"17\",\"gil\",7.50,\"points without a submission; 2 days late\"\n"},
    {export_junit,
     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
     "<testsuites>\n"
     "  <testsuite name=\"ada\" tests=\"3\" failures=\"0\" errors=\"0\" "
     "skipped=\"0\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "      <property name=\"score\" value=\"10.00\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"ring\" classname=\"ada\" time=\"0.000012500\"/>\n"
     "    <testcase name=\"tree\" classname=\"ada\" time=\"0.000000000\"/>\n"
     "    <testcase name=\"odd\" classname=\"ada\" time=\"0.000000000\"/>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"bob\" tests=\"3\" failures=\"2\" errors=\"1\" "
     "skipped=\"0\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "      <property name=\"score\" value=\"1.35\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"ring\" classname=\"bob\" time=\"0.000012500\">\n"
     "      <failure message=\"takes 2.5 times as long\" type=\"fail\">takes "
     "2.5 times as long</failure>\n"
     "    </testcase>\n"
     "    <testcase name=\"tree\" classname=\"bob\" time=\"0.000000000\">\n"
     "      <error message=\"rank 12 did not get to the end of this case\" "
     "type=\"fail\">rank 12 did not get to the end of this case</error>\n"
     "    </testcase>\n"
     "    <testcase name=\"odd\" classname=\"bob\" time=\"0.000000000\">\n"
     "      <failure message=\"not implemented: part 2\" type=\"fail\">not "
     "implemented: part 2</failure>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"cyd\" tests=\"1\" failures=\"0\" errors=\"1\" "
     "skipped=\"0\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"submission\" classname=\"cyd\" time=\"0\">\n"
     "      <error message=\"disk 3 is full\"/>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"dan\" tests=\"1\" failures=\"1\" errors=\"0\" "
     "skipped=\"0\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"submission\" classname=\"dan\" time=\"0\">\n"
     "      <failure message=\"odd\"/>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"eve\" tests=\"1\" failures=\"0\" errors=\"0\" "
     "skipped=\"1\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"submission\" classname=\"eve\" time=\"0\">\n"
     "      <skipped message=\"nothing handed in\"/>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"fay\" tests=\"1\" failures=\"0\" errors=\"0\" "
     "skipped=\"1\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"submission\" classname=\"fay\" time=\"0\">\n"
     "      <skipped message=\"nothing handed in\"/>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "  <testsuite name=\"gil\" tests=\"1\" failures=\"0\" errors=\"0\" "
     "skipped=\"1\" time=\"0\">\n"
     "    <properties>\n"
     "      <property name=\"lab\" value=\"lab1-x\"/>\n"
     "      <property name=\"score\" value=\"7.50\"/>\n"
     "    </properties>\n"
     "    <testcase name=\"submission\" classname=\"gil\" time=\"0\">\n"
     "      <skipped message=\"nothing handed in\"/>\n"
     "    </testcase>\n"
     "  </testsuite>\n"
     "</testsuites>\n"},
};

START_TEST(a_table_is_what_its_readers_expect)
{
    ck_assert_int_eq(tables[_i].export(&class), 0);
    ck_assert_str_eq(written(""), tables[_i].text);
}
END_TEST

START_TEST(canvas_needs_no_number_of_an_assignment)
{
    struct export e = class;
    e.assignment = NULL;
    e.nrows = 0;
    ck_assert_int_eq(export_canvas(&e), 0);
    ck_assert_str_eq(written(""),
                     "Student,ID,SIS User ID,SIS Login ID,Section,\"Rings\"\n"
                     "Points Possible,,,,,10.00\n");
    ck_assert_int_eq(export_csv(&e), 0);
    ck_assert_str_eq(written(""),
                     "student,name,email,section,attempt,outcome,score,"
                     "max_score,submitted,days_late,final,feedback\n");
}
END_TEST

START_TEST(what_cannot_be_written_is_an_error)
{
    struct export e = class;
    e.out = "/no/folder/out";
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        ck_assert_int_eq(tables[i].export(&e), -1);
    ck_assert_int_eq(export_gradescope(&e), -1);
    ck_assert_int_eq(export_classroom(&e), -1);
    ck_assert_int_eq(export_autolab(&e), -1);
    e.out = "/dev/full";
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        ck_assert_int_eq(tables[i].export(&e), -1);
}
END_TEST

/* ---- a file for each student --------------------------------------------- */

static const char *const scopes[] = {
    "{\"score\":10.0,\"output\":\"3 of 3 cases "
    "pass\",\"output_format\":\"text\",\"test_output_format\":\"text\",\"test_"
    "name_format\":\"text\",\"visibility\":\"visible\",\"stdout_visibility\":"
    "\"hidden\",\"extra_data\":{\"outcome\":\"pass\",\"attempt\":1,\"days_"
    "late\":0},\"tests\":[{\"name\":\"ring\",\"number\":\"1.1\",\"score\":4.0,"
    "\"max_score\":4.0,\"status\":\"passed\",\"output\":\"\",\"output_format\":"
    "\"text\",\"visibility\":\"visible\"},{\"name\":\"tree\",\"number\":\"1."
    "2\",\"score\":2.0,\"max_score\":2.0,\"status\":\"passed\",\"output\":\"\","
    "\"output_format\":\"text\",\"visibility\":\"visible\"},{\"name\":\"hidden "
    "cases\",\"number\":\"2.1\",\"score\":4.0,\"max_score\":4.0,\"status\":"
    "\"passed\",\"output\":\"1 of 1 "
    "pass\",\"output_format\":\"text\",\"visibility\":\"visible\"}]}",
    "{\"score\":1.3500000000000001,\"output\":\"0 of 3 cases pass; so so; of 2 "
    "files; 1 day late; a day "
    "more\",\"output_format\":\"text\",\"test_output_format\":\"text\",\"test_"
    "name_format\":\"text\",\"visibility\":\"visible\",\"stdout_visibility\":"
    "\"hidden\",\"extra_data\":{\"outcome\":\"partial\",\"attempt\":2,\"days_"
    "late\":1},\"tests\":[{\"name\":\"ring\",\"number\":\"1.1\",\"score\":1.5,"
    "\"max_score\":4.0,\"status\":\"failed\",\"output\":\"takes 2.5 times as "
    "long\",\"output_format\":\"text\",\"visibility\":\"visible\"},{\"name\":"
    "\"tree\",\"number\":\"1.2\",\"score\":0.0,\"max_score\":2.0,\"status\":"
    "\"failed\",\"output\":\"rank 12 did not get to the end of this "
    "case\",\"output_format\":\"text\",\"visibility\":\"visible\"},{\"name\":"
    "\"hidden "
    "cases\",\"number\":\"2.1\",\"score\":0.0,\"max_score\":4.0,\"status\":"
    "\"failed\",\"output\":\"0 of 1 "
    "pass\",\"output_format\":\"text\",\"visibility\":\"visible\"}]}",
    "{\"output\":\"not graded "
    "yet\",\"output_format\":\"text\",\"test_output_format\":\"text\",\"test_"
    "name_format\":\"text\",\"visibility\":\"visible\",\"stdout_visibility\":"
    "\"hidden\",\"extra_data\":{\"outcome\":\"infra\",\"attempt\":1,\"days_"
    "late\":0},\"tests\":[]}"};

START_TEST(gradescope_shows_visible_cases_and_the_sum_of_the_hidden)
{
    ck_assert_int_eq(export_gradescope(&class), 0);
    for (int i = 0; i < 3; i++) {
        char name[64];
        json_error_t why;
        snprintf(name, sizeof name, "/%s/results.json", students[i].key);
        json_t *const j = json_loads(written(name), 0, &why);
        char *const text = json_dumps(j, JSON_COMPACT);
        ck_assert_str_eq(text, scopes[i]);
        free(text);
        json_decref(j);
    }
}
END_TEST

static const char *const rooms[] = {
    "{\"version\":1,\"status\":\"pass\",\"max_score\":10.0,\"tests\":[{"
    "\"name\":\"ring\",\"status\":\"pass\",\"message\":\"\",\"test_code\":"
    "\"mpirun "
    "ring\",\"filename\":\"\",\"line_no\":0,\"execution_time\":\"0."
    "000012500s\",\"score\":4.0},{\"name\":\"tree\",\"status\":\"pass\","
    "\"message\":\"\",\"test_code\":\"mpirun "
    "tree\",\"filename\":\"\",\"line_no\":0,\"execution_time\":\"0."
    "000000000s\",\"score\":2.0},{\"name\":\"hidden "
    "cases\",\"status\":\"pass\",\"message\":\"1 of 1 "
    "pass\",\"test_code\":\"\",\"filename\":\"\",\"line_no\":0,\"execution_"
    "time\":\"0.000000000s\",\"score\":4.0}]}",
    "{\"version\":1,\"status\":\"fail\",\"max_score\":10.0,\"tests\":[{"
    "\"name\":\"ring\",\"status\":\"fail\",\"message\":\"takes 2.5 times as "
    "long\",\"test_code\":\"mpirun "
    "ring\",\"filename\":\"\",\"line_no\":0,\"execution_time\":\"0."
    "000012500s\",\"score\":1.5},{\"name\":\"tree\",\"status\":\"fail\","
    "\"message\":\"rank 12 did not get to the end of this "
    "case\",\"test_code\":\"mpirun "
    "tree\",\"filename\":\"\",\"line_no\":0,\"execution_time\":\"0."
    "000000000s\",\"score\":0.0},{\"name\":\"hidden "
    "cases\",\"status\":\"fail\",\"message\":\"0 of 1 "
    "pass\",\"test_code\":\"\",\"filename\":\"\",\"line_no\":0,\"execution_"
    "time\":\"0.000000000s\",\"score\":0.0},{\"name\":\"late days and changes "
    "by staff\",\"status\":\"pass\",\"message\":\"0 of 3 cases pass; so so; of "
    "2 files; 1 day late; a day "
    "more\",\"test_code\":\"\",\"filename\":\"\",\"line_no\":0,\"execution_"
    "time\":\"0.000000000s\",\"score\":-0.14999999999999999}]}",
    "{\"version\":1,\"status\":\"error\",\"max_score\":10.0,\"tests\":[]}"};

START_TEST(classrooms_tests_add_up_to_the_score)
{
    ck_assert_int_eq(export_classroom(&class), 0);
    for (int i = 0; i < 3; i++) {
        char name[64], text[4096];
        size_t n;
        snprintf(name, sizeof name, "/%s.txt", students[i].key);
        const char *const line = written(name);
        ck_assert(strncmp(line, "result=", 7) == 0);
        ck_assert_int_eq(sodium_base642bin((unsigned char *)text,
                                           sizeof text - 1, line + 7,
                                           strlen(line + 7), "\n", &n, NULL,
                                           sodium_base64_VARIANT_ORIGINAL),
                         0);
        text[n] = 0;
        ck_assert_str_eq(text, rooms[i]);
    }
}
END_TEST

START_TEST(autolab_has_no_line_for_those_without_a_score)
{
    ck_assert_int_eq(export_autolab(&class), 0);
    ck_assert_str_eq(
        written("/ada.txt"),
        "3 of 3 cases pass\n"
        "{\"scores\":{\"lab1-x\":10.00},\"scoreboard\":[10.00]}\n");
    ck_assert_str_eq(written("/gil.txt"),
                     "points without a submission; 2 days late\n"
                     "{\"scores\":{\"lab1-x\":7.50},\"scoreboard\":[7.50]}\n");
    char path[256];
    snprintf(path, sizeof path, "%s/eve.txt", out);
    ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* ---- pages --------------------------------------------------------------- */

START_TEST(the_class_cases_are_counted)
{
    json_t *const j = json_pack("[o,o]", export_class_cases(&class),
                                export_class_reasons(&class));
    char *const text = json_dumps(j, JSON_COMPACT);
    ck_assert_str_eq(
        text,
        "[[{\"name\":\"ring\",\"hidden\":false,\"max\":4.0,\"count\":[1,1,0,0]}"
        ","
        "{\"name\":\"tree\",\"hidden\":false,\"max\":2.0,\"count\":[1,0,1,0]},"
        "{\"name\":\"odd\",\"hidden\":true,\"max\":4.0,\"count\":[1,0,0,1]}],"
        "[{\"text\":\"disk N is full\",\"students\":1,\"cases\":1},"
        "{\"text\":\"not implemented: part N\",\"students\":1,\"cases\":1},"
        "{\"text\":\"odd\",\"students\":1,\"cases\":1},"
        "{\"text\":\"rank N did not get to the end of this "
        "case\",\"students\":1,\"cases\":1}]]");
    free(text);
    json_decref(j);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("rows");
    TCase *const t = tcase_create("rows");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_table_is_what_its_readers_expect, 0,
                        sizeof tables / sizeof *tables);
    tcase_add_test(t, canvas_needs_no_number_of_an_assignment);
    tcase_add_test(t, what_cannot_be_written_is_an_error);
    tcase_add_test(t, gradescope_shows_visible_cases_and_the_sum_of_the_hidden);
    tcase_add_test(t, classrooms_tests_add_up_to_the_score);
    tcase_add_test(t, autolab_has_no_line_for_those_without_a_score);
    tcase_add_test(t, the_class_cases_are_counted);
    suite_add_tcase(s, t);
    return suite_run(s);
}
