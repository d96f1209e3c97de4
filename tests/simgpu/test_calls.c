/* Processes that do little, and settings that change what they see. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(const char *settings, const char *what)
{
    return child_run(30, "%s %s/tests/simgpu/prog_calls %s", settings,
                     child_build(), what);
}

static void holds(const char *settings, const char *what, int status,
                  const char *out, const char *err)
{
    struct child c = run(settings, what);
    ck_assert_msg(c.status == status, "%s %s: status %d: %s", settings, what,
                  c.status, c.err);
    ck_assert_msg(strcmp(c.out, out) == 0, "%s %s: %s", settings, what, c.out);
    ck_assert_msg(strstr(c.err, err) != NULL, "%s %s: %s", settings, what,
                  c.err);
    child_clear(&c);
}

START_TEST(a_process_that_only_queries_may_be_idle)
{
    holds("SIMGPU_HANG_SEC=0.5", "idles", 0, "", "");
}
END_TEST

START_TEST(a_stream_that_ends_its_last_operation_slowly_is_no_hang)
{
    struct child c =
        child_run(30, "SIMGPU_HANG_SEC=0.25 %s/tests/simgpu/prog_slow_end",
                  child_build());
    ck_assert_msg(c.status == 0, "status %d: %s", c.status, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_kernel_that_computes_after_a_wait_is_no_hang)
{
    struct child c =
        child_run(120, "SIMGPU_HANG_SEC=0.25 %s/tests/simgpu/prog_long_turn %d",
                  child_build(), _i + 1);
    ck_assert_msg(c.status == 0, "%d blocks: status %d: %s", _i + 1, c.status,
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(an_ignored_failure_is_named_and_ends_the_run)
{
    holds("SIMGPU_CHECK=1", "ignores", 70, "",
          "cudaMalloc at prog_calls.c:30 returned cudaErrorMemoryAllocation, "
          "and the program did not look; 2 later calls");
    holds("", "ignores", 0, "", "");
    holds("SIMGPU_CHECK=1", "looks", 0, "", " 0 hazards");
}
END_TEST

START_TEST(a_result_that_a_function_returns_is_its_callers)
{
    holds("SIMGPU_CHECK=1", "ignores-at-the-end", 70, "",
          "cudaErrorInvalidValue, and the program did not look; 1 later call");
    holds("SIMGPU_CHECK=1", "looks-at-the-end", 0, "", " 0 hazards");
}
END_TEST

START_TEST(a_kernel_that_nvcc_compiled_is_named)
{
    holds("", "launches", 0, "",
          "kernel scale was compiled by nvcc, which is for GPUs only: compile "
          "its file with simnvcc (GPU=sim), or run the program on a GPU.");
    holds("", "launches", 0, "", "kernel shift was compiled by nvcc");
}
END_TEST

START_TEST(ranks_without_mpi_are_checked_one_by_one)
{
    holds("SIMGPU_CHECK=1 mpirun -n 2", "looks", 0, "",
          " 0 hazards, 0 warnings in 1 operations of 2 ranks");
}
END_TEST

/* Settings of CUDA_VISIBLE_DEVICES on a dgx-h100, and what a program sees. */
static const struct {
    const char *value, *sees;
} visible[] = {
    {"2,0", "cudaSuccess 2 0000:52:00.0 0000:1b:00.0\n"},
    {"1", "cudaSuccess 1 0000:43:00.0\n"},
    {"1,9,2", "cudaSuccess 1 0000:43:00.0\n"},
    {"1,none", "cudaSuccess 1 0000:43:00.0\n"},
    {"", "cudaErrorNoDevice 0\n"},
    {"-1", "cudaErrorNoDevice 0\n"},
    {"0,0", "cudaErrorNoDevice 0\n"},
    {"GPU-00", "cudaErrorNoDevice 0\n"},
};

START_TEST(visible_devices_are_those_of_the_list)
{
    char settings[100];
    snprintf(settings, sizeof settings, "CUDA_VISIBLE_DEVICES='%s'",
             visible[_i].value);
    holds(settings, "devices", 0, visible[_i].sees, "");
}
END_TEST

START_TEST(a_device_is_found_by_its_name)
{
    char settings[200];
    struct child c = run("", "uuid");
    snprintf(settings, sizeof settings, "CUDA_VISIBLE_DEVICES=%.*s",
             (int)strcspn(c.out, "\n"), c.out);
    child_clear(&c);
    holds(settings, "devices", 0, "cudaSuccess 1 0000:43:00.0\n", "");
}
END_TEST

START_TEST(a_missing_function_does_not_compile)
{
    struct child c = child_run(
        30,
        "printf '#include <cuda_runtime.h>\\nint f(void){return cudaNo(1);}\\n'"
        " | gcc -xc -fsyntax-only -I%s/simgpu/include -",
        child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "error: implicit declaration of function") !=
                      NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(any_call_may_be_the_first)
{
    struct child c =
        child_run(90, "%s/tests/simgpu/prog_first_call", child_build());
    ck_assert_msg(c.status == 0 && !*c.out, "status %d:\n%s%s", c.status, c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("calls");
    TCase *const t = tcase_create("programs");
    tcase_set_timeout(t, 100);
    tcase_add_test(t, a_process_that_only_queries_may_be_idle);
    tcase_add_test(t, any_call_may_be_the_first);
    tcase_add_test(t, a_stream_that_ends_its_last_operation_slowly_is_no_hang);
    tcase_add_loop_test(t, a_kernel_that_computes_after_a_wait_is_no_hang, 0,
                        2);
    tcase_add_test(t, an_ignored_failure_is_named_and_ends_the_run);
    tcase_add_test(t, a_result_that_a_function_returns_is_its_callers);
    tcase_add_test(t, a_kernel_that_nvcc_compiled_is_named);
    tcase_add_test(t, ranks_without_mpi_are_checked_one_by_one);
    tcase_add_loop_test(t, visible_devices_are_those_of_the_list, 0,
                        sizeof visible / sizeof *visible);
    tcase_add_test(t, a_device_is_found_by_its_name);
    tcase_add_test(t, a_missing_function_does_not_compile);
    suite_add_tcase(s, t);
    return suite_run(s);
}
