/* Instructors' tools: a new lab is complete, the students' copy works and
 * contains no solution, and a built tree can drop the extras. */
#include <check.h>
#include <stdio.h> /* snprintf */

#include "kitcopy.h"
#include "suite.h"

START_TEST(a_planted_lab_is_whole)
{
    kitcopy_add_build();
    kitcopy_expect("make new-lab NAME=lab97-demo", 0, "labs/lab97-demo");
    kitcopy_expect("make lab97", 0, "LINK  build/lab97");
    kitcopy_expect("mpirun -n 4 build/lab97", 1, "total 0 of 80 points");
    kitcopy_expect("make lint-labs LAB=lab97-demo", 0, "0 checks failed");
    kitcopy_expect("tests/kit/ladders.sh && make hint-lab97", 0,
                   "part 1  0 of 3 shown");
}
END_TEST

START_TEST(planting_overwrites_nothing)
{
    kitcopy_expect("make new-lab NAME=lab97-demo", 0, "labs/lab97-demo");
    kitcopy_expect("common/kit/new-lab.sh lab97-other", 1,
                   "lab97 exists, nothing was");
    kitcopy_expect("common/kit/new-lab.sh 97", 2, "is not a lab name; try");
    kitcopy_expect("common/kit/new-lab.sh", 2, "is not a lab name; try");
}
END_TEST

/* All that was planted goes, in files that other labs share, too. */
START_TEST(a_planted_lab_can_be_removed)
{
    kitcopy_expect(
        "find . -type f ! -path './build/*' | sort | xargs sha256sum "
        "> build/before",
        0, "");
    kitcopy_expect("make new-lab NAME=lab97-demo", 0, "labs/lab97-demo");
    kitcopy_expect(
        "echo '| 97 [demo](handouts/lab97-demo.md) | x | y |' >> README.md; "
        "sed -i 's/ lab9 / lab9 lab97 /' tests/suites.mk; "
        "make remove-lab NAME=lab97-demo",
        0, "solutions/lab97-demo");
    kitcopy_expect(
        "find . -type f ! -path './build/*' | sort | xargs sha256sum "
        "| diff build/before -",
        0, "");
    kitcopy_expect("make remove-lab NAME=lab97-demo", 2,
                   "there is no solutions/lab97-demo");
}
END_TEST

/* Of one lab, and the old times come back if its solution fails. */
START_TEST(new_times_replace_old_ones)
{
    static const char make[] =
        "t=grader/plans/times; cat $t/lab[12]-* > build/before; "
        "mkdir -p build/solutions && cat > build/solutions/lab1 << 'E'\n"
        "#!/bin/sh\ncase $* in *--list*) echo '1 single' ;; "
        "*) [ ! -e build/times ] || cat build/times ;; esac; "
        "[ -e build/times ]\nE\nchmod +x build/solutions/lab1; ";
    char commands[600];
    snprintf(commands, sizeof commands,
             "%s! common/kit/plans.sh build lab1-collectives && "
             "cat $t/lab[12]-* | cmp - build/before && echo same",
             make);
    kitcopy_expect(commands, 0, "same\n");
    snprintf(commands, sizeof commands,
             "%secho '  ring: 7' > build/times; cp $t/lab2-* build/two; "
             "common/kit/plans.sh build lab1-collectives && "
             "cmp $t/lab2-* build/two && cat $t/lab1-*",
             make);
    kitcopy_expect(commands, 0, "times:\n  ring: 7\n");
    kitcopy_expect("common/kit/plans.sh build lab77-x", 2,
                   "plans: no solutions/lab77-x\n");
}
END_TEST

/* Also after the lab was built and linted: nothing is new to git, lint finds
 * nothing in any lab, and the suites about all labs pass. */
