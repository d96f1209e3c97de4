/*
 * Objects that gradings share: what is taken of them is what a compiler would
 * make, and nothing of a submission gets there.
 *
 * The kit here is a small one, of two sources and a header that students edit.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>  /* json_load_file */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strstr */
#include <sys/stat.h> /* mkdir */

#include "child.h"
#include "grader/base/file.h"
#include "grader/base/folder.h"
#include "grader/build/compiler.h"
#include "grader/build/objects.h"
#include "heap.h"
#include "suite.h"

enum { DIR = 256, NAME = DIR + 64 }; /* a folder's path, and of what is in it */
static char dir[DIR], objects[NAME];
static struct plan plan = {.file = {"a.c", "b.c", "own.h", "answers.txt"},
                           .nfiles = 4};
static struct place place;
static struct request request;

static void put(const char *name, const char *text)
{
    char path[NAME];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f != NULL, "%s", path);
    fputs(text, f);
    fclose(f);
}

/* WORK as a grading has it when its sources are to be compiled. */
static void make_work(const char *submission)
{
    struct child c = child_run(30,
                               "cd %s && rm -rf work && mkdir -m 755 -p "
                               "work/src work/staff work/out work/tmp && cp "
                               "%s/* work/src && cp staff.h work/staff",
                               dir, submission);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void make_kit(void)
{
    char made[CHILD_FOLDER];
    child_folder(made, "commlab-objects");
    ck_assert_uint_lt(strlen(made), sizeof dir);
    strcpy(dir, made);
    snprintf(objects, sizeof objects, "%s/objects", dir);
    struct child c = child_run(10,
                               "cd %s && chmod 755 . && mkdir -p kit/common "
                               "kit/solutions/lab kit/labs/lab gpu",
                               dir);
    child_clear(&c);
    put("kit/common/kit.h", "#define KIT 1\n");
    put("staff.h", "#define STAFF 1\n");
    put("kit/solutions/lab/own.h", "#define OWN 1\n");
    put("kit/solutions/lab/a.c", "#include \"kit.h\"\n#include \"own.h\"\n"
                                 "int a(int unused) { return KIT + OWN; }\n");
    put("kit/solutions/lab/b.c",
        "#include \"staff.h\"\nint b(void) { return STAFF; }\n");
    put("kit/solutions/lab/answers.txt", "42\n");
    c = child_run(10,
                  "cd %s/kit && cp solutions/lab/* labs/lab && echo '//' "
                  ">> labs/lab/b.c",
                  dir);
    child_clear(&c);
    place = (struct place){.plan = &plan,
                           .lab = "lab",
                           .machine = {.backend = backend_find("sim"),
                                       .seen = "/simgpu",
                                       .toolchain =
                                           "\ncc=\"gcc -std=gnu11 -Wall "
                                           "-Wextra -g -O2\"\ncxx=\"g++\"\n"
                                           "cu=\"false\"\n"
                                           "headers=\"-I$COMMON\"\n"
                                           "system=\"-isystem $COMMON\"\n"}};
    snprintf(place.kit, sizeof place.kit, "%s/kit", dir);
    snprintf(place.machine.home, sizeof place.machine.home, "%s/gpu", dir);
    snprintf(place.work, sizeof place.work, "%s/work", dir);
    snprintf(place.tmp, sizeof place.tmp, "%s/work/tmp", dir);
    request = (struct request){.isolation = 2, .objects = objects};
    ck_assert(objects_is_folder(objects));
}

static void remove_kit(void)
{
    child_remove(dir);
}

/* Which of a.c and b.c are taken: "ab", "a", "b" or "". */
static const char *taken(void)
{
    char done[PLAN_MAX_FILES] = {0};
    objects_reuse(&request, &place, done);
    ck_assert(!done[2] && !done[3]); // these are not compiled
    return done[0] && done[1] ? "ab" : done[0] ? "a" : done[1] ? "b" : "";
}

/* What is in WORK/out has to be what compiling WORK/src gives. */
static void same_as_compiled(void)
{
    static const char *const parts[] = {"o", "d", "said"};
    const char done[PLAN_MAX_FILES] = {0};
    char folder[NAME], a[2 * NAME], b[2 * NAME];
    struct compiler c;
    struct sandbox_end end;
    snprintf(folder, sizeof folder, "%s/work/again", dir);
    ck_assert_int_eq(mkdir(folder, 0755), 0);
    ck_assert_int_eq(compiler_init(&c, &request, &place, folder), 0);
    struct child copied = child_run(10, "cp -r %s/work/src %s", dir, folder);
    child_clear(&copied);
    compiler_compile(&c, done, &end);
    ck_assert_msg(end.status == 0, "%s", end.log.head);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(a, sizeof a, "%s/out/%s.%s", folder, plan.file[i],
                     parts[k]);
            snprintf(b, sizeof b, "%s/work/out/%s.%s", dir, plan.file[i],
                     parts[k]);
            ck_assert_msg(file_same(a, b), "%s differs", b);
        }
}

