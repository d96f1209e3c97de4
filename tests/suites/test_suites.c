/*
 * The tests are run and reported as they should be: tests/run.sh and guard on
 * made-up suites that pass, fail, crash, hang or leave processes behind; slices
 * of a real one; make's choice of suites; and the deadline of a child.
 */
#define _GNU_SOURCE
#include <check.h>
#include <signal.h> /* SIGABRT */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* free, setenv */
#include <string.h> /* strstr */
#include <unistd.h> /* sleep */

#include "child.h"
#include "labtest.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/*
 * $S is run.sh. `suite NAME` makes a program of what it reads from its input;
 * `run NAME` runs it as a suite of one slice that needs the file $D/need, in at
 * most $SEC seconds; `result NAME` does so and prints the report.
 */
static const char functions[] =
    "export D=%s TEST_RUN=%s/run TEST_GUARD=%s/tests/guard SEC=60\n"
    "unset SUITE_SLICE ALWAYS VERBOSE MAKEFLAGS WITHOUT\n"
    "cd %s; S=tests/run.sh\n"
    "suite() { { echo '#!/bin/bash'; cat; } > $D/$1; chmod +x $D/$1; }\n"
    "run() { $S key $1 $D/need $D/$1 && $S slice $1 1/1 $SEC $D/$1; }\n"
    "result() { $S begin $1:1:1; run $1; $S report; }\n"
    "echo a > $D/need\n"
    "suite good << 'END'\n"
    "echo '100%%: Checks: 3, Failures: 0, Errors: 0'\n"
    "END\n"
    "suite bad << 'END'\n"
    "echo 'x.c:7:F:sums:one_and_one:0: three'\n"
    "echo '66%%: Checks: 3, Failures: 1, Errors: 0'; exit 1\n"
    "END\n";

static void setup(void)
{
    child_folder(dir, "commlab-suites");
}

static void teardown(void)
{
    child_remove(dir);
}

