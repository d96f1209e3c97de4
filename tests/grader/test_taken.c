/*
 * What is taken of a submission, what is said of it, and what is refused.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "child.h"
#include "fds.h"
#include "grader/intake/intake.h"
#include "grader/intake/misnamed.h"
#include "grader/intake/submission.h"
#include "heap.h"
#include "suite.h"

static char dir[CHILD_FOLDER];
static struct plan plan = {.file = {"a.c", "b.c", "answers.txt"}, .nfiles = 3};
static struct place place;
static struct result result;

/* A kit whose lab has a.c and b.c, and a folder to work in. */
static void setup(void)
{
    child_folder(dir, "taken");
    place = (struct place){.lab = "lab1-x", .plan = &plan};
    snprintf(place.kit, sizeof place.kit, "%.4000s/kit", dir);
    snprintf(place.work, sizeof place.work, "%.4000s/desk", dir);
    result = (struct result){.outcome = OUTCOME_PASS};
    struct child c =
        child_run(20,
                  "cd %s && mkdir -p kit/labs/lab1-x desk in && cd "
                  "kit/labs/lab1-x && echo hole a > a.c && echo hole b > b.c",
                  dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void teardown(void)
{
    free(result.worklog);
    child_remove(dir);
}

/* Hand in what these commands make, as NAME in the folder. */
static int take(const char *commands, const char *name)
{
    char path[CHILD_FOLDER + 64];
    struct child c = child_run(20, "cd %s/in && %s", dir, commands);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    snprintf(path, sizeof path, "%s/in/%s", dir, name);
    return intake_take(path, &place, &result);
}

#define NO_UTF16(name)                                                         \
    name                                                                       \
        " is in UTF-16 (save it as UTF-8): the lab's own was taken, with its " \
        "functions not written"

#define RENAME(from, to)                                                       \
    from " was left out: rename it to " to "; " to                             \
         " is missing: the lab's own was taken, with its functions not "       \
         "written"

static const struct {
    const char *commands, *name, *files, *notes;
} taken[] = {
    {"echo 1 > a.c; echo 2 > b.c; echo 3 > answers.txt; echo 4 > d.c", "",
     "a.c: 1\nanswers.txt: 3\nb.c: 2\n", ""},
    {"echo 1 > a.c; echo 2 > b.c", "", "a.c: 1\nb.c: 2\n", ""},
    {"echo 1 > a.c; echo 3 > answers.txt", "",
     "a.c: 1\nanswers.txt: 3\nb.c: hole b\n",
     "b.c is missing: the lab's own was taken, with its functions not "
     "written"},
    {"echo 2 > b.c; echo ' ' > a.c; : > answers.txt", "",
     "a.c: hole a\nb.c: 2\n",
     "a.c is empty: the lab's own was taken, with its functions not written"},
    {"echo 1 > A.C; echo 2 > b.c; tar cf s.tar A.C b.c", "s.tar",
     "a.c: 1\nb.c: 2\n",
     "a.c was taken from a file whose name is in another case"},
    {"echo 3 > answers.txt", "", "a.c: hole a\nanswers.txt: 3\nb.c: hole b\n",
     "a.c is missing: the lab's own was taken, with its functions not "
     "written; b.c is missing: the lab's own was taken, with its functions "
     "not written"},
    {"echo 1 > a.c; echo 2 > b.c.txt; echo 3 > 'answers (1).txt'; echo 4 > "
     "d.c.txt",
     "", "a.c: 1\nb.c: hole b\n",
     "b.c.txt was left out: rename it to b.c; b.c is missing: the lab's own "
     "was taken, with its functions not written; answers (1).txt was left "
     "out: rename it to answers.txt"},
    {"echo 1 > a.c.TXT; echo 2 > b.c; echo 3 > A-1.c; tar cf s.tar *", "s.tar",
     "a.c: hole a\nb.c: 2\n", RENAME("A-1.c", "a.c")},
    {"echo 1 > a.c; echo 2 > b.c; echo 3 > a-1.c; echo 4 > b.c.txt", "",
     "a.c: 1\nb.c: 2\n", ""},
    {"echo 1 > a.c; echo 2 | iconv -f UTF-8 -t UTF-16 > b.c", "",
     "a.c: 1\nb.c: hole b\n", NO_UTF16("b.c")},
    {"echo 1 | iconv -f UTF-8 -t UTF-16BE > a.c; echo 2 | iconv -f UTF-8 -t "
     "UTF-16LE > b.c",
     "", "a.c: hole a\nb.c: hole b\n", NO_UTF16("a.c") "; " NO_UTF16("b.c")},
    {"echo 1 > a.c; printf '22\\0' > b.c", "", "a.c: 1\nb.c: hole b\n",
     "b.c is not a text, since it has a zero byte (save it as plain text, in "
     "UTF-8): the lab's own was taken, with its functions not written"},
    {"echo 1 > a.c; echo 2 > b.c; printf 'x = 1\\n\303\251\360\237\230\200' | "
     "iconv -f UTF-8 -t UTF-16 > answers.txt",
     "", "a.c: 1\nanswers.txt: x = 1\n\303\251\360\237\230\200\nb.c: 2\n",
     "answers.txt was converted from UTF-16: save it as UTF-8"},
    {"echo 1 > a.c; echo 2 > b.c; printf '\\376\\377\\330\\1\\0a\\334\\1' "
     "> answers.txt",
     "", "a.c: 1\nanswers.txt: \357\277\275a\357\277\275\nb.c: 2\n",
     "answers.txt was converted from UTF-16: save it as UTF-8"},
};

START_TEST(the_plans_files_are_taken_and_no_other)
{
    ck_assert_msg(take(taken[_i].commands, taken[_i].name) == 0, "%s",
                  result.message);
    struct child c = child_run(
        20, "cd %s/src && for f in *; do echo \"$f: $(cat $f)\"; done",
        place.work);
    ck_assert_str_eq(c.out, taken[_i].files);
    ck_assert_str_eq(result.notes, taken[_i].notes);
    ck_assert_str_eq(result.message, "");
    ck_assert_int_eq(result.outcome, OUTCOME_PASS);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *commands, *name;
    enum outcome outcome;
    const char *message; /* %s: the folder */
} refused[] = {
    {"ln -s /etc/passwd a.c", "", OUTCOME_FAIL, "a.c is a symbolic link"},
    {"echo 1 > a.c; mkfifo b.c", "", OUTCOME_FAIL, "b.c is not a regular file"},
    {"head -c 1048577 /dev/zero | tr '\\0' x > a.c", "", OUTCOME_FAIL,
     "a.c is larger than 1048576 bytes"},
    {"mkdir x; echo 1 > x/a.c; mkdir y; echo 2 > y/a.c; tar cf s.tar x y",
     "s.tar", OUTCOME_FAIL, "a.c is in the archive twice"},
    {"echo 1 > d.c", "", OUTCOME_FAIL,
     "none of the lab's files is in it (a.c, b.c, answers.txt)"},
    {"echo 1 > a.c.txt; echo 2 > b.c.c; echo 3 > c.c.txt; echo 4 > a.o", "",
     OUTCOME_FAIL,
     "none of the lab's files is in it (a.c, b.c, answers.txt); rename "
     "a.c.txt to a.c, b.c.c to b.c"},
    {"echo 1 > a.c; rm ../kit/labs/lab1-x/b.c", "", OUTCOME_FAIL,
     "b.c is missing"},
    {"head -c 33554433 /dev/zero > s.tar", "s.tar", OUTCOME_FAIL,
     "the archive is larger than 33554432 bytes"},
    {"head -c 33554432 /dev/zero > s.tar", "s.tar", OUTCOME_FAIL,
     "none of the lab's files is in it (a.c, b.c, answers.txt)"},
    {":", "none.tar", OUTCOME_INFRA,
     "cannot read %s/in/none.tar: No such file or directory"},
    {"mkdir ../desk/src", "", OUTCOME_INFRA,
     "cannot make %s/desk/src: File exists"},
};

START_TEST(what_cannot_be_taken_is_named)
{
    char message[CHILD_FOLDER + 128];
    const char *const form = refused[_i].message, *const at =
                                                      strstr(form, "%s");
    ck_assert_int_eq(take(refused[_i].commands, refused[_i].name), -1);
    snprintf(message, sizeof message, "%.*s%s%s",
             at ? (int)(at - form) : (int)strlen(form), form, at ? dir : "",
             at ? at + 2 : "");
    ck_assert_str_eq(result.message, message);
    ck_assert_int_eq(result.outcome, refused[_i].outcome);
    ck_assert_str_eq(result.notes, "");
}
END_TEST

/* The work log is kept with the grade, and isn't among the sources. */
static const struct {
    const char *commands, *name, *worklog, *notes;
} logged[] = {
    {"echo 'asked x about y' > worklog.txt", "", "asked x about y\n", ""},
    {"echo asked > worklog.txt; tar cf s.tar a.c b.c worklog.txt", "s.tar",
     "asked\n", ""},
    {"mkdir x; mv a.c x; echo asked > x/WorkLog.txt", "", "asked\n", ""},
    {"echo ' ' > worklog.txt", "", "", ""},
    {"ln -s /etc/passwd worklog.txt", "", "",
     "worklog.txt is a symbolic link: it isn't kept"},
    {"mkfifo worklog.txt", "", "",
     "worklog.txt is not a regular file: it isn't kept"},
    {"head -c 1048577 /dev/zero > worklog.txt", "", "",
     "worklog.txt is too large: it isn't kept"},
    {"mkdir x y; echo 1 | tee x/worklog.txt > y/worklog.txt; "
     "tar cf s.tar a.c b.c x y",
     "s.tar", "", "worklog.txt is there twice: it isn't kept"},
    {"echo '\303\251' | iconv -f UTF-8 -t UTF-16 > worklog.txt", "",
     "\303\251\n", "worklog.txt was converted from UTF-16: save it as UTF-8"},
    {"printf 'caf\\351' > worklog.txt", "", "caf\351",
     "worklog.txt is not in UTF-8: its accented letters are lost"},
    {"printf 'abc\\0def' > worklog.txt", "", "abc",
     "worklog.txt has a zero byte: what follows it is lost"},
};

START_TEST(a_work_log_is_kept)
{
    char commands[400];
    snprintf(commands, sizeof commands, "echo 1 | tee a.c > b.c; %s",
             logged[_i].commands);
    ck_assert_int_eq(take(commands, logged[_i].name), 0);
    ck_assert_str_eq(result.worklog ? result.worklog : "", logged[_i].worklog);
    ck_assert_str_eq(result.notes, logged[_i].notes);
    struct child c = child_run(20, "ls %s/src", place.work);
    ck_assert_str_eq(c.out, "a.c\nb.c\n");
    child_clear(&c);
}
END_TEST

START_TEST(the_first_part_of_a_long_work_log_is_kept)
{
    ck_assert_int_eq(take("echo 1 | tee a.c > b.c; head -c 8193 /dev/zero | "
                          "tr '\\0' x > worklog.txt",
                          ""),
                     0);
    ck_assert_uint_eq(strlen(result.worklog), SUBMISSION_MAX_WORKLOG);
    ck_assert_str_eq(result.notes,
                     "worklog.txt has 8193 bytes: the first 8192 are kept");
}
END_TEST

/* Names of one file, of files whose names begin alike, and of none. */
static const struct {
    const char *name, *is; /* "": none */
} misnamed[] = {
    {"halo.c.txt", "halo.c"},
    {"HALO.C.TXT", "halo.c"},
    {"halo.txt", "halo.cu"},
    {"halo.cu.txt", "halo.cu"},
    {"halo-1.cu", "halo.cu"},
    {"halo - Copy.c", "halo.c"},
    {"halo_device (2).cu", "halo_device.cu"},
    {"halo_device.txt", "halo_device.cu"},
    {"answers.txt.txt", "answers.txt"},
    {"halo.c", ""},
    {"HALO.C", ""},
    {"halo", ""},
    {"halo.o", ""},
    {"halo2.c", ""},
    {"hal.c", ""},
    {"xhalo.c", ""},
    {"halo-\t.c", ""},
    {"halo-\303\251.c", ""},
};

START_TEST(a_misnamed_file_is_found_by_its_name)
{
    static const char *const wanted[] = {"halo.cu", "halo.c", "halo_device.cu",
                                         "answers.txt"};
    const int i = misnamed_find(misnamed[_i].name, wanted, 4);
    ck_assert_str_eq(i < 0 ? "" : wanted[i], misnamed[_i].is);
}
END_TEST

START_TEST(a_misnamed_work_log_is_told)
{
    ck_assert_int_eq(take("echo 1 | tee a.c > b.c; echo asked > worklog-1.txt; "
                          "tar cf s.tar *",
                          "s.tar"),
                     0);
    ck_assert_ptr_null(result.worklog);
    ck_assert_str_eq(result.notes,
                     "worklog-1.txt was left out: rename it to worklog.txt");
}
END_TEST

START_TEST(the_largest_file_is_taken)
{
    ck_assert_int_eq(
        take("head -c 1048576 /dev/zero | tr '\\0' x > a.c; echo 2 > b.c", ""),
        0);
    struct child c = child_run(20, "wc -c < %s/src/a.c", place.work);
    ck_assert_str_eq(c.out, "1048576\n");
    child_clear(&c);
}
END_TEST

#define NOT_OPENED                                                             \
    "more.rar: it is neither a folder nor an archive (tar, tar.gz, zip)"

/* An archive in the archive that is not opened may be why files are missing. */
START_TEST(an_archive_that_was_not_opened_is_told)
{
    static const char commands[] =
        "echo 1 > a.c; head -c 100 /dev/zero > more.rar; tar cf s.tar %s";
    char line[sizeof commands + 32];
    snprintf(line, sizeof line, commands, "a.c more.rar");
    ck_assert_int_eq(take(line, "s.tar"), 0);
    ck_assert_str_eq(result.notes,
                     NOT_OPENED "; b.c is missing: the lab's own was taken, "
                                "with its functions not written");
    teardown();
    setup();
    snprintf(line, sizeof line, commands, "more.rar");
    ck_assert_int_eq(take(line, "s.tar"), -1);
    ck_assert_str_eq(result.message,
                     "none of the lab's files is in it (a.c, b.c, "
                     "answers.txt); " NOT_OPENED);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("taken");
    TCase *const t = tcase_create("taken");
    heap_watch(t);
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_plans_files_are_taken_and_no_other, 0,
                        sizeof taken / sizeof *taken);
    tcase_add_loop_test(t, a_work_log_is_kept, 0,
                        (int)(sizeof logged / sizeof *logged));
    tcase_add_test(t, the_first_part_of_a_long_work_log_is_kept);
    tcase_add_loop_test(t, what_cannot_be_taken_is_named, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_loop_test(t, a_misnamed_file_is_found_by_its_name, 0,
                        sizeof misnamed / sizeof *misnamed);
    tcase_add_test(t, a_misnamed_work_log_is_told);
    tcase_add_test(t, the_largest_file_is_taken);
    tcase_add_test(t, an_archive_that_was_not_opened_is_told);
    suite_add_tcase(s, t);
    return suite_run(s);
}
