/* simgpu as programs see it: rules that hold, and mistakes that are
 * reported. */
#include <check.h>
#include <string.h> /* strstr */

#include "child.h"
#include "conform.h"
#include "suite.h"

START_TEST(the_runtime_keeps_its_rules)
{
    conform_schedule(_i, "prog_runtime", 0);
}
END_TEST

START_TEST(kernels_compute_what_a_gpu_would)
{
    conform_schedule(_i, "prog_kernels", 0);
}
END_TEST

START_TEST(device_code_has_what_cuda_offers)
{
    conform_schedule(_i, "prog_device", 0);
}
END_TEST

START_TEST(each_device_has_its_own_variables)
{
    conform_schedule(_i, "prog_variables", 0);
}
END_TEST

START_TEST(a_loop_that_waits_for_another_thread_ends)
{
    conform_schedule(_i, "prog_spin", 0);
}
END_TEST

START_TEST(a_kernel_that_simnvcc_compiled_has_code)
{
    conform_schedule(_i, "prog_image", 0);
}
END_TEST

START_TEST(one_process_drives_several_devices)
{
    conform_schedule(_i, "prog_threads", 0);
}
END_TEST

START_TEST(devices_keep_their_rules)
{
    conform_schedule(_i, "prog_between", 0);
}
END_TEST

/* The messages say which device each object belongs to, and what to try. */
START_TEST(what_devices_do_not_share_is_named)
{
    static const char *const says[] = {
        "records an event of device 0 in a stream of device 1. An event "
        "belongs to the device that was current when it was created: create "
        "it after cudaSetDevice(1)",
        "is into a stream of device 1, while device 0 is current: no kernel "
        "runs. Call cudaSetDevice(1) first",
        "gets an event of device 0 and one of device 1, whose clocks differ. "
        "Record both on one device",
        "managed memory has no handle. Share memory of cudaMalloc",
        "memory of a pool has no handle. Share the pool",
        "opens a handle of its own process, for memory of device 0. Use the "
        "pointer that the handle was made of",
    };
    struct child c = child_run(
        60, "SIMGPU_CHECK=1 %s/tests/simgpu/prog_between", child_build());
    ck_assert_int_eq(c.status, 70);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.err, says[i]) != NULL, "\"%s\" is not in:\n%s",
                      says[i], c.err);
    child_clear(&c);
    c = child_run(60, "SIMGPU_CHECK=1 %s/tests/simgpu/prog_between peer",
                  child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "memory of device 1, which device 0 has no "
                                "access to:") &&
                      strstr(c.err, "Call cudaDeviceEnablePeerAccess(1, 0) "
                                    "first, with device 0 current"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_one_rank)
{
    conform_schedule(_i, "prog_nccl", 1);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_two_ranks)
{
    conform_schedule(_i, "prog_nccl", 2);
}
END_TEST

START_TEST(nccl_keeps_its_rules_with_five_ranks)
{
    conform_schedule(_i, "prog_nccl", 5);
}
END_TEST

/* A program with a mistake ends with status 70 and a message about it. */
static const struct fault {
    const char *name, *says[5];
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
      "prog_fault.cu:14", "launched at prog_fault.cu:36"}},
    {"use-after-free",
     {"kernel fill",
      "of the freed 4000-byte allocation made at prog_fault.cu:32",
      "freed at prog_fault.cu:38", "launched at prog_fault.cu:39"}},
    {"count",
     {"collective 1 of a communicator differently",
      "rank 0: ncclAllReduce(count 100, float32, sum",
      "rank 1: ncclAllReduce(count 101, float32, sum", "at prog_fault.cu:42"}},
    {"missing",
     {"the run hangs", "rank 1 waits:", "ncclAllReduce",
      "1 of 2 ranks have called it"}},
    {"no-group",
     {"the run hangs", "rank 0 sends to rank 1", "rank 1 sends to rank 0"}},
    {"pageable",
     {"ncclAllReduce at prog_fault.cu:51",
      "host memory that no GPU can reach"}},
    {"freed-to-nccl",
     {"ncclAllReduce at prog_fault.cu:55: sendbuff is at byte 0 of the freed "
      "4000-byte allocation",
      "freed at prog_fault.cu:54", "Free memory when nothing uses it"}},
    {"own-ids",
     {"the run hangs", "ncclCommInitRank at prog_fault.cu:59",
      "they must pass the same id"}},
    {"closed-pool",
     {"kernel fill", "memory of a host pool, which device 0 has no",
      "4000-byte allocation made at prog_fault.cu:67",
      "cudaMemPoolSetAccess() for device"}},
    {"between-elements",
     {"ncclAllReduce at prog_fault.cu:73: sendbuff is at byte 6 of the "
      "4000-byte allocation",
      "The address is 2 past a multiple of 4, the size of an element",
      "error 716 (cudaErrorMisalignedAddress)"}},
    {"other-device",
     {"ncclAllReduce at prog_fault.cu:83: sendbuff is memory of device 1, "
      "which "
      "device 0 has no access to:",
      "the 4000-byte allocation made at prog_fault.cu:77",
      "Call cudaDeviceEnablePeerAccess(1, 0) first, with device 0 current"}},
};

