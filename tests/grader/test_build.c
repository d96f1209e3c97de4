/*
 * From sources to a program: what the student is told of what compilers and the
 * linker say, and whose fault it is. tests/grader/golden.txt has the texts.
 *
 * The kit is a made-up one, without isolation. Its compiler and linker are
 * shell scripts that say what the test wants, instead of compiling.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcpy */
#include <unistd.h> /* access */

#include "child.h"
#include "golden.h"
#include "grader/build/build.h"
#include "grader/build/compiler.h"
#include "heap.h"
#include "suite.h"

static const char texts[] = "tests/grader/golden.txt#builds";
static char dir[256];
static struct plan plan = {.file = {"a.c", "b.cu", "own.h", "answers.txt"},
                           .nfiles = 4};
static struct place place;
static struct result result;

/* A shell command in the folder. */
static void shell(const char *command)
{
    struct child c = child_run(30, "cd %s && %s", dir, command);
    ck_assert_msg(c.status == 0, "%s: %s", command, c.err);
    child_clear(&c);
}

/* The lab's own file, which links. */
#define OWN "mkdir -p kit/labs/lab; echo 'int own;' > kit/labs/lab/a.c; "

/* Preprocessing copies. Compiling says what $COMMON/says.FILE has, and ends
 * with the status in $COMMON/status, or with the object $COMMON/FILE.o. */
#define COMPILER                                                               \
    "cat > kit/common/compile << 'END'\n"                                      \
    "for last; do :; done\n"                                                   \
    "case \"$*\" in *' -E '*) file=${last##*/}; file=${file%.i}\n"             \
    "  { echo \"# 1 \\\"$file\\\"\"; cat $file; } > $last; exit ;; esac\n"     \
    "file=${last##*/}; file=${file%.o}\n"                                      \
    "[ ! -f $COMMON/says.$file ] || cat $COMMON/says.$file\n"                  \
    "[ ! -f $COMMON/status.$file ] || grep -q own $file ||\n"                  \
    "  exit $(cat $COMMON/status.$file)\n"                                     \
    "[ -f $COMMON/$file.o ] || file=none\n"                                    \
    "exec cat $COMMON/$file.o > $last\n"                                       \
    "END\n"
#define LINKER                                                                 \
    "cat > kit/common/link << 'END'\n"                                         \
    "#!/bin/sh\n"                                                              \
    "grep -q own $SRC/a.c || {\n"                                              \
    "[ ! -f $COMMON/says.link ] || cat $COMMON/says.link\n"                    \
    "[ ! -f $COMMON/status.link ] || exit $(cat $COMMON/status.link); }\n"     \
    "echo $* > $2\n"                                                           \
    "END\n"

static void make_kit(void)
{
    char made[CHILD_FOLDER];
    child_folder(made, "build");
    ck_assert_uint_lt(strlen(made), sizeof dir);
    strcpy(dir, made);
    result_init(&result, 1);
    shell("mkdir -p kit/common/staff/lab build/sim/staff/lab contracts "
          "work/src work/tmp gpu\n" COMPILER LINKER
          "chmod 755 kit/common/*; echo 'given' > build/sim/staff/lab/kit.api\n"
          "echo 'int f;' | gcc -x c -c -o kit/common/none.o -\n"
          "echo 'int a;' > work/src/a.c; echo 'int b;' > work/src/b.cu; "
          "echo 'int o;' > work/src/own.h; echo 'fopen' > "
          "work/src/answers.txt\n");
    place = (struct place){
        .plan = &plan,
        .lab = "lab",
        .machine = {.backend = backend_find("sim"),
                    .seen = "/simgpu",
                    .toolchain = "\ncc=\"sh $COMMON/compile\"\ncu=\"sh "
                                 "$COMMON/compile cu\"\ncxx=\"$COMMON/link\"\n"
                                 "api=\"kit.api\"\nlibs=\"-lx\"\n"}};
    snprintf(place.kit, sizeof place.kit, "%s/kit", dir);
    snprintf(place.build, sizeof place.build, "%s/build", dir);
    snprintf(place.contracts, sizeof place.contracts, "%s/contracts", dir);
    snprintf(place.machine.home, sizeof place.machine.home, "%s/gpu", dir);
    snprintf(place.work, sizeof place.work, "%s/work", dir);
    snprintf(place.tmp, sizeof place.tmp, "%s/work/tmp", dir);
}

static void remove_kit(void)
{
    result_release(&result);
    child_remove(dir);
}

