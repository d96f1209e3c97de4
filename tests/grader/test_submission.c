/*
 * Submissions: whose they are, when they were handed in, and what of them is
 * kept.
 */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "child.h"
#include "fds.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"
#include "heap.h"
#include "suite.h"

static char dir[CHILD_FOLDER], err[512];
static struct roster *roster;
static const struct plan plan = {.file = {"a.c", "b.c"}, .nfiles = 2};

static void setup(void)
{
    static const char text[] =
        "student,group,submitted@2\nada,,2026-01-05T00:00Z\nada@2,,\nj.doe,,\n"
        "bob,g,\ncyd,g,\nx.tar,,\n";
    child_folder(dir, "submission");
    roster = roster_parse(text, strlen(text), "lab1", err, sizeof err);
    ck_assert_msg(roster != NULL, "%s", err);
}

static void teardown(void)
{
    roster_free(roster);
    child_remove(dir);
}

/* A shell's lines, in the folder. */
static struct child sh(const char *lines)
{
    struct child c = child_run(
        60, "cd %s && export TZ=UTC LC_ALL=C && {\n%s\n}", dir, lines);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    return c;
}

static void do_sh(const char *lines)
{
    struct child c = sh(lines);
    child_clear(&c);
}

/* ---- whose --------------------------------------------------------------- */

static const struct {
    const char *name, *key; /* NULL: nobody's */
    int attempt;
} names[] = {
    {"ada", "ada", 1},
    {"ada.zip", "ada", 1},
    {"ada.tar.gz", "ada", 1},
    {"ada@3", "ada", 3},
    {"ada@3.zip", "ada", 3},
    {"ada@2", "ada@2", 1}, // the longest student's name that fits
    {"ada@2@4", "ada@2", 4},
    {"ada@9999", "ada", 9999},
    {"ada@10000", NULL, 0},
    {"ada@0", NULL, 0},
    {"ada@1", "ada", 1},
    {"ada@x", NULL, 0},
    {"ada@", NULL, 0},
    {"ada@3x", NULL, 0},
    {"adam", NULL, 0},
    {"ad", NULL, 0},
    {"j.doe.zip", "j.doe", 1},
    {"j.zip", NULL, 0},
    {"g", "bob", 1}, // a group's is its first student's
    {"g@2.zip", "bob", 2},
    {"cyd", "cyd", 1},
    {"x.tar", "x.tar", 1},
};

START_TEST(a_name_says_whose_it_is)
{
    char command[128];
    snprintf(command, sizeof command, "mkdir '%s'", names[_i].name);
    do_sh(command);
    struct submissions *const s =
        submissions_find(dir, roster, &plan, err, sizeof err);
    ck_assert_msg(s != NULL, "%s", err);
    ck_assert_int_eq(s->n, names[_i].key != NULL);
    ck_assert_int_eq(s->nunknown, !names[_i].key);
    ck_assert_str_eq(s->unknown, names[_i].key ? "" : names[_i].name);
    if (names[_i].key) {
        ck_assert_str_eq(s->s[0].student->key, names[_i].key);
        ck_assert_int_eq(s->s[0].attempt, names[_i].attempt);
    }
    submissions_free(s);
}
END_TEST

START_TEST(names_that_are_nobodys_are_counted)
{
    do_sh("mkdir .ada zoe yan ada $(printf %0255d 0)");
    struct submissions *const s =
        submissions_find(dir, roster, &plan, err, sizeof err);
    ck_assert_int_eq(s->n, 1);
    ck_assert_int_eq(s->nunknown, 3);
    ck_assert_int_eq(strncmp(s->unknown, "0000", 4), 0);
    submissions_free(s);
}
END_TEST

/* Also in an attempt of the group by another name of it. */
START_TEST(an_attempt_is_there_once)
{
    static const char *const twice[][3] = {{"ada", "ada.zip", "ada"},
                                           {"bob@2", "cyd@2.zip", "bob@2"},
                                           {"g", "cyd", "g"}};
    for (int i = 0; i < 3; i++) {
        char command[128], says[3 * CHILD_FOLDER];
        snprintf(command, sizeof command, "mkdir %s %s", twice[i][0],
                 twice[i][1]);
        do_sh(command);
        ck_assert(submissions_find(dir, roster, &plan, err, sizeof err) ==
                  NULL);
        snprintf(says, sizeof says,
                 "%s/%s and %s/%s are the same attempt: end later ones in @2, "
                 "@3",
                 dir, twice[i][0], dir, twice[i][1]);
        ck_assert_str_eq(err, says);
        do_sh("rm -r *");
    }
    ck_assert(submissions_find("/no/such", roster, &plan, err, sizeof err) ==
              NULL);
    ck_assert_str_eq(err, "/no/such: No such file or directory");
}
END_TEST

