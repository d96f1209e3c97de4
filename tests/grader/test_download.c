/*
 * What learning systems let a course download, sorted by grade intake; and when
 * it was handed in.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"
#include "fds.h"
#include "grader/intake/match.h"
#include "grader/intake/submission.h"
#include "suite.h"

static char dir[CHILD_FOLDER], err[512];

static void make_folder(void)
{
    child_folder(dir, "download");
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* A shell's lines in the folder, with $src, $grade and $lab. */
static struct child sh(int status, const char *lines)
{
    struct child c = child_run(
        60,
        "cd %s && src=%s/../solutions/lab1-collectives && "
        "grade=%s/tests/grader/grade && "
        "lab='bootstrap.c p2p.c allreduce.c alphabeta.c answers.txt' && {\n"
        "%s\n}",
        dir, child_build(), child_build(), lines);
    ck_assert_msg(c.status == status, "%s\n%d: %s%s", lines, c.status, c.out,
                  c.err);
    return c;
}

#define ROSTER                                                                 \
    "printf 'student,name,email,id,sis_id,github\n"                            \
    "ada,Ada Lovelace,ada@x.org,101,a7,adal\n"                                 \
    "bob,\"Jos\303\251 van Bob, Jr.\",bob@x.org,12,b8,bob-99\n"                \
    "cyd,Cyd Cee,cyd@x.org,13,c9,cee\n' > r.csv\n"
#define INTAKE "$grade intake --roster r.csv --lab lab1 -o out "

/* ---- patterns ------------------------------------------------------------ */

static const struct {
    const char *pattern, *name, *file; /* file NULL: it does not fit */
} names[] = {
    {"{student}_{file}", "ada_x.c", "x.c"},
    {"{student}_{file}", "ADA_x.c", "x.c"},
    {"{student}_{file}", "adam_x.c", NULL},
    {"{any}_{id}_{any}_{file}", "lovelaceada_101_7_x.c", "x.c"},
    {"{any}_{id}_{any}_{file}", "someone_7_101_x.c", NULL},
    {"{name} ({any})-{file}", "Lovelace, Ada (B)-x", "x"},
    {"{name}_{file}", "lovelaceada_x", "x"},
    {"{name}_{file}", "adalove_x", NULL},
    {"*-{student}@{attempt}.{file}", "lab-1-ada@3.zip", "zip"},
};

START_TEST(a_pattern_tells_whose_a_file_is)
{
    const struct student ada = {.key = "ada",
                                .name = "Ada Lovelace",
                                .email = "",
                                .id = "101",
                                .sis_id = "",
                                .github = "",
                                .group = ""};
    struct match m;
    const int found = match_name(names[_i].pattern, names[_i].name, &ada, &m);
    ck_assert_int_eq(found, names[_i].file != NULL);
    if (found)
        ck_assert_str_eq(m.file, names[_i].file);
    ck_assert(strstr(names[_i].pattern, "attempt") == NULL || m.attempt == 3);
}
END_TEST

/* Rosters have e-acute and the like as one code point, macOS writes two. */
static const struct {
    const char *roster, *pattern, *file, *rest; /* rest NULL: it does not fit */
} forms[] = {
    {"Jos\303\251 Pe\303\261a", "{name}_{file}",
     "Jose\314\201 Pen\314\203a_a.c", "a.c"},
    {"Jose\314\201 Pen\314\203a", "{name}_{file}",
     "Jos\303\251 Pe\303\261a_a.c", "a.c"},
    {"JOS\303\211", "{name}_{file}", "jos\303\251_a.c", "a.c"},
    {"Jos\303\251", "{name}_{file}", "Jose_a.c", NULL},
    {"Vi\341\273\207t", "{name}_{file}", "Vie\314\243\314\202t_a.c", "a.c"},
    {"\355\225\234", "{name}_{file}",
     "\341\204\222\341\205\241\341\206\253_a.c", "a.c"},
    {"Ada", "\303\234bung-{name}-{file}", "U\314\210bung-Ada-\303\251.c",
     "\303\251.c"},
    {"Jos\351", "{name}_{file}", "Jos\351_a.c", "a.c"}, // no UTF-8
};

