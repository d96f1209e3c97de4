/* One small program for each part of the runtime's interface; each checks
 * itself, under every schedule. */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "probe_run.h"
#include "suite.h"

/* Programs of tests/probes, and how many probes they have at least. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_rt_graphs", 20},   {"prog_rt_memory", 18},
    {"prog_rt_libraries", 4}, {"prog_virtual", 6},
    {"prog_textures", 13},    {"prog_cublas_types", 1},
    {"prog_cublas_first", 2}, {"prog_cublas_more", 6},
    {"prog_thrust", 14},      {"prog_cub", 12},
    {"prog_cufft", 6},        {"prog_cublas_complex", 6},
    {"prog_cub_more", 12},    {"prog_cufft_plans", 12},
    {"prog_nvml", 12},        {"prog_cublas_refused", 5},
    {"prog_failed_later", 6},
};
static const char *const schedules[] = {"eager", "late", "random:1"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

START_TEST(a_part_of_the_runtime_does_what_cuda_says)
{
    const struct family *const f = &families[_i / SCHEDULES];
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/probes/%s",
                  schedules[_i % SCHEDULES], child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", f->name, c.status,
                  c.out, c.err);
    ck_assert_int_ge(probe_count(c.out, "pass "), f->nprobes);
    child_clear(&c);
}
END_TEST

START_TEST(what_a_texture_reads_is_checked_for_races)
{
    static const struct {
        const char *argument;
        int status;
    } runs[] = {{"", 70}, {"ordered", 0}};
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 %s/tests/probes/prog_texture_race %s",
                  child_build(), runs[_i].argument);
    ck_assert_msg(c.status == runs[_i].status, "status %d\n%s%s", c.status,
                  c.out, c.err);
    ck_assert(!runs[_i].status || strstr(c.err, "sum"));
    child_clear(&c);
}
END_TEST

/* cuBLAS says which parameter is wrong, as BLAS numbers them. */
START_TEST(a_wrong_parameter_is_said)
{
    static const char *const lines[] = {
        "\n ** On entry to DGER   parameter number 9 had an illegal value\n",
        "\n ** On entry to DTRSV  parameter number 3 had an illegal value\n",
        "\n ** On entry to GEMM_EX  parameter number 18 had an illegal value\n",
    };
    struct child c =
        child_run(60, "%s/tests/probes/prog_cublas_refused", child_build());
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(c.out, lines[i]) != NULL, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* On a GPU the transform's kernel faults. */
START_TEST(a_transform_of_no_memory_is_named)
{
    struct child c =
        child_run(60, "%s/tests/probes/prog_cufft_fault", child_build());
    ck_assert_msg(c.status == 70 &&
                      strstr(c.err, "cufftExecC2C at prog_cufft_fault.c:11: "
                                    "idata is (nil)"),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* A call takes the host time, whether or not it reaches a device. */
START_TEST(each_call_of_a_library_is_recorded_by_its_name)
{
    static const char *const names[] = {
        "cufftCreate",   "cufftPlan1d",  "cufftPlan2d",  "cufftPlan3d",
        "cufftPlanMany", "cufftExecC2C", "cufftExecC2R", "cufftExecR2C",
        "cufftExecZ2Z",  "cufftDestroy",
    };
    struct child c =
        child_run(60,
                  "d=$(mktemp -d) && cd %s && SIMGPU_GRAPH=$d "
                  "tests/probes/prog_cufft > $d/said && ./commgraph time $d; "
                  "s=$?; rm -r $d; exit $s",
                  child_build());
    ck_assert_msg(c.status == 0, "%d\n%s%s", c.status, c.out, c.err);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n%s ", names[i]);
        ck_assert_msg(strstr(c.out, line) != NULL, "lacks %s:\n%s", names[i],
                      c.out);
    }
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("rt");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_part_of_the_runtime_does_what_cuda_says, 0,
                        SCHEDULES * (int)(sizeof families / sizeof *families));
    tcase_add_loop_test(t, what_a_texture_reads_is_checked_for_races, 0, 2);
    tcase_add_test(t, a_wrong_parameter_is_said);
    tcase_add_test(t, a_transform_of_no_memory_is_named);
    tcase_add_test(t, each_call_of_a_library_is_recorded_by_its_name);
    suite_add_tcase(s, t);
    return suite_run(s);
}
