/*
 * What people send: rosters, names, folders and archives.
 */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* symlink */

#include "fds.h"
#include "grader/base/folder.h"
#include "grader/base/text.h"
#include "grader/intake/roster.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"
#include "heap.h"
#include "suite.h"

/* ---- rosters ------------------------------------------------------------- */

static struct roster *roster(const char *text, char *err)
{
    return roster_parse(text, strlen(text), "lab2-gradient-sync", err, 256);
}

START_TEST(a_roster_is_read)
{
    char err[256] = "";
    struct roster *const r =
        roster("\xEF\xBB\xBFStudent,name,deadline,deadline:lab2,late_days\r\n"
               "bob,\"Bob \"\"B\"\", Jr\",2026-01-01,2026-03-01T12:00:00+01:00,"
               "1\r\n\r\n ada , Ada ,2026-01-01,,\r\n",
               err);
    ck_assert_msg(r != NULL, "%s", err);
    ck_assert_int_eq(r->n, 2);
    ck_assert_str_eq(r->student[0].key, "ada");
    ck_assert_str_eq(r->student[1].name, "Bob \"B\", Jr");
    const struct student *const bob = roster_find(r, "bob");
    int64_t noon;
    ck_assert_int_eq(roster_time("2026-03-01T11:00:59Z", &noon), 0);
    ck_assert_int_eq(bob->deadline, noon); // the end of that minute
    ck_assert_int_eq(roster_find(r, "ada")->deadline, ROSTER_NEVER);
    ck_assert_int_eq(roster_days_late(bob, noon), 0);
    ck_assert_int_eq(roster_days_late(bob, noon + 1), 0); // one is free
    ck_assert_int_eq(roster_days_late(bob, noon + 86400), 0);
    ck_assert_int_eq(roster_days_late(bob, noon + 86401), 1);
    ck_assert(roster_not_utf8(r) == NULL);
    json_t *const j = roster_json(r);
    struct roster *const again = roster_from_json(j);
    ck_assert_str_eq(again->student[1].name, bob->name);
    ck_assert_int_eq(again->student[1].deadline, bob->deadline);
    json_decref(j);
    roster_free(again);
    roster_free(r);
}
END_TEST

static const struct {
    const char *text, *says;
} bad_rosters[] = {
    {"name\nx\n", "1: the header has no column \"student\""},
    {"student\nada\n../bob\n", "3: a student is 1 to 64"},
    {"student\n-rf\n", "2: a student is"},
    {"student\nada\nbob\nada\neve\n", "4: ada is there twice"},
    {"student,name\nada,\"x\n", "a quote is not closed"},
    {"student,name\nada,\"x\"y\n", "2: text after a closing quote"},
    {"student,deadline\nada,tomorrow\n", "2: a deadline is a time"},
    {"student,deadline\nada,2026-01-01T00:00+99:00\n", "2: a deadline is"},
    {"student,deadine\nada,\n",
     "no column \"deadine\": did you mean \"deadline\"?"},
    {"student,Telephone\nada,1\n", "no column \"Telephone\" (begin"},
    {"student,submitted@99\nada,\n", "no column \"submitted@99\""},
    {"student,submitted@2,#mine\nada,soon,\n", "2: submitted is a time"},
    {"student,late_days\nada,-1\n", "2: late_days is a number of days"},
    {"student;name\nada;Ada\n", "separated by ;, not by ,"},
};

START_TEST(what_is_wrong_with_a_roster_is_named)
{
    char err[256] = "";
    ck_assert(roster(bad_rosters[_i].text, err) == NULL);
    ck_assert_msg(strstr(err, bad_rosters[_i].says) != NULL, "%s", err);
}
END_TEST