/* ---- when ---------------------------------------------------------------- */

static int64_t at(const char *text)
{
    int64_t t = 0;
    ck_assert_int_eq(roster_time(text, &t), 0);
    return t;
}

START_TEST(submitted_csv_says_when)
{
    do_sh("mkdir ada ada@3 j.doe; touch -d 2026-02-02T00:00Z ada/a.c "
          "ada@3/a.c j.doe/a.c; printf 'submitted,attempt,student\n"
          "2026-01-01T00:00Z,1,ada\n2026-01-03T00:00Z,3,ada\n"
          "2026-01-04T00:00Z,2,j.doe\n2026-01-05T00:00Z,1,zoe\n' > "
          "submitted.csv");
    struct submissions *const s =
        submissions_find(dir, roster, &plan, err, sizeof err);
    ck_assert_msg(s != NULL, "%s", err);
    ck_assert_int_eq(s->n, 3);
    ck_assert_int_eq(s->nunknown, 0);
    ck_assert_int_eq(s->s[0].modified, at("2026-01-01T00:00Z"));
    ck_assert_int_eq(s->s[1].modified, at("2026-01-03T00:00Z"));
    ck_assert_int_eq(s->s[2].modified, at("2026-02-02T00:00Z"));
    ck_assert_int_eq(s->s[0].is_said, 1);
    ck_assert_int_eq(s->s[1].is_said, 1);
    ck_assert_int_eq(s->s[2].is_said, 0);
    submissions_free(s);
}
END_TEST

START_TEST(a_damaged_submitted_csv_is_told)
{
    static const char *const bad[] = {
        "student,attempt,submitted\nada,1,soon\n",
        "student,attempt,submitted\nada,1\n",
        "student,attempt,submitted\nada,1,\"2026-01-01\n",
    };
    char command[256], says[CHILD_FOLDER + 64];
    snprintf(says, sizeof says,
             "%s/submitted.csv: a line is student,attempt,submitted", dir);
    do_sh("mkdir ada");
    for (int i = 0; i < 3; i++) {
        snprintf(command, sizeof command, "printf '%s' > submitted.csv",
                 bad[i]);
        do_sh(command);
        ck_assert(submissions_find(dir, roster, &plan, err, sizeof err) ==
                  NULL);
        ck_assert_str_eq(err, says);
    }
}
END_TEST

/* Seconds at which files were written; of "ada" attempt 2 the roster knows. */
START_TEST(files_of_one_minute_are_counted)
{
    static const struct {
        int sec[6], n, said, attempt, same;
    } all[] = {
        {{0, 0}, 2, 0, 1, 0},
        {{0, 0, 0}, 3, 0, 1, 3},
        {{0, 60, 30}, 3, 0, 1, 3},
        {{0, 61, 30}, 3, 0, 1, 0},
        {{0, 0, 0, 100}, 4, 0, 1, 3},
        {{5, 5, 5, 100, 200}, 5, 0, 1, 3},
        {{0, 0, 0, 1, 200}, 5, 0, 1, 4},
        {{0, 0, 0, 90, 200, 300}, 6, 0, 1, 0},
        {{0, 0, 0}, 3, 1, 1, 0},
        {{0, 0, 0}, 3, 0, 2, 0},
        {{0, 0, 0, 0}, 4, 1, 1, 3},
        {{0, 0, 0, 0}, 4, 0, 2, 3},
    };
    const struct student *const ada = roster_find(roster, "ada");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        struct submission one[6];
        for (int i = 0; i < 6; i++)
            one[i] = (struct submission){.student = ada,
                                         .attempt = i ? 1 : all[k].attempt,
                                         .modified = 1000 + all[k].sec[i],
                                         .is_said = i == 0 && all[k].said};
        const struct submissions s = {.s = one, .n = all[k].n};
        ck_assert_msg(submissions_same_time(&s) == all[k].same, "%zu: %d", k,
                      submissions_same_time(&s));
    }
}
END_TEST

struct file {
    const char *name;
    int type;
    time_t modified; /* 0: not said */
};

static size_t pack(const struct file *f, int n, char *to, size_t room)
{
    size_t nbytes = 0;
    struct archive *const a = archive_write_new();
    archive_write_set_format_pax(a);
    ck_assert_int_eq(archive_write_open_memory(a, to, room, &nbytes), 0);
    for (int i = 0; i < n && f[i].name; i++) {
        struct archive_entry *const e = archive_entry_new();
        archive_entry_set_pathname(e, f[i].name);
        archive_entry_set_filetype(e, (unsigned)f[i].type);
        archive_entry_set_size(e, f[i].type == AE_IFREG);
        if (f[i].type == AE_IFLNK)
            archive_entry_set_symlink(e, "x");
        archive_entry_set_mtime(e, f[i].modified, 0);
        archive_write_header(a, e);
        if (f[i].type == AE_IFREG)
            archive_write_data(a, "x", 1);
        archive_entry_free(e);
    }
    archive_write_close(a);
    archive_write_free(a);
    return nbytes;
}