/* What comes of building, with the folder called DIR. */
static char *built(void)
{
    static const struct request q = {.isolation = 0};
    char *text = NULL;
    const int failed = build_program(&q, &place, &result);
    ck_assert_int_eq(failed, result.message[0] ? -1 : 0);
    const size_t n = strlen(dir);
    for (char *at; (at = strstr(result.message, dir)) != NULL;) {
        memmove(at + 3, at + n, strlen(at + n) + 1);
        memcpy(at, "DIR", 3);
    }
    ck_assert_int_gt(asprintf(&text, "%s: %s%s\n",
                              failed ? outcome_name[result.outcome] : "built",
                              result.message, result.notes),
                     0);
    return text;
}

#define SAYS(file, text) "printf '" text "' > kit/common/says." file "; "
#define STATUS(file, n)  "echo " n " > kit/common/status." file "; "
#define OBJECT(file, text)                                                     \
    "echo '" text "' | gcc -x c -c -o kit/common/" file ".o -; "
#define MACRO "a.c:7:2: note: in expansion of macro M\\n"

static const struct {
    const char *name, *prepare;
} builds[] = {
    {"well", "true"},
    {"warnings are no errors", SAYS("a.c", "a.c:1:1: warning: error x\\n")},
    {"an error",
     SAYS("a.c", "x\\na.c:3:5: error: one\\n | int\\n") STATUS("a.c", "1")},
    {"errors of two files",
     SAYS("a.c", "a.c:3:5: error: one\\nmore\\n")
         SAYS("b.cu", "b.cu:4: error: two") STATUS("b.cu", "2")},
    {"a file of which the lab has its own",
     "mkdir -p kit/labs/lab; echo 'int own;' > kit/labs/lab/a.c; " SAYS(
         "a.c", "a.c:3:5: error: one\\n") STATUS("a.c", "1")},
    {"all files, of which the lab has its own",
     "mkdir -p kit/labs/lab; echo 'int own;' | "
     "tee kit/labs/lab/a.c > kit/labs/lab/b.cu; " STATUS("b.cu", "1")
         SAYS("a.c", "a.c:3:5: error: one\\n") STATUS("a.c", "1")},
    {"an error without a text",
     STATUS("a.c", "1") SAYS("a.c", "so\\nit is\\n")},
    {"an error without any", STATUS("a.c", "1")},
    {"eight errors",
     STATUS("a.c", "1") SAYS("a.c", "1 error: \\n2 error: \\n3 error: "
                                    "\\n4 error: \\n5 error: \\n"
                                    "6 error: \\n7 error: \\n"
                                    "8 error: \\n")},
    {"ten errors",
     STATUS("a.c", "1") SAYS("a.c", "1 error: \\n2 error: \\n3 error: "
                                    "\\n4 error: \\n5 error: \\n"
                                    "6 error: \\n7 error: \\n"
                                    "8 error: \\n9 error: \\n"
                                    "10 error: \\n")},
    {"in a macro of the kit's",
     STATUS("a.c", "1") SAYS("a.c", "/common/x.h:9:3: error: one\\n"
                                    "/common/x.h:8:1: note: in expansion of "
                                    "macro N\\nb.c:7:2: note: here\\n" MACRO
                                    "a.c:8:1: note: in expansion of macro O\\n"
                                    "a.c:9:3: error: two\\n")},
    {"the next error has the macro",
     STATUS("a.c", "1") SAYS("a.c", "/common/x.h:9:3: error: one\\n"
                                    "a.c:9:3: error: two\\n" MACRO)},
    {"places that are none",
     STATUS("a.c", "1") SAYS(
         "a.c",
         "./x.h:9:3: error: one\\n" MACRO "a.c: error: two\\n" MACRO
         "a.c:x:2: error: three\\n" MACRO "a.c 1:2: error: four\\n" MACRO
         "a.c:0:2: error: five\\n" MACRO "a.c:9:2: error: six\\n" MACRO
         "a.c:/:2: error: seven\\n" MACRO "a.c:::2: error: eight\\n" MACRO)},
    {"a long error", STATUS("a.c", "1") "printf 'error: %04000d\\nerror: 2\\n' "
                                        "1 > kit/common/says.a.c"},
    {"the linker's",
     SAYS("link", "x.o: in f:\\n/src/a.c:3: undefined reference "
                  "to g\\n/srcs/a.c: undefined reference\\n"
                  "collect2: error: ld returned 1\\n") STATUS("link", "1")},
    {"a name that no file has",
     OWN SAYS("link", "ld: student: in function f:\\n/src/a.c:3: undefined "
                      "reference to `g\\047\\n") STATUS("link", "1")},
    {"a name that the lab has in another file",
     "mkdir -p kit/labs/lab; echo 'int own; int g(int n) { return n; }' > "
     "kit/labs/lab/a.c; echo 'int g(int); int f() { return g(1); }' > "
     "kit/labs/lab/b.cu; " SAYS("link", "/src/b.cu:3: undefined reference to "
                                        "`g\\047\\n") STATUS("link", "1")},
    {"a name that only the kit uses",
     "mkdir -p kit/labs/lab; echo 'int own; int g(int n) { return n; }' > "
     "kit/labs/lab/a.c; " SAYS("link", "kit.o: in f:\\n/kit/f.c:3: undefined "
                                       "reference to `g\\047\\n")
         STATUS("link", "1")},
    {"a name of two files",
     OWN SAYS("link", "ld: /out/a.c.o:(.bss+0x0): multiple definition of "
                      "`x\\047; /out/b.cu.o:(.bss+0x0): first defined here\\n")
         STATUS("link", "1")},
    {"a name of two files, of which the lab has one",
     "mkdir -p kit/labs/lab; echo 'int own;' > kit/labs/lab/a.c; "
     "echo 'void x(void) { }' > kit/labs/lab/b.cu; " SAYS(
         "link", "/src/b.cu:2: multiple definition of `x\\047; "
                 "/out/a.c.o:/src/a.c:9: first defined here\\n")
         STATUS("link", "1")},
    {"a name that the lab does not mend",
     "mkdir -p kit/labs/lab; echo 'int b;' > kit/labs/lab/b.cu; " SAYS(
         "link", "/src/b.cu:2: undefined reference to `x\\047\\n")
         STATUS("link", "1")},
    {"the linker's alone",
     SAYS("link", "ld returned\\nerror: 2\\n") STATUS("link", "3")},
    {"killed",
     SAYS("b.cu", "g++: fatal error: Killed signal\\n") STATUS("b.cu", "1")},
    {"killed by a signal", STATUS("a.c", "129")},
    {"a high status", STATUS("a.c", "128") SAYS("a.c", "error: x\\n")},
    // what it is made of
    {"a source that is refused", "echo '#include <x.h>' >> work/src/own.h"},
    {"a text that is refused", "echo 'int g = __x;' >> work/src/b.cu"},
    {"a text that is refused and fails",
     STATUS("b.cu", "1") "echo 'int g = __x;' >> work/src/b.cu"},
    {"an object that is refused",
     OBJECT("b.cu", "int system(); int g() { return system(); }")},
    {"an object may use what is given",
     OBJECT("a.c", "int given(); int g() { return given(); }")},
    {"an object may use the other's",
     OBJECT("a.c", "int h(); int g() { return h(); }")
         OBJECT("b.cu", "int h() { return 1; }")},
    {"an object that is none", "echo x > kit/common/a.c.o"},
    // this machine's fault
    {"no interface", ": > api; rm build/sim/staff/lab/kit.api"},
    {"a folder in the way", "mkdir work/out"},
    {"no kit", "rm -r contracts"},
};