enum { SAYS = 4 };
static const struct row {
    const char *script;
    int status;
    const char *says[SAYS]; /* "!TEXT": not that */
} rows[] = {
    // what comes of a suite
    {"result good",
     0,
     {"[1/1] good: 3 passed, 0 failed, ", "\n3 passed, 0 failed", "!left"}},
    {"result bad",
     1,
     {"[1/1] bad: 2 passed, 1 failed",
      "\nWhat failed:\n== bad\nx.c:7:F:sums:", "\n2 passed, 1 failed"}},
    {"{ echo echo x.c:7:F:sums:one:0: first; seq -f 'echo line %g' 20; "
     "echo exit 1; } | suite long; result long",
     1,
     {"What failed:\n== long\nx.c:7:F:sums:one:0: first\nline 1\n",
      "\nline 7\n...\nline 14\n", "\nline 20\nlong, slice 1/1: status 1\n"}},
    {"echo 'echo half way; kill -SEGV $$' | suite crash; result crash",
     1,
     {"What failed:\n== crash\nhalf way\n", "crash, slice 1/1: status 139\n",
      "\n0 passed, 1 failed"}},
    {"echo 'kill -KILL $$' | suite killed; result killed",
     1,
     {"killed, slice 1/1: status 137\n", "\n0 passed, 1 failed"}},
    {"echo 'echo waits; sleep 1000' | suite hang; SEC=5; result hang",
     1,
     {"[1/1] hang: 0 passed, 1 failed", "waits\nguard: killed after 5 s\n",
      "hang, slice 1/1: status 124\n", "\n0 passed, 1 failed"}},
    {"echo exit 0 | suite silent; result silent",
     1,
     {"silent, slice 1/1: status 0\n", "\n0 passed, 1 failed"}},
    {"suite late << 'END'\n"
     "echo '100%: Checks: 3, Failures: 0, Errors: 0'; exit 4\n"
     "END\n"
     "result late",
     1,
     {"late, slice 1/1: status 4\n", "\n3 passed, 1 failed"}},
    {"result none", 1, {"none: what it needs isn't there", "\n0 passed, 1 fa"}},
    // scripts count their lines
    {"printf 'echo ok one\\necho ok two\\n' | suite s; result s",
     0,
     {"[1/1] s: 2 passed, 0 failed", "!ok one"}},
    {"printf 'echo ok one\\necho ok two\\n' | suite s; VERBOSE=1 result s",
     0,
     {"[1/1] s: 2 passed, 0 failed", "\nok one\nok two\n"}},
    {"printf 'echo ok one\\nexit 1\\n' | suite s; result s",
     1,
     {"[1/1] s: 1 passed, 1 failed"}},
    {"echo echo skipped: no GPU | suite s; result s; run s; $S report",
     0,
     {"[1/1] s: 0 passed, 0 failed", "skipped: no GPU\n", "!unchanged"}},
    // what a suite leaves behind
    {"n=4242.$$; echo \"(setsid sleep $n > /dev/null &)\" | cat - $D/good > "
     "$D/more; suite left < $D/more; result left; ! pgrep -f \"sleep $n\"",
     0,
     {"guard: left running: sleep, process ", "\n3 passed, 1 failed"}},
    {"n=4343.$$; echo \"setsid sleep $n & sleep $n\" | suite s; "
     "$TEST_GUARD 60 $D/log $D/s & until pgrep -f \"sleep $n\" > /dev/null; do "
     "sleep 0.1; done; kill -INT $!; wait $!; echo status $?; "
     "! pgrep -f \"sleep $n\"",
     0,
     {"status 130\n"}},
    // a suite that passed, and what it needs
    {"result good > /dev/null; result good",
     0,
     {"[1/1] good: unchanged: 3 checks passed\n",
      "3 of these checks passed before", "\n3 passed, 0 failed"}},
    {"result good > /dev/null; echo b > $D/need; result good",
     0,
     {"[1/1] good: 3 passed, 0 failed", "!unchanged"}},
    {"result good > /dev/null; echo '# again' >> $D/good; result good",
     0,
     {"[1/1] good: 3 passed, 0 failed", "!unchanged"}},
    {"result good > /dev/null; export SIMGPU_SCHEDULE=+$SIMGPU_SCHEDULE; "
     "result good",
     0,
     {"[1/1] good: 3 passed, 0 failed", "!unchanged"}},
    {"result good > /dev/null; export ALWAYS=1; result good",
     0,
     {"[1/1] good: 3 passed, 0 failed", "!unchanged"}},
    {"result bad > /dev/null; result bad",
     1,
     {"[1/1] bad: 2 passed, 1 failed", "!unchanged"}},
    // progress: a suite is printed when it ends, a failure when its slice does
    {"suite also < $D/good; $S begin also:1:60 good:1:30; run good; echo then; "
     "run also; $S report 7",
     0,
     {"[1/2] good: 3 passed, 0 failed, ", " left\nthen\n[2/2] also: 3 passed, ",
      "\nmake test-all also runs the 7 slow suites\n6 passed, 0 failed"}},
    {"$S begin good:1:1 bad:2:60; run good; $S key bad $D/need; "
     "$S slice bad 2/2 60 $D/bad; echo then; $S slice bad 1/2 60 $D/good",
     0,
     {"bad, slice 2/2: failed\nx.c:7:F:sums:one_and_one:0: three\n",
      "status 1\nthen\n[2/2] bad: 5 passed, 1 failed", "!What failed"}},
    // a slice that never ran failed
    {"$S begin good:2:60; run good; $S report",
     1,
     {"What failed:\n== good\ngood, slice 2/2: it did not end\n",
      "\n3 passed, 1 failed"}},
    // slices of a program have all its tests, each once
    {"t=$(dirname $TEST_GUARD)/judge/test_interval\n"
     "n() { $t | sed -n 's/.*Checks: \\([0-9]*\\),.*/\\1/p'; }\n"
     "for i in 1 2 3; do m=$((m + $(SUITE_SLICE=$i/3 n))); done\n"
     "[ $m -eq $(n) ] && [ $m -gt 3 ] && echo the same",
     0,
     {"the same\n"}},
    {"SUITE_SLICE=4/3 $(dirname $TEST_GUARD)/judge/test_interval",
     1,
     {"SUITE_SLICE=4/3: use 1/4, 2/4, ...\n"}},
    // and those of the script that deals its patches have each of them once
    {"mkdir -p $D/bin $D/cuda/bin $D/cuda/include; touch $D/cuda/include/nccl.h"
     "\nfor c in bin/gcc cuda/bin/nvcc; do echo 'echo >> $D/log' | suite $c; "
     "done\n"
     "for i in 1 2; do PATH=$D/bin:$PATH SUITE_SLICE=$i/2 "
     "tests/cuda-mutants.sh build $D/cuda; done\n"
     "[ $(wc -l < $D/log) -eq $(cat tests/mutants/*.patch | "
     "grep -c '^+++ b/.*\\.[ch]') ] && echo the same",
     0,
     {"slice 1/2\n", "slice 2/2\n", "the same\n"}},
    // make
    {"make -n test TEST='cuda-mutants cuda-kernels' | grep -o 'slice .*sh'",
     0,
     {"slice cuda-mutants 1/", "slice cuda-mutants 2/",
      "slice cuda-kernels 1/1 "}},
    {"make -n test TEST=graph/replay | grep -o 'slice .*/test_.*'",
     0,
     {"slice graph/replay 1/1 ", "!topo"}},
    {"make -n test TEST='topo labs/lab1' | grep -o 'slice .*/test_.*'",
     0,
     {"slice topo/route 1/1 ", "slice labs/lab1 1/", "slice labs/lab1 2/",
      "!graph"}},
    // the slow suites are those of test-all, with what nvcc makes
    {"make -n test TEST= | grep -oE 'slice .*(/test_.*|sh)|report "
     ".*|cuda-links'",
     0,
     {"slice graph/replay 1/1 ", "slice labs/lab1/quick 1/1 ",
      "!slice labs/lab1 ", "!cuda-links"}},
    {"make -n test-all TEST= | grep -oE 'slice .*(/test_.*|sh)|report .*'",
     0,
     {"slice graph/replay 1/1 ", "slice labs/lab1/quick 1/1 ",
      "slice labs/lab1 1/", "report 0\n"}},
    // also where nothing is built yet
    {"make -n BUILD=$D/empty test-all TEST= > $D/all && tail -n 1 $D/all",
     0,
     {"report 0"}},
    // what no header of CUDA's is in is not compiled for it
    {"mkdir -p $D/cuda/include; touch $D/cuda/include/nccl.h\n"
     "make -nB V=1 cuda-links CUDA_HOME=$D/cuda | grep -o 'cuda/obj/.*[.]o$'",
     0,
     {"obj/common/lab/meter.o\n", "obj/tests/simgpu/prog_mpi.o\n",
      "!obj/grader", "!obj/common/topo"}},
    {"make -n test TEST= WITHOUT='graph topo/route' | grep -o "
     "'slice .*/test_.*'",
     0,
     {"slice topo/load 1/1 ", "!slice topo/route ", "!slice graph"}},
    {"make -n test TEST=nothing",
     2,
     {"TEST=nothing: there are ", "graph/replay "}},
};

