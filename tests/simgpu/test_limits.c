/*
 * Devices have the limits of the modelled machine, sticky errors, and messages
 * that name the line.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "simnvcc/division.h"
#include "suite.h"

static void expect(const struct child *c, const char *text)
{
    ck_assert_msg(strstr(c->out, text) || strstr(c->err, text),
                  "\"%s\" is not in:\n%s%s", text, c->out, c->err);
}

static void expect_rules(const struct child *c)
{
    ck_assert_msg(c->status == 0 && !strstr(c->out, "FAILED") &&
                      strstr(c->out, "ok    "),
                  "status %d\n%s%s", c->status, c->out, c->err);
}

static const struct {
    const char *topo, *says;
} machines[] = {
    {"dgx-h100", "NVIDIA H100 80GB HBM3, 132 SMs of 2048 threads, 32 blocks, "
                 "228 KiB; 227 KiB a block"},
    {"dgx-a100", "108 SMs of 2048 threads, 32 blocks, 164 KiB; 163 KiB a "
                 "block"},
    {"dgx-1v", "80 SMs of 2048 threads, 32 blocks, 96 KiB; 96 KiB a block"},
    {"pcie-4090", "128 SMs of 1536 threads, 24 blocks, 100 KiB; 99 KiB a "
                  "block"},
};

START_TEST(a_device_is_what_the_machine_says)
{
    struct child c =
        child_run(200, "SIMGPU_TOPO=%s %s/tests/simgpu/prog_limits",
                  machines[_i].topo, child_build());
    expect_rules(&c);
    expect(&c, machines[_i].says);
    expect(&c, "device says 41\ndevice says 42\n");
    child_clear(&c);
}
END_TEST

/* 200 launches start 12,600 threads. */
START_TEST(threads_of_blocks_leave_no_memory_behind)
{
    enum { MOST_KIB = 16 << 10 };
    long size = MOST_KIB, resident = MOST_KIB;
    struct child c =
        child_run(120, "%s/tests/simgpu/prog_runners", child_build());
    ck_assert_msg(c.status == 0 &&
                      sscanf(c.out, "%ld KiB, %ld KiB", &size, &resident) == 2,
                  "status %d\n%s%s", c.status, c.out, c.err);
    ck_assert_msg(size < MOST_KIB && resident < MOST_KIB, "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(events_and_memory_are_shared_both_ways)
{
    static const char *const schedules[] = {"eager", "late", "random:1"};
    static const char *const programs[] = {"prog_ipc", "prog_ipc_freed",
                                           "prog_pool_share"};
    for (int i = 0; i < 3; i++) {
        struct child c =
            child_run(200, "SIMGPU_SCHEDULE=%s mpirun -n 2 %s/tests/simgpu/%s",
                      schedules[_i], child_build(), programs[i]);
        expect_rules(&c);
        child_clear(&c);
    }
}
END_TEST

/* Were they no edges, there would be races. */
START_TEST(waits_for_another_process_are_edges_of_the_graph)
{
    struct child c =
        child_run(200, "SIMGPU_CHECK=1 mpirun -n 2 %s/tests/simgpu/prog_ipc",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.err, "check: 0 hazards, 0 warn"),
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(what_another_process_has_freed_is_not_to_be_read)
{
    struct child c = child_run(
        60, "SIMGPU_CHECK=1 mpirun -n 2 %s/tests/simgpu/prog_ipc_freed",
        child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "check: 1 hazard, 0 warnings") &&
                      strstr(c.err, "use after free: cudaMemcpy"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_rank_that_is_none_is_named)
{
    static const char *const wrong[] = {"PMI_RANK=x", "PMI_SIZE=2 PMI_RANK=2",
                                        "PMI_SIZE=-1"};
    struct child c = child_run(100, "%s %s/tests/simgpu/prog_limits", wrong[_i],
                               child_build());
    ck_assert_int_eq(c.status, 70);
    expect(&c, "mpirun sets it");
    child_clear(&c);
}
END_TEST

/* A function that cannot be inlined. */
#define CALLED                                                                 \
    "struct s { long x[4]; };\\n"                                              \
    "__device__ struct s f(int n) { if (n > 9) return f(n - 9); "              \
    "return {{n}}; }\\n"

/* Errors of simnvcc and of its compiler name the line of the user's file, also
 * where there is no clang. */
static const struct {
    const char *source, *says, *options;
} sources[] = {
    {"int a;\\n__global__ void k(int *p)\\n{\\n    *p = b;\\n}\\n",
     "bad.cu:4:10: error:", ""},
    {"__global__ void k()\\n{\\n    extern __shared__ int x;\\n}\\n",
     "bad.cu:3: error: extern __shared__ is followed by a type and name[]", ""},
    {"#include <string.h>\\nvoid f()\\n{\\n    k<<<1, 2>>>(3);\\n}\\n",
     "bad.cu:4:", ""},
    // graded code's stores are recorded, all of them
    {CALLED "__global__ void k(struct s *p, int n)\\n{\\n    *p = f(n);\\n"
            "}\\n",
     "bad.cu:2: error: a kernel calls a function that is not inlined",
     "-g --no-constructors"},
    {CALLED "__global__ void k(struct s *p, int n)\\n{\\n"
            "    struct s (*volatile g)(int) = f;\\n    *p = g(n);\\n}\\n",
     "bad.cu:6: error: a kernel calls a function through a pointer",
     "-g --no-constructors"},
    // ... and its reads: a host's function reads any memory
    {"#include <string.h>\\n__global__ void k(int *n, const char *p)\\n{\\n"
     "    *n = strcmp(p, \"ab\") == 0;\\n}\\n",
     "bad.cu:4: error: a kernel calls strcmp(), which is not a function of the "
     "GPU's\nbad.cu:4: note: what it reads and writes would not be recorded. "
     "Write a loop instead\n",
     "-g --no-constructors"},
    {"#include <strings.h>\\n__device__ char f(const char *p)\\n{\\n"
     "    char c[48];\\n    bcopy(p, c, 48);\\n    return c[5];\\n}\\n"
     "__global__ void k(char *c, const char *p)\\n{\\n    *c = f(p);\\n}\\n",
     "a kernel calls bcopy(), which is not a function of the GPU's",
     "-g --no-constructors"},
    {"#include <string_view>\\n__global__ void k(int *n, const char *p)\\n{\\n"
     "    *n = (int)std::string_view(p).size();\\n}\\n",
     "bad.cu:4: error: a kernel calls strlen()", "-g --no-constructors"},
    {"int other(const int *);\\n__global__ void k(int *p)\\n{\\n"
     "    *p = other(p + 1);\\n}\\n",
     "bad.cu:4: error: a kernel calls other(), which is not a function of the "
     "GPU's\nbad.cu:4: note: what it reads and writes would not be recorded. "
     "Define it in this file",
     "-g --no-constructors"},
    // what the host's half of a function calls is its own affair
    {"#include <string.h>\\n__host__ __device__ long f(const char *p)\\n{\\n"
     "#ifdef __CUDA_ARCH__\\n    return strlen(p);\\n#else\\n"
     "    return 1;\\n#endif\\n}\\n"
     "__global__ void k(long *n, const char *p)\\n{\\n    *n = f(p);\\n}\\n",
     "a kernel calls strlen()", "-g --no-constructors"},
};

START_TEST(a_mistake_in_a_cu_file_has_its_line)
{
    struct child c =
        child_run(200,
                  "cd $(mktemp -d) && printf '%s' > bad.cu && "
                  "SIMNVCC_CLANG= %s/simgpu/bin/simnvcc %s -c bad.cu -o bad.o; "
                  "rm -r $PWD",
                  sources[_i].source, child_build(), sources[_i].options);
    expect(&c, sources[_i].says);
    child_clear(&c);
}
END_TEST

/* Graded code with a host's function in host code, also in the host's half of a
 * function that a kernel calls, and with functions that a GPU has. */
START_TEST(honest_calls_are_compiled)
{
    static const char source[] =
        "#include <assert.h>\\n#include <math.h>\\n#include <stdio.h>\\n"
        "#include <string.h>\\n#include <strings.h>\\n#include <string>\\n"
        "static void die(const char *p)\\n{\\n"
        "    fprintf(stderr, \"%%zu\", strlen(p));\\n}\\n"
        "__host__ __device__ float f(float x, const char *p)\\n{\\n"
        "#ifdef __CUDA_ARCH__\\n    assert(x > 0);\\n"
        "    printf(\"device\\\\n\");\\n    __trap();\\n#else\\n"
        "    die(p);\\n    if (!strcmp(p, \"x\"))\\n        return "
        "1;\\n#endif\\n"
        "    return powf(x, 3) + erff(x);\\n}\\n"
        "__global__ void k(float *x, char *p)\\n{\\n"
        "    double whole;\\n    int exponent;\\n    void *q = malloc(8);\\n"
        "    memcpy(q, p, 8);\\n    memset(p, 0, 40);\\n    free(q);\\n"
        "    x[1] = modf(x[0], &whole) + frexp(x[1], &exponent) + clock();\\n"
        "    *x = f(*x, p) + whole + exponent;\\n}\\n"
        "long g(const char *p)\\n{\\n    char c[9];\\n    strcpy(c, p);\\n"
        "    return strlen(c) + std::string(p).size() + ffs(c[0]);\\n}\\n";
    struct child c =
        child_run(200,
                  "cd $(mktemp -d) && printf '%s' > good.cu && "
                  "%s/simgpu/bin/simnvcc -std=c++17 -O2 -g --no-constructors "
                  "-c good.cu -o good.o && echo compiled; rm -r $PWD",
                  source, child_build());
    ck_assert_msg(strcmp(c.out, "compiled\n") == 0 && !c.err[0], "%s", c.err);
    child_clear(&c);
}
END_TEST

/* Preprocessed text has a marker wherever a header begins or ends: each is read
 * in a time that does not depend on what follows it. */
START_TEST(the_time_to_rewrite_grows_with_the_size)
{
    struct child c = child_run(
        400,
        "cd $(mktemp -d) && awk 'BEGIN { for (i = 1; i <= 300000; i++) "
        "printf \"#line %%d \\\"a%%d.cu\\\"\\nint x%%d;\\n\", i, i %% 2, i }' "
        "> long.cu && ulimit -t 15 && %s/simgpu/bin/simnvcc --cuda long.cu "
        "-o long.out; tail -n 1 long.out; rm -r $PWD",
        child_build());
    ck_assert_msg(strcmp(c.out, "int x300000;\n") == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* All threads of a device's largest grid have a stack at the same time. Before
 * Linux 6.13 the system's mappings do not suffice, and the message says so. */
START_TEST(a_grid_as_large_as_a_device_meets)
{
    struct child c =
        child_run(200, "%s/tests/simgpu/prog_large_grid", child_build());
    if (strstr(c.err, "vm.max_map_count"))
        printf("skipped: a grid of 67584 threads: %s", c.err);
    else
        expect_rules(&c);
    child_clear(&c);
}
END_TEST

START_TEST(a_stack_that_is_full_is_named)
{
    struct child c =
        child_run(200, "%s/tests/simgpu/prog_large_grid x", child_build());
    ck_assert_int_eq(c.status, 70);
    expect(&c, "kernel without_end: the stack of a device thread is full in "
               "deeper() at prog_large_grid.cu:");
    child_clear(&c);
}
END_TEST

START_TEST(kernels_divide_by_zero_and_go_on)
{
    struct child c =
        child_run(200, "%s/tests/simgpu/prog_divide", child_build());
    expect_rules(&c);
    expect(&c, "prog_divide.cu:12: kernel divide divides an integer by zero");
    child_clear(&c);
}
END_TEST

/* An arm64 gives 0 where others trap. */
START_TEST(divisions_of_an_arm64_are_made_to_trap)
{
    static const char text[] = "f:\n"
                               "\tsdiv\tw0, w1, w12\n"
                               "\tmul\tw0, w0, w12\n"
                               "\tudiv\tx3,x2,xzr\n"
                               "\tfdiv\td0, d1, d2\n"
                               "\tsdiv\tz0.s, p0/m, z0.s, z1.s\n"
                               "\tret";
    static const char want[] = "f:\n"
                               "\tcbnz\tw12, 97f\n"
                               "\t.inst\t0xd1f0\n"
                               "97:\n"
                               "\tsdiv\tw0, w1, w12\n"
                               "\tmul\tw0, w0, w12\n"
                               "\tcbnz\txzr, 97f\n"
                               "\t.inst\t0xd1f0\n"
                               "97:\n"
                               "\tudiv\tx3,x2,xzr\n"
                               "\tfdiv\td0, d1, d2\n"
                               "\tsdiv\tz0.s, p0/m, z0.s, z1.s\n"
                               "\tret";
    char got[1024] = "";
    FILE *const out = fmemopen(got, sizeof got, "w");
    trap_divisions(text, out);
    fclose(out);
    ck_assert_str_eq(got, want);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("limits");
    TCase *const t = tcase_create("limits");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, a_device_is_what_the_machine_says, 0, 4);
    tcase_add_test(t, threads_of_blocks_leave_no_memory_behind);
    tcase_add_loop_test(t, events_and_memory_are_shared_both_ways, 0, 3);
    tcase_add_test(t, waits_for_another_process_are_edges_of_the_graph);
    tcase_add_test(t, what_another_process_has_freed_is_not_to_be_read);
    tcase_add_loop_test(t, a_rank_that_is_none_is_named, 0, 3);
    tcase_add_test(t, kernels_divide_by_zero_and_go_on);
    tcase_add_test(t, divisions_of_an_arm64_are_made_to_trap);
    tcase_add_test(t, a_stack_that_is_full_is_named);
    SUITE_LOOP(t, a_mistake_in_a_cu_file_has_its_line, sources);
    tcase_add_test(t, honest_calls_are_compiled);
    tcase_add_test(t, the_time_to_rewrite_grows_with_the_size);
    suite_add_tcase(s, t);
    // 17 GB of addresses, which tests/mutate does not have
    TCase *const large = tcase_create("large");
    tcase_set_timeout(large, 120);
    tcase_set_tags(large, "alone");
    tcase_add_test(large, a_grid_as_large_as_a_device_meets);
    suite_add_tcase(s, large);
    return suite_run(s);
}
