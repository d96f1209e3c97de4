/*
 * Whose each file of a download is, system by system. The roster has two
 * students of one name, and two more who hand in together. What comes of each
 * folder is a part of tests/grader/golden.txt.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"
#include "fds.h"
#include "golden.h"
#include "grader/intake/download.h"
#include "heap.h"
#include "suite.h"

static const char roster_text[] = "student,name,email,id,sis_id,github,group\n"
                                  "ada,Ada Lovelace,ada@x.org,101,a7,adal,\n"
                                  "bob,Bob Bee,bob@x.org,12,b8,bob-99,\n"
                                  "cyd,Cyd Cee,,13,c9,cee,\n"
                                  "eli,Eve Ess,,14,,,\n"
                                  "eve,Eve Ess,,15,,,\n"
                                  "gil,Gil Guy,,16,,,g\n"
                                  "guy,Gil Guy,,17,,,g\n";

static char dir[CHILD_FOLDER], err[CHILD_FOLDER + 256];
static struct roster *roster;

static void setup(void)
{
    child_folder(dir, "listed");
    roster =
        roster_parse(roster_text, strlen(roster_text), "lab1", err, sizeof err);
    ck_assert_msg(roster != NULL, "%s", err);
}

static void teardown(void)
{
    roster_free(roster);
    child_remove(dir);
}

/* ---- folders ------------------------------------------------------------- */

#define AUTO       DOWNLOAD_AUTO, NULL
#define CANVAS     DOWNLOAD_CANVAS, NULL
#define MOODLE     DOWNLOAD_MOODLE, NULL
#define GRADESCOPE DOWNLOAD_GRADESCOPE, NULL
#define CLASSROOM  DOWNLOAD_CLASSROOM, NULL
#define BY(form)   DOWNLOAD_PATTERN, form
/* Gradescope's list, of submissions s1 ..., as the shell's printf takes it. */
#define LIST(text) "printf '" text "' > submission_metadata.yml; touch s1 s2 s3"
#define WHO(fields)                                                            \
    "s1:\\n  :submitters:\\n  - " fields "\\n  :created_at: 2026-03-01\\n"
#define AT(time) "s1:\\n  :created_at: " time "\\n"
#define FILE_OF  "_1_assignsubmission_file_"

static const struct {
    const char *name;
    enum download_format format;
    const char *pattern, *make; /* the folder, by the shell */
} folders[] = {
    {"canvas", CANVAS,
     "touch loveada_101_9_a.c loveada_LATE_101_9_b.c beebob_7_9_c.c "
     "beebob_LATE_7_9_d.c no_LATE_7_9_e.c no_101_f.c"},
    {"canvas, by number before name", CANVAS, "touch beebob_101_9_a.c"},
    {"moodle", MOODLE,
     "touch 'Ada Lovelace_1_assignsubmission_file_a.c' "
     "'Bob Bee_1_assignsubmission_file' cyd_1_assignsubmission_file_x "
     "b8_1_assignsubmission_file; mkdir 'Cyd Cee" FILE_OF "'"},
    {"classroom", CLASSROOM, "mkdir lab-adal lab-1-bob cee adal-x ada bob-99x"},
    {"a pattern", BY("{student}@{attempt}.{file}"),
     "touch ada@3.zip bob@1.c ada@2.tar.gz nobody@1.c ada"},
    {"people of one name", BY("{name}"),
     "touch 'Eve Ess' 'Gil Guy' 'Ada Lovelace'"},
    {"what is no submission", BY("{student}*"),
     "touch ada .ada index.html INDEX.html submission_metadata.yml "
     "ada_assignsubmission_onlinetext index.htm; mkdir __MACOSX __macosx"},
    {"nothing", AUTO, ":"},
    {"no system's", AUTO, "touch x y"},
    {"moodle's names, found", AUTO, "mkdir 'Bob Bee" FILE_OF "' x"},
    {"canvas' names, found", AUTO, "touch loveada_101_9_a.c x_12_1_b.c cee"},
    {"classroom's names, found", AUTO, "touch l-adal l-cee beebob_12_9_a.c"},
    {"three folders deep", AUTO, "mkdir -p a/b/c; touch a/b/c/l-cee a/b/c/x"},
    {"four folders deep", AUTO, "mkdir -p a/b/c/d; touch a/b/c/d/l-cee"},
    {"one student's folder, of moodle", AUTO,
     "mkdir -p 'Bob Bee" FILE_OF "/x'"},
    {"one student's folder, of classroom", AUTO, "mkdir -p l-cee/x"},
    {"one file", AUTO, "touch x"},
    {"a link to a folder", AUTO, "mkdir .x; touch .x/l-cee; ln -s .x x"},
    {"one student's folder, by a pattern", BY("{student}"), "mkdir -p ada/bob"},
    {"one other folder, by a pattern", BY("{student}"), "mkdir -p x/bob"},
    // Gradescope
    {"gradescope", GRADESCOPE,
     LIST("s1:\\n  :submitters:\\n  - :email: x@x.org\\n  - :email: "
          "BOB@x.org\\n  - :email: ada@x.org\\n  :created_at: 2026-03-01 "
          "10:30:00.17 -08:00\\ns3:\\n  submitters: [{sid: cyd}]\\n  "
          "created_at: 2026-03-01\\ns9:\\n  x: 1\\n")},
    {"gradescope, found in a folder", AUTO,
     "mkdir x; cd x; " LIST("{s1: {submitters: [{sid: 101}]}}")},
    {"gradescope's only folder", GRADESCOPE,
     "mkdir x; cd x; " LIST("{s2: {submitters: [{sid: 101}]}}")},
    {"gradescope, found", AUTO, LIST("{s2: {submitters: [{sid: a7}]}}")},
    {"an address before a number", GRADESCOPE,
     LIST(WHO("{name: Cyd Cee, sid: 12, email: ada@x.org}"))},
    {"a number before a name", GRADESCOPE,
     LIST(WHO("{name: Cyd Cee, sid: 12, email: x@x.org}"))},
    {"a number of the other system", GRADESCOPE,
     LIST(WHO("{name: Cyd Cee, sid: b8, email: \"\"}"))},
    {"a login", GRADESCOPE, LIST(WHO("{name: Cyd Cee, sid: BOB}"))},
    {"a name", GRADESCOPE, LIST(WHO("{name: \"Cee, Cyd\", sid: \"\"}"))},
    {"no name", GRADESCOPE,
     LIST(WHO("{name: \"\", sid: \"\", email: "
              "\"\"}"))},
    {"no person", GRADESCOPE, LIST(WHO("ada"))},
    {"no list of people", GRADESCOPE, LIST("s1: {submitters: {sid: ada}}")},
    {"a list of lists", GRADESCOPE, LIST("- s1\\n- s2\\n")},
    {"an entry that is none", GRADESCOPE, LIST("s1: ada\\n[s2]: ada\\n")},
    {"an empty list", GRADESCOPE, LIST("")},
    {"a time with a fraction and a zone", GRADESCOPE,
     LIST(AT("2026-03-01 10:30:00.173530000 +01:00"))},
    {"a time with a fraction at its end", GRADESCOPE,
     LIST(AT("2026-03-01 10:30:00.17"))},
    {"a time without a fraction", GRADESCOPE,
     LIST(AT("2026-03-01 10:30:01 -00:30"))},
    {"a time that is none", GRADESCOPE, LIST(AT("soon"))},
    {"a time that is too long", GRADESCOPE,
     LIST(AT("2026-03-01 10:30:00                                      "
             "                         x"))},
};

