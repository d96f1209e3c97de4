/* Libraries that no lab uses, textures among them; each probe checks itself,
 * under every schedule. */
#include <check.h>
#include <math.h>   /* pow */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atof */
#include <string.h> /* strstr */

#include "child.h"
#include "probe_run.h"
#include "suite.h"
#include "topo/topo.h"

/* Programs of tests/extras, and how many probes they have at least. */
static const struct family {
    const char *name;
    int nprobes;
} families[] = {
    {"prog_textures", 13}, {"prog_thrust", 14}, {"prog_cub", 12},
    {"prog_cub_more", 12}, {"prog_cufft", 6},   {"prog_cufft_plans", 12},
    {"prog_nvml", 15},
};
static const char *const schedules[] = {"eager", "late", "random:1"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

START_TEST(a_library_does_what_its_manual_says)
{
    const struct family *const f = &families[_i / SCHEDULES];
    struct child c =
        child_run(60, "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/extras/%s",
                  schedules[_i % SCHEDULES], child_build(), f->name);
    ck_assert_msg(c.status == 0, "%s: status %d\n%s%s", f->name, c.status,
                  c.out, c.err);
    ck_assert_int_ge(probe_count(c.out, "pass "), f->nprobes);
    child_clear(&c);
}
END_TEST

START_TEST(libcu_compiles_and_runs)
{
    struct child c =
        child_run(120, "%s/tests/extras/prog_libcu", child_build());
    ck_assert_msg(!c.timed_out && c.status == 0, "status %d:\n%s%s", c.status,
                  c.out, c.err);
    ck_assert_int_ge(probe_count(c.out, "pass "), 8);
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
        child_run(60, "SIMGPU_CHECK=1 %s/tests/extras/prog_texture_race %s",
                  child_build(), runs[_i].argument);
    ck_assert_msg(c.status == runs[_i].status, "status %d\n%s%s", c.status,
                  c.out, c.err);
    ck_assert(!runs[_i].status || strstr(c.err, "sum"));
    child_clear(&c);
}
END_TEST

/* CUDA defines only tex1Dfetch() for linear memory. */
START_TEST(a_sample_of_linear_memory_is_refused_at_its_line)
{
    struct child c =
        child_run(60, "%s/tests/extras/prog_texture_fault", child_build());
    ck_assert_msg(c.status == 70 &&
                      strstr(c.err, "a kernel calls tex1D() on a texture of "
                                    "linear memory, at prog_texture_fault.cu:"
                                    "9") &&
                      strstr(c.err, "Call tex1Dfetch()"),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* On a GPU the transform's kernel faults. */
START_TEST(a_transform_of_no_memory_is_named)
{
    struct child c =
        child_run(60, "%s/tests/extras/prog_cufft_fault", child_build());
    ck_assert_msg(c.status == 70 &&
                      strstr(c.err, "cufftExecC2C at prog_cufft_fault.c:11: "
                                    "idata is NULL"),
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
                  "tests/extras/prog_cufft > $d/said && ./commgraph time $d; "
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

START_TEST(epilogues_of_cublaslt_agree_with_loops)
{
    enum { EPILOGUES = 14, WAYS = 8 };
    struct child c =
        child_run(60,
                  "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/extras/"
                  "prog_cublaslt strict",
                  schedules[_i], child_build());
    int passed = 0;
    for (const char *p = c.out; (p = strstr(p, "pass ")) != NULL; p++)
        passed++;
    ck_assert_msg(c.status == 0 && passed == EPILOGUES * WAYS,
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* The last has no fp8 units, and refuses all. */
START_TEST(products_of_fp8_agree_with_loops)
{
    enum { PRODUCTS = 33, REFUSALS = 17, FORMATS = 4, NUMBERS = 4 };
    static const char *const machines[] = {"dgx-h100", "dgx-b200", "pcie-4090",
                                           "dgx-a100"};
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 SIMGPU_TOPO=%s %s/tests/extras/"
                               "prog_cublaslt_fp8",
                               machines[_i], child_build());
    ck_assert_msg(c.status == 0, "status %d\n%s%s", c.status, c.out, c.err);
    ck_assert_int_eq(probe_count(c.out, "pass "),
                     PRODUCTS + REFUSALS + FORMATS + NUMBERS);
    child_clear(&c);
}
END_TEST

static double printed_ms(const struct child *c, const char *label)
{
    const char *const at = strstr(c->out, label);
    ck_assert_msg(at != NULL, "%s%s", c->out, c->err);
    return atof(at + strlen(label));
}

/* A kernel's latency, and its flops at the rate of their precision. */
START_TEST(a_product_takes_the_time_of_its_precision)
{
    static const struct {
        const char *label;
        enum topo_math math;
    } products[] = {{"bf16: ", TOPO_FP16}, {"fp8: ", TOPO_FP8}};
    char err[256];
    struct topo *const t = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(t != NULL, "%s", err);
    struct child c = child_run(60,
                               "SIMGPU_TOPO=dgx-h100 SIMGPU_DATALESS=64K "
                               "%s/tests/extras/prog_cublaslt_fp8 time 8192",
                               child_build());
    ck_assert_msg(c.status == 0, "status %d\n%s%s", c.status, c.out, c.err);
    for (int i = 0; i < 2; i++) {
        const int units = topo_compute(t, 0, products[i].math);
        const double sec = 2 * pow(8192, 3) / topo_resource(t, units)->rate;
        ck_assert_double_eq_tol(
            printed_ms(&c, products[i].label),
            1e-9 * (double)topo_costs(t)->kernel_ps + 1e3 * sec, 2e-6);
    }
    child_clear(&c);
    topo_free(t);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("libraries");
    TCase *const t = tcase_create("libraries");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_library_does_what_its_manual_says, 0,
                        SCHEDULES * (int)(sizeof families / sizeof *families));
    tcase_add_test(t, libcu_compiles_and_runs);
    tcase_add_loop_test(t, what_a_texture_reads_is_checked_for_races, 0, 2);
    tcase_add_test(t, a_transform_of_no_memory_is_named);
    tcase_add_test(t, a_sample_of_linear_memory_is_refused_at_its_line);
    tcase_add_test(t, each_call_of_a_library_is_recorded_by_its_name);
    tcase_add_loop_test(t, epilogues_of_cublaslt_agree_with_loops, 0,
                        SCHEDULES);
    tcase_add_loop_test(t, products_of_fp8_agree_with_loops, 0, 4);
    tcase_add_test(t, a_product_takes_the_time_of_its_precision);
    suite_add_tcase(s, t);
    return suite_run(s);
}