START_TEST(what_is_taken_is_what_a_compiler_makes)
{
    char path[NAME];
    struct stat st;
    for (int i = 0; i < 3; i++) { // made, used, used
        make_work("kit/solutions/lab");
        ck_assert_str_eq(taken(), "ab");
        same_as_compiled();
    }
    snprintf(path, sizeof path, "%s/work/out/a.c.said", dir);
    ck_assert(stat(path, &st) == 0 && st.st_size > 0); // a warning is kept
    make_work("kit/labs/lab"); // a.c is the solution's, b.c the skeleton's
    ck_assert_str_eq(taken(), "ab");
    same_as_compiled();
}
END_TEST

/* What a compiler would read besides the sources. */
static const struct {
    const char *file, *text;
} changes[] = {
    {"kit/common/kit.h", "#define KIT 20\n"},
    {"staff.h", "#define STAFF 20\n"},
    {"kit/solutions/lab/own.h", "#define OWN 20\n"},
    {"kit/solutions/lab/a.c", "int a(int unused) { return 30; }\n"},
};

START_TEST(what_has_changed_is_compiled_again)
{
    make_work("kit/solutions/lab");
    ck_assert_str_eq(taken(), "ab");
    put(changes[_i].file, changes[_i].text);
    make_work("kit/solutions/lab");
    ck_assert_str_eq(taken(), "ab");
    same_as_compiled();
}
END_TEST

START_TEST(other_flags_make_other_objects)
{
    make_work("kit/solutions/lab");
    ck_assert_str_eq(taken(), "ab");
    strcpy(place.machine.toolchain,
           "\ncc=\"gcc -O0\"\ncxx=\"g++\"\nheaders=\"-I$COMMON\"\n"
           "system=\"-isystem $COMMON\"\n");
    make_work("kit/solutions/lab");
    ck_assert_str_eq(taken(), "ab");
    same_as_compiled();
}
END_TEST

/* The compiler is a script below $GPU: what is known of it is its size. */
START_TEST(another_compiler_makes_other_objects)
{
    static const char *const scripts[] = {
        "#!/bin/sh\nexec gcc \"$@\"\n", "#!/bin/sh\nexec gcc -DKIT=7 \"$@\"\n"};
    strcpy(place.machine.toolchain,
           "\ncc=\"$GPU/cc -O2\"\ncxx=\"g++\"\nheaders=\"-I$COMMON\"\n"
           "system=\"-isystem $COMMON\"\n");
    put("kit/common/kit.h", "#ifndef KIT\n#define KIT 1\n#endif\n");
    for (int i = 0; i < 2; i++) {
        put("gpu/cc", scripts[i]);
        struct child c = child_run(10, "chmod 755 %s/gpu %s/gpu/cc", dir, dir);
        child_clear(&c);
        make_work("kit/solutions/lab");
        ck_assert_str_eq(taken(), "ab");
        same_as_compiled();
    }
}
END_TEST

/* Changes to a submission, and which of its files are still the kit's. */
static const struct {
    const char *edit, *taken;
} edits[] = {
    {"true", "ab"},
    {"echo >> a.c", "b"},
    {"echo '#define OWN 2' > own.h", "b"}, // which a.c includes
    {"echo 43 > answers.txt", "ab"},
    {"rm answers.txt", "ab"},
    {"echo 'int secret;' >> a.c; echo 'int secret2;' >> b.c", ""},
    {"cp b.c c.c; mv c.c a.c", "b"},
};

START_TEST(what_a_submission_changed_is_left_to_the_compiler)
{
    struct child c = child_run(30,
                               "cd %s && cp -r kit/solutions/lab in && cd in "
                               "&& %s",
                               dir, edits[_i].edit);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    for (int i = 0; i < 2; i++) {
        make_work("in");
        ck_assert_str_eq(taken(), edits[_i].taken);
    }
    c = child_run(30, "grep -rl secret %s", objects);
    ck_assert_str_eq(c.out, ""); // nothing of a submission is kept
    child_clear(&c);
}
END_TEST