static const struct {
    const char *text, *name, *csv, *xml;
} names[] = {
    {"Ada", "Ada", "\"Ada\"", "Ada"},
    {"=cmd|'/c calc'!A1", "=cmd|'/c calc'!A1", "\"'=cmd|'/c calc'!A1\"",
     "=cmd|&#39;/c calc&#39;!A1"},
    {"-3.5", "-3.5", "\"-3.5\"", "-3.5"},
    {"@x", "@x", "\"'@x\"", "@x"},
    {"<b>&\"", "<b>&\"", "\"<b>&\"\"\"", "&lt;b&gt;&amp;&quot;"},
    {"\x1B[31mred\x07\r\n", "[31mred", "\"[31mred\"", "[31mred"},
    {"\xFF\xC0\xAFx", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx", NULL, NULL},
    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", NULL, NULL},
    {"a\xE2\x80\xAE"
     "b",
     "ab", NULL, NULL},
    {"\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80", NULL, NULL},
    {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD", NULL, NULL},
};

static void same_written(void (*write)(FILE *, const char *), const char *text,
                         const char *want)
{
    char *got = NULL;
    size_t n;
    FILE *const f = open_memstream(&got, &n);
    write(f, text);
    fclose(f);
    ck_assert_str_eq(got, want);
    free(got);
}

START_TEST(names_are_made_harmless)
{
    char *const clean = text_clean(names[_i].text, TEXT_NAME);
    ck_assert_str_eq(clean, names[_i].name);
    if (names[_i].csv)
        same_written(text_csv, clean, names[_i].csv);
    if (names[_i].xml)
        same_written(text_xml, clean, names[_i].xml);
    free(clean);
}
END_TEST

START_TEST(long_names_are_cut)
{
    char name[10001];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    char *const clean = text_clean(name, TEXT_NAME);
    ck_assert_uint_eq(strlen(clean), TEXT_NAME + 3);
    ck_assert_str_eq(clean + TEXT_NAME, "\xE2\x80\xA6");
    free(clean);
}
END_TEST

/* ---- archives ------------------------------------------------------------ */

struct entry {
    const char *path;
    int type; /* AE_IFREG ... */
    size_t nbytes;
};

static const struct {
    const char *what;
    struct entry entry[4];
    enum unpack_state state; /* of a.c */
    const char *refused;     /* or why all of it is */
} archives[] = {
    {"a file", {{"a.c", AE_IFREG, 5}}, UNPACK_FILE, NULL},
    {"in a folder", {{"x/y/a.c", AE_IFREG, 5}}, UNPACK_FILE, NULL},
    {"from here", {{"./a.c", AE_IFREG, 5}}, UNPACK_FILE, NULL},
    {"nothing", {{"b.c", AE_IFREG, 5}}, UNPACK_MISSING, NULL},
    {"a link", {{"a.c", AE_IFLNK, 0}}, UNPACK_LINK, NULL},
    {"a fifo", {{"a.c", AE_IFIFO, 0}}, UNPACK_SPECIAL, NULL},
    {"a device", {{"a.c", AE_IFCHR, 0}}, UNPACK_SPECIAL, NULL},
    {"a folder", {{"a.c/x", AE_IFREG, 5}}, UNPACK_MISSING, NULL},
    {"a large one", {{"a.c", AE_IFREG, 2000}}, UNPACK_LARGE, NULL},
    {"another's, deeper",
     {{"a.c", AE_IFREG, 5}, {"old/a.c", AE_IFREG, 9}},
     UNPACK_FILE,
     NULL},
    {"another's, deeper, first",
     {{"o/a.c", AE_IFREG, 9}, {"a.c", AE_IFREG, 5}},
     UNPACK_FILE,
     NULL},
    {"two alike",
     {{"o/a.c", AE_IFREG, 9}, {"n/a.c", AE_IFREG, 5}},
     UNPACK_TWICE,
     NULL},
    {"out of it", {{"../a.c", AE_IFREG, 5}}, UNPACK_MISSING, "leads out"},
    {"out again", {{"x/../../a.c", AE_IFREG, 5}}, UNPACK_MISSING, "leads out"},
    {"absolute", {{"/etc/a.c", AE_IFREG, 5}}, UNPACK_MISSING, "leads out"},
    {"a bomb", {{"zeros", AE_IFREG, 100 << 20}}, UNPACK_MISSING, "unpacks to"},
};

static int filter = ARCHIVE_FILTER_GZIP; /* how pack() compresses */

static void *pack(const struct entry *entry, int n, size_t *nbytes)
{
    enum { MOST = 1 << 20 };
    static char zeros[1 << 20];
    char *const data = malloc(MOST);
    struct archive *const a = archive_write_new();
    archive_write_set_format_gnutar(a);
    archive_write_add_filter(a, filter);
    ck_assert_int_eq(archive_write_open_memory(a, data, MOST, nbytes), 0);
    for (int i = 0; i < n && entry[i].path; i++) {
        struct archive_entry *const e = archive_entry_new();
        archive_entry_set_pathname(e, entry[i].path);
        archive_entry_set_filetype(e, (unsigned)entry[i].type);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (la_int64_t)entry[i].nbytes);
        if (entry[i].type == AE_IFLNK)
            archive_entry_set_symlink(e, "/etc/shadow");
        ck_assert_int_eq(archive_write_header(a, e), ARCHIVE_OK);
        for (size_t left = entry[i].nbytes; left > 0;) {
            const size_t some = left < sizeof zeros ? left : sizeof zeros;
            archive_write_data(a, zeros, some);
            left -= some;
        }
        archive_entry_free(e);
    }
    archive_write_close(a);
    archive_write_free(a);
    return data;
}

START_TEST(archives_are_taken_for_what_they_are)
{
    size_t nbytes;
    char why[128] = "";
    void *const data = pack(archives[_i].entry, 4, &nbytes);
    struct unpack_file f = {.name = "a.c"};
    const int err = unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why);
    ck_assert_msg((err != 0) == (archives[_i].refused != NULL), "%s: %s",
                  archives[_i].what, why);
    if (archives[_i].refused)
        ck_assert_msg(strstr(why, archives[_i].refused) != NULL, "%s", why);
    else
        ck_assert_msg(f.state == archives[_i].state, "%s: %d",
                      archives[_i].what, f.state);
    if (f.state == UNPACK_FILE)
        ck_assert_uint_eq(f.nbytes, 5);
    free(f.data);
    free(data);
}
END_TEST

