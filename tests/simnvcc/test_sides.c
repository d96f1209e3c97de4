/*
 * What runs where: sides.txt has programs with calls between host and device,
 * and what simnvcc says of them. Where a CUDA toolkit of the same version is
 * installed, its nvcc has to refuse the same ones.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "child.h"
#include "suite.h"

static struct cases cases;

static void write_program(const char *folder, const char *text)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/k.cu", folder);
    FILE *const f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        abort();
}

START_TEST(calls_between_host_and_device_are_refused_as_by_nvcc)
{
    char folder[CHILD_FOLDER];
    const struct test_case *const c = &cases.at[_i];
    const int refused = strstr(c->expected, "error:") != NULL;
    child_folder(folder, "sides");
    write_program(folder, c->input);
    struct child ours =
        child_run(120, "cd %s && %s/simgpu/bin/simnvcc -c k.cu 2>&1", folder,
                  child_build());
    ck_assert_msg((ours.status != 0) == refused, "%s: status %d\n%s", c->name,
                  ours.status, ours.out);
    cases_same_words(c, ours.out);
    child_clear(&ours);
    struct child theirs = child_run(
        120,
        "cd %s && n=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc; "
        "$n --version 2>/dev/null | grep -q 'release 13.0' || { echo none; "
        "exit; }; $n -c k.cu -o k.o 2>&1",
        folder);
    if (!strncmp(theirs.out, "none", 4))
        printf("%s: not compared: nvcc 13.0 is not installed\n", c->name);
    else
        ck_assert_msg((theirs.status != 0) == refused, "%s: nvcc says %d\n%s",
                      c->name, theirs.status, theirs.out);
    child_clear(&theirs);
    child_remove(folder);
}
END_TEST

/* What g++ finds by simgpu's headers, among lines of its own. */
static const struct {
    const char *program, *says;
} asserted[] = {
    {"struct big { char a[32760]; };\n"
     "__global__ void k(big b, int *o) { *o = b.a[0]; }\n",
     "Formal parameter space overflowed (max 32764 bytes allowed)"},
    {"template <class T> __global__ void k(T x, int *o) { *o = x.a; }\n"
     "int main()\n"
     "{\n"
     "    struct s { int a; };\n"
     "    k<<<1, 1>>>(s{1}, (int *)nullptr);\n"
     "}\n",
     "A type defined inside a __host__ function cannot be used in the template "
     "argument type of a __global__ function template instantiation"},
};

START_TEST(what_parameters_may_be_is_asserted)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "sides");
    write_program(folder, asserted[_i].program);
    struct child c =
        child_run(120, "cd %s && %s/simgpu/bin/simnvcc -c k.cu 2>&1", folder,
                  child_build());
    ck_assert_msg(c.status != 0 && strstr(c.out, asserted[_i].says) &&
                      strstr(c.out, "k.cu:"),
                  "status %d\n%s", c.status, c.out);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

/* simgpu's headers may also be named by a path of the program's own. */
START_TEST(headers_are_known_by_any_path)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "sides");
    write_program(folder, "#include <cuda_fp16.h>\n"
                          "__global__ void k(int *o) { *o = threadIdx.x; }\n");
    struct child c = child_run(60,
                               "cd %s && ln -s %s/simgpu/include headers && "
                               "%s/simgpu/bin/simnvcc -Iheaders -c k.cu 2>&1",
                               folder, child_build(), child_build());
    ck_assert_msg(c.status == 0 && !c.out[0], "status %d\n%s", c.status, c.out);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

/* C++20 compares tuples by <compare>. */
START_TEST(device_code_compares_tuples_of_any_standard)
{
    static const char *const standards[] = {"c++14", "c++17", "c++20"};
    char folder[CHILD_FOLDER];
    child_folder(folder, "sides");
    write_program(folder,
                  "#include <thrust/tuple.h>\n"
                  "typedef thrust::tuple<float, int> two;\n"
                  "__device__ bool f(two a, two b) { return a < b; }\n");
    struct child c =
        child_run(120, "cd %s && %s/simgpu/bin/simnvcc -std=%s -c k.cu 2>&1",
                  folder, child_build(), standards[_i]);
    ck_assert_msg(c.status == 0 && !c.out[0], "status %d\n%s", c.status, c.out);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

START_TEST(without_clang_nothing_is_said)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "sides");
    write_program(folder, cases.at[0].input);
    struct child c =
        child_run(60,
                  "cd %s && mkdir bin && for t in g++ as ld objcopy sh rm; do "
                  "ln -s $(command -v $t) bin; done; "
                  "PATH=$PWD/bin %s/simgpu/bin/simnvcc -c k.cu 2>&1",
                  folder, child_build());
    ck_assert_msg(c.status == 0 && !c.out[0], "status %d\n%s", c.status, c.out);
    child_clear(&c);
    child_remove(folder);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("sides");
    TCase *const t = tcase_create("sides");
    cases_add(&cases, "tests/simnvcc/sides.txt");
    tcase_add_loop_test(t, calls_between_host_and_device_are_refused_as_by_nvcc,
                        0, cases.n);
    SUITE_LOOP(t, what_parameters_may_be_is_asserted, asserted);
    tcase_add_test(t, headers_are_known_by_any_path);
    tcase_add_loop_test(t, device_code_compares_tuples_of_any_standard, 0, 3);
    tcase_add_test(t, without_clang_nothing_is_said);
    tcase_set_timeout(t, 300);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