START_TEST(a_build_says_what_went_wrong)
{
    shell(builds[_i].prepare);
    char *const text = built();
    golden_expect_part(texts, builds[_i].name, text);
    free(text);
}
END_TEST

START_TEST(a_missing_tool_is_the_machines_fault)
{
    strcpy(place.machine.toolchain, "\ncc=\"no-tool -x\"\ncxx=\"sh\"\n"
                                    "api=\"kit.api\"\n");
    char *const text = built();
    golden_expect_part(texts, "no compiler", text);
    free(text);
}
END_TEST

START_TEST(an_interface_that_is_not_given_is_told)
{
    strcpy(place.machine.toolchain, "\ncc=\"sh\"\ncxx=\"sh\"\n");
    char *const text = built();
    golden_expect_part(texts, "without an interface", text);
    free(text);
}
END_TEST

/* Each file goes to its compiler, all objects to the linker. */
START_TEST(a_program_is_linked_of_all_objects)
{
    char *const text = built();
    free(text);
    struct child c =
        child_run(10, "cd %s; sed 's,%s,DIR,g' work/out/program", dir, dir);
    golden_expect_part(texts, "a program", c.out);
    child_clear(&c);
    ck_assert_ptr_nonnull(strstr(result.log.head, "== build: status 0\n"));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("build");
    TCase *const t = tcase_create("build");
    heap_watch(t);
    tcase_add_checked_fixture(t, make_kit, remove_kit);
    SUITE_LOOP(t, a_build_says_what_went_wrong, builds);
    tcase_add_test(t, a_missing_tool_is_the_machines_fault);
    tcase_add_test(t, an_interface_that_is_not_given_is_told);
    tcase_add_test(t, a_program_is_linked_of_all_objects);
    suite_add_tcase(s, t);
    return suite_run(s);
}