START_TEST(archives_may_be_compressed)
{
    static const int filters[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP,
                                  ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                                  ARCHIVE_FILTER_ZSTD};
    const struct entry entry[] = {{"a.c", AE_IFREG, 5}};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        size_t nbytes;
        char why[128] = "";
        filter = filters[i];
        void *const data = pack(entry, 1, &nbytes);
        struct unpack_file f = {.name = "a.c"};
        ck_assert_msg(
            unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why) == 0,
            "%zu: %s", i, why);
        ck_assert_uint_eq(f.nbytes, 5);
        free(f.data);
        free(data);
    }
    filter = ARCHIVE_FILTER_GZIP;
}
END_TEST

START_TEST(damaged_archives_are_refused)
{
    const struct entry entry[] = {{"x", AE_IFREG, 5000}, {"a.c", AE_IFREG, 9}};
    size_t nbytes;
    char why[128] = "";
    char *const data = pack(entry, 2, &nbytes);
    struct unpack_file f = {.name = "a.c"};
    ck_assert_int_ne(
        unpack_files(data, nbytes / 2, &f, 1, 1000, why, sizeof why), 0);
    ck_assert_int_ne(unpack_files("hello", 5, &f, 1, 1000, why, sizeof why), 0);
    ck_assert_str_eq(
        why, "it is neither a folder nor an archive (tar, tar.gz, zip)");
    ck_assert_int_ne(unpack_files("", 0, &f, 1, 1000, why, sizeof why), 0);
    ck_assert_str_eq(why, "it is an empty file");
    ck_assert_int_ne(
        unpack_files("Rar!\x1A\7", 6, &f, 1, 1000, why, sizeof why), 0);
    ck_assert_str_eq(why, "it is a RAR archive; tar, tar.gz or zip would do");
    free(f.data);
    free(data);
}
END_TEST

static const struct {
    const char *what;
    struct entry entry[4];
    enum unpack_state state;
    size_t nbytes;
    int depth, wrong_case;
} finds[] = {
    {"as large as allowed", {{"a.c", AE_IFREG, 1000}}, UNPACK_FILE, 1000, 0, 0},
    {"a byte more", {{"a.c", AE_IFREG, 1001}}, UNPACK_LARGE, 1001, 0, 0},
    {"six deep", {{"1/2/3/4/5/6/a.c", AE_IFREG, 5}}, UNPACK_FILE, 5, 6, 0},
    {"seven deep", {{"1/2/3/4/5/6/7/a.c", AE_IFREG, 5}}, 0, 0, 0, 0},
    {"no depth", {{".//./x/./a.c", AE_IFREG, 5}}, UNPACK_FILE, 5, 1, 0},
    {"backslashes", {{"x\\y\\a.c", AE_IFREG, 5}}, UNPACK_FILE, 5, 2, 0},
    {"points", {{"..x/.../a.c", AE_IFREG, 5}}, UNPACK_FILE, 5, 2, 0},
    {"another case", {{"A.C", AE_IFREG, 5}}, UNPACK_FILE, 5, 0, 1},
    {"the right case, deeper",
     {{"A.C", AE_IFREG, 5}, {"x/a.c", AE_IFREG, 6}},
     UNPACK_FILE,
     6,
     1,
     0},
    {"the right case first",
     {{"x/a.c", AE_IFREG, 6}, {"A.C", AE_IFREG, 5}},
     UNPACK_FILE,
     6,
     1,
     0},
    {"two wrong cases",
     {{"A.C", AE_IFREG, 5}, {"A.c", AE_IFREG, 6}},
     UNPACK_TWICE,
     5,
     0,
     1},
    {"deeper, later twice",
     {{"a.c", AE_IFREG, 5}, {"x/a.c", AE_IFREG, 6}, {"y/a.c", AE_IFREG, 7}},
     UNPACK_FILE,
     5,
     0,
     0},
    {"a link above",
     {{"a.c", AE_IFLNK, 0}, {"x/a.c", AE_IFREG, 6}},
     UNPACK_LINK,
     0,
     0,
     0},
};

