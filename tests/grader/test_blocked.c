/*
 * Exports of several files, one of which cannot be written: that is an error
 * which names it, and ends the export. The class has ada, with two attempts and
 * a picture and a view of the second one, and bob, without the latter.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>  /* open */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* setenv */
#include <string.h> /* strcmp */
#include <unistd.h> /* dup */

#include "child.h"
#include "fds.h"
#include "grader/export/export.h"
#include "suite.h"

static char dir[CHILD_FOLDER], out[CHILD_FOLDER + 16], err[512];
static struct student students[] = {
    {.key = "ada", .name = "", .section = "", .email = "", .sis_id = ""},
    {.key = "bob", .name = "", .section = "", .email = "", .sis_id = ""}};
static struct attempt attempts[] = {{.number = 1, .has_score = 1},
                                    {.number = 2, .has_score = 1}};
static struct row rows[2];
static struct export class = {.lab = "lab1-collectives",
                              .title = "Title",
                              .out = out,
                              .row = rows,
                              .nrows = 2,
                              .max_score = 10};

static void make_rows(const char *digest)
{
    const struct grading g = {.outcome = OUTCOME_FAIL,
                              .message = "",
                              .notes = "",
                              .prediction = "none",
                              .predicted_when = "",
                              .in_words = "",
                              .worklog = "",
                              .timeline = "<svg/>",
                              .view = "{}"};
    for (int i = 0; i < 2; i++) {
        attempts[i].g = g;
        snprintf(attempts[i].digest, LEDGER_DIGEST, "%s", digest);
        rows[i] = (struct row){.student = &students[i],
                               .attempt = 2,
                               .counts = &attempts[1],
                               .before = i ? NULL : &attempts[0],
                               .has_score = 1,
                               .g = g};
        rows[i].g.view = i ? "" : g.view;
        snprintf(rows[i].digest, LEDGER_DIGEST, "%s", digest);
    }
}

/* Both handed in the same p2p.c and answers.txt. */
static void setup(void)
{
    char ledger[CHILD_FOLDER + 16], archive[CHILD_FOLDER + 16], bytes[1 << 15],
        digest[LEDGER_DIGEST];
    child_folder(dir, "blocked");
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(ledger, sizeof ledger, "%s/L.db", dir);
    snprintf(archive, sizeof archive, "%s/s.tar", dir);
    struct child c = child_run(20,
                               "cd %s && mkdir tmp && echo 1 > p2p.c && echo 2 "
                               "> answers.txt && tar cf s.tar p2p.c "
                               "answers.txt",
                               dir);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    FILE *const f = fopen(archive, "r");
    ck_assert_ptr_nonnull(f);
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    class.ledger = ledger_open(ledger, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(class.ledger != NULL, "%s", err);
    ck_assert_int_eq(ledger_keep(class.ledger, bytes, n, digest), 0);
    make_rows(digest);
    snprintf(ledger, sizeof ledger, "%s/tmp", dir);
    setenv("TMPDIR", ledger, 1);
}

static void teardown(void)
{
    unsetenv("TMPDIR");
    ledger_close(class.ledger);
    child_remove(dir);
}

/* What an export prints is from now on in DIR/said; or no longer. */
static void catch (int begin)
{
    static int kept[2];
    char path[CHILD_FOLDER + 16];
    fflush(NULL);
    snprintf(path, sizeof path, "%s/said", dir);
    const int f = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int i = 0; i < 2; i++) {
        if (begin)
            kept[i] = dup(i + 1);
        dup2(begin ? f : kept[i], i + 1);
        if (!begin)
            close(kept[i]);
    }
    close(f);
}

/* What a shell's line prints, DIR in it being the folder. */
static void see(const char *line, const char *want)
{
    struct child c =
        child_run(20, "cd %s && { %s; } | sed \"s,$PWD,DIR,g\"", dir, line);
    ck_assert_str_eq(c.out, want);
    child_clear(&c);
}

static int run(int (*export)(const struct export *e))
{
    catch (1);
    const int failed = export(&class);
    catch (0);
    return failed;
}

/* ---- well ---------------------------------------------------------------- */

static const struct {
    int (*export)(const struct export *e);
    const char *files, *said;
} written[] = {
    {export_html,
     "index.html students/ada.diff.html students/ada.html students/ada.svg "
     "students/ada.view.html students/bob.html students/bob.svg\n",
     ""},
    {export_gradescope, "ada/results.json bob/results.json\n", ""},
    {export_classroom, "ada.txt bob.txt\n", ""},
    {export_autolab, "ada.txt bob.txt\n", ""},
    {export_moss,
     "ada/answers.txt ada/p2p.c base/allreduce.c base/alphabeta.c "
     "base/bootstrap.c base/p2p.c bob/answers.txt bob/p2p.c moss.txt\n",
     "moss -l c -d -b base/bootstrap.c -b base/p2p.c -b base/allreduce.c -b "
     "base/alphabeta.c $(cat moss.txt)   # in DIR/out; sends them to "
     "Stanford\n"},
};

START_TEST(each_file_is_there)
{
    ck_assert_int_eq(run(written[_i].export), 0);
    see("cat said", written[_i].said);
    see("cd out; find . -type f | cut -c3- | sort | xargs; cd ..",
        written[_i].files);
    see("ls tmp", "");
}
END_TEST

START_TEST(a_page_leads_to_the_view_if_there_is_one)
{
    ck_assert_int_eq(run(export_html), 0);
    see("cd out/students; grep -l '\"view\":true' *; cd ../..", "ada.html\n");
}
END_TEST

