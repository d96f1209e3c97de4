/* Archives in archives, and how much is read of all of them. */
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdlib.h> /* malloc */
#include <string.h> /* strlen */

#include "grader/intake/unpack.h"
#include "suite.h"

enum { MIB = 1 << 20, MOST = MIB };

struct entry {
    const char *path;
    size_t nbytes; /* zeros, if there are no bytes */
    const void *bytes;
};

/* An archive of these entries, up to the first without a path. */
static char *pack(const struct entry *entry, int n, int filter, size_t *nbytes)
{
    static const char zeros[MIB];
    char *const data = malloc(MOST);
    struct archive *const a = archive_write_new();
    archive_write_set_format_gnutar(a);
    archive_write_add_filter(a, filter);
    archive_write_set_bytes_in_last_block(a, 1);
    ck_assert_int_eq(archive_write_open_memory(a, data, MOST, nbytes), 0);
    for (int i = 0; i < n && entry[i].path; i++) {
        struct archive_entry *const e = archive_entry_new();
        archive_entry_set_pathname(e, entry[i].path);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        archive_entry_set_size(e, (la_int64_t)entry[i].nbytes);
        ck_assert_int_eq(archive_write_header(a, e), ARCHIVE_OK);
        if (entry[i].bytes)
            archive_write_data(a, entry[i].bytes, entry[i].nbytes);
        for (size_t left = entry[i].bytes ? 0 : entry[i].nbytes; left > 0;) {
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

/* ---- how much ------------------------------------------------------------ */

#define TOO_MUCH "the archive unpacks to more than 64 MiB"

/* Of what is found, the bytes are read in addition to those of the archive. */
static const struct {
    struct entry entry[2];
    const char *says;
} sums[] = {
    {{{"x", 64 * MIB, NULL}}, ""},
    {{{"x", 64 * MIB + 1, NULL}}, TOO_MUCH},
    {{{"x", 40 * MIB, NULL}, {"y", 24 * MIB, NULL}}, ""},
    {{{"x", 40 * MIB, NULL}, {"y", 24 * MIB + 1, NULL}}, TOO_MUCH},
    {{{"x", 64 * MIB - 10, NULL}, {"a.c", 5, NULL}}, ""},
    {{{"x", 64 * MIB - 9, NULL}, {"a.c", 5, NULL}}, TOO_MUCH},
    {{{"x.tar", 32 * MIB + 1, NULL}}, TOO_MUCH},
};

START_TEST(all_of_it_is_at_most_64_MiB)
{
    size_t nbytes;
    char why[128] = "x";
    struct unpack_file f = {.name = "a.c"};
    char *const data = pack(sums[_i].entry, 2, ARCHIVE_FILTER_ZSTD, &nbytes);
    ck_assert_int_eq(unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why),
                     sums[_i].says[0] ? -1 : 0);
    ck_assert_str_eq(why, sums[_i].says);
    free(f.data);
    free(data);
}
END_TEST

/* ---- archives in archives ------------------------------------------------ */

#define TEXT(path, text)                                                       \
    {                                                                          \
        path, sizeof(text) - 1, text                                           \
    }
#define FILE_OF(path) TEXT(path, "hello")
#define NOT_ONE       "it is neither a folder nor an archive (tar, tar.gz, zip)"

/* An entry named "+PATH" is an archive of all entries up to it: each of them is
 * in one more archive. */
static const struct {
    struct entry entry[6];
    enum unpack_state state; /* of a.c */
    int depth;
    const char *says;
    int refused;
} nested[] = {
    {{FILE_OF("a.c"), {"+in.tar", 0, NULL}}, UNPACK_FILE, 1, "", 0},
    {{FILE_OF("y/a.c"), {"+x/in.tar", 0, NULL}}, UNPACK_FILE, 3, "", 0},
    {{FILE_OF("a.c"), {"+._in.tar", 0, NULL}}, UNPACK_MISSING, 0, "", 0},
    {{FILE_OF("a.c"), {"+.in.tar", 0, NULL}}, UNPACK_FILE, 1, "", 0},
    {{FILE_OF("a.c"), {"+in.txt", 0, NULL}}, UNPACK_MISSING, 0, "", 0},
    // how many deep
    {{FILE_OF("a.c"),
      {"+3.tar", 0, NULL},
      {"+2.tar", 0, NULL},
      {"+1.tar", 0, NULL}},
     UNPACK_FILE,
     3,
     "",
     0},
    {{FILE_OF("a.c"),
      {"+4.tar", 0, NULL},
      {"+3.tar", 0, NULL},
      {"+2.tar", 0, NULL},
      {"+1.tar", 0, NULL}},
     UNPACK_MISSING,
     0,
     "",
     0},
    {{FILE_OF("a.c"), {"+1/2/3/4/5/in.tar", 0, NULL}}, UNPACK_FILE, 6, "", 0},
    {{FILE_OF("a.c"), {"+1/2/3/4/5/6/in.tar", 0, NULL}},
     UNPACK_MISSING,
     0,
     "",
     0},
    // what comes behind one
    {{FILE_OF("b.c"), {"+1/in.tar", 0, NULL}, FILE_OF("x/a.c")},
     UNPACK_FILE,
     1,
     "",
     0},
    {{FILE_OF("b.c"),
      {"+1.tar", 0, NULL},
      FILE_OF("c.c"),
      {"+2.tar", 0, NULL},
      FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "",
     0},
    {{FILE_OF("a.c"), {"+1.tar", 0, NULL}, FILE_OF("x/a.c")},
     UNPACK_TWICE,
     1,
     "",
     0},
    // one that is damaged, or no archive
    {{FILE_OF("in.tar"), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.tar: " NOT_ONE,
     0},
    {{TEXT("x/\033in.zip", ""), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.zip: it is an empty file",
     0},
    {{FILE_OF("in.tar"), {"+1.tar", 0, NULL}, FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.tar: " NOT_ONE,
     0},
    {{TEXT("in.7z", "7z\xBC\xAF\x27\x1C"), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.7z: it is a 7z archive; tar, tar.gz or zip would do",
     0},
    {{TEXT("in.rar", "Rar!\x1A\x07"), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.rar: it is a RAR archive; tar, tar.gz or zip would do",
     0},
    {{TEXT("in.zip", "%PDF-"), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.zip: it is a PDF document, not an archive (tar, tar.gz, zip)",
     0},
    {{TEXT("in.zip", "%PDF"), FILE_OF("a.c")},
     UNPACK_FILE,
     0,
     "in.zip: " NOT_ONE,
     0},
    // one that is refused
    {{FILE_OF("../a.c"),
      {"+2.tar", 0, NULL},
      {"+1.tar", 0, NULL},
      FILE_OF("a.c")},
     UNPACK_MISSING,
     0,
     "1.tar: 2.tar: the archive has a path that leads out of it",
     -1},
};

/* The archive that the entries are. */
static char *pack_nested(const struct entry *from, size_t *nbytes)
{
    struct entry entry[7] = {{NULL, 0, NULL}};
    char *inner[6];
    int n = 0, ninner = 0;
    for (int i = 0; i < 6 && from[i].path; i++) {
        if (from[i].path[0] != '+') {
            entry[n++] = from[i];
            continue;
        }
        size_t size;
        char *const data = pack(entry, n, ARCHIVE_FILTER_NONE, &size);
        inner[ninner++] = data;
        entry[0] = (struct entry){from[i].path + 1, size, data};
        n = 1;
    }
    char *const all = pack(entry, n, ARCHIVE_FILTER_NONE, nbytes);
    while (ninner > 0)
        free(inner[--ninner]);
    return all;
}

START_TEST(an_archive_in_an_archive_is_a_folder)
{
    size_t nbytes;
    char why[128] = "x";
    struct unpack_file f = {.name = "a.c"};
    char *const data = pack_nested(nested[_i].entry, &nbytes);
    ck_assert_int_eq(unpack_files(data, nbytes, &f, 1, 1000, why, sizeof why),
                     nested[_i].refused);
    ck_assert_str_eq(why, nested[_i].says);
    ck_assert_int_eq(f.state, nested[_i].state);
    ck_assert_int_eq(f.depth, nested[_i].depth);
    if (f.state == UNPACK_FILE) {
        ck_assert_uint_eq(f.nbytes, 5);
        ck_assert_int_eq(memcmp(f.data, "hello", 5), 0);
    }
    free(f.data);
    free(data);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("unpack");
    TCase *const t = tcase_create("unpack");
    SUITE_LOOP(t, all_of_it_is_at_most_64_MiB, sums);
    SUITE_LOOP(t, an_archive_in_an_archive_is_a_folder, nested);
    suite_add_tcase(s, t);
    return suite_run(s);
}