START_TEST(the_best_of_what_an_archive_has_is_found)
{
    size_t nbytes;
    char why[128] = "x";
    void *const data = pack(finds[_i].entry, 4, &nbytes);
    struct unpack_file f = {.name = "a.c"};
    ck_assert_int_eq(unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why),
                     0);
    ck_assert_str_eq(why, "");
    ck_assert_msg(f.state == finds[_i].state && f.nbytes == finds[_i].nbytes &&
                      f.depth == finds[_i].depth &&
                      f.wrong_case == finds[_i].wrong_case,
                  "%s: %d, %zu bytes, %d deep, %d", finds[_i].what, f.state,
                  f.nbytes, f.depth, f.wrong_case);
    free(f.data);
    free(data);
}
END_TEST

START_TEST(an_archive_has_at_most_10000_entries)
{
    enum { MOST = 10000 };
    struct entry *const entry = calloc(MOST + 1, sizeof *entry);
    for (int i = 0; i <= MOST; i++)
        entry[i] = (struct entry){i == MOST - 1 ? "a.c" : "x", AE_IFREG, 1};
    for (int more = 0; more <= 1; more++) {
        size_t nbytes;
        char why[128];
        void *const data = pack(entry, MOST + more, &nbytes);
        struct unpack_file f = {.name = "a.c"};
        ck_assert_int_eq(
            unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why), -more);
        ck_assert_str_eq(why,
                         more ? "the archive has more than 10000 entries" : "");
        ck_assert_int_eq(f.state, UNPACK_FILE);
        free(f.data);
        free(data);
    }
    free(entry);
}
END_TEST

static const struct {
    const char *name;
    int is;
} ends[] = {
    {"a.zip", 1},     {"a.ZIP", 1},     {"a.tar", 1},  {"a.tgz", 1},
    {"a.tar.gz", 1},  {"a.tar.bz2", 1}, {"a.txz", 1},  {"a.tar.xz", 1},
    {"a.tar.zst", 1}, {"a.tbz2", 1},    {"a.7z", 1},   {"a.rar", 1},
    {".zip", 0},      {"zip", 0},       {"a.zipx", 0}, {"a.gz", 0},
    {"", 0},
};

START_TEST(an_archive_is_known_by_its_name)
{
    ck_assert_msg(unpack_is_archive(ends[_i].name) == ends[_i].is, "%s",
                  ends[_i].name);
}
END_TEST

START_TEST(a_file_of_blanks_is_empty)
{
    static char blanks[] = " \n\t\r\f\v", text[] = "  x";
    struct unpack_file f = {.state = UNPACK_FILE};
    ck_assert_int_eq(unpack_is_empty(&f), 1);
    f.data = blanks;
    f.nbytes = sizeof blanks - 1;
    ck_assert_int_eq(unpack_is_empty(&f), 1);
    f.nbytes++; // the final NUL
    ck_assert_int_eq(unpack_is_empty(&f), 0);
    f.data = text;
    f.nbytes = 3;
    ck_assert_int_eq(unpack_is_empty(&f), 0);
    f.nbytes = 2;
    ck_assert_int_eq(unpack_is_empty(&f), 1);
    f.state = UNPACK_LARGE;
    ck_assert_int_eq(unpack_is_empty(&f), 0);
}
END_TEST