START_TEST(a_difference_is_of_the_two_attempts)
{
    char digest[LEDGER_DIGEST];
    static const char bytes[] = "no archive";
    ck_assert_int_eq(ledger_keep(class.ledger, bytes, sizeof bytes, digest), 0);
    ck_assert_int_eq(run(export_html), 0);
    see("grep -o '\"lines\":.*' out/students/ada.diff.html", "\"lines\":[]}\n");
    snprintf(attempts[0].digest, LEDGER_DIGEST, "%s", digest); // cannot be read
    ck_assert_int_eq(run(export_html), 0);
    see("grep -o '\"lines\":.*' out/students/ada.diff.html",
        "\"lines\":[\"--- a/answers.txt\",\"+++ b/answers.txt\","
        "\"@@ -0,0 +1 @@\",\"+2\",\"--- a/p2p.c\",\"+++ b/p2p.c\","
        "\"@@ -0,0 +1 @@\",\"+1\"]}\n");
}
END_TEST

/* ---- badly --------------------------------------------------------------- */

/* In the way is a folder, or, where the path ends in "!", a full disk. */
static const struct {
    int (*export)(const struct export *e);
    const char *path, *says;
} blocked[] = {
    {export_html, "index.html", "/index.html: Is a directory"},
    {export_html, "index.html!", ": No space left on device"},
    {export_html, "students/ada.html", "/students/ada.html: Is a directory"},
    {export_html, "students/ada.html!", ": No space left on device"},
    {export_html, "students/ada.svg", "/students/ada.svg: Is a directory"},
    {export_html, "students/ada.svg!", ": No space left on device"},
    {export_html, "students/ada.view.html",
     "/students/ada.view.html: Is a directory"},
    {export_html, "students/ada.view.html!", ": No space left on device"},
    {export_html, "students/ada.diff.html",
     "/students/ada.diff.html: Is a directory"},
    {export_html, "students/ada.diff.html!", ": No space left on device"},
    {export_gradescope, "ada/results.json",
     "/ada/results.json: Is a directory"},
    {export_gradescope, "ada/results.json!", ": No space left on device"},
    {export_classroom, "ada.txt", "/ada.txt: Is a directory"},
    {export_classroom, "ada.txt!", ": No space left on device"},
    {export_autolab, "ada.txt", "/ada.txt: Is a directory"},
    {export_autolab, "ada.txt!", ": No space left on device"},
    {export_moss, "moss.txt", "/moss.txt: Is a directory"},
    {export_moss, "moss.txt!", ": No space left on device"},
    {export_moss, "base/p2p.c", "/base/p2p.c: Is a directory"},
    {export_moss, "ada/p2p.c", "/ada/p2p.c: Is a directory"},
    {export_moss, "ada/p2p.c!", ": No space left on device"},
    {export_moss, "ada/answers.txt", "/ada/answers.txt: Is a directory"},
};

START_TEST(what_cannot_be_written_ends_the_export)
{
    char want[128];
    const char *const path = blocked[_i].path;
    const int n = (int)strcspn(path, "!");
    struct child c =
        child_run(20,
                  "mkdir -p %s/%.*s && { [ %d = 0 ] || { rmdir %s/%.*s && "
                  "ln -s /dev/full %s/%.*s; }; }",
                  out, n, path, path[n] != 0, out, n, path, out, n, path);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    ck_assert_int_eq(run(blocked[_i].export), -1);
    snprintf(want, sizeof want, "grade export: DIR/out%s\n", blocked[_i].says);
    see("cat said", want);
    const int is_last = strcmp(path, "moss.txt!") == 0; // it is closed then
    see("find out -name 'bob*'; ls tmp", is_last ? "out/bob\n" : "");
}
END_TEST

START_TEST(moss_needs_a_lab)
{
    struct export e = class;
    e.lab = "lab99";
    catch (1);
    ck_assert_int_eq(export_moss(&e), -1);
    catch (0);
    see("cat said; ls out", "grade export: there is no lab \"lab99\"\n");
}
END_TEST

START_TEST(without_a_folder_for_it_there_is_no_difference)
{
    setenv("TMPDIR", "/no/folder", 1);
    ck_assert_int_eq(run(export_html), -1);
    see("sed 's/diff-[^:]*/diff-X/' said",
        "grade export: /no/folder/commlab-diff-X: No such file or directory\n");
}
END_TEST

/* A path is whole up to the longest that a system knows, and then cut. */
START_TEST(the_longest_path_is_named)
{
    static char folder[PATH_MAX] = "/dev/null/";
    struct export e = class;
    e.out = folder;
    memset(folder + 10, 'x', PATH_MAX - 10 - 7);
    catch (1);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_null(export_file_in(&e, "%s", &"abcdef"[2 - i]));
    catch (0);
    see("sed 's/xxx*/x/' said; awk '{ print length }' said",
        "grade export: /dev/null/x/cdef: Not a directory\n"
        "grade export: /dev/null/x/bcdef: Not a directory\n"
        "grade export: /dev/null/x/abcde: Not a directory\n"
        "4125\n4126\n4126\n");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("blocked");
    TCase *const t = tcase_create("blocked");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, each_file_is_there, written);
    tcase_add_test(t, a_page_leads_to_the_view_if_there_is_one);
    tcase_add_test(t, a_difference_is_of_the_two_attempts);
    SUITE_LOOP(t, what_cannot_be_written_ends_the_export, blocked);
    tcase_add_test(t, moss_needs_a_lab);
    tcase_add_test(t, the_longest_path_is_named);
    tcase_add_test(t, without_a_folder_for_it_there_is_no_difference);
    suite_add_tcase(s, t);
    return suite_run(s);
}
