/* Instructors' tools: a new lab is complete, lint finds what is broken, and the
 * students' copy works and contains no solution. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

static char dir[] = "/tmp/commlab-kit-XXXXXX";

/* A copy of the kit and its build, in which tests create and break labs. Other
 * suites run and the build for GPUs goes on meanwhile: their files come and go,
 * and are not copied. */
static void setup(void)
{
    strcpy(dir + sizeof dir - 7, "XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    struct child c =
        child_run(120,
                  "cd %s && git ls-files -z -co --exclude-standard | "
                  "xargs -0 cp -a --parents -t %s && mkdir %s/build && "
                  "tar -C %s --format=posix --exclude=./with-cuda "
                  "--exclude=./tests/run -cf - . | tar -C %s/build -xf -",
                  labtest_root(), dir, dir, child_build(), dir);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

static void teardown(void)
{
    struct child c = child_run(60, "rm -r %s", dir);
    child_clear(&c);
}

static void expect(const char *command, int status, const char *says)
{
    struct child c = child_run(900, "cd %s && { %s; } 2>&1", dir, command);
    ck_assert_msg(c.status == status && strstr(c.out, says) && !c.timed_out,
                  "%s: status %d\n%s", command, c.status, c.out);
    child_clear(&c);
}

START_TEST(a_planted_lab_is_whole)
{
    expect("make new-lab NAME=lab97-demo", 0, "labs/lab97-demo");
    expect("make lab97", 0, "LINK  build/lab97");
    expect("mpirun -n 4 build/lab97", 1, "total 0 of 80 points");
    expect("make lint-labs LAB=lab97-demo", 0, "0 checks failed");
}
END_TEST

START_TEST(planting_overwrites_nothing)
{
    expect("make new-lab NAME=lab97-demo", 0, "labs/lab97-demo");
    expect("common/kit/new-lab.sh lab97-other", 1, "lab97 exists, nothing was");
    expect("common/kit/new-lab.sh 97", 2, "is not a lab name; try");
    expect("common/kit/new-lab.sh", 2, "is not a lab name; try");
}
END_TEST

/* What breaks a lab, and what lint says. Suites are slow: `make test` runs
 * them. */
static const struct {
    const char *command, *says;
} broken[] = {
    {"sed -i '0,/END HOLE/{/END HOLE/d}' solutions/lab1-*/p2p.c",
     "BEGIN HOLE inside the hole"},
    {"echo '// mine' >> labs/lab1-collectives/p2p.c",
     "FAIL  labs/lab1-collectives is what its solution generates"},
    {"cp solutions/lab1-*/p2p.c common/staff/lab1-collectives/support.c",
     "this is the solution of the hole at solutions/lab1-collectives/p2p.c"},
    {"sed -i '0,/points: 5/s//points: 6/' grader/plans/lab1-collectives.yaml",
     "the plan's cases add up to 101 points, not 100"},
    {"sed -i 's/^title:/titel:/' grader/plans/lab1-collectives.yaml",
     "grader/plans/lab1-collectives.yaml:"},
    {"sed -i '/BEGIN HOLE/d; /END HOLE/d' solutions/lab1-*/bootstrap.c",
     "in the plan's files, but without a hole"},
    {"touch solutions/lab1-collectives/extra.c",
     "solutions/lab1-collectives/extra.c: not in the plan's files; staff code "
     "goes to common/staff/lab1-collectives"},
    {"sed -i '/^## Hints/d' handouts/lab1-collectives.md",
     "no section \"## Hints\""},
    {"sed -i 's/bootstrap.c//' handouts/lab1-collectives.md",
     "bootstrap.c is not named from \"## Parts\" on"},
    {"sed -i 's/^| 1 bootstrap.*/| 1 bootstrap | x | 99 | 1 |/' "
     "handouts/lab1-collectives.md",
     "FAIL  the handout's points are the plan's"},
};

START_TEST(lint_sees_what_is_broken)
{
    expect(broken[_i].command, 0, "");
    expect("common/kit/lint-labs.sh --no-suites lab1-collectives", 1,
           broken[_i].says);
}
END_TEST

START_TEST(every_lab_is_whole)
{
    expect("common/kit/lint-labs.sh --no-suites", 0, "0 checks failed");
}
END_TEST

START_TEST(the_students_copy_works_and_holds_no_solution)
{
    expect(
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@x "
        "commit -q -m x && common/kit/release.sh out.tar.gz && "
        "tar xf out.tar.gz && ls commlab",
        0, "labs");
    expect("cd commlab && ! ls -d solutions grader/plans/hidden tests/mutants "
           "tests/cheats handouts/ta.md handouts/instructor.md "
           "handouts/developer.md 2> /dev/null",
           0, "");
    expect("cd commlab && ! make help | grep -E 'release|new-lab|handouts'", 0,
           "");
    expect("cd commlab && make all && make lab1 && mpirun -n 4 build/lab1", 1,
           "total 0 of");
    expect("cd commlab && make grade-lab1", 2, "total 0 of");
    expect(
        "for f in $(build/plan lab1-collectives | sed -n 's/^files //p'); do "
        "cp solutions/lab1-collectives/$f commlab/labs/lab1-collectives/; "
        "done; cd commlab && make grade-lab1",
        0, "total");
}
END_TEST

START_TEST(what_the_students_copy_lacks_is_said)
{
    expect(
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@x "
        "commit -q -m x && mkdir labs/new && touch labs/new/a.c && "
        "common/kit/release.sh out.tar.gz",
        0, "git doesn't track them:\n    labs/new/\n");
}
END_TEST

START_TEST(the_students_copy_is_refused_when_it_leaks)
{
    expect("git init -q . && cat solutions/lab1-collectives/p2p.c >> "
           "handouts/lab1-collectives.md && git add -A && git -c user.name=x "
           "-c user.email=x@x commit -q -m x && "
           "common/kit/release.sh out.tar.gz",
           1, "solutions would leak; nothing was written");
    expect("ls out.tar.gz || echo none", 0, "none");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("kit");
    TCase *const t = tcase_create("kit");
    tcase_set_timeout(t, 1800);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_planted_lab_is_whole);
    tcase_add_test(t, planting_overwrites_nothing);
    tcase_add_loop_test(t, lint_sees_what_is_broken, 0,
                        sizeof broken / sizeof *broken);
    tcase_add_test(t, every_lab_is_whole);
    tcase_add_test(t, the_students_copy_works_and_holds_no_solution);
    tcase_add_test(t, what_the_students_copy_lacks_is_said);
    tcase_add_test(t, the_students_copy_is_refused_when_it_leaks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