START_TEST(a_run_reports_what_became_of_each_suite)
{
    const struct row *const r = &rows[_i];
    char file[CHILD_FOLDER + 32], *head;
    snprintf(file, sizeof file, "%s/script", dir);
    if (asprintf(&head, functions, dir, dir, child_build(), labtest_root()) < 0)
        ck_abort();
    FILE *const f = fopen(file, "w");
    ck_assert(f && fprintf(f, "%s%s\n", head, r->script) > 0 && !fclose(f));
    free(head);
    struct child c = child_run(120, "bash %s 2>&1", file);
    ck_assert_msg(c.status == r->status && !c.timed_out,
                  "%s: status %d, expected %d\n%s", r->script, c.status,
                  r->status, c.out);
    for (int i = 0; i < SAYS && r->says[i]; i++) {
        const int without = *r->says[i] == '!';
        ck_assert_msg((strstr(c.out, r->says[i] + without) != NULL) == !without,
                      "%s: \"%s\" is %s:\n%s", r->script, r->says[i] + without,
                      without ? "in" : "not in", c.out);
    }
    child_clear(&c);
}
END_TEST

START_TEST(a_slow_machines_children_get_more_time)
{
    setenv("CK_TIMEOUT_MULTIPLIER", "1000", 1);
    struct child c = child_run(0.1, "sleep 0.5");
    ck_assert(!c.timed_out && c.status == 0);
    child_clear(&c);
    unsetenv("CK_TIMEOUT_MULTIPLIER");
    c = child_run(0.1, "sleep 100");
    ck_assert(c.timed_out);
    child_clear(&c);
}
END_TEST

static const char *const holes[] = {
    "printf 'simgpu: rank 1: memory (nil) was freed\\n'",
    "printf 'line\\nsimgpu: rank 1: in () at ring.c:7\\n' >&2",
    "printf 'commlab: rank 1: in () at ring.c:7\\n' >&2",
    "printf '\\npart  case\\n   1  ring   FAIL\\n        in () at ring.c:7\\n'",
};

START_TEST(a_message_with_a_hole_fails_its_test)
{
    struct child c = child_run(10, "%s", holes[_i]);
    child_clear(&c);
}
END_TEST

START_TEST(other_parentheses_are_no_holes)
{
    struct child c = child_run(
        10, "printf 'simgpu: f() at ring.c:7\\nint f () {}\\n        x ()'");
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
}
END_TEST

START_TEST(a_test_may_wait_for_a_core)
{
    sleep(5); // Check's own timeout is 4 s
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("suites");
    TCase *const t = tcase_create("suites");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_run_reports_what_became_of_each_suite, 0,
                        sizeof rows / sizeof *rows);
    tcase_add_test(t, a_slow_machines_children_get_more_time);
    tcase_add_loop_test_raise_signal(t, a_message_with_a_hole_fails_its_test,
                                     SIGABRT, 0, sizeof holes / sizeof *holes);
    tcase_add_test(t, other_parentheses_are_no_holes);
    suite_add_tcase(s, t);
    TCase *const without = tcase_create("without a timeout");
    tcase_add_test(without, a_test_may_wait_for_a_core);
    suite_add_tcase(s, without);
    return suite_run(s);
}
