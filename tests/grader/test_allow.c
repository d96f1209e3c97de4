/*
 * What sources and objects may name, and what to use instead of the rest. The
 * lists are the grader's to choose: here are one or two entries of each.
 */
#include <check.h>

#include "grader/vet/allow.h"
#include "heap.h"
#include "suite.h"

static const struct {
    const char *name;
    int in_c, on_device; /* may be imported */
} imports[] = {
    // APIs, less what simgpu could not record
    {"cudaMalloc", 1, 1},
    {"MPI_Send", 1, 1},
    {"MPI_Put", 0, 0},
    {"MPI_Isend", 1, 1},
    {"MPI_Ialltoall", 0, 0},
    {"MPI_Init", 0, 0},
    {"MPI_Initialized", 1, 1},
    // the C library, less what accesses memory unseen in a kernel
    {"malloc", 1, 1},
    {"strcpy", 1, 0},
    {"mempcpy", 1, 0},
    {"pthread_create", 1, 1},
    {"pthread_kill", 0, 0},
    {"fopen", 0, 0},
    {"", 0, 0},
    // device code's own
    {"__tsan_read4", 0, 1},
    {"__ubsan_handle_type_mismatch_v1", 0, 1},
    {"_ZNSt6chrono3_V212system_clock3nowEv", 0, 1},
    // mathematics, of all types
    {"hypot", 1, 1},
    {"hypotf", 1, 1},
    {"hypotl", 1, 1},
    {"hypotff", 0, 0},
    {"hypotlf", 0, 0},
    {"hypotd", 0, 0},
    {"hypo", 0, 0},
    {"xhypot", 0, 0},
    {"erfcl", 1, 1},
    {"y1f", 1, 1},
    {"acos", 1, 1},
};

START_TEST(an_import_is_allowed_where_it_is_seen)
{
    ck_assert_msg(allow_import(imports[_i].name, 0) == imports[_i].in_c,
                  "%s in C", imports[_i].name);
    ck_assert_msg(allow_import(imports[_i].name, 1) == imports[_i].on_device,
                  "%s on a device", imports[_i].name);
}
END_TEST

static const struct {
    int (*allow)(const char *);
    const char *name;
    int is;
} words[] = {
    {allow_header, "stdio.h", 1},
    {allow_header, "sys/time.h", 1},
    {allow_header, "sys/../x.h", 0},
    {allow_header, "/sys/time.h", 0},
    {allow_header, "x.h", 0},
    {allow_attribute, "aligned", 1},
    {allow_attribute, "constructor", 0},
    {allow_pragma, "omp parallel", 1},
    {allow_pragma, "GCC poison", 0},
    {allow_directive, "include", 1},
    {allow_directive, "import", 0},
    {allow_reserved, "__restrict", 1},
    {allow_reserved, "__builtin_longjmp", 0},
};

START_TEST(a_source_may_say_what_is_listed)
{
    ck_assert_msg(!!words[_i].allow(words[_i].name) == words[_i].is, "%s",
                  words[_i].name);
}
END_TEST

/* The first pattern that matches has the advice. */
static const struct {
    const char *name, *instead;
} advice[] = {
    {"fopen64", "print with printf(): the output is kept"},
    {"popen", "write it in C"},
    {"MPI_Ibcast", "use the blocking call, or MPI_Isend() and MPI_Irecv()"},
    {"MPI_Bsend", "labs use MPI's messages and blocking collectives"},
    {"umask", "print with printf(): a lab writes no files"},
    {"open_memstream", "format with snprintf()"},
    {"mine.h", "put what is yours into the lab's own files; for the rest there "
               "are the headers of C, C++ and the labs' APIs"},
    {"_Xyz", "names like this belong to the compiler: rename it"},
    {"_xyz", ""},
    {"", ""},
};

START_TEST(what_is_refused_has_something_instead)
{
    ck_assert_str_eq(allow_instead(advice[_i].name), advice[_i].instead);
}
END_TEST

START_TEST(a_name_is_allowed_by_any_pattern)
{
    static const char *const patterns[] = {"a?c", "x*", NULL};
    static const char *const none[] = {NULL};
    ck_assert_int_eq(allow_matches("abc", patterns), 1);
    ck_assert_int_eq(allow_matches("x", patterns), 1);
    ck_assert_int_eq(allow_matches("x/y", patterns), 1);
    ck_assert_int_eq(allow_matches("abcd", patterns), 0);
    ck_assert_int_eq(allow_matches("abc", none), 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("allow");
    TCase *const t = tcase_create("allow");
    heap_watch(t);
    SUITE_LOOP(t, an_import_is_allowed_where_it_is_seen, imports);
    SUITE_LOOP(t, a_source_may_say_what_is_listed, words);
    SUITE_LOOP(t, what_is_refused_has_something_instead, advice);
    tcase_add_test(t, a_name_is_allowed_by_any_pattern);
    suite_add_tcase(s, t);
    return suite_run(s);
}