START_TEST(names_are_the_same_in_either_form_of_unicode)
{
    const struct student s = {.key = "s",
                              .name = (char *)forms[_i].roster,
                              .email = "",
                              .id = "",
                              .sis_id = "",
                              .github = "",
                              .group = ""};
    struct match m;
    const int found = match_name(forms[_i].pattern, forms[_i].file, &s, &m);
    ck_assert_int_eq(found, forms[_i].rest != NULL);
    if (found)
        ck_assert_str_eq(m.file, forms[_i].rest);
}
END_TEST

START_TEST(a_wrong_placeholder_is_named)
{
    struct child c = sh(2, ROSTER "mkdir d\n" INTAKE "--pattern {login} d");
    ck_assert_msg(strstr(c.err, "a pattern has no {login}") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

/* ---- systems ------------------------------------------------------------- */

#define HAS(c, text)                                                           \
    ck_assert_msg(strstr((c).out, text) != NULL, "no \"%s\" in\n%s", text,     \
                  (c).out)

START_TEST(canvas_is_sorted_by_its_numbers)
{
    struct child c = sh(
        1, ROSTER
        "mkdir d; for f in $lab; do cp $src/$f d/lovelaceada_101_9_$f; done\n"
        "mv d/lovelaceada_101_9_p2p.c d/lovelaceada_101_9_p2p-1.c\n"
        "(cd $src && zip -q - $lab) > d/bobjose_LATE_12_101_lab1.zip\n"
        "cp $src/p2p.c d/bobjose_LATE_12_102_p2p.c\n"
        "cp $src/p2p.c d/stranger_77_5_p2p.c\n"
        "(cd d && zip -qr ../all.zip .)\n" INTAKE "all.zip; s=$?\n"
        "ls out out/ada; exit $s");
    HAS(c, "canvas: 2 of 3 students");
    HAS(c, "nothing was handed in by\n  cyd, Cyd Cee\n");
    HAS(c, "these match no student:\n  stranger_77_5_p2p.c\n");
    HAS(c, "bob: the download marks it late");
    ck_assert(strstr(strstr(c.out, "bob: the download") + 1,
                     "bob: the download") == NULL);
    HAS(c, "out/ada:\nallreduce.c\nalphabeta.c\nanswers.txt\nbootstrap.c\n"
           "p2p.c\n");
    ck_assert(strstr(c.out, "is missing:") == NULL);
    child_clear(&c);
}
END_TEST

START_TEST(moodle_is_sorted_by_names)
{
    struct child c = sh(
        1, ROSTER
        "a='d/Ada Lovelace_4711_assignsubmission_file_'\n"
        "b='d/Jos\303\251 van Bob Jr_4712_assignsubmission_file_'\n"
        "mkdir -p \"$a/deep/er\" \"$b\" "
        "'d/Cyd Cee_3_assignsubmission_onlinetext_'\n"
        "cp $src/*.c $src/answers.txt \"$a/deep/er\"; rm \"$a/deep/er/p2p.c\"\n"
        "(cd $src && tar c $lab | gzip) > \"$b/x.tar.gz\"\n"
        "(cd \"$b\" && zip -q y.zip x.tar.gz && rm x.tar.gz)\n" INTAKE "d");
    HAS(c, "moodle: 2 of 3 students");
    HAS(c, "ada: p2p.c is missing: its parts will have no points");
    ck_assert(strstr(c.out, "bob: ") == NULL); // an archive in an archive
    ck_assert(strstr(c.out, "onlinetext") == NULL);
    HAS(c, "  cyd, Cyd Cee\n");
    child_clear(&c);
}
END_TEST

START_TEST(gradescope_is_sorted_by_its_list_and_its_times)
{
    struct child c =
        sh(1, ROSTER
           "e=d/assignment_1_export; mkdir -p $e/submission_5 $e/submission_6 "
           "$e/submission_7 $e/submission_8\n"
           "for n in 5 6 7 8; do cp $src/* $e/submission_$n; done\n"
           "mv $e/submission_6/p2p.c $e/submission_6/P2P.C\n"
           "cat > $e/submission_metadata.yml << E\n"
           "---\n"
           "submission_5:\n"
           "  :submitters:\n"
           "  - :name: Someone\n"
           "    :sid: '101'\n"
           "    :email: ADA@x.org\n"
           "  :created_at: 2026-03-01 10:30:00.173530000 -08:00\n"
           "submission_6:\n"
           "  :submitters:\n"
           "  - :name: Cyd Cee\n"
           "    :sid: ''\n"
           "    :email: other@y.org\n"
           "  :created_at: 2026-03-01 10:30:00.5 Z\n"
           "submission_8:\n"
           "  :submitters:\n"
           "  - :name: Nobody\n"
           "    :sid: BOB\n"
           "    :email: another@y.org\n"
           "  :created_at: 2026-03-01 10:30:00.5 Z\n"
           "E\n" INTAKE "d; s=$?; cat out/submitted.csv; exit $s");
    HAS(c, "gradescope: 3 of 3 students");
    HAS(c, "bob,1,2026-03-01T10:30:00+0000\n");
    HAS(c, "ada,1,2026-03-01T18:30:00+0000\n");
    HAS(c, "cyd,1,2026-03-01T10:30:00+0000\n");
    HAS(c, "cyd: p2p.c is there in another case: it is taken");
    HAS(c, "these match no student:\n  submission_7\n");
    child_clear(&c);
}
END_TEST

START_TEST(classroom_is_sorted_by_accounts)
{
    struct child c = sh(
        1, ROSTER "mkdir -p d/lab1-submissions/lab1-adal "
                  "d/lab1-submissions/lab1-bob-99/.git "
                  "d/lab1-submissions/lab1-nobody\n"
                  "for d in d/*/*; do cp $src/* $d; done\n"
                  "ln -s /etc/passwd d/lab1-submissions/lab1-adal/x.c\n" INTAKE
                  "d; s=$?; ls -a out/ada out/bob; exit $s");
    HAS(c, "classroom: 2 of 3 students");
    HAS(c, "these match no student:\n  lab1-nobody\n");
    ck_assert(!strstr(c.out, ".git") && !strstr(c.out, "x.c"));
    child_clear(&c);
}
END_TEST

/* zip's own names are bytes; this marks them as UTF-8, as most programs do. */
static void mark_utf8(const char *name)
{
    char path[CHILD_FOLDER + 32], bytes[1 << 16];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "r+");
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    ck_assert_uint_lt(n, sizeof bytes);
    for (size_t i = 0; i + 10 < n; i++)
        if (memcmp(bytes + i, "PK\3\4", 4) == 0)
            bytes[i + 7] |= 8;
        else if (memcmp(bytes + i, "PK\1\2", 4) == 0)
            bytes[i + 9] |= 8;
    rewind(f);
    fwrite(bytes, 1, n, f);
    fclose(f);
}

/* Whatever the locale of the shell that starts the grader. */
START_TEST(names_of_any_alphabet_are_read)
{
    struct child c =
        sh(0, ROSTER
           "a='d/Ada Lovelace_4711_assignsubmission_file_/L\303\266sung 2'\n"
           "b='d/Jos\303\251 van Bob Jr_4712_assignsubmission_file_'\n"
           "mkdir -p \"$a\" \"$b\"; cp $src/*.c $src/*.txt \"$a\"\n"
           "mkdir '\303\234bung'; cp $src/*.c $src/*.txt '\303\234bung'\n"
           "zip -qrX inner.zip '\303\234bung'; zip -qrX all.zip \"$a\"");
    child_clear(&c);
    mark_utf8("inner.zip");
    c = sh(0, "cp inner.zip d/Jos*/; zip -qrX all.zip d/Jos*");
    child_clear(&c);
    mark_utf8("all.zip");
    c = sh(1, "export LC_ALL=C; " INTAKE "all.zip; s=$?; find out; exit $s");
    HAS(c, "moodle: 2 of 3 students");
    HAS(c, "out/ada/L\303\266sung 2/p2p.c\n");
    HAS(c, "out/bob/inner.zip\n");
    ck_assert_msg(!strstr(c.out, "missing") && !strstr(c.out, "leads out"),
                  "%s", c.out);
    child_clear(&c);
}
END_TEST

/* Saved in the encoding of another system: told, since it matches nothing. */
START_TEST(a_roster_in_another_encoding_is_told)
{
    struct child c = sh(
        1, "printf 'student,name\\nada,J\\374rgen\\n' > r.csv; mkdir "
           "'J\303\274rgen_1_assignsubmission_file_' d; mv J* d\n" INTAKE "d");
    const char *const says = "r.csv: what it says of ada is not in UTF-8";
    ck_assert_msg(strstr(c.err, says) != NULL, "%s%s", c.out, c.err);
    child_clear(&c);
    c = sh(0, "$grade batch --roster r.csv --submissions d --ledger L.db "
              "--lab lab1");
    ck_assert_msg(strstr(c.err, says) != NULL, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* What a TA can ask a student about before anything is graded. */
START_TEST(what_no_grading_will_find_is_said)
{
    struct child c =
        sh(0, ROSTER
           "mkdir -p d/hw_ada d/hw_bob/x; cp $src/*.c $src/*.txt d/hw_ada\n"
           "mv d/hw_ada/p2p.c 'd/hw_ada/p2p (1).c'; : > d/hw_ada/bootstrap.c\n"
           "echo %PDF-1.4 > d/hw_bob/x/Report.pdf\n"
           "printf '7z\\274\\257\\047\\034' > d/hw_bob/all.7z\n"
           "(cd $src && zip -qP secret - $lab) > d/hw_cyd.zip\n" INTAKE
           "--pattern 'hw_{student}*' d");
    HAS(c, "  ada: bootstrap.c is empty: its parts will have no points\n");
    HAS(c, "  ada: p2p.c is missing: its parts will have no points\n");
    HAS(c, "  ada: p2p (1).c will be left out: rename it to p2p.c\n");
    HAS(c, "  bob: all.7z: it is a 7z archive; tar, tar.gz or zip would do\n");
    HAS(c, "  bob: none of the lab's files is in it\n");
    HAS(c, "  bob: other files: all.7z, Report.pdf\n");
    HAS(c, "  cyd: hw_cyd.zip: the archive needs a password\n");
    child_clear(&c);
}
END_TEST

START_TEST(a_pattern_of_an_archives_end_keeps_its_name)
{
    struct child c = sh(
        1, ROSTER "mkdir d; (cd $src && zip -q - $lab) > d/hw_ada.zip\n" INTAKE
                  "--pattern 'hw_{student}.{file}' d; s=$?; ls out/ada; "
                  "exit $s");
    HAS(c, "hw_ada.zip\n");
    ck_assert(strstr(c.out, "is missing:") == NULL);
    child_clear(&c);
}
END_TEST

/* bob's account ends with ada's, and cyd's name in a dot. */
START_TEST(an_account_may_end_with_another)
{
    struct child c =
        sh(0, "printf 'student,name,github\nada,Ada,lee\nbob,Bob,bob-lee\n"
              "cyd,Cyd Cee Jr.,cee\n' > r.csv\n"
              "for s in lee bob-lee cee; do mkdir -p d/lab1-$s; cp $src/* "
              "d/lab1-$s; done\n" INTAKE "d && ls out; rm -r out d\n"
              "for s in Ada Bob 'Cyd Cee Jr.'; do mkdir -p "
              "d/\"${s}_7_assignsubmission_file_\"; cp $src/* "
              "d/\"${s}_7_assignsubmission_file_\"; done\n" INTAKE "d");
    HAS(c, "classroom: 3 of 3 students have handed in\nada\nbob\ncyd\n");
    HAS(c, "moodle: 3 of 3 students have handed in\n");
    child_clear(&c);
}
END_TEST

START_TEST(a_second_download_is_another_attempt)
{
    struct child c =
        sh(0, ROSTER "mkdir d; for s in ada bob cyd; do mkdir d/hw_$s; "
                     "cp $src/* d/hw_$s; done\n" INTAKE
                     "--pattern 'hw_{student}' d && "
                     "! " INTAKE "--pattern 'hw_{student}' d && "
                     "echo >> d/hw_ada/p2p.c; rm -r d/hw_cyd; " INTAKE
                     "--attempt 2 --pattern 'hw_{student}' d && ls out");
    HAS(c, "pattern: 1 of 3 students have handed in attempt 2; what 1 had "
           "handed in before is left out\nada\nada@2\nbob\ncyd\n");
    ck_assert_msg(strstr(c.err, "out/ada is there already") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_download_does_not_leave_its_folder)
{
    struct child c =
        sh(2, ROSTER "mkdir d; cp $src/p2p.c d/ada_101_1_p2p.c\n"
                     "tar -cPf x.tar --transform 's,^d/,d/../../,' d/*\n" INTAKE
                     "x.tar");
    ck_assert(strstr(c.err, "x.tar") != NULL);
    child_clear(&c);
}
END_TEST

/* ---- times --------------------------------------------------------------- */

/* Plan files a.c and b.c; `lines` make the submission s. */
static int64_t time_of(const char *lines)
{
    const struct plan p = {.file = {"a.c", "b.c"}, .nfiles = 2};
    char path[CHILD_FOLDER + 16];
    struct child c = sh(0, lines);
    child_clear(&c);
    snprintf(path, sizeof path, "%s/s", dir);
    return submission_time(path, &p);
}

static const char *const by_newest[] = {
    "mkdir s; touch -d 2026-01-05T00:00Z s/a.c; touch -d 2026-01-09T00:00Z "
    "s/b.c; touch -d 2026-01-20T00:00Z s/other",
    "mkdir -p s/x/y; touch -d 2026-01-09T00:00Z s/x/y/B.c; "
    "touch -d 2026-01-05T00:00Z s/a.c",
    "mkdir -p t/x; touch -d 2026-01-05T00:00Z t/x/a.c; touch -d "
    "2026-01-09T00:00Z t/x/b.c; (cd t && TZ=UTC zip -qr ../s.zip .); mv s.zip "
    "s",
    "mkdir t; touch -d 2026-01-09T00:00Z t/a.c; tar -cf in.tar t; mkdir s; "
    "gzip -c in.tar > s/in.tar.gz",
    "mkdir s; touch -d 2026-01-09T00:00Z s/notes",
};

START_TEST(the_newest_file_inside_counts_at_any_depth)
{
    setenv("TZ", "UTC", 1); // zip has no zone of its own
    int64_t want;
    ck_assert_int_eq(roster_time("2026-01-09T00:00Z", &want), 0);
    const int64_t got = time_of(by_newest[_i]);
    ck_assert_msg(got == want, "%s: %ld s away", by_newest[_i],
                  (long)(got - want));
}
END_TEST

static const struct {
    const char *zone, *text, *utc;
} zones[] = {
    {"Europe/Berlin", "2026-03-01T12:00", "2026-03-01T11:00Z"},
    {"Europe/Berlin", "2026-07-01T12:00:00", "2026-07-01T10:00Z"},
    {"Europe/Berlin", "2026-07-01T12:00Z", "2026-07-01T12:00Z"},
    {"America/New_York", "2026-03-01", "2026-03-02T04:59:59Z"},
    {NULL, "2026-03-01", "2026-03-01T23:59:59Z"},
};

/* 03:00 CEST is 02:00 CET again on 2026-10-25. */
START_TEST(an_hour_that_comes_twice_is_the_one_that_favours_the_student)
{
    int64_t first, second, early, got;
    ck_assert_int_eq(roster_timezone("Europe/Berlin"), 0);
    ck_assert_int_eq(roster_time("2026-10-25T02:30+02:00", &first), 0);
    ck_assert_int_eq(roster_time("2026-10-25T02:30+01:00", &second), 0);
    ck_assert_int_eq(roster_time("2026-10-25T02:30", &got), 0);
    ck_assert_int_eq(got, first);
    ck_assert_int_eq(roster_deadline("2026-10-25T02:30", &got), 0);
    ck_assert_int_eq(got, second + 59);
    ck_assert_int_eq(roster_time("2026-10-25T01:30+02:00", &early), 0);
    ck_assert_int_eq(roster_deadline("2026-10-25T01:30", &got), 0);
    ck_assert_int_eq(got, early + 59);
    ck_assert_int_eq(roster_deadline("2026-10-25T02:30+02:00", &got), 0);
    ck_assert_int_eq(got, first + 59);
}
END_TEST

START_TEST(times_are_the_courses)
{
    int64_t got, want;
    ck_assert_int_eq(roster_timezone(zones[_i].zone), 0);
    ck_assert_int_eq(roster_time(zones[_i].text, &got), 0);
    ck_assert_int_eq(roster_time(zones[_i].utc, &want), 0);
    ck_assert_int_eq(got, want);
    ck_assert_int_ne(roster_timezone("Mars/Olympus"), 0);
    ck_assert_int_ne(roster_timezone("../../etc/passwd"), 0);
    ck_assert_int_ne(roster_time("2026-02-30", &got), 0);
}
END_TEST

/* Four submissions of nothing: most as files of one minute (one was an archive,
 * say, which keeps its times), or of several days. */
START_TEST(files_that_are_all_as_old_as_the_download_are_doubted)
{
    static const char *const days[] = {"1 1 3 1", "1 1 3 4"};
    const char *const lines =
        "printf 'student%s\na%s\nb%s\nc%s\nd%s\n' > r.csv; mkdir in; "
        "set -- %s; for s in a b c d; do mkdir in/$s; "
        "touch -d 2026-01-0$1T00:00Z in/$s/p2p.c; shift; done; "
        "$grade batch --roster r.csv --submissions in --ledger L.db --lab lab1 "
        "--only failed";
    for (int i = 0; i < 3; i++) {
        char text[1024];
        const char *const when = i == 2 ? ",2026-01-02" : "";
        snprintf(text, sizeof text, lines, i == 2 ? ",submitted" : "", when,
                 when, when, when, days[i == 1]);
        struct child c = sh(0, text);
        ck_assert_msg((strstr(c.err, "within a minute") != NULL) == (i == 0),
                      "%d: %s", i, c.err);
        child_clear(&c);
        c = sh(0, "rm -rf *");
        child_clear(&c);
    }
}
END_TEST

START_TEST(what_intake_says_of_times_is_believed)
{
    struct child c = sh(0, "mkdir in in/ada; touch in/ada/p2p.c; printf "
                           "'student,attempt,submitted\n"
                           "ada,1,2026-03-01T10:00:00+0000\n' > "
                           "in/submitted.csv");
    child_clear(&c);
    char path[CHILD_FOLDER + 16];
    const struct plan p = {.file = {"p2p.c"}, .nfiles = 1};
    static const char text[] = "student\nada\n";
    struct roster *const r =
        roster_parse(text, strlen(text), "lab1", err, sizeof err);
    snprintf(path, sizeof path, "%s/in", dir);
    struct submissions *const s =
        submissions_find(path, r, &p, err, sizeof err);
    ck_assert_msg(s != NULL, "%s", err);
    int64_t want;
    roster_time("2026-03-01T10:00Z", &want);
    ck_assert_int_eq(s->n, 1);
    ck_assert_int_eq(s->nunknown, 0);
    ck_assert_int_eq(s->s[0].modified, want);
    submissions_free(s);
    roster_free(r);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("download");
    TCase *const t = tcase_create("download");
    fds_watch(t);
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    SUITE_LOOP(t, a_pattern_tells_whose_a_file_is, names);
    SUITE_LOOP(t, names_are_the_same_in_either_form_of_unicode, forms);
    tcase_add_test(t, a_wrong_placeholder_is_named);
    tcase_add_test(t, canvas_is_sorted_by_its_numbers);
    tcase_add_test(t, moodle_is_sorted_by_names);
    tcase_add_test(t, gradescope_is_sorted_by_its_list_and_its_times);
    tcase_add_test(t, classroom_is_sorted_by_accounts);
    tcase_add_test(t, names_of_any_alphabet_are_read);
    tcase_add_test(t, a_roster_in_another_encoding_is_told);
    tcase_add_test(t, what_no_grading_will_find_is_said);
    tcase_add_test(t, a_pattern_of_an_archives_end_keeps_its_name);
    tcase_add_test(t, an_account_may_end_with_another);
    tcase_add_test(t, a_second_download_is_another_attempt);
    tcase_add_test(t, a_download_does_not_leave_its_folder);
    SUITE_LOOP(t, the_newest_file_inside_counts_at_any_depth, by_newest);
    tcase_add_test(
        t, an_hour_that_comes_twice_is_the_one_that_favours_the_student);
    SUITE_LOOP(t, times_are_the_courses, zones);
    tcase_add_test(t, files_that_are_all_as_old_as_the_download_are_doubted);
    tcase_add_test(t, what_intake_says_of_times_is_believed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