START_TEST(a_removed_lab_leaves_the_tree_as_it_was)
{
    kitcopy_add_build();
    kitcopy_expect("git init -q . && git add -A && git -c user.name=x "
                   "-c user.email=x@x commit -q -m x",
                   0, "");
    kitcopy_expect("make new-lab NAME=lab97-demo && make lab97 && "
                   "make lint-labs LAB=lab97-demo",
                   0, "0 checks failed");
    kitcopy_expect("git status --porcelain", 0, "?? solutions/lab97-demo/");
    kitcopy_expect("make remove-lab NAME=lab97-demo", 2,
                   "nothing was removed: git can't bring back\n    "
                   "common/staff/lab97-demo/cases.c\n");
    kitcopy_expect("make remove-lab NAME=lab97-demo FORCE=1 && "
                   "git status --porcelain > build/left && "
                   "! grep . build/left && ! grep -rl lab97 tests/*.mk labs",
                   0, "make lint-labs");
    kitcopy_expect("common/kit/lint-labs.sh --no-suites", 0, "0 checks failed");
    kitcopy_expect("make test TEST='skeleton cheat-table' | tail -n 1", 0,
                   ", 0 failed");
}
END_TEST

/* What is left needs nothing of it: each suite can still be made, each page's
 * links lead somewhere, and lint finds nothing in the other labs. */
START_TEST(shipped_labs_can_be_removed)
{
    kitcopy_add_build();
    kitcopy_expect("make remove-lab NAME=lab9-long-context", 0,
                   "tests/torch/prog_seq.c");
    kitcopy_expect("! ls handouts/slides/lab9.md 2> /dev/null", 0, "");
    kitcopy_expect("make remove-lab NAME=lab8-sharded-training", 0,
                   "tests/torch/prog_shard.c");
    kitcopy_expect("make -n test > build/commands && "
                   "! grep -w lab[89] tests/suites.mk",
                   0, "");
    kitcopy_expect("tests/cheat-table.sh", 0, "each class");
    kitcopy_expect("gawk -f tests/handouts/links.awk README.md handouts/*.md",
                   0, "");
    kitcopy_expect("common/kit/lint-labs.sh --no-suites lab1-collectives "
                   "lab4-tensor-pipeline",
                   0, "ok    ");
}
END_TEST

/* Give the students' copy the kit's object files, newer than their sources.
 * Libraries and programs are still linked there, and an object is compiled
 * again if one of its headers is missing. */
static void give_objects(void)
{
    static const char touch[] = "find build/sim/obj -type f -exec touch {} +";
    char commands[512];
    snprintf(commands, sizeof commands,
             "mkdir -p commlab/build/sim && mv build/sim/obj commlab/build/sim "
             "&& cd commlab && %s && make simgpu && %s",
             touch, touch); // again: simnvcc and the headers are new
    kitcopy_expect(commands, 0, "libcudart");
}

START_TEST(the_students_copy_works_and_holds_no_solution)
{
    kitcopy_add_build();
    kitcopy_expect(
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@x "
        "commit -q -m x && common/kit/release.sh out.tar.gz && "
        "tar xf out.tar.gz && ls commlab",
        0, "labs");
    kitcopy_expect(
        "cd commlab && ! ls -d solutions grader/plans/hidden tests/mutants "
        "tests/cheats handouts/ta.md handouts/instructor.md "
        "handouts/developer.md handouts/course.md .github 2> /dev/null && "
        "ls LICENSE AGENTS.md",
        0, "AGENTS.md");
    kitcopy_expect(
        "cd commlab && gawk -f ../tests/handouts/links.awk README.md "
        "handouts/*.md",
        0, "");
    kitcopy_expect(
        "cd commlab && ! make help | grep -E 'release|new-lab|handouts|class|"
        "sanitize'",
        0, "");
    kitcopy_expect(
        "cd commlab && make help | grep -E '^(pages|grade-labN|gdb-labN) ' && "
        "common/kit/pages.sh --html out && ls out/lab0-first-steps.html "
        ".devcontainer/Containerfile .vscode/launch.json && "
        "grep -o 'lab0-first-steps.html#a-gpu' out/search.html",
        0, "launch.json\n");
    give_objects();
    kitcopy_expect(
        "cd commlab && make all && make lab1 && mpirun -n 4 build/lab1", 1,
        "total 0 of");
    kitcopy_expect("cd commlab && make grade-lab1", 2, "total 0 of");
    kitcopy_expect("cd commlab && printf '2\\n' | make predict-lab1 && "
                   "make predict-lab1",
                   0, ": 2. It stays.");
    kitcopy_expect("cd commlab && make hint-lab1 HINT=1 && make hint-lab1", 0,
                   "part 1  1 of 3 shown");
    kitcopy_expect(
        "for f in $(build/plan lab1-collectives | sed -n 's/^files //p'); do "
        "cp solutions/lab1-collectives/$f commlab/labs/lab1-collectives/; "
        "done; cd commlab && make grade-lab1",
        0, "total");
}
END_TEST