/* What a program printed before the report is not lost in a pipe. */
START_TEST(output_before_a_report_is_written)
{
    struct child c = child_run(60,
                               "mpirun -n 1 %s/tests/simgpu/prog_fault "
                               "printed | cat",
                               child_build());
    ck_assert_msg(strstr(c.out, "rank 0 came here\n") &&
                      strstr(c.err, "host code at prog_fault.cu"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_mistake_is_named)
{
    const struct fault *const f = &faults[_i];
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 mpirun -n 2 "
                               "%s/tests/simgpu/prog_fault %s",
                               child_build(), f->name);
    ck_assert_msg(!c.timed_out && c.status != 0, "%s: status %d", f->name,
                  c.status);
    for (int i = 0; i < 5 && f->says[i]; i++)
        ck_assert_msg(strstr(c.err, f->says[i]) != NULL,
                      "%s: \"%s\" is not in:\n%s", f->name, f->says[i], c.err);
    child_clear(&c);
}
END_TEST

START_TEST(nccl_uses_memory_that_its_device_may_touch)
{
    struct child c = child_run(
        60, "mpirun -n 2 %s/tests/simgpu/prog_fault other-device-open",
        child_build());
    ck_assert_msg(c.status == 0 && !*c.err, "status %d: %s", c.status, c.err);
    child_clear(&c);
}
END_TEST

/* What a kernel has touched stays closed to the host. */
START_TEST(a_kernel_opens_memory_to_itself)
{
    static const char *const mode[] = {"keys", "no-keys"};
    struct child c = child_run(60, "%s/tests/simgpu/prog_closed %s",
                               child_build(), mode[_i]);
    ck_assert_int_eq(c.status, 70);
    ck_assert_str_eq(c.out, "999\n999\n");
    ck_assert_msg(strstr(c.err, "host code at prog_closed.cu:30"), "%s: %s",
                  mode[_i], c.err);
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
    tcase_add_loop_test(t, the_runtime_keeps_its_rules, 0, CONFORM_SCHEDULES);
    tcase_add_loop_test(t, devices_keep_their_rules, 0, CONFORM_SCHEDULES);
    tcase_add_test(t, what_devices_do_not_share_is_named);
    tcase_add_loop_test(t, kernels_compute_what_a_gpu_would, 0,
                        CONFORM_SCHEDULES);
    tcase_add_loop_test(t, device_code_has_what_cuda_offers, 0, 1);
    tcase_add_loop_test(t, each_device_has_its_own_variables, 0,
                        CONFORM_SCHEDULES);
    tcase_add_loop_test(t, a_loop_that_waits_for_another_thread_ends, 0,
                        CONFORM_SCHEDULES);
    tcase_add_loop_test(t, a_kernel_that_simnvcc_compiled_has_code, 0, 1);
    tcase_add_loop_test(t, one_process_drives_several_devices, 0,
                        CONFORM_SCHEDULES);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_one_rank, 0, 1);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_two_ranks, 0,
                        CONFORM_SCHEDULES);
    tcase_add_loop_test(t, nccl_keeps_its_rules_with_five_ranks, 0, 2);
    tcase_add_loop_test(t, a_mistake_is_named, 0,
                        sizeof faults / sizeof *faults);
    tcase_add_test(t, output_before_a_report_is_written);
    tcase_add_test(t, nccl_uses_memory_that_its_device_may_touch);
    tcase_add_loop_test(t, a_kernel_opens_memory_to_itself, 0, 2);
    tcase_add_test(t, a_wrong_setting_is_named);
    suite_add_tcase(s, t);
    return suite_run(s);
}
