/*
 * Memory without contents: the same modelled times, no memory, little time, and
 * no use of missing values.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(const char *setting, int nranks, const char *arguments)
{
    return child_run(
        240,
        "f=$(mktemp); %s mpirun -n %d %s/tests/graph/prog_dataless %s > "
        "$f; s=$?; sort -s -k2,2n $f; rm -f $f; exit $s",
        setting, nranks, child_build(), arguments);
}

START_TEST(times_are_those_of_a_run_with_data)
{
    const int nranks = _i;
    struct child with = run("", nranks, "1234568");
    ck_assert_msg(with.status == 0, "%s", with.err);
    static const char *const settings[] = {
        "SIMGPU_DATALESS=on", "SIMGPU_DATALESS=1M",
        "SIMGPU_DATALESS=1234568 SIMGPU_SCHEDULE=late", "SIMGPU_DATALESS=1G"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct child without = run(settings[i], nranks, "1234568");
        ck_assert_msg(without.status == 0, "%s", without.err);
        ck_assert_str_eq(with.out, without.out);
        child_clear(&without);
    }
    child_clear(&with);
}
END_TEST

/* The device buffers alone are 16 GiB. */
START_TEST(eight_ranks_of_a_gibibyte_take_next_to_no_memory)
{
    struct child c = run("SIMGPU_DATALESS=1M", 8, "1073741824");
    ck_assert_msg(c.status == 0, "%s", c.err);
    long most = 0;
    for (const char *at = c.err; (at = strstr(at, "peak ")); at++)
        if (atol(at + 5) > most)
            most = atol(at + 5);
    printf("8 x 1 GiB: %.1f s, %ld MiB a rank\n", c.sec, most >> 10);
    ck_assert_int_gt(most, 0);
    ck_assert_int_lt(most, 512 << 10);
    child_clear(&c);
}
END_TEST

static const struct refusal {
    const char *what, *says;
} refusals[] = {
    {"read", "cudaMemcpy at prog_dataless.cu:"},
    {"mixed", "cudaMemcpy at prog_dataless.cu:"},
    {"undeclared", "declare it, by an NVTX range"},
    {"received", "into memory that has them"},
};

START_TEST(what_needs_values_is_refused_with_the_reason)
{
    const struct refusal *const r = &refusals[_i];
    char arguments[64];
    snprintf(arguments, sizeof arguments, "1048576 %s", r->what);
    struct child c = run("SIMGPU_DATALESS=64K", 1, arguments);
    ck_assert_int_ne(c.status, 0);
    ck_assert_ptr_null(strstr(c.out, "nothing was refused"));
    ck_assert_msg(strstr(c.err, r->says) != NULL, "%s", c.err);
    ck_assert_msg(strstr(c.err, "SIMGPU_DATALESS=64K") != NULL, "%s", c.err);
    child_clear(&c);
    struct child with = run("", 1, arguments);
    ck_assert_msg(with.status == 0, "%s", with.err);
    child_clear(&with);
}
END_TEST

/* A kernel that is not run has no writes in the graph. */
START_TEST(what_a_kernel_would_have_written_counts_as_written)
{
    struct child c =
        run("SIMGPU_CHECK=1 SIMGPU_DATALESS=64K", 2, "1048576 written");
    ck_assert_ptr_null(strstr(c.err, "uninitialised"));
    child_clear(&c);
}
END_TEST

/* What it would touch is declared, so that a race is found all the same. */
START_TEST(a_kernel_that_is_not_run_has_the_accesses_that_are_declared)
{
    static const char *const modes[] = {"race", "captured"};
    char arguments[64];
    snprintf(arguments, sizeof arguments, "1048576 %s", modes[_i]);
    struct child c = run("SIMGPU_CHECK=1 SIMGPU_DATALESS=64K", 1, arguments);
    ck_assert_msg(strstr(c.err, "race on bytes 0 to 1048575") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

static double declared_ms(const struct child *c, const char *what)
{
    char label[32];
    snprintf(label, sizeof label, "declared%s: ", what);
    const char *const at = strstr(c->out, label);
    ck_assert_msg(at != NULL, "%s%s", c->out, c->err);
    return atof(at + strlen(label));
}

/* The machine's rates: 67 to 1979 Tflop/s (dgx-h100.xml), of which
 * 0.8 is achieved. */
START_TEST(flops_are_charged_in_the_precision_that_is_declared)
{
    static const struct {
        const char *what;
        double tflops;
    } rate[] = {{"", 67},       {" fp32", 67}, {" tf32", 494}, {" fp16", 989},
                {" bf16", 989}, {" fp64", 34}, {" fp8", 1979}};
    struct child c = run("SIMGPU_TOPO=dgx-h100", 1,
                         "4096 declared '' ' fp32' ' tf32' ' fp16' ' bf16' "
                         "' fp64' ' fp8'");
    ck_assert_msg(c.status == 0, "%s", c.err);
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
        ck_assert_double_eq_tol(declared_ms(&c, rate[i].what),
                                1e3 / (0.8 * rate[i].tflops), 0.02);
    child_clear(&c);
}
END_TEST

START_TEST(an_unknown_precision_is_refused)
{
    static const char *const bad[] = {"fp4", "fp320", "bf16 fp16", "BF16"};
    char arguments[64];
    snprintf(arguments, sizeof arguments, "4096 declared ' %s'", bad[_i]);
    struct child c = run("", 1, arguments);
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "declares a cost in an unknown form") &&
                      strstr(c.err, bad[_i]),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(fp8_is_refused_where_gpus_have_no_units_for_it)
{
    struct child c = run("SIMGPU_TOPO=dgx-a100", 1, "4096 declared ' fp8'");
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "the GPUs of machine dgx-a100 have no fp8 "
                                "units") &&
                      strstr(c.err, "prog_dataless.cu:"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_setting_that_is_no_size_is_refused)
{
    struct child c = run("SIMGPU_DATALESS=large", 1, "1048576");
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "SIMGPU_DATALESS=large") != NULL, "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("dataless");
    TCase *const t = tcase_create("dataless");
    tcase_add_loop_test(t, times_are_those_of_a_run_with_data, 1, 5);
    tcase_add_test(t, eight_ranks_of_a_gibibyte_take_next_to_no_memory);
    tcase_add_loop_test(t, what_needs_values_is_refused_with_the_reason, 0,
                        sizeof refusals / sizeof *refusals);
    tcase_add_test(t, what_a_kernel_would_have_written_counts_as_written);
    tcase_add_loop_test(
        t, a_kernel_that_is_not_run_has_the_accesses_that_are_declared, 0, 2);
    tcase_add_test(t, flops_are_charged_in_the_precision_that_is_declared);
    tcase_add_loop_test(t, an_unknown_precision_is_refused, 0, 4);
    tcase_add_test(t, fp8_is_refused_where_gpus_have_no_units_for_it);
    tcase_add_test(t, a_setting_that_is_no_size_is_refused);
    tcase_set_timeout(t, 900);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
