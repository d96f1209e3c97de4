/*
 * Lab 5: beside what all labs show, the whole lab on one GPU that several ranks
 * share; a rank that dies while others wait for it; what the benchmark finds;
 * and a submission whose device code would run before main.
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */

#include "child.h"
#include "labtest.h"

/* ---- one GPU ------------------------------------------------------------- */

static const int sharing[] = {1, 3, 4};

START_TEST(ranks_may_share_a_gpu)
{
    struct child c = child_run(240,
                               "SIMGPU_TOPO=%s/tests/labs/one-gpu.xml mpirun "
                               "-n %d %s/solutions/lab5",
                               labtest_root(), sharing[_i], child_build());
    double points = -1, of = 0;
    const char *const total = strstr(c.out, "\ntotal ");
    if (total)
        sscanf(total, " total %lf of %lf points", &points, &of);
    ck_assert_msg(c.status == 0 && of > 0 && points == of, "%s%s", c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(other_labs_need_a_gpu_for_each_rank)
{
    struct child c = child_run(60,
                               "SIMGPU_TOPO=%s/tests/labs/one-gpu.xml mpirun "
                               "-n 2 %s/solutions/lab1",
                               labtest_root(), child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "2 ranks on a node that has 1 GPUs") != NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

/* ---- a rank that dies ---------------------------------------------------- */

/* Start two ranks that signal each other for minutes, kill one. */
static const char script[] =
    "dir=$(mktemp -d)\n"
    "mpirun -n 2 sh -c 'echo $$ > '$dir'/$PMI_RANK\n"
    "exec %s/solutions/lab5 --case ping-pong-10000 --iterations 1000' &\n"
    "job=$!\n"
    "while ! [ -s $dir/0 -a -s $dir/1 ]; do sleep 0.02; done\n"
    "sleep 2\n"
    "kill -9 $(cat $dir/%d)\n"
    "wait $job; echo ended with $?\n"
    "for p in $(cat $dir/0 $dir/1); do\n"
    "    for i in $(seq 100); do\n" // it may take a moment to end
    "        grep -qs 'State:.[^ZX]' /proc/$p/status || continue 2\n"
    "        sleep 0.1\n"
    "    done\n"
    "    echo left: $p\n"
    "done\n"
    "rm -r $dir\n";

START_TEST(a_rank_that_dies_ends_the_wait_of_the_other)
{
    struct child c = child_run(60, script, child_build(), _i);
    ck_assert_msg(!c.timed_out && strstr(c.out, "ended with "),
                  "mpirun hangs\n%s%s", c.out, c.err);
    ck_assert_msg(!strstr(c.out, "ended with 0"), "%s", c.out);
    ck_assert_msg(!strstr(c.out, "left:"), "%s", c.out);
    child_clear(&c);
}
END_TEST

/* ---- the benchmark ------------------------------------------------------- */

START_TEST(the_benchmark_names_the_crossovers_of_a_dgx_h100)
{
    static const char *const says[] = {
        "put by a stream, then a message of NCCL's: at all sizes measured",
        "one-shot, then two-shot: up to 131072 bytes, not at 262144",
        "one-shot, then NCCL: up to 524288 bytes, not at 1048576",
        "two-shot, then NCCL: at all sizes measured",
        "million items/s",
        "million adds/s",
    };
    struct child c =
        child_run(240, "mpirun -n 8 %s/solutions/lab5 --benchmark --max-mb 1",
                  child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.out, says[i]) != NULL, "\"%s\" is not in\n%s",
                      says[i], c.out);
    child_clear(&c);
}
END_TEST

/* The last row of a benchmark up to 2 MiB. */
static struct child last_row(const char *option)
{
    struct child c =
        child_run(240,
                  "mpirun -n 4 %s/solutions/lab5 --benchmark --max-mb 2 %s | "
                  "grep '^    2097152'",
                  child_build(), option);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    return c;
}

/* Kernels of large rows aren't run: their times are those that they take. */
START_TEST(times_that_continue_a_line_are_those_of_a_run)
{
    struct child line = last_row(""), run = last_row("--run-all");
    ck_assert_str_eq(line.out, run.out);
    child_clear(&line);
    child_clear(&run);
}
END_TEST

START_TEST(the_benchmark_needs_no_contents_of_a_gigabyte)
{
    struct child c = child_run(
        240, "mpirun -n 8 %s/solutions/lab5 --benchmark --max-mb 1024",
        child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    ck_assert_msg(strstr(c.out, "\n 1073741824 |") != NULL, "%s", c.out);
    ck_assert_msg(strstr(c.out, "two-shot   131072 bytes") != NULL, "%s",
                  c.out);
    child_clear(&c);
}
END_TEST

/* ---- comparisons --------------------------------------------------------- */

static const struct {
    const char *topo, *command;
    int nranks;
    const char *says; /* a row of the table */
} comparisons[] = {
    {"dgx-h100", "--latency --max-kb 10", 8,
     "     10000             5.3             8.7            16.8         "
     "12869.4"},
    {"dgx-h100", "--sync --max-kb 70", 3, "        0\n"},
    {"dgx-h100", "--cache --max-kb 70", 4, "     65536 "},
    {"pcie-4090", "--late --rows 8 --lr-percent 100 -o /dev/null", 3,
     "\n     8 "},
    {"dgx-h100", "--windows --max-kb 10", 8,
     "     10000             5.1             5.6            16.8\n"},
    {"dgx-a100", "--windows --max-kb 1", 2, "               - "},
    {"one-gpu.xml", "--latency --max-kb 10", 2, "               -"},
    {"one-gpu.xml", "--sync --max-kb 20", 2, "        0\n"},
};

START_TEST(comparisons_run_on_any_ranks)
{
    const int is_file = strstr(comparisons[_i].topo, ".xml") != NULL;
    struct child c = child_run(
        120,
        "SIMGPU_CHECK=1 SIMGPU_TOPO=%s%s%s mpirun -n %d %s/solutions/lab5 %s",
        is_file ? labtest_root() : "", is_file ? "/tests/labs/" : "",
        comparisons[_i].topo, comparisons[_i].nranks, child_build(),
        comparisons[_i].command);
    ck_assert_msg(c.status == 0 && strstr(c.out, comparisons[_i].says),
                  "\"%s\" is not in\n%s%s", comparisons[_i].says, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- a hole in device code ----------------------------------------------- */

START_TEST(a_hole_in_device_code_is_not_implemented)
{
    char dir[] = "/tmp/commlab-hole-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    struct child c = child_run(
        120,
        "cp %s/solutions/lab5-symmetric-memory/* %s && "
        "cp %s/labs/lab5-symmetric-memory/device.cuh %s && %s/grade run "
        "--lab lab5 --case put,ping-pong,one-shot,tensor %s; rm -r %s",
        labtest_root(), dir, labtest_root(), dir, child_build(), dir, dir);
    static const char *const says[] = {
        "ping-pong                      NOT IMPLEMENTED",
        "one-shot                       NOT IMPLEMENTED",
        "tensor                         pass", "total 3.55 of 11.15 points"};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(strstr(c.out, says[i]) != NULL, "\"%s\" is not in\n%s%s",
                      says[i], c.out, c.err);
    child_clear(&c);
}
END_TEST

/* ---- device code in a submission ----------------------------------------- */

/* Added to the end of a file; +1 is the first added line. */
static const struct {
    const char *code, *says;
} early[] = {
    {"#include <cstdio>\\nstatic int x = puts(\"early\");",
     "hashmap.cu: it runs code before main"},
    {"volatile int ran;\\n__attribute__((constructor)) static void first() { "
     "ran = 1; }",
     "hashmap.cu:+2: attribute constructor is not available in labs"},
    {"extern \"C\" void simgpu_register_nothing(void);\\n"
     "void call(void) { simgpu_register_nothing(); }",
     "hashmap.cu:+1: simgpu_register_nothing is not available in labs"},
};

START_TEST(device_code_that_does_more_is_refused)
{
    char dir[] = "/tmp/commlab-early-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    struct child c = child_run(
        120,
        "cp %s/solutions/lab5-symmetric-memory/* %s && cd %s && "
        "n=$(wc -l < hashmap.cu) && printf '%s\\n' >> hashmap.cu && "
        "%s/grade run --lab lab5 --case probe %s | "
        "sed \"s/cu:$((n + 1)):/cu:+1:/; s/cu:$((n + 2)):/cu:+2:/\"; rm -r %s",
        labtest_root(), dir, dir, early[_i].code, child_build(), dir, dir);
    ck_assert_msg(strstr(c.out, "does not build: ") &&
                      strstr(c.out, early[_i].says),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

static void own_tests(TCase *t)
{
    tcase_add_loop_test(t, ranks_may_share_a_gpu, 0, 3);
    tcase_add_test(t, other_labs_need_a_gpu_for_each_rank);
    tcase_add_loop_test(t, a_rank_that_dies_ends_the_wait_of_the_other, 0, 2);
    tcase_add_test(t, the_benchmark_names_the_crossovers_of_a_dgx_h100);
    tcase_add_test(t, times_that_continue_a_line_are_those_of_a_run);
    tcase_add_test(t, the_benchmark_needs_no_contents_of_a_gigabyte);
    tcase_add_loop_test(t, comparisons_run_on_any_ranks, 0,
                        sizeof comparisons / sizeof *comparisons);
    tcase_add_test(t, a_hole_in_device_code_is_not_implemented);
    tcase_add_loop_test(t, device_code_that_does_more_is_refused, 0, 3);
}

int main(void)
{
    static const int ranks[] = {1, 2, 3, 4, 8, 0};
    static const struct labtest lab5 = {
        .lab = "lab5-symmetric-memory", .ranks = ranks, .nmutants = 23};
    return labtest_main(&lab5, own_tests);
}
