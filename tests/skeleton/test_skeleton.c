/* From solutions to skeletons: what is cut out, which markers are errors, and
 * that no student's work is lost. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

enum { SHELL_SEC = 60, COMPILE_SEC = 300 };

/* A separate tree: common/kit with the scripts, solutions/lab7-x/, labs/. */
static char tree[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", tree, name);
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
}

static void setup(void)
{
    strcpy(tree, "/tmp/commlab-skeleton-XXXXXX");
    ck_assert(mkdtemp(tree) != NULL);
    struct child c =
        child_run(SHELL_SEC,
                  "cd %s && mkdir -p common/kit solutions/lab7-x && "
                  "cp %s/common/kit/skeleton.awk "
                  "%s/common/kit/skeletons.sh common/kit",
                  tree, labtest_root(), labtest_root());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    write_file("solutions/lab7-x/a.c", "int a;\n");
    write_file("solutions/lab7-x/b.c", "int b;\n");
}

static void teardown(void)
{
    struct child c = child_run(SHELL_SEC, "rm -r %s", tree);
    child_clear(&c);
}

/* Run a line in the tree. */
static struct child in_tree(const char *line)
{
    return child_run(SHELL_SEC, "cd %s && %s", tree, line);
}

static void expect(const char *line, int status, const char *out)
{
    struct child c = in_tree(line);
    ck_assert_msg(c.status == status && strcmp(c.out, out) == 0,
                  "%s: status %d, should be %d\n%s%sshould be\n%s", line,
                  c.status, status, c.out, c.err, out);
    child_clear(&c);
}

/* ---- what is cut out ---------------------------------------------------- */

static const struct {
    const char *name, *solution, *skeleton;
} golden[] = {
    {"x.cu",
     "// BEGIN HOLE part 1: kernel (device, about 3 lines)\n"
     "x[0] = 1;\n"
     "// END HOLE\n",
     "// Yours to write: part 1: kernel (device, about 3 lines)\n"
     "LAB_DEVICE_HOLE(\"part 1: kernel\");\n"},
    {"x.c",
     "int f(int a, int b, int c)\n{\n"
     "    // BEGIN HOLE part 2: sum (about 3 lines)\n"
     "    // HINT: add(), twice\n"
     "    const int s = a + b; // not a marker: BEGIN HOLE\n"
     "    return s + c;\n"
     "    // END HOLE\n"
     "}\n",
     "int f(int a, int b, int c)\n{\n"
     "    // Yours to write: part 2: sum (about 3 lines)\n"
     "    // add(), twice\n"
     "    LAB_HOLE(\"part 2: sum\");\n"
     "}\n"},
    {"x.c",
     "        // BEGIN HOLE one\n        x;\n        // END HOLE\n"
     "// HINT: outside\n"
     "// BEGIN HOLE two\ny;\n// END HOLE\n",
     "        // Yours to write: one\n        LAB_HOLE(\"one\");\n"
     "// HINT: outside\n"
     "// Yours to write: two\nLAB_HOLE(\"two\");\n"},
    {"x.c",
     "    // BEGIN HOLE part 3: a deadlock (about 3 lines)\n"
     "    // HINT: who receives?\n"
     "    // START: send(a,\n    // START:      b);\n    // START: receive();\n"
     "    both();\n    // END HOLE\n"
     "// BEGIN HOLE two\ny;\n// END HOLE\n",
     "    // Yours to mend: part 3: a deadlock (about 3 lines)\n"
     "    // who receives?\n"
     "    send(a,\n         b);\n    receive();\n"
     "// Yours to write: two\nLAB_HOLE(\"two\");\n"},
    {"x.h", "no holes\n\n", "no holes\n\n"},
    {"answers.txt",
     "# 1. How many = ? [1 %]\n#= as many\nmany_us = 4.18 us # yes\nb=\n",
     "# 1. How many = ? [1 %]\nmany_us =\nb=\n"},
};

