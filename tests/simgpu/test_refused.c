/*
 * What would run on a CPU, but not on a GPU: too much shared memory, a grid's
 * barrier in a launch that is not cooperative, a warp's function without the
 * caller in its mask, a kernel that writes a constant, symbols of host code, a
 * launch in a host function, a call by a pointer of host code, or of a virtual
 * function of an object that host code has built, more memory than the heap of
 * device code has.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(const char *program, const char *name)
{
    return child_run(60, "%s/tests/simgpu/%s %s", child_build(), program, name);
}

static const struct {
    const char *name, *out, *err[2];
} refused[] = {
    {"tile", "cudaErrorInvalidValue, then cudaSuccess\n", {""}},
    {"grid",
     "cudaSuccess, then cudaErrorLaunchFailure\n",
     {"kernel meet on device 0 waits for its whole grid, at prog_refused.cu:",
      "cudaLaunchCooperativeKernel()"}},
    {"shuffle",
     "cudaSuccess, then cudaErrorLaunchFailure\n",
     {"kernel shuffle on device 0 calls a warp's function, at ",
      "with the mask 0x0000ffff, in which bit 16, the thread's own, is not "
      "set"}},
    {"vote",
     "cudaSuccess, then cudaErrorLaunchFailure\n",
     {"kernel vote on device 0 calls a warp's function, at ",
      "with the mask 0x00000000, in which bit 0, the thread's own, is not "
      "set"}},
    {"constant",
     "cudaSuccess, then cudaErrorIllegalAddress\n",
     {"kernel write_constant on device 0 writes 4 bytes, at prog_refused.cu:",
      "byte 4 of the constant settings."}},
    {"constant-atomic",
     "cudaSuccess, then cudaErrorIllegalAddress\n",
     {"kernel add_to_constant on device 0 updates 4 bytes, at ",
      "byte 8 of the constant settings."}},
    {"symbol", "cudaErrorInvalidSymbol, then cudaSuccess\n", {""}},
    {"symbol-function", "cudaErrorInvalidSymbol, then cudaSuccess\n", {""}},
    {"symbol-address", "cudaErrorInvalidSymbol, then cudaSuccess\n", {""}},
    {"callback", "cudaErrorNotPermitted, then cudaSuccess\n", {""}},
    {"honest", "49152 bytes, 0 more\ncudaSuccess, then cudaSuccess\n", {""}},
};

START_TEST(what_a_gpu_refuses_fails)
{
    struct child c = run("prog_refused", refused[_i].name);
    int says = strcmp(c.out, refused[_i].out) == 0;
    for (int i = 0; i < 2 && refused[_i].err[i]; i++)
        says &= strstr(c.err, refused[_i].err[i]) != NULL;
    ck_assert_msg(c.status == 0 && says && (!*c.err == !*refused[_i].err[0]),
                  "%s: status %d\n%s%s", refused[_i].name, c.status, c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

#define CALLS(kernel, line)                                                    \
    "kernel " kernel " on device 0 calls a function through a pointer of the " \
    "host, at prog_host_code.cu:" #line ":"

static const struct {
    const char *name, *out, *err[2];
} pointers[] = {
    {"both",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call", 25), "to the function at prog_host_code.cu:1"}},
    {"host",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call_any", 30), "to the function at prog_host_code.cu:1"}},
    {"lambda",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call", 25), "to the function at prog_host_code.cu:51"}},
    {"in-struct",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call_step", 109), "to the function at prog_host_code.cu:1"}},
    {"in-table",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call_entry", 114), "to the function at prog_host_code.cu:1"}},
    {"in-symbol",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call_symbol", 119), "to the function at prog_host_code.cu:1"}},
    {"in-constant",
     "0, cudaErrorInvalidPc, then cudaErrorInvalidPc\n",
     {CALLS("call_constant", 124), "to the function at prog_host_code.cu:1"}},
    {"symbol", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"told-struct", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"told-table", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"uncalled", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"back", "1, 0, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"told", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"managed", "62, cudaSuccess, then cudaSuccess\n", {NULL}},
    {"passed", "42, 0, cudaSuccess, then cudaSuccess\n", {NULL}},
};

START_TEST(a_kernel_cannot_call_by_a_pointer_of_the_host)
{
    struct child c = run("prog_host_code", pointers[_i].name);
    int says = strcmp(c.out, pointers[_i].out) == 0;
    for (int i = 0; i < 2 && pointers[_i].err[i]; i++)
        says &= strstr(c.err, pointers[_i].err[i]) != NULL;
    ck_assert_msg(c.status == 0 && says && (!*c.err == !pointers[_i].err[0]),
                  "%s: status %d\n%s%s", pointers[_i].name, c.status, c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *name, *out, *err;
} objects[] = {
    {"copied", "0, cudaErrorIllegalAddress\n",
     "kernel get_area on device 0 calls a virtual function of an object that "
     "host code has built, at prog_host_object.cu:35:\nsimgpu: rank 0:   of "
     "class half, by its function at prog_host_object.cu:2"},
    {"members", "3, cudaSuccess\n", NULL},
    {"back", "4.5, cudaSuccess\n", NULL},
    {"built", "9, cudaSuccess\n", NULL},
    {"moved", "9, cudaSuccess\n", NULL},
};

START_TEST(a_kernel_cannot_call_virtual_functions_of_host_objects)
{
    struct child c = run("prog_host_object", objects[_i].name);
    const char *const err = objects[_i].err;
    ck_assert_msg(c.status == 0 && strcmp(c.out, objects[_i].out) == 0 &&
                      (err ? strstr(c.err, err) != NULL : !*c.err),
                  "%s: status %d\n%s%s", objects[_i].name, c.status, c.out,
                  c.err);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *name, *out, *err;
} heaps[] = {
    {"", "8 MiB: 25 fail, then 25\n",
     "malloc() of 1048576 bytes in kernel allocate returns NULL"},
    {"more", "64 MiB: 0 fail, then 0\n", NULL},
    {"frees", "8 MiB: 0 fail\n", NULL},
};

START_TEST(device_code_has_a_heap_of_its_own)
{
    struct child c = run("prog_heap", heaps[_i].name);
    ck_assert_msg(
        c.status == 0 && strcmp(c.out, heaps[_i].out) == 0 &&
            (heaps[_i].err ? strstr(c.err, heaps[_i].err) != NULL : !*c.err),
        "%s: status %d\n%s%s", heaps[_i].name, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("refused");
    TCase *const t = tcase_create("refused");
    tcase_set_timeout(t, 120);
    SUITE_LOOP(t, what_a_gpu_refuses_fails, refused);
    SUITE_LOOP(t, a_kernel_cannot_call_by_a_pointer_of_the_host, pointers);
    SUITE_LOOP(t, a_kernel_cannot_call_virtual_functions_of_host_objects,
               objects);
    SUITE_LOOP(t, device_code_has_a_heap_of_its_own, heaps);
    suite_add_tcase(s, t);
    return suite_run(s);
}