static const struct {
    struct file f[4];
    int64_t newest;
} archives[] = {
    {{{"a.c", AE_IFREG, 50}}, 50},
    {{{"a.c", AE_IFREG, 50}, {"b.c", AE_IFREG, 60}}, 60},
    {{{"a.c", AE_IFREG, 60}, {"b.c", AE_IFREG, 50}}, 60},
    {{{"a.c", AE_IFREG, 50}, {"other", AE_IFREG, 90}}, 50},
    {{{"other", AE_IFREG, 90}, {"a.c", AE_IFREG, 1}}, 1},
    {{{"other", AE_IFREG, 40}, {"more", AE_IFREG, 90}, {"x", AE_IFREG, 5}}, 90},
    {{{"other", AE_IFREG, 40}, {"a.c", AE_IFLNK, 90}}, 40},
    {{{"other", AE_IFREG, 40}, {"a.c", AE_IFREG, 0}}, 40},
    {{{"x/a.c", AE_IFREG, 50}, {"a.c", AE_IFREG, 40}}, 40},
    {{{"folder", AE_IFDIR, 50}}, UNPACK_NEVER},
};

START_TEST(the_newest_of_the_plans_files_counts)
{
    static char bytes[1 << 16];
    const char *const wanted[] = {"a.c", "b.c"};
    const size_t n = pack(archives[_i].f, 4, bytes, sizeof bytes);
    ck_assert_int_eq(unpack_newest(bytes, n, wanted, 2), archives[_i].newest);
}
END_TEST

START_TEST(of_what_is_no_archive_no_time_is_known)
{
    static char bytes[1 << 16];
    const char *const wanted[] = {"a.c", "b.c"};
    const struct file f[] = {{"a.c", AE_IFREG, 50}, {"b.c", AE_IFREG, 60}};
    ck_assert_int_eq(unpack_newest("hello", 5, wanted, 2), UNPACK_NEVER);
    pack(f, 2, bytes, sizeof bytes); // two blocks of headers, one of data
    ck_assert_int_eq(unpack_newest(bytes, 512 * 2 + 100, wanted, 2), 50);
}
END_TEST

START_TEST(a_folders_own_time_is_the_last_resort)
{
    char path[CHILD_FOLDER + 8];
    snprintf(path, sizeof path, "%s/s", dir);
    ck_assert_int_eq(submission_time(path, &plan), ROSTER_NEVER);
    do_sh("mkdir s; ln -s /etc/passwd s/x; touch -d 2026-01-01T00:00Z s");
    ck_assert_int_eq(submission_time(path, &plan), at("2026-01-01T00:00Z"));
    do_sh("echo > s/x1; echo > s/x2; touch -d 2026-01-03T00:00Z s/x2; touch -d "
          "2026-01-02T00:00Z s/x1");
    ck_assert_int_eq(submission_time(path, &plan), at("2026-01-03T00:00Z"));
    do_sh("echo > s/A.C; touch -d 2025-12-31T00:00Z s/A.C");
    ck_assert_int_eq(submission_time(path, &plan), at("2025-12-31T00:00Z"));
}
END_TEST

/* ---- what is kept -------------------------------------------------------- */

