/*
 * The scripts for machines with GPUs do what they say: on modelled machines,
 * where the same programs run, and on builds that are made up, where one fails.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/*
 * $B is this build, $F a made-up one, which has a probe of simgpu and what
 * `program NAME` reads from its input; $D/bin comes first in PATH.
 */
static const char functions[] =
    "export D=%s B=%s PATH=%s/bin:$PATH; F=$D/build; cd %s\n"
    "program() { mkdir -p $(dirname $F/$1); cat > $F/$1; chmod +x $F/$1; }\n"
    // mpirun dies of a program that ends before its input has been sent on
    "sanitizer() { sed '1a sleep 1' > $D/bin/compute-sanitizer;"
    "  chmod +x $D/bin/compute-sanitizer; }\n"
    "one_gpu() { export SIMGPU_TOPO=tests/labs/one-gpu.xml; }\n";

static void setup(void)
{
    child_folder(dir, "commlab-gpu");
    struct child c =
        child_run(10, "cd %s && mkdir bin build && ln -s %s/probe build/probe",
                  dir, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static void teardown(void)
{
    child_remove(dir);
}

enum { SAYS = 4 };
static const struct run {
    const char *command;
    int status;
    const char *says[SAYS];
} runs[] = {
    // modelled machines
    {"one_gpu; tests/gpu/test-gpu.sh $B programs lab1 lab5 lab6",
     0,
     {"\nok       simgpu/prog_kernels\n",
      "\nskipped  simgpu/prog_threads: needs 4 GPUs, here are 1\n",
      "\nok       solution of lab5, 4 ranks on 1 GPUs\n",
      "\nskipped  solution of lab6: needs 2 GPUs, here are 1\n"}},
    {"one_gpu; tests/gpu/test-gpu.sh $B programs",
     0,
     {"\nskipped  simgpu/prog_fault: its mistakes are undefined",
      "\nok       cublas/prog_cublas\n", " passed, 0 failed, "}},
    {"SIMGPU_TOPO=pcie-4090 tests/gpu/test-gpu.sh $B lab1",
     0,
     {"8 GPUs, nvidia-geforce-rtx-4090, backend sim\n",
      "ok       solution of lab1, 8 ranks on 8 GPUs\n1 passed, 0 failed, 0 "}},
    {"export EXPECTED_DIR=$D; tests/gpu/test-gpu.sh $B conformance && "
     "ls $D/expected-nvidia-h100-80gb-hbm3-driver13.0-cuda13.0-nccl2.32.3.txt",
     0,
     {"ok       they print what tests/conformance/expected.txt says\n"}},
    {"tests/gpu/bench-gpu.sh $B",
     0,
     {"# backend sim, nvidia-h100-80gb-hbm3\n# clocks before",
      "goal: 85 % of the ceiling", "\ncoll_combine, sum of float ",
      "# clocks after"}},
    {"one_gpu; tests/gpu/test-gpu.sh $B values lab0",
     0,
     {"ok       what calls return is in ", " parts\n",
      "ok       solution of lab0, 1 ranks on 1 GPUs, but for 2 cases\n",
      "2 passed, 0 failed, 0 skipped\n"}},
    // modelled times beside an H100's, which nothing was fitted to
    {"one_gpu; tests/gpu/bench-gpu.sh $B > $D/sim;"
     "awk '/^#/ { next } { name = substr($0, 1, 36); us = substr($0, 37) + 0 }"
     "FNR == NR { gpu[name] = us; next }"
     "name in gpu { r = us / gpu[name]; print name, r; n++;"
     "  outside += r < 0.85 || r > 1.05 }"
     "END { print n, \"times, outside:\", outside + 0 }'"
     "  tests/gpu/bench-h100.txt $D/sim",
     0,
     {"\n14 times, outside: 0\n"}},
    // nothing is tested
    {"for s in test-gpu sanitize; do tests/gpu/$s.sh $D/none; done",
     1,
     {"nothing was tested: no GPU here\n", "/probe is not built"}},
    {"rm $F/probe; { echo '#!/bin/sh'; echo 'echo 0 none'; } | program probe;"
     "tests/gpu/test-gpu.sh $F",
     1,
     {"nothing was tested: no GPU here\n"}},
    {"tests/gpu/bench-gpu.sh $D/none",
     1,
     {"nothing was measured: no GPU here\n"}},
    {"tests/gpu/test-gpu.sh $F programs",
     1,
     {"skipped  simgpu/prog_kernels: is not built\n", "\n0 passed, 0 failed, ",
      "\nnothing was tested\n"}},
    {"tests/gpu/test-gpu.sh $F lab1 everything",
     2,
     {"skipped  solution of lab1: is not built\n",
      "\"everything\" is no part: conformance, values, programs"}},
    // something fails
    {"{ echo '#!/bin/sh'; echo 'echo FAILED two is one; exit 3'; } | "
     "program tests/simgpu/prog_kernels; tests/gpu/test-gpu.sh $F programs",
     1,
     {"FAILED   simgpu/prog_kernels: status 3\n         FAILED two is one\n",
      "\n0 passed, 1 failed, "}},
    {"{ echo '#!/bin/sh'; echo 'echo a new stream reads 8'; } | "
     "program tests/conformance/prog_rule03;"
     "tests/gpu/test-gpu.sh $F conformance",
     1,
     {"ok       conformance programs run, and print ",
      "FAILED   < tests/conformance/expected.txt, > nvidia-h100",
      "         > a new stream reads 8\n"}},
    {"{ echo '#!/bin/sh'; echo 'exit 4'; } | "
     "program tests/conformance/prog_rule03;"
     "tests/gpu/test-gpu.sh $F conformance",
     1,
     {"FAILED   conformance programs run", "prog_rule03 ended with status 4"}},
    // compute-sanitizer
    {"tests/gpu/sanitize.sh $B lab1",
     1,
     {"skipped  racecheck of lab1: no compute-sanitizer here\n",
      "0 passed, 0 failed, 4 skipped\nnothing was tested\n"}},
    {"{ echo '#!/bin/sh'; echo 'echo ========= ERROR SUMMARY: 0 errors'; } | "
     "sanitizer; one_gpu; tests/gpu/sanitize.sh $B lab1 lab6 lab99",
     0,
     {"\nok       memcheck of lab1, 1 ranks\n",
      "\nskipped  synccheck of lab6: needs 2 GPUs, here are 1\n",
      "\nskipped  initcheck of lab99: ", "\n4 passed, 0 failed, 8 skipped\n"}},
    {"{ echo '#!/bin/sh'; echo '[ $2 != racecheck ] || n=3'; echo "
     "'echo ========= hazard at ring.cu:7';"
     "echo 'echo ========= ERROR SUMMARY: ${n-0} errors'; } | sanitizer;"
     "tests/gpu/sanitize.sh $B lab1",
     1,
     {"ok       memcheck of lab1, 2 ranks\n",
      "FAILED   racecheck of lab1, 2 ranks\n         ========= hazard at "
      "ring.cu:7\n",
      "3 passed, 1 failed, 0 skipped\n"}},
    {"{ echo '#!/bin/sh'; echo 'echo ========= RACECHECK SUMMARY: 2 hazards'; }"
     " | sanitizer; tests/gpu/sanitize.sh $B lab1",
     1,
     {"FAILED   racecheck of lab1, 2 ranks\n", "0 passed, 4 failed"}},
    {"{ echo '#!/bin/sh'; echo 'echo no such tool; exit 1'; } | sanitizer;"
     "tests/gpu/sanitize.sh $B lab1",
     1,
     {"FAILED   memcheck of lab1, 2 ranks: it did not run (status 1)\n",
      "0 passed, 4 failed"}},
    // a program that the table forgets would be tested nowhere
    {"diff <(ls tests/{simgpu,cublas}/prog_* "
     "tests/extras/prog_{cublaslt,curand,nccl32,shmem_[fgpw]}* | "
     "sed 's#tests/##; s#[.].*##' | sort) "
     "<(awk '$1 ~ /^[a-z].*prog_/ { print $1 }' tests/gpu/programs.txt | "
     "sort -u)",
     0,
     {""}},
};

START_TEST(a_script_says_and_returns_what_it_should)
{
    const struct run *const r = &runs[_i];
    char file[CHILD_FOLDER + 32], *script;
    snprintf(file, sizeof file, "%s/script", dir);
    if (asprintf(&script, functions, dir, child_build(), dir, labtest_root()) <
        0)
        ck_abort();
    FILE *const f = fopen(file, "w");
    ck_assert(f && fprintf(f, "%s%s\n", script, r->command) > 0 && !fclose(f));
    free(script);
    struct child c = child_run(600, "bash %s", file);
    ck_assert_msg(c.status == r->status && !c.timed_out,
                  "%s: status %d, expected %d\n%s%s", r->command, c.status,
                  r->status, c.out, c.err);
    for (int i = 0; i < SAYS && r->says[i]; i++)
        ck_assert_msg(strstr(c.out, r->says[i]), "%s: \"%s\" is not in:\n%s%s",
                      r->command, r->says[i], c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("gpu");
    TCase *const t = tcase_create("scripts");
    tcase_set_timeout(t, 700);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_script_says_and_returns_what_it_should, 0,
                        sizeof runs / sizeof *runs);
    suite_add_tcase(s, t);
    return suite_run(s);
}
