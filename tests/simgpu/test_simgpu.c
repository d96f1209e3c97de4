/* simgpu as programs meet it: rules that hold, and mistakes that are named. */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* EXIT_FAILURE */
#include <string.h> /* strstr */

#include "child.h"

static const char *const schedules[] = {"eager", "late", "random:1",
                                        "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

/* Run a conformance program: no rule may fail. */
static void expect_rules(const char *command, const char *schedule)
{
    struct child c = child_run(120, "SIMGPU_SCHEDULE=%s %s", schedule, command);
    char *const bad = strstr(c.out, "FAILED");
    ck_assert_msg(!bad && c.status == 0 && !c.timed_out,
                  "%s, schedule %s: status %d%s\n%.300s\n%.2000s", command,
                  schedule, c.status, c.timed_out ? ", timed out" : "",
                  bad ? bad : "", c.err);
    ck_assert_msg(strstr(c.out, "ok    ") != NULL, "no rule was checked");
    child_clear(&c);
}

static void expect_rules_of(const char *program, int nranks, int schedule)
{
    char command[4096];
    if (nranks)
        snprintf(command, sizeof command, "mpirun -n %d %s/tests/simgpu/%s",
                 nranks, child_build(), program);
    else
        snprintf(command, sizeof command, "%s/tests/simgpu/%s", child_build(),
                 program);
    expect_rules(command, schedules[schedule]);
}

START_TEST(the_runtime_keeps_its_rules)
{
    expect_rules_of("prog_runtime", 0, _i);
}
END_TEST

START_TEST(kernels_compute_what_a_gpu_would)
{
    expect_rules_of("prog_kernels", 0, _i);
}
END_TEST

START_TEST(one_process_drives_several_devices)
{
    expect_rules_of("prog_threads", 0, _i);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_one_rank)
{
    expect_rules_of("prog_nccl", 1, _i);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_two_ranks)
{
    expect_rules_of("prog_nccl", 2, _i);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_five_ranks)
{
    expect_rules_of("prog_nccl", 5, _i);
}
END_TEST

/* A program with a mistake ends with status 70 and says what it was. */
static const struct fault {
    const char *name, *says[4];
} faults[] = {
    {"host-read",
     {"host code at prog_fault.cu:34",
      "byte 12 of the 4000-byte "
      "allocation made at prog_fault.cu:32",
      "cudaMemcpy"}},
    {"out-of-bounds",
     {"kernel fill", "writes 4 bytes",
      "0 bytes past the end "
      "of the 4000-byte allocation",
      "prog_fault.cu:14"}},
    {"use-after-free",
     {"kernel fill", "allocation, freed since, made at "
                     "prog_fault.cu:32"}},
    {"count",
     {"collective 1 of a communicator differently",
      "rank 0: ncclAllReduce(count 100, float32, sum",
      "rank 1: ncclAllReduce(count 101, float32, sum", "at prog_fault.cu:42"}},
    {"missing",
     {"the run hangs", "rank 1 waits:", "ncclAllReduce",
      "1 of 2 ranks have come"}},
    {"no-group",
     {"the run hangs", "rank 0 sends to rank 1", "rank 1 sends to rank 0"}},
    {"pageable",
     {"ncclAllReduce at prog_fault.cu:51",
      "memory of the host that no GPU can reach"}},
};

START_TEST(a_mistake_is_named)
{
    const struct fault *const f = &faults[_i];
    struct child c = child_run(60, "mpirun -n 2 %s/tests/simgpu/prog_fault %s",
                               child_build(), f->name);
    ck_assert_msg(!c.timed_out && c.status != 0, "%s: status %d", f->name,
                  c.status);
    for (int i = 0; i < 4 && f->says[i]; i++)
        ck_assert_msg(strstr(c.err, f->says[i]) != NULL,
                      "%s: \"%s\" is not in:\n%s", f->name, f->says[i], c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_wrong_setting_is_named)
{
    struct child c = child_run(10,
                               "SIMGPU_SCHEDULE=never "
                               "%s/tests/simgpu/prog_runtime",
                               child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "SIMGPU_SCHEDULE=never") != NULL, "%s", c.err);
    child_clear(&c);
    c = child_run(10, "SIMGPU_TOPO=nowhere %s/tests/simgpu/prog_runtime",
                  child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "there is no machine \"nowhere\"") != NULL,
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("simgpu");
    TCase *const t = tcase_create("programs");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, the_runtime_keeps_its_rules, 0, SCHEDULES);
    tcase_add_loop_test(t, kernels_compute_what_a_gpu_would, 0, SCHEDULES);
    tcase_add_loop_test(t, one_process_drives_several_devices, 0, SCHEDULES);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_one_rank, 0, 1);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_two_ranks, 0, SCHEDULES);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_five_ranks, 0, 2);
    tcase_add_loop_test(t, a_mistake_is_named, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(t, a_wrong_setting_is_named);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