START_TEST(a_folder_is_kept_as_a_tar_of_the_plans_files)
{
    struct plan p = {.file = {"a.c", "b.c", "c.c", "d.c"}, .nfiles = 4};
    char dir[] = "/tmp/commlab-folder-XXXXXX", path[100], why[128];
    ck_assert(mkdtemp(dir) != NULL);
    snprintf(path, sizeof path, "%s/a.c", dir);
    FILE *const file = fopen(path, "w");
    fputs("int a;\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/" SUBMISSION_WORKLOG, dir);
    FILE *const log = fopen(path, "w");
    fputs("a log\n", log);
    fclose(log);
    snprintf(path, sizeof path, "%s/b.c", dir);
    ck_assert_int_eq(symlink("/etc/shadow", path), 0);
    snprintf(path, sizeof path, "%s/c.c", dir);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    size_t nbytes, again;
    char *const data = submission_read(dir, &p, &nbytes);
    char *const same = submission_read(dir, &p, &again);
    ck_assert_uint_eq(nbytes, again);
    ck_assert_int_eq(memcmp(data, same, nbytes), 0);
    struct unpack_file f[5] = {{.name = "a.c"},
                               {.name = "b.c"},
                               {.name = "c.c"},
                               {.name = "d.c"},
                               {.name = SUBMISSION_WORKLOG}};
    ck_assert_int_eq(unpack_files(data, nbytes, f, 5, 1000, why, sizeof why),
                     0);
    ck_assert_int_eq(f[0].state, UNPACK_FILE);
    ck_assert_uint_eq(f[0].nbytes, 7);
    ck_assert_int_eq(memcmp(f[0].data, "int a;\n", 7), 0);
    ck_assert_int_eq(f[1].state, UNPACK_LINK);
    ck_assert_int_eq(f[2].state, UNPACK_SPECIAL);
    ck_assert_int_eq(f[3].state, UNPACK_MISSING);
    ck_assert_int_eq(f[4].state, UNPACK_FILE);
    ck_assert_uint_eq(f[4].nbytes, 6);
    free(f[0].data);
    free(f[4].data);
    free(data);
    free(same);
    folder_remove(dir);
}
END_TEST

START_TEST(submissions_are_found_by_their_names)
{
    static const char *const files[] = {"ada.tar.gz",  "ada@2.zip", "j.doe",
                                        "j.doe@3.tar", "a@b.org",   "nobody",
                                        "bo",          "bob.tgz"};
    char dir[] = "/tmp/commlab-found-XXXXXX", path[100], err[256] = "";
    struct plan p = {.file = {"a.c"}, .nfiles = 1};
    struct roster *const r =
        roster("student\nada\nj.doe\na@b.org\nbob\neve\n", err);
    ck_assert(mkdtemp(dir) != NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        fclose(fopen(path, "w"));
    }
    struct submissions *s = submissions_find(dir, r, &p, err, sizeof err);
    ck_assert_msg(s != NULL, "%s", err);
    char all[512] = "";
    for (int i = 0; i < s->n; i++)
        sprintf(all + strlen(all), "%s@%d ", s->s[i].student->key,
                s->s[i].attempt);
    ck_assert_str_eq(all, "a@b.org@1 ada@1 ada@2 bob@1 j.doe@1 j.doe@3 ");
    ck_assert_int_eq(s->nunknown, 2);
    submissions_free(s);
    snprintf(path, sizeof path, "%s/ada.zip", dir);
    fclose(fopen(path, "w"));
    ck_assert(submissions_find(dir, r, &p, err, sizeof err) == NULL);
    ck_assert_msg(strstr(err, "are the same attempt") != NULL, "%s", err);
    roster_free(r);
    folder_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("intake");
    TCase *const t = tcase_create("intake");
    heap_watch(t);
    fds_watch(t);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_roster_is_read);
    SUITE_LOOP(t, what_is_wrong_with_a_roster_is_named, bad_rosters);
    SUITE_LOOP(t, names_are_made_harmless, names);
    tcase_add_test(t, long_names_are_cut);
    SUITE_LOOP(t, archives_are_taken_for_what_they_are, archives);
    SUITE_LOOP(t, the_best_of_what_an_archive_has_is_found, finds);
    tcase_add_test(t, an_archive_has_at_most_10000_entries);
    SUITE_LOOP(t, an_archive_is_known_by_its_name, ends);
    tcase_add_test(t, a_file_of_blanks_is_empty);
    tcase_add_test(t, archives_may_be_compressed);
    tcase_add_test(t, damaged_archives_are_refused);
    tcase_add_test(t, a_folder_is_kept_as_a_tar_of_the_plans_files);
    tcase_add_test(t, submissions_are_found_by_their_names);
    suite_add_tcase(s, t);
    return suite_run(s);
}
