/* One small program for each part of the runtime's interface; each checks
 * itself, under every schedule. */
#include <check.h>
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
    {"prog_cublas_types", 1}, {"prog_cublas_first", 2},
    {"prog_cublas_more", 6},  {"prog_cublas_complex", 6},
    {"prog_failed_later", 6}, {"prog_cublas_refused", 5},
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

int main(void)
{
    Suite *const s = suite_create("rt");
    TCase *const t = tcase_create("probes");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_part_of_the_runtime_does_what_cuda_says, 0,
                        SCHEDULES * (int)(sizeof families / sizeof *families));
    tcase_add_test(t, a_wrong_parameter_is_said);
    suite_add_tcase(s, t);
    return suite_run(s);
}