/* What the list says: a line for each item, in its order. */
static char *text_of(const struct download *d)
{
    char *text = NULL;
    size_t n;
    FILE *const f = open_memstream(&text, &n);
    fprintf(f, "taken for %s\n", download_format_name[d->format]);
    for (int i = 0; i < d->n; i++) {
        const struct item *const it = &d->item[i];
        ck_assert(strncmp(it->path, dir, strlen(dir)) == 0);
        fprintf(f, "%s: %s@%d", it->path + strlen(dir) + 1,
                it->student ? it->student->key : "nobody", it->attempt);
        fprintf(f, "%s%s", it->file ? ", file " : "", it->file ? it->file : "");
        fprintf(f, "%s%s", it->late ? ", late" : "",
                it->ambiguous ? ", ambiguous" : "");
        if (it->submitted != ROSTER_NEVER)
            fprintf(f, ", at %ld", (long)it->submitted);
        const char *const last = strrchr(it->path, '/') + 1;
        ck_assert_str_eq(it->name, last);
        fputc('\n', f);
    }
    fclose(f);
    return text;
}

static void make(const char *lines)
{
    struct child c = child_run(20, "cd %s && %s", dir, lines);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

START_TEST(each_file_has_its_student)
{
    make(folders[_i].make);
    struct download *const d = download_list(
        dir, roster, folders[_i].format, folders[_i].pattern, err, sizeof err);
    ck_assert_msg(d != NULL, "%s", err);
    char *const text = text_of(d);
    golden_expect_part("tests/grader/golden.txt#listed", folders[_i].name,
                       text);
    free(text);
    download_free(d);
}
END_TEST

/* ---- what cannot be listed ----------------------------------------------- */

static const struct {
    enum download_format format;
    const char *pattern, *make, *says; /* behind the folder */
} refused[] = {
    {GRADESCOPE, "touch s1",
     "/submission_metadata.yml: No such file or directory: Gradescope's "
     "\"export submissions\" has it"},
    {GRADESCOPE, LIST("s1: [\\n"),
     "/submission_metadata.yml:2: did not find expected node content"},
    {AUTO, LIST("\\ns1: \"\\n"),
     "/submission_metadata.yml:3: found unexpected end of stream"},
    {AUTO, "rmdir $PWD", ": No such file or directory"},
};

START_TEST(what_cannot_be_listed_is_told)
{
    make(refused[_i].make);
    ck_assert_ptr_null(download_list(dir, roster, refused[_i].format,
                                     refused[_i].pattern, err, sizeof err));
    ck_assert_str_eq(err + strlen(dir), refused[_i].says);
}
END_TEST

START_TEST(nothing_can_be_freed)
{
    download_free(NULL);
}
END_TEST

int main(void)
{
    int64_t when;
    roster_timezone("UTC"); // what this keeps is no test's
    roster_time("2026-03-01", &when);
    Suite *const s = suite_create("listed");
    TCase *const t = tcase_create("listed");
    heap_watch(t);
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, each_file_has_its_student, folders);
    SUITE_LOOP(t, what_cannot_be_listed_is_told, refused);
    tcase_add_test(t, nothing_can_be_freed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