START_TEST(a_skeleton_is_the_solution_without_its_holes)
{
    char name[64], line[128];
    snprintf(name, sizeof name, "solutions/lab7-x/%s", golden[_i].name);
    write_file(name, golden[_i].solution);
    snprintf(line, sizeof line, "awk -f common/kit/skeleton.awk %s", name);
    expect(line, 0, golden[_i].skeleton);
}
END_TEST

static const struct {
    const char *text, *says;
} mistakes[] = {
    {"a\n// BEGIN HOLE x\n// BEGIN HOLE y\n// END HOLE\n// END HOLE\n",
     "x.c:3: BEGIN HOLE inside the hole of line 2\n"},
    {"a\n// END HOLE\n", "x.c:2: END HOLE without BEGIN HOLE\n"},
    {"// BEGIN HOLE x\na\n// END HOLE\n// END HOLE\n",
     "x.c:4: END HOLE without BEGIN HOLE\n"},
    {"a\nb\n// BEGIN HOLE x\nc\n", "x.c:3: this hole is not closed\n"},
};

START_TEST(a_misplaced_marker_is_named_and_nothing_is_written)
{
    write_file("solutions/lab7-x/x.c", mistakes[_i].text);
    struct child c = in_tree("common/kit/skeletons.sh");
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, mistakes[_i].says) != NULL, "%s", c.err);
    child_clear(&c);
    expect("ls labs 2>/dev/null | wc -l", 0, "0\n");
}
END_TEST

/* ---- no work is lost ---------------------------------------------------- */

#define REFUSED(file)                                                          \
    "skeletons: these files have been worked on, nothing of lab7-x was "       \
    "written:\n    labs/lab7-x/" file "\n"                                     \
    "Keep them with: cp -r labs/lab7-x my-lab7-x (then make skeletons "        \
    "FORCE=1)\n"

static const struct {
    const char *work; /* what a student does after the first skeletons */
    const char *file, *refusal;
} works[] = {
    {"echo mine > labs/lab7-x/a.c", "a.c", REFUSED("a.c")},
    {"echo mine > labs/lab7-x/a.c; rm labs/.skeleton", "a.c", REFUSED("a.c")},
    {"echo mine > labs/lab7-x/c.c; echo 'int c;' > solutions/lab7-x/c.c", "c.c",
     REFUSED("c.c")},
    {"echo mine > labs/lab7-x/a.c; sed -i /a.c/d labs/.skeleton", "a.c",
     REFUSED("a.c")},
    {"echo mine > labs/lab7-x/b.c; echo 'int a2;' > solutions/lab7-x/a.c",
     "b.c", REFUSED("b.c")},
    {"echo mine > labs/lab7-x/b.c; rm solutions/lab7-x/b.c", "b.c",
     REFUSED("b.c")},
    {"mkdir -p labs; rm -r labs/lab7-x; mkdir labs/lab7-x; "
     "echo mine > labs/lab7-x/b.c",
     "b.c", REFUSED("b.c")},
};

START_TEST(work_in_labs_is_never_overwritten)
{
    char line[128];
    expect("common/kit/skeletons.sh", 0, "");
    struct child c = in_tree(works[_i].work);
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    expect("common/kit/skeletons.sh", 1, works[_i].refusal);
    snprintf(line, sizeof line, "cat labs/lab7-x/%s", works[_i].file);
    expect(line, 0, "mine\n");
    expect("FORCE=1 common/kit/skeletons.sh && common/kit/skeletons.sh --check",
           0, "");
}
END_TEST

static const char *const harmless[] = {
    "true",                                  // again
    "echo 'int a2;' > solutions/lab7-x/a.c", // the lab has changed
    "rm labs/lab7-x/a.c",                    // a file is gone
    "rm labs/.skeleton",                     // nothing differs
    "rm solutions/lab7-x/b.c",               // the lab lost a file
    "echo 'int c;' > solutions/lab7-x/c.c",  // or got one
};