START_TEST(below_level_2_nothing_is_taken)
{
    make_work("kit/solutions/lab");
    request.isolation = 1; // paths there are this grading's own
    ck_assert_str_eq(taken(), "");
}
END_TEST

START_TEST(a_kit_that_does_not_compile_is_left_to_the_compiler)
{
    put("kit/solutions/lab/b.c", "no C\n");
    make_work("kit/solutions/lab");
    ck_assert_str_eq(taken(), "a"); // which the skeleton has as well
}
END_TEST

START_TEST(a_folder_that_others_can_enter_is_refused)
{
    char path[2 * NAME];
    ck_assert_int_eq(chmod(objects, 0750), 0);
    ck_assert_int_eq(objects_is_folder(objects), 0);
    snprintf(path, sizeof path, "%s/no/such", objects);
    ck_assert_int_eq(objects_is_folder(path), 0);
    put("file", "");
    snprintf(path, sizeof path, "%s/file", dir);
    ck_assert_int_eq(objects_is_folder(path), 0);
    struct child c = child_run(30, "%s/grade run --lab lab1 --objects %s %s",
                               child_build(), objects, dir);
    ck_assert_int_eq(c.status, 2);
    ck_assert(strstr(c.err, "is not a folder that only you can enter"));
    child_clear(&c);
}
END_TEST

/* Submissions of lab 1, by shell commands in a copy of its solution. */
static const char *const submissions[] = {
    "true",
    "cp $KIT/labs/lab1-collectives/* .",
    "cp $KIT/labs/lab1-collectives/p2p.c .",
    "sed -i '/int rank, nranks;/a int unused;' bootstrap.c",
    "echo 'int 3;' >> alphabeta.c",
    "echo 'int MPI_Init(int *a, char ***b) { return !a + !b; }' >> p2p.c",
};

/* A grading as JSON, without how long it took, and of its log what compilers
 * said: what ranks print comes in any order. */
static char *graded(const char *options)
{
    char path[NAME];
    struct child c = child_run(
        300,
        "%s/grade run --lab lab1 --case communicator,broadcast --seed 7 "
        "--quiet --json %s/r.json %s %s/in",
        child_build(), dir, options, dir);
    snprintf(path, sizeof path, "%s/r.json", dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%s%s", c.out, c.err);
    char *const log = strdup(
        json_string_value(json_object_get(json_object_get(j, "log"), "head")));
    char *const run = strstr(log, "== run");
    if (run)
        *run = 0;
    json_object_set_new(j, "log", json_string(log));
    json_object_del(j, "sec");
    free(log);
    child_clear(&c);
    char *const text = json_dumps(j, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(j);
    return text;
}

START_TEST(gradings_are_the_same_with_objects_and_without)
{
    char option[2 * NAME];
    struct child c = child_run(30,
                               "KIT=%s/.. && cd %s && cp -r "
                               "$KIT/solutions/lab1-collectives in && cd in "
                               "&& %s",
                               child_build(), dir, submissions[_i]);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    snprintf(option, sizeof option, "--objects %s", objects);
    char *const without = graded("");
    for (int i = 0; i < 2; i++) { // made, used
        char *const with = graded(option);
        ck_assert_str_eq(with, without);
        free(with);
    }
    free(without);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("objects");
    TCase *const t = tcase_create("objects");
    heap_watch(t);
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, make_kit, remove_kit);
    tcase_add_test(t, what_is_taken_is_what_a_compiler_makes);
    SUITE_LOOP(t, what_has_changed_is_compiled_again, changes);
    tcase_add_test(t, other_flags_make_other_objects);
    tcase_add_test(t, another_compiler_makes_other_objects);
    SUITE_LOOP(t, what_a_submission_changed_is_left_to_the_compiler, edits);
    tcase_add_test(t, below_level_2_nothing_is_taken);
    tcase_add_test(t, a_kit_that_does_not_compile_is_left_to_the_compiler);
    tcase_add_test(t, a_folder_that_others_can_enter_is_refused);
    SUITE_LOOP(t, gradings_are_the_same_with_objects_and_without, submissions);
    suite_add_tcase(s, t);
    return suite_run(s);
}
