/*
 * What the audit says of objects that GCC makes of C.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */
#include <unistd.h> /* dup */

#include "child.h"
#include "grader/vet/audit.h"
#include "heap.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void setup(void)
{
    child_folder(dir, "audited");
}

static void teardown(void)
{
    child_remove(dir);
}

/* Compile C to an object of that name. */
static void compile(const char *source, const char *object, const char *flags)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/a.c", dir);
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(source, f);
    fclose(f);
    struct child c = child_run(60, "cd %s && gcc -w %s -o %s a.c", dir,
                               *flags ? flags : "-c -O1", object);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

static const char constructor[] =
    "it runs code before main (a global object with a constructor, or "
    "<iostream>)";

/* As nvcc registers kernels: NAME is what its function is called. */
#define REGISTERS(name)                                                        \
    "int first(int a) { return 3 * a; } int atexit(void (*)(void)); static "   \
    "void end(void) {} static void r(void) __asm__(\"" name "\"); "            \
    "__attribute__((constructor)) static void r(void) { atexit(end); }"
#define NVCC "_ZL24__sti____cudaRegisterAllv"
#ifdef __x86_64__
#define SYSCALL "syscall"
#else
#define SYSCALL "svc #0"
#endif

static const struct {
    const char *source, *object;
    int by_nvcc;
    const char *name, *why; /* "": nothing is wrong */
    int defines;
} objects[] = {
    {"int f(int a) { return a; } int x = 1, y; static const int z[9];", "a.o",
     0, "", "", 0},
    {"#include <string.h>\nvoid *f(void *a) { return memset(a, 1, 99); }",
     "a.o", 0, "", "", 0},
    {"void *fopen(void *, void *); void f(void) { fopen(0, 0); }", "a.o", 0,
     "fopen", "it uses fopen", 0},
    {"int given(void); int f(void) { return given(); }", "a.o", 0, "", "", 0},
    {"int other(void); int f(void) { return other(); }", "a.o", 0, "other",
     "it uses other", 0},
    {"int ncclSend(void) { return 0; }", "a.o", 0, "ncclSend",
     "it defines ncclSend", 1},
    {"int MPI_Send; ", "a.o", 0, "MPI_Send", "it defines MPI_Send", 1},
    {"int __mine = 1; ", "a.o", 0, "__mine", "it defines __mine", 1},
    {"int __clang_mine = 1; ", "a.o", 0, "", "", 0},
    {"static int ncclSend(int a) { return a; } int (*p)(int) = ncclSend;",
     "a.o", 0, "", "", 0},
    {"static int g(void) { return 0; } static void *r(void) { return g; } int "
     "f(void) __attribute__((ifunc(\"r\")));",
     "a.o", 0, "f", "it runs code before main: f", 0},
    {"__asm__(\".symver foo, foo@OLD\"); int foo(void); int f(void) { return "
     "foo(); }",
     "a.o", 0, "foo@OLD", "it asks for a version of foo@OLD", 0},
    {"int x __attribute__((section(\"mine\"))) = 1;", "a.o", 0, "mine",
     "it has a section mine", 0},
    {"__asm__(\".section empty,\\\"a\\\"\\n.text\");", "a.o", 0, "", "", 0},
    {"__asm__(\".section .text.x,\\\"awx\\\"\\n.byte 0\\n.text\");", "a.o", 0,
     ".text.x", "it has a section .text.x", 0},
    {"int x __attribute__((section(\".nv_x\"))) = 1;", "a.o", 0, ".nv_x",
     "it has a section .nv_x", 0},
    {"int x __attribute__((section(\".nv_x\"))) = 1;", "a.o", 1, "", "", 0},
    {"int x __attribute__((section(\"simgpu_kernels\"))) = 1;", "a.o", 1,
     "simgpu_kernels", "it has a section simgpu_kernels", 0},
    {"int x __attribute__((section(\"simgpu_kernels\"))) = 1;", "a.cu.o", 0, "",
     "", 0},
    {"void f(void); int f2(int a) { int g(int b) { return a + b; } int "
     "(*volatile p)(int) = g; return p(1); }",
     "a.o", 0, "trampoline",
     "it needs an executable stack (a nested function whose address is taken)",
     0},
    {"int x; __attribute__((constructor)) void f(void) { x = 1; }", "a.o", 0,
     "std::object", constructor, 0},
    {"int x __attribute__((section(\".ctors.1\"))) = 1;", "a.o", 0,
     "std::object", constructor, 0},
    {"int x; __attribute__((destructor)) void f(void) { x = 1; }", "a.o", 0,
     ".fini_array", "it has a section .fini_array", 0},
    {REGISTERS(NVCC), "a.cu.o", 1, "", "", 0},
    {REGISTERS(NVCC), "a.cu.o", 0, "std::object", constructor, 0},
    {REGISTERS(NVCC), "a.o", 1, "std::object", constructor, 0},
    {REGISTERS("mine"), "a.cu.o", 1, "std::object", constructor, 0},
    {REGISTERS(
         NVCC) "int z; __attribute__((constructor)) void s(void) { z = 1; }",
     "a.cu.o", 1, "std::object", constructor, 0},
    {REGISTERS(NVCC) "void s(void) { atexit(end); }", "a.cu.o", 1, "atexit",
     "it uses atexit", 0},
    {"void f(void) { __asm__(\"" SYSCALL "\"); }", "a.o", 0, "syscall",
     "it makes system calls of its own", 0},
#ifdef __x86_64__
    {"void f(void) { __asm__(\"sysenter\"); }", "a.o", 0, "syscall",
     "it makes system calls of its own", 0},
    {"void f(void) { __asm__(\"int $0x80\"); }", "a.o", 0, "syscall",
     "it makes system calls of its own", 0},
#endif
    {"int f(void) { return 0x050f0f05; } int g(void) { return 0x340f80cd; }",
     "a.o", 0, "", "", 0},
};