static const struct {
    const char *lines, *list; /* what tar finds in what is kept */
} kept[] = {
    {"echo 1 > s/a.c; echo 22 > s/b.c; echo > s/other; mkdir s/x; echo > "
     "s/x/a.c",
     "-rw-r--r-- 0/0               2 1970-01-01 00:00 a.c\n"
     "-rw-r--r-- 0/0               3 1970-01-01 00:00 b.c\n"},
    {"echo 1 > s/A.c; ln -s a.c s/b.c; mkfifo s/a.C; chmod 4755 s/A.c",
     "-rw-r--r-- 0/0               2 1970-01-01 00:00 A.c\n"
     "prw-r--r-- 0/0               0 1970-01-01 00:00 a.C\n"
     "lrw-r--r-- 0/0               0 1970-01-01 00:00 b.c -> elsewhere\n"},
    {"mkdir -p s/1/2/3/4/5 s/__MACOSX s/.x; for i in 1 1/2 1/2/3 1/2/3/4 "
     "1/2/3/4/5 __MACOSX .x; do echo > s/$i/a.c; done; echo > s/1/d.txt; "
     "ln -s /etc/passwd s/b-1.c",
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 1/2/3/4/a.c\n"
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 1/2/3/a.c\n"
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 1/2/a.c\n"
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 1/a.c\n"},
    {"echo > s/a.c; echo 22 > s/b.c.txt; echo > s/a-1.c",
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 a-1.c\n"
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 a.c\n"
     "-rw-r--r-- 0/0               3 1970-01-01 00:00 b.c.txt\n"},
    {"echo 333 > s/x.zip; ln -s x.zip s/y.zip; mkdir s/z.zip; echo > s/x.txt",
     "-rw-r--r-- 0/0               4 1970-01-01 00:00 x.zip\n"},
    {"truncate -s 1048576 s/a.c; truncate -s 1048577 s/b.c",
     "-rw-r--r-- 0/0         1048576 1970-01-01 00:00 a.c\n"
     "-rw-r--r-- 0/0         1048577 1970-01-01 00:00 b.c\n"},
    {"truncate -s 1048578 s/a.c; truncate -s 512 s/b.c",
     "-rw-r--r-- 0/0         1048577 1970-01-01 00:00 a.c\n"
     "-rw-r--r-- 0/0             512 1970-01-01 00:00 b.c\n"},
    {"truncate -s 33554434 s/x.zip",
     "-rw-r--r-- 0/0        33554433 1970-01-01 00:00 x.zip\n"},
    {"d=s/$(printf %060d 0)/$(printf %040d 0); mkdir -p $d; echo > $d/a.c; "
     "d=s/$(printf %060d 1)/$(printf %034d 1); mkdir -p $d; echo > $d/a.c",
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 d/d/a.c\n"
     "-rw-r--r-- 0/0               1 1970-01-01 00:00 "
     "000000000000000000000000000000000000000000000000000000000001/"
     "0000000000000000000000000000000001/a.c\n"},
    {"true", ""},
};

START_TEST(a_folder_is_kept_as_a_tar)
{
    char path[CHILD_FOLDER + 8];
    size_t nbytes;
    do_sh("mkdir s");
    do_sh(kept[_i].lines);
    snprintf(path, sizeof path, "%s/s", dir);
    void *const data = submission_read(path, &plan, &nbytes);
    ck_assert_ptr_nonnull(data);
    ck_assert_uint_eq(nbytes % 512, 0);
    snprintf(path, sizeof path, "%s/s.tar", dir);
    FILE *const f = fopen(path, "w");
    ck_assert_uint_eq(fwrite(data, 1, nbytes, f), nbytes);
    fclose(f);
    free(data);
    struct child c = sh("tar -tvf s.tar");
    ck_assert_str_eq(c.out, kept[_i].list);
    child_clear(&c);
}
END_TEST

START_TEST(an_archive_is_kept_as_it_is)
{
    char path[CHILD_FOLDER + 8];
    size_t nbytes;
    do_sh("printf abc > s; ln -s s link; mkfifo fifo; truncate -s 33554434 x");
    snprintf(path, sizeof path, "%s/s", dir);
    char *data = submission_read(path, &plan, &nbytes);
    ck_assert_uint_eq(nbytes, 3);
    ck_assert_int_eq(memcmp(data, "abc", 3), 0);
    free(data);
    static const char *const others[] = {"link", "fifo", "x", "none"};
    static const size_t sizes[] = {0, 0, SUBMISSION_MAX_ARCHIVE + 1, 0};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, others[i]);
        data = submission_read(path, &plan, &nbytes);
        ck_assert_int_eq(data != NULL, i < 3);
        ck_assert_uint_eq(nbytes, sizes[i]);
        free(data);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("submission");
    TCase *const t = tcase_create("submission");
    heap_watch(t);
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, a_name_says_whose_it_is, names);
    tcase_add_test(t, names_that_are_nobodys_are_counted);
    tcase_add_test(t, an_attempt_is_there_once);
    tcase_add_test(t, submitted_csv_says_when);
    tcase_add_test(t, a_damaged_submitted_csv_is_told);
    tcase_add_test(t, files_of_one_minute_are_counted);
    SUITE_LOOP(t, the_newest_of_the_plans_files_counts, archives);
    tcase_add_test(t, of_what_is_no_archive_no_time_is_known);
    tcase_add_test(t, a_folders_own_time_is_the_last_resort);
    SUITE_LOOP(t, a_folder_is_kept_as_a_tar, kept);
    tcase_add_test(t, an_archive_is_kept_as_it_is);
    suite_add_tcase(s, t);
    return suite_run(s);
}
