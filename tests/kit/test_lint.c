/* What is told from the whole tree, handouts included: lint finds what is
 * broken, and a students' copy that would leak is refused. */
#include <check.h>

#include "kitcopy.h"
#include "suite.h"

/* What breaks a lab, and what lint says. Suites are slow: `make test` runs
 * them. */
static const struct {
    const char *command, *says;
} broken[] = {
    {"sed -i '0,/END HOLE/{/END HOLE/d}' solutions/lab1-*/p2p.c",
     "BEGIN HOLE inside the hole"},
    {"echo '// mine' >> labs/lab1-collectives/p2p.c",
     "FAIL  labs/lab1-collectives is what its solution generates"},
    {"echo '// mine' >> labs/lab1-collectives/p2p.c",
     "mend: make skeletons; don't edit labs/"},
    {"cp solutions/lab1-*/p2p.c common/staff/lab1-collectives/support.c",
     "this is the solution of the hole at solutions/lab1-collectives/p2p.c"},
    {"sed -i '0,/points: 5/s//points: 6/' grader/plans/lab1-collectives.yaml",
     "the plan's cases add up to 101 points, not 100"},
    {"sed -i 's/^title:/titel:/' grader/plans/lab1-collectives.yaml",
     "  FAIL  the plan can be used\n        plan: "
     "grader/plans/lab1-collectives.yaml:4: unknown or repeated key \"titel\"\n"
     "        mend: the line that it names\n"
     "        not checked: what reads the plan\n1 checks failed\n"},
    {"sed -i '/name: ring-time/s/timed: 1/&, topo: dgx-9/' "
     "grader/plans/lab1-collectives.yaml",
     ": case ring-time: "},
    {"sed -i 's/^  ring_floor_ms: /&rings * /' "
     "grader/plans/hidden/lab1-collectives.yaml",
     "there is no number \"rings\": the plan's numbers are ring_ranks, "
     "ring_GiB, "},
    {"sed -i '0,/kind: sum/s//kind: summ/' grader/plans/lab1-collectives.yaml",
     "common/staff/lab1-collectives/judge.c has no kind \"summ\" in kinds[]"},
    {"echo 'timezone: Europe/Berln' >> grader/plans/lab1-collectives.yaml",
     ": there is no time zone \"Europe/Berln\""},
    {"sed -i 's/^  bus_us:.*/  bus_us: [1500, 1501]/' "
     "grader/plans/lab1-collectives.yaml",
     "question busbw_GBps: bus_ranks 4, bus_us 1501 gives "},
    {"sed -i 's/^  ring_floor_ms: /&0 * /' "
     "grader/plans/hidden/lab1-collectives.yaml",
     "question ring_floor_ms: "},
    {"sed -i 's/^  ring_floor_ms: /&2 * /' "
     "grader/plans/hidden/lab1-collectives.yaml",
     "FAIL  the solution's answers are the hidden plan's"},
    {"sed -i '/^in_words =/d' solutions/lab1-*/answers.txt",
     "\"in_words =\" in solutions/lab1-collectives/answers.txt goes with "
     "rubric: in grader/plans/hidden/lab1-collectives.yaml"},
    {"sed -i '/BEGIN HOLE/d; /END HOLE/d' solutions/lab1-*/bootstrap.c",
     "in the plan's files, but without a hole"},
    {"touch solutions/lab1-collectives/extra.c",
     "solutions/lab1-collectives/extra.c: not in the plan's files; staff code "
     "goes to common/staff/lab1-collectives"},
    {"sed -i '/^## Hints/d' handouts/lab1-collectives.md",
     "no section \"## Hints\""},
    {"sed -i '/^# Part 6/,$d' handouts/hints/lab1.txt",
     "handouts/hints/lab1.txt: has parts 1 2 3 4 5 of 1 2 3 4 5 6"},
    {"sed -i '/^  4: /d' grader/plans/lab1-collectives.yaml",
     "mend: add 'N: a sentence' under idea: in the plan"},
    {"sed -i 's/bootstrap.c//' handouts/lab1-collectives.md",
     "bootstrap.c is not named from \"## Parts\" on"},
    {"sed -i 's/^| 1 bootstrap.*/| 1 bootstrap | x | 99 | 1 |/' "
     "handouts/lab1-collectives.md",
     "FAIL  the handout's points are the plan's"},
};

START_TEST(lint_sees_what_is_broken)
{
    kitcopy_expect(broken[_i].command, 0, "");
    kitcopy_expect("common/kit/lint-labs.sh --no-suites lab1", 1,
                   broken[_i].says);
}
END_TEST

/* Seconds, not minutes. */
START_TEST(a_quick_lint_runs_no_suites)
{
    kitcopy_expect("make -o build/plan lint-labs QUICK=1 LAB=lab1 2>&1 | "
                   "tail -1",
                   0, "0 checks failed");
    kitcopy_expect("make -n -o build/plan lint-labs QUICK=1 LAB=lab1 | "
                   "grep lint-labs.sh",
                   0, "lint-labs.sh --no-suites lab1-collectives");
}
END_TEST

START_TEST(a_plan_of_other_points_than_100_is_refused)
{
    kitcopy_expect("sed -i '0,/points: 5/s//points: 4/' "
                   "grader/plans/lab1-collectives.yaml && build/plan "
                   "lab1-collectives",
                   1, "with the hidden ones, have 99 points, not 100");
}
END_TEST

START_TEST(answers_are_written_in_place)
{
    static const char right[] =
        "diff solutions/lab1-collectives/answers.txt old";
    kitcopy_expect("cd solutions/lab1-collectives && cp answers.txt ../../old "
                   "&& sed -i '/^[a-z_]* = /s/=.*/=/' answers.txt",
                   0, "");
    kitcopy_expect(right, 1, "ring_floor_ms");
    kitcopy_expect("build/plan --answers lab1-collectives --student ada "
                   "--write",
                   0, "");
    kitcopy_expect(right, 0, "");
    kitcopy_expect("build/plan --answers lab1-collectives --student ada > "
                   "solutions/lab1-collectives/answers.txt",
                   1, "is empty");
}
END_TEST

START_TEST(every_lab_is_whole)
{
    kitcopy_expect("common/kit/lint-labs.sh --no-suites", 0, "0 checks failed");
}
END_TEST

START_TEST(the_students_copy_is_refused_when_it_leaks)
{
    kitcopy_expect(
        "git init -q . && cat solutions/lab1-collectives/p2p.c >> "
        "handouts/lab1-collectives.md && git add -A && git -c user.name=x "
        "-c user.email=x@x commit -q -m x && "
        "common/kit/release.sh out.tar.gz",
        1, "solutions would leak; nothing was written");
    kitcopy_expect("ls out.tar.gz || echo none", 0, "none");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("lint");
    TCase *const t = tcase_create("lint");
    tcase_set_timeout(t, 1800);
    tcase_add_checked_fixture(t, kitcopy_make, kitcopy_remove);
    tcase_add_loop_test(t, lint_sees_what_is_broken, 0,
                        sizeof broken / sizeof *broken);
    tcase_add_test(t, a_quick_lint_runs_no_suites);
    tcase_add_test(t, a_plan_of_other_points_than_100_is_refused);
    tcase_add_test(t, answers_are_written_in_place);
    tcase_add_test(t, every_lab_is_whole);
    tcase_add_test(t, the_students_copy_is_refused_when_it_leaks);
    suite_add_tcase(s, t);
    return suite_run(s);
}
