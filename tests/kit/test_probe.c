/* build/probe lists what programs find, on modelled machines and on a machine
 * without a GPU. */
#include <check.h>
#include <jansson.h>
#include <string.h> /* strcmp, strstr */

#include "child.h"
#include "labtest.h"
#include "suite.h"

static json_t *probe(const char *environment, const char *program)
{
    json_error_t err;
    struct child c = child_run(60, "cd %s && %s %s --json", labtest_root(),
                               environment, program);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    json_t *const j = json_loads(c.out, 0, &err);
    ck_assert_msg(j != NULL, "%s in:\n%s", err.text, c.out);
    child_clear(&c);
    return j;
}

static const char *text(const json_t *j, const char *key)
{
    const char *const s = json_string_value(json_object_get(j, key));
    return s ? s : "(no text)";
}

static const struct {
    const char *environment, *name, *sm;
    size_t ngpus;
    long long memory_MiB;
} machines[] = {
    {"", "NVIDIA H100 80GB HBM3", "9.0", 8, 81920},
    {"SIMGPU_TOPO=dgx-1v", "Tesla V100-SXM2-16GB", "7.0", 8, 16384},
    {"SIMGPU_TOPO=tests/labs/one-gpu.xml", "NVIDIA H100 80GB HBM3", "9.0", 1,
     81920},
};

START_TEST(a_modelled_machine_is_told)
{
    char program[4200];
    snprintf(program, sizeof program, "%s/probe", child_build());
    json_t *const j = probe(machines[_i].environment, program);
    const json_t *const devices = json_object_get(j, "devices");
    const json_t *const first = json_array_get(devices, 0);
    ck_assert_str_eq(text(j, "backend"), "sim");
    ck_assert(json_is_null(json_object_get(j, "error")));
    ck_assert_uint_eq(json_array_size(devices), machines[_i].ngpus);
    ck_assert_str_eq(text(first, "name"), machines[_i].name);
    ck_assert_str_eq(text(first, "sm"), machines[_i].sm);
    ck_assert_int_eq(json_integer_value(json_object_get(first, "memory_MiB")),
                     machines[_i].memory_MiB);
    ck_assert_msg(strstr(text(j, "mpi"), "MPICH"), "%s", text(j, "mpi"));
    ck_assert_str_eq(text(j, "nccl"), "2.32.3");
    json_decref(j);
}
END_TEST

/* A hybrid cube mesh: GPU 0 reaches GPUs 1, 2, 3 and 6 only. */
START_TEST(who_reaches_whom_is_a_matrix)
{
    static const int reaches[] = {1, 1, 1, 1, 0, 0, 1, 0};
    char program[4200];
    snprintf(program, sizeof program, "%s/probe", child_build());
    json_t *const j = probe("SIMGPU_TOPO=dgx-1v", program);
    const json_t *const p2p = json_object_get(j, "p2p");
    ck_assert_uint_eq(json_array_size(p2p), 8);
    for (size_t k = 0; k < 8; k++)
        ck_assert_int_eq(
            json_integer_value(json_array_get(json_array_get(p2p, 0), k)),
            reaches[k]);
    json_decref(j);
}
END_TEST

/* The GPU=cuda build, if it exists: having no GPU is not an error. */
START_TEST(no_gpu_is_an_answer)
{
    struct child c = child_run(
        60,
        "cd %s; p=%s/with-cuda/probe; [ -x $p ] || exit 77; "
        "CUDA_VISIBLE_DEVICES= $p && CUDA_VISIBLE_DEVICES= $p --short",
        labtest_root(), child_build());
    if (c.status != 77) { // without a CUDA toolkit, which make test reports
        ck_assert_msg(c.status == 0 && strstr(c.out, "backend  cuda") &&
                          strstr(c.out, "devices  none: ") &&
                          strstr(c.out, "\n0 none "),
                      "status %d\n%s%s", c.status, c.out, c.err);
        char program[4200];
        snprintf(program, sizeof program, "%s/with-cuda/probe", child_build());
        json_t *const j = probe("CUDA_VISIBLE_DEVICES=", program);
        ck_assert_uint_eq(json_array_size(json_object_get(j, "devices")), 0);
        ck_assert(json_is_array(json_object_get(j, "p2p")));
        ck_assert_ptr_nonnull(strstr(text(j, "error"), "CUDA"));
        json_decref(j);
    }
    child_clear(&c);
}
END_TEST

START_TEST(other_words_are_refused)
{
    struct child c = child_run(60, "%s/probe --help", child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_ptr_nonnull(strstr(c.err, "usage: probe [--json | --short]"));
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("probe");
    TCase *const t = tcase_create("probe");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_modelled_machine_is_told, 0,
                        sizeof machines / sizeof *machines);
    tcase_add_test(t, who_reaches_whom_is_a_matrix);
    tcase_add_test(t, no_gpu_is_an_answer);
    tcase_add_test(t, other_words_are_refused);
    suite_add_tcase(s, t);
    return suite_run(s);
}