/* The number that the next descriptor gets. */
static int next_fd(void)
{
    const int fd = dup(0);
    close(fd);
    return fd;
}

START_TEST(the_audit_names_what_it_refuses)
{
    char path[CHILD_FOLDER + 16];
    struct audit a = {.by_nvcc = objects[_i].by_nvcc};
    const int fd = next_fd();
    snprintf(path, sizeof path, "%s/given.o", dir);
    compile("int given(void) { return 0; } static int other = 1;", "given.o",
            "");
    ck_assert_int_eq(audit_defined(&a, path), 0);
    compile(objects[_i].source, objects[_i].object, "");
    snprintf(path, sizeof path, "%s/%s", dir, objects[_i].object);
    const int found = audit_object(&a, path);
    ck_assert_str_eq(a.name, objects[_i].name);
    ck_assert_int_eq(found, *objects[_i].name != 0);
    ck_assert_int_eq(a.defines, objects[_i].defines);
    ck_assert_int_eq(next_fd(), fd); // all are closed
    names_release(&a.given);
    if (found)
        ck_assert_str_eq(a.why, objects[_i].why);
}
END_TEST

/* A text, nothing, and a library. */
START_TEST(what_is_no_object_cannot_be_read)
{
    static const char *const names[] = {"a.c", "none.o", "a.so"};
    compile("int x;", "a.so", "-shared -fPIC -nostdlib");
    for (int i = 0; i < 3; i++) {
        char path[CHILD_FOLDER + 16], want[AUDIT_NAME + 128];
        struct audit a = {.by_nvcc = 0};
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        snprintf(want, sizeof want, "%.300s is not an object file", path);
        ck_assert_int_eq(audit_object(&a, path), -1);
        ck_assert_str_eq(a.why, want);
        if (i < 2)
            ck_assert_int_eq(audit_defined(&a, path), -1);
    }
}
END_TEST

static const struct {
    const char *symbol, *name;
} symbols[] = {
    {"fopen", "fopen"},   {"_ZSt4cout", "cout"},
    {"_Z1fv", "f"},       {"_ZN3foo5barazEv", "baraz"},
    {"_Z2ab", "ab"},      {"_Z3ab", "_Z3ab"},
    {"_Z0ab", "_Z0ab"},   {"_Z", "_Z"},
    {"Z4cout", "Z4cout"}, {"_ZN12abcdefghijkl2xyE", "xy"},
};

START_TEST(a_symbol_is_called_as_in_its_source)
{
    char name[AUDIT_NAME];
    audit_source_name(symbols[_i].symbol, name);
    ck_assert_str_eq(name, symbols[_i].name);
}
END_TEST

START_TEST(the_longest_name_fits)
{
    char letters[AUDIT_NAME], symbol[AUDIT_NAME + 16], name[AUDIT_NAME];
    memset(letters, 'a', sizeof letters - 1);
    letters[sizeof letters - 1] = 0;
    snprintf(symbol, sizeof symbol, "_Z%zu%s", sizeof letters - 1, letters);
    audit_source_name(symbol, name);
    ck_assert_str_eq(name, letters);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("audited");
    TCase *const t = tcase_create("audited");
    heap_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_audit_names_what_it_refuses, 0,
                        sizeof objects / sizeof *objects);
    tcase_add_test(t, what_is_no_object_cannot_be_read);
    tcase_add_test(t, the_longest_name_fits);
    tcase_add_loop_test(t, a_symbol_is_called_as_in_its_source, 0,
                        sizeof symbols / sizeof *symbols);
    suite_add_tcase(s, t);
    return suite_run(s);
}
