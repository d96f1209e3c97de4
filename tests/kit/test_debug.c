/* A build for debuggers stands beside the other and grades the same; a rank
 * runs under gdb; editors are told how files are compiled. */
#include <check.h>
#include <stdio.h> /* snprintf */

#include "kitcopy.h"
#include "suite.h"

/* Points and modelled times of two labs, one of them with kernels. */
START_TEST(a_debug_build_grades_the_same)
{
    kitcopy_add_build();
    kitcopy_expect(
        "cp solutions/lab0-first-steps/*.c* labs/lab0-first-steps/ && "
        "cp solutions/lab3-ddp-overlap/*.c labs/lab3-ddp-overlap/ && "
        "make -s DEBUG=1 lab0 lab3 build-debug/grade build-debug/sim/toolchain",
        0, "");
    kitcopy_expect("strings build-debug/lab0 | grep -c -m 1 -e '-Og'; "
                   "! strings build/solutions/lab0 | grep -e ' -Og'",
                   0, "1");
    for (int lab = 0; lab <= 3; lab += 3) {
        char commands[400];
        snprintf(commands, sizeof commands,
                 "for b in build build-debug; do $b/grade run --seed 1 "
                 "--student ada --lab lab%d labs/lab%d-* > $b.txt; done; "
                 "diff build.txt build-debug.txt && tail -n 1 build.txt",
                 lab, lab);
        kitcopy_expect(commands, 0,
                       lab ? "total 95 of 100 points"
                           : "total 90 of 100 points");
    }
    // the ranks that wait for the one that is killed end the run
    kitcopy_expect("printf '%s\\n' 'break first_order' run 'print count' kill "
                   "quit | make -s DEBUG=1 gdb-lab0 RANK=1 RANKS=3 CASE=order "
                   "|| true",
                   0, "= 100000");
    kitcopy_expect("common/kit/gdb-rank.sh 3 3 build-debug/lab0", 2,
                   "RANK from 0 to NRANKS - 1");
}
END_TEST

/* clang accepts what the file says of C and CUDA sources. */
START_TEST(editors_know_the_commands)
{
    kitcopy_add_build();
    kitcopy_expect("make -s compile_commands && "
                   "[ $(grep -c '\"file\"' compile_commands.json) -gt 300 ] "
                   "&& for f in lab0-first-steps/cuda.cu "
                   "lab5-symmetric-memory/allreduce.cu "
                   "lab1-collectives/p2p.c; do "
                   "eval \"$(grep -A 1 \"\\\"labs/$f\" compile_commands.json | "
                   "sed -n 's/^ \"command\": \"\\(.*\\)\"}.*/\\1/p' | "
                   "sed 's/ -c / -fsyntax-only /; s/ -o .*//')\" || exit; "
                   "done; echo all of them",
                   0, "all of them");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("debug");
    TCase *const t = tcase_create("debug");
    tcase_set_timeout(t, 1800);
    tcase_add_checked_fixture(t, kitcopy_make, kitcopy_remove);
    tcase_add_test(t, a_debug_build_grades_the_same);
    tcase_add_test(t, editors_know_the_commands);
    suite_add_tcase(s, t);
    return suite_run(s);
}
