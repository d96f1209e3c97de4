/*
 * Call sites in words. The functions at the end of this file call from lines of
 * other files, as debug information has it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "graph/record/site.h"
#include "suite.h"

#define FAR __attribute__((noinline))

static void *from; /* the return address of the last capture() */

static FAR void capture(void)
{
    from = __builtin_return_address(0);
}

void *in_student(void), *in_kit(void), *in_meter(void), *in_system(void);
void *in_sysdeps(void), *in_wrapper(void), *in_two_wrappers(void);
void *in_caller(void);

static void *nowhere(void)
{
    return (void *)0x1000;
}

static void *in_libc(void)
{
    return (char *)dlsym(RTLD_DEFAULT, "qsort") + 1;
}

typedef void *place_fn(void);

static int collect(place_fn *const place[], void *address[SITE_DEPTH])
{
    int n = 0;
    for (; n < SITE_DEPTH && place[n]; n++)
        address[n] = place[n]();
    return n;
}

static const char *stack_text(place_fn *const place[], site_stack_fn *fn)
{
    static char module[SITE_DEPTH][512], text[128];
    void *address[SITE_DEPTH];
    struct site_call call[SITE_DEPTH];
    const int n = collect(place, address);
    for (int i = 0; i < n; i++) {
        site_locate(address[i], module[i], sizeof *module, &call[i].offset);
        call[i].module = module[i];
    }
    return fn(call, n, text, sizeof text);
}

static const struct {
    place_fn *place[SITE_DEPTH]; /* innermost first */
    const char *text, *student;
} stacks[] = {
    {{in_student}, "mine.cu:40", "in_student() at mine.cu:40"},
    {{in_student, in_kit}, "mine.cu:40", "in_student() at mine.cu:40"},
    {{in_kit}, "ring.c:20", "in_kit() at ring.c:20"},
    {{in_kit, in_kit}, "ring.c:20", "in_kit() at ring.c:20"},
    {{in_kit, in_system}, "ring.c:20", "in_kit() at ring.c:20"},
    {{in_kit, in_student},
     "mine.cu:40 (in ring.c:20)",
     "in_student() at mine.cu:40"},
    {{in_kit, in_sysdeps, in_system, in_student},
     "mine.cu:40 (in ring.c:20)",
     "in_student() at mine.cu:40"},
    {{in_kit, nowhere, in_student},
     "mine.cu:40 (in ring.c:20)",
     "in_student() at mine.cu:40"},
    {{in_meter}, "meter_mpi.c:10", "in_meter() at meter_mpi.c:10"},
    {{in_meter, in_student}, "mine.cu:40", "in_student() at mine.cu:40"},
    {{in_meter, in_kit, in_student},
     "mine.cu:40 (in ring.c:20)",
     "in_student() at mine.cu:40"},
    {{in_meter, in_meter}, "meter_mpi.c:10", "in_meter() at meter_mpi.c:10"},
    {{in_wrapper}, "mine.cu:70", "wrapped() at cuda.h:60"},
    {{in_two_wrappers}, "mine.cu:90", "wrapped() at cuda.h:60"},
    {{in_wrapper, in_student}, "mine.cu:70", "in_student() at mine.cu:40"},
    {{nowhere, in_student}, "0xfff", "in_student() at mine.cu:40"},
    {{nowhere}, "0xfff", "an unknown place"},
    {{NULL}, "?", "an unknown place"},
};

START_TEST(a_stack_names_the_line_of_a_student)
{
    char text[128];
    void *address[SITE_DEPTH];
    const int n = collect(stacks[_i].place, address);
    for (int k = 0; k < 2; k++) // the second time, it is known
        ck_assert_str_eq(stack_text(stacks[_i].place, site_stack_text),
                         stacks[_i].text);
    ck_assert_str_eq(site_of_student(address, n, text, sizeof text),
                     stacks[_i].student);
}
END_TEST

/* The call in another file of a student's that led to it. */
START_TEST(a_helper_is_named_with_its_caller)
{
    static const struct {
        place_fn *place[SITE_DEPTH];
        const char *from;
    } calls[] = {
        {{in_student}, ""},
        {{in_student, in_wrapper}, ""}, // the same file
        {{in_student, in_caller}, "main.c:50"},
        {{in_student, in_wrapper, in_kit, nowhere, in_caller}, "main.c:50"},
        {{in_meter, in_student, in_caller, in_student}, "main.c:50"},
        {{in_kit, in_student, in_caller}, "main.c:50"},
        {{in_kit, in_student, in_system}, ""},
        {{in_kit, in_system}, ""},
        {{nowhere, in_student, in_caller}, ""},
        {{NULL}, ""},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ck_assert_str_eq(stack_text(calls[i].place, site_stack_from),
                         calls[i].from);
}
END_TEST

START_TEST(without_a_line_it_is_a_module_and_an_offset)
{
    char text[64], module[512];
    uint64_t offset;
    Dl_info info;
    ck_assert_str_eq(site_text("/no/libnone.so", 0x12, text, sizeof text),
                     "libnone.so+0x12");
    ck_assert_str_eq(site_text("libnone.so", 0x12, text, sizeof text),
                     "libnone.so+0x12");
    ck_assert_str_eq(site_text("", 0x12, text, sizeof text), "0x12");
    site_locate(in_libc(), module, sizeof module, &offset);
    ck_assert_ptr_nonnull(strstr(module, "/libc"));
    ck_assert_int_ne(dladdr(in_libc(), &info), 0);
    ck_assert_uint_eq(
        offset, (uint64_t)((char *)in_libc() - 1 - (char *)info.dli_fbase));
    site_locate(nowhere(), module, sizeof module, &offset);
    ck_assert_str_eq(module, "");
    ck_assert_uint_eq(offset, 0xfff);
    site_locate(in_student(), module, sizeof module, &offset);
    ck_assert_ptr_nonnull(strstr(module, "/test_site"));
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("site");
    TCase *const t = tcase_create("site");
    tcase_add_loop_test(t, a_stack_names_the_line_of_a_student, 0,
                        sizeof stacks / sizeof *stacks);
    tcase_add_test(t, a_helper_is_named_with_its_caller);
    tcase_add_test(t, without_a_line_it_is_a_module_and_an_offset);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}

// clang-format off
#define CALL { capture(); return from; }
#line 10 "common/lab/meter_mpi.c"
FAR void *in_meter(void) CALL
#line 20 "common/staff/ring.c"
FAR void *in_kit(void) CALL
#line 30 "/usr/include/c++/vector"
FAR void *in_system(void) CALL
#line 35 "../sysdeps/nptl/libc_start.c"
FAR void *in_sysdeps(void) CALL
#line 40 "/home/ada/mine.cu"
FAR void *in_student(void) CALL
#line 50 "/home/ada/main.c"
FAR void *in_caller(void) CALL
#line 60 "build/simgpu/include/cuda.h"
static inline __attribute__((always_inline)) void *wrapped(void) CALL
#line 70 "/home/ada/mine.cu"
FAR void *in_wrapper(void) { return wrapped(); }
#line 80 "build/simgpu/include/nccl.h"
static inline __attribute__((always_inline)) void *twice(void)
{ return wrapped(); }
#line 90 "/home/ada/mine.cu"
FAR void *in_two_wrappers(void) { return twice(); }