START_TEST(what_the_students_copy_lacks_is_said)
{
    kitcopy_expect(
        "git init -q . && git add -A && git -c user.name=x -c user.email=x@x "
        "commit -q -m x && mkdir labs/new && touch labs/new/a.c && "
        "common/kit/release.sh out.tar.gz",
        0, "git doesn't track them:\n    labs/new/\n");
}
END_TEST

START_TEST(a_lab_that_there_is_not_is_told)
{
    static const char *const goals[] = {"lab42", "grade-lab42", "hint-lab42",
                                        "gdb-lab42", "predict-lab42"};
    for (int i = 0; i < 5; i++) {
        char command[40];
        snprintf(command, sizeof command, "make %s", goals[i]);
        kitcopy_expect(command, 2,
                       "there is no such lab; the labs are lab0 lab1 lab2");
    }
}
END_TEST

/* Handouts continue with build/commgraph. */
START_TEST(a_lab_comes_with_the_tool_that_shows_its_runs)
{
    static const char *const goals[] = {"lab0", "first"};
    for (int i = 0; i < 2; i++) {
        char command[80];
        snprintf(command, sizeof command,
                 "make -n BUILD=none %s | grep -c 'LINK none/commgraph'",
                 goals[i]);
        kitcopy_expect(command, 0, "1\n");
    }
}
END_TEST

/* What links simgpu without extras has to find no reference into them. */
START_TEST(a_built_tree_drops_its_extras_and_gets_them_back)
{
    kitcopy_add_build();
    kitcopy_expect("make simgpu && make EXTRAS=0 simgpu build/solutions/lab3 "
                   "&& cd build/simgpu && ls lib/libcudart.so && "
                   "! ls lib/libcufft.so include/cufft.h include/thrust",
                   0, "libcudart");
    kitcopy_expect("make simgpu && cd build/simgpu && ls lib/libcufft.so "
                   "include/cufft.h include/thrust/sort.h",
                   0, "libcufft");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("kit");
    TCase *const t = tcase_create("kit");
    tcase_set_timeout(t, 1800);
    tcase_add_checked_fixture(t, kitcopy_make, kitcopy_remove);
    tcase_add_test(t, a_planted_lab_is_whole);
    tcase_add_test(t, planting_overwrites_nothing);
    tcase_add_test(t, a_planted_lab_can_be_removed);
    tcase_add_test(t, new_times_replace_old_ones);
    tcase_add_test(t, a_removed_lab_leaves_the_tree_as_it_was);
    tcase_add_test(t, shipped_labs_can_be_removed);
    tcase_add_test(t, the_students_copy_works_and_holds_no_solution);
    tcase_add_test(t, what_the_students_copy_lacks_is_said);
    tcase_add_test(t, a_lab_that_there_is_not_is_told);
    tcase_add_test(t, a_lab_comes_with_the_tool_that_shows_its_runs);
    tcase_add_test(t, a_built_tree_drops_its_extras_and_gets_them_back);
    suite_add_tcase(s, t);
    return suite_run(s);
}
