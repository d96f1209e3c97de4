/*
 * May a file be part of a lab's program: what is said of each that may not.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "child.h"
#include "fds.h"
#include "grader/vet/vet.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void setup(void)
{
    child_folder(dir, "vet");
}

static void teardown(void)
{
    child_remove(dir);
}

/* What a shell's line makes is judged; in what is said, DIR is the folder. */
static const struct {
    const char *line, *name; /* of the source, or of the object's */
    int found;
    const char *says;
} files[] = {
    {"echo 'int a;' > a.c", "a.c", 0, ""},
    {": > a.c", "a.c", 0, ""},
    {"printf 'int a;\\0int b;' > a.c", "a.c", 1,
     "a.c: it has a zero byte in it: save it as plain text, in UTF-8"},
    {"printf 'int a;\\0' > a.c", "a.c", 1,
     "a.c: it has a zero byte in it: save it as plain text, in UTF-8"},
    {"true", "a.c", -1, "cannot read DIR/a.c: No such file or directory"},
    {"truncate -s 268435457 a.c", "a.c", -1, "DIR/a.c is too large"},
    {"truncate -s 268435456 a.c", "a.c", 1,
     "a.c: it has a zero byte in it: save it as plain text, in UTF-8"},
    {"echo 'int ncclSend(void) { return 0; }' > a.c; gcc -c a.c", "a.o", 1,
     "a.c: it defines ncclSend, a name of the kit's or a library's: rename it"},
    {"echo 'int nosuch(); int f(void) { return nosuch(); }' > a.c; gcc -c a.c",
     "a.o", 1, "a.c: it uses nosuch, which is not available in labs"},
    {"echo 'int f(void) { return 0; }' | gcc -xc -c -o a.o -", "a.o", 0, ""},
    {"echo '#include <stdlib.h>\nint f(void) { return system(0); }' > a.c; gcc "
     "-c a.c; gcc -E a.c -o a.i",
     "a.o", 1,
     "a.c:2: it uses system, which is not available in labs: write it in C"},
    {"echo 'int fork(); int f(void) { return fork(); }' > a.c; gcc -c a.c",
     "a.o", 1,
     "a.c: it uses fork, which is not available in labs: start a thread with "
     "pthread_create()"},
    {"echo > a.o", "a.o", -1, "DIR/a.o is not an object file"},
};

START_TEST(what_may_not_be_is_named)
{
    struct child c = child_run(60, "cd %s && export LC_ALL=C && {\n%s\n}", dir,
                               files[_i].line);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    struct vet v = {.folder = {dir}};
    char path[CHILD_FOLDER + 8], text[CHILD_FOLDER + 8], says[2 * VET_WHY + 8];
    snprintf(path, sizeof path, "%s/%s", dir, files[_i].name);
    snprintf(text, sizeof text, "%s/a.i", dir);
    const int found = strcmp(files[_i].name, "a.c") == 0
                          ? vet_source(&v, path)
                          : vet_object(&v, path, text, "a.c");
    const char *const at = strstr(v.why, dir);
    snprintf(says, sizeof says, "%.*s%s%s", at ? (int)(at - v.why) : 0, v.why,
             at ? "DIR" : "", at ? at + strlen(dir) : v.why);
    ck_assert_str_eq(says, files[_i].says);
    ck_assert_int_eq(found, files[_i].found);
}
END_TEST

/* Headers next to the files, in any of the folders, are their own. */
static const struct {
    const char *header;
    int found;
} headers[] = {
    {"own.h", 0},
    {"second.h", 0},
    {"none.h", 1},
    {"sub/own.h", 1},
};

START_TEST(own_headers_may_be_included)
{
    char second[CHILD_FOLDER + 8], path[CHILD_FOLDER + 8], says[100];
    struct child c = child_run(
        20,
        "cd %s && mkdir 2 sub && touch own.h 2/second.h sub/own.h && echo "
        "'#include \"%s\"' > a.c",
        dir, headers[_i].header);
    child_clear(&c);
    snprintf(second, sizeof second, "%s/2", dir);
    snprintf(path, sizeof path, "%s/a.c", dir);
    struct vet v = {.folder = {dir, second}};
    ck_assert_int_eq(vet_source(&v, path), headers[_i].found);
    snprintf(says, sizeof says, "a.c:1: #include of %s", headers[_i].header);
    ck_assert_int_eq(strncmp(v.why, says, strlen(says)) == 0,
                     headers[_i].found);
}
END_TEST

START_TEST(what_was_preprocessed_is_read)
{
    char path[CHILD_FOLDER + 8];
    struct vet v = {.folder = {dir}};
    struct child c = child_run(20,
                               "cd %s && printf '# 1 \"a.c\"\nint x;\n' > "
                               "a.i; printf '# 7 \"a.c\"\nasm\n' > b.i",
                               dir);
    child_clear(&c);
    snprintf(path, sizeof path, "%s/a.i", dir);
    ck_assert_int_eq(vet_preprocessed(&v, path), 0);
    ck_assert_str_eq(v.why, "");
    snprintf(path, sizeof path, "%s/b.i", dir);
    ck_assert_int_eq(vet_preprocessed(&v, path), 1);
    ck_assert_int_eq(strncmp(v.why, "a.c:7: asm is not available", 27), 0);
    snprintf(path, sizeof path, "%s/c.i", dir);
    ck_assert_int_eq(vet_preprocessed(&v, path), -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("vet");
    TCase *const t = tcase_create("vet");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, what_may_not_be_is_named, 0,
                        sizeof files / sizeof *files);
    SUITE_LOOP(t, own_headers_may_be_included, headers);
    tcase_add_test(t, what_was_preprocessed_is_read);
    suite_add_tcase(s, t);
    return suite_run(s);
}