START_TEST(what_was_only_generated_is_replaced)
{
    expect("common/kit/skeletons.sh", 0, "");
    struct child c = in_tree(harmless[_i]);
    child_clear(&c);
    expect("common/kit/skeletons.sh", 0, "");
    expect("common/kit/skeletons.sh --check", 0, "");
}
END_TEST

START_TEST(a_students_own_files_stay)
{
    expect("common/kit/skeletons.sh; echo notes > labs/lab7-x/notes.txt", 0,
           "");
    write_file("solutions/lab7-x/a.c", "int changed;\n");
    expect("common/kit/skeletons.sh; cat labs/lab7-x/notes.txt labs/lab7-x/a.c",
           0, "notes\nint changed;\n");
}
END_TEST

START_TEST(one_lab_can_be_named)
{
    expect("cp -r solutions/lab7-x solutions/lab8-y; "
           "common/kit/skeletons.sh lab8-y; ls labs",
           0, "lab8-y\n");
    // The list of the other labs' files stays as it is.
    expect("common/kit/skeletons.sh && common/kit/skeletons.sh lab8-y && "
           "common/kit/skeletons.sh --check",
           0, "");
    expect("rm -r labs/lab8-y solutions/lab8-y; common/kit/skeletons.sh; "
           "grep -c lab8-y labs/.skeleton",
           1, "0\n");
    expect("common/kit/skeletons.sh lab9-z", 1,
           "skeletons: there is no solutions/lab9-z\n");
}
END_TEST

START_TEST(check_tells_what_differs)
{
    expect("common/kit/skeletons.sh", 0, "");
    write_file("labs/lab7-x/a.c", "int other;\n");
    struct child c = in_tree("common/kit/skeletons.sh --check");
    ck_assert(c.status == 1 && strstr(c.out, "int other;"));
    child_clear(&c);
    expect("FORCE=1 common/kit/skeletons.sh; : > labs/.skeleton; "
           "common/kit/skeletons.sh --check > out; grep -c lab7-x/a.c out",
           0, "1\n");
}
END_TEST

/* As the grader compiles it, with its kernels. */
START_TEST(an_untouched_skeleton_compiles_without_a_warning)
{
    struct child c = child_run(
        COMPILE_SEC,
        "cd %s && GPU=%s/simgpu COMMON=common && "
        ". %s/$(head -1 %s/backend)/toolchain && for f in labs/*/*.c; do "
        "$cc $headers -Icommon/staff/$(basename ${f%%/*}) -fsyntax-only "
        "-Werror $f; done; for f in labs/*/*.cu; do $cu $headers "
        "-Icommon/staff/$(basename ${f%%/*}) -c $f -o %s/x.o; done",
        labtest_root(), child_build(), child_build(), child_build(), tree);
    ck_assert_msg(c.status == 0 && c.out[0] == 0 && c.err[0] == 0,
                  "status %d%s\n%s%s", c.status,
                  c.timed_out ? ", at its deadline" : "", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("skeleton");
    TCase *const t = tcase_create("skeleton");
    tcase_set_timeout(t, COMPILE_SEC + 20);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_skeleton_is_the_solution_without_its_holes, 0,
                        sizeof golden / sizeof *golden);
    tcase_add_loop_test(t, a_misplaced_marker_is_named_and_nothing_is_written,
                        0, sizeof mistakes / sizeof *mistakes);
    tcase_add_loop_test(t, work_in_labs_is_never_overwritten, 0,
                        sizeof works / sizeof *works);
    tcase_add_loop_test(t, what_was_only_generated_is_replaced, 0,
                        sizeof harmless / sizeof *harmless);
    tcase_add_test(t, a_students_own_files_stay);
    tcase_add_test(t, one_lab_can_be_named);
    tcase_add_test(t, check_tells_what_differs);
    tcase_add_test(t, an_untouched_skeleton_compiles_without_a_warning);
    suite_add_tcase(s, t);
    return suite_run(s);
}
