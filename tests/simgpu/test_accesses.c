/*
 * Accesses that device code looks at itself (simnvcc/inline.h) are recorded as
 * those that it announces by calls: two builds of one program compute the same
 * and have the same graph.
 */
#include <check.h>
#include <string.h>

#include "child.h"
#include "recorded.h"
#include "suite.h"

static const char *const builds[] = {"prog_accesses", "prog_accesses_called"};

/* Only one of them is the library called by for each access. */
START_TEST(one_build_inlines_accesses)
{
    struct child c = child_run(20,
                               "cd %s/tests/simgpu && for p in prog_accesses "
                               "prog_accesses_called; do nm -u $p | grep -o "
                               "'__tsan_[rw][a-z]*4[^@]*'; echo and; done",
                               child_build());
#if defined(__x86_64__)
    const char *const inlines = "__tsan_read4_at\n__tsan_write4_at\n";
#else
    const char *const inlines = "__tsan_read4\n__tsan_write4\n";
#endif
    ck_assert_msg(strncmp(c.out, inlines, strlen(inlines)) == 0, "%s", c.out);
    ck_assert_msg(strstr(c.out, "and\n__tsan_read4\n__tsan_write4\nand"), "%s",
                  c.out);
    child_clear(&c);
}
END_TEST

/* The graph of a build's run, and what it prints. */
static struct graph *run(const char *build, const char *schedule,
                         struct child *c)
{
    return recorded_run(c, "SIMGPU_SCHEDULE=%s %s/tests/simgpu/%s", schedule,
                        child_build(), build);
}

START_TEST(both_builds_record_the_same)
{
    static const char *const schedules[] = {"eager", "late", "random:1"};
    struct child c[2];
    struct graph *g[2];
    for (int i = 0; i < 2; i++)
        g[i] = run(builds[i], schedules[_i], &c[i]);
    ck_assert_str_eq(c[0].out, c[1].out);
    ck_assert_msg(strstr(c[0].out, "grid "), "%s", c[0].out);
    recorded_same_kernels(g[0], g[1]);
    for (int i = 0; i < 2; i++) {
        graph_free(g[i]);
        child_clear(&c[i]);
    }
}
END_TEST

/* Bytes of the allocation's first ones that the node writes, or reads. */
static uint64_t touched(const struct graph_view *v, uint64_t alloc,
                        uint32_t write)
{
    uint64_t end = 0;
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if (a->alloc == alloc && (a->write & GRAPH_TOUCH) == write &&
            a->begin <= end && a->end > end)
            end = a->end;
    }
    return end;
}

/* g++ announces no store of a structure that a function returns: simnvcc has
 * such functions inlined. */
START_TEST(what_functions_return_is_recorded)
{
    enum { ELEMENTS = 4096 / 8, WIDE = 24, PAIR = 8 };
    struct child c;
    struct graph *const g = run(builds[_i], "eager", &c);
    uint64_t most = 0, least = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const struct graph_view *const v = &g->nodes[i];
        if (v->node.kind != GRAPH_KERNEL || strcmp(v->name, "returned") != 0)
            continue;
        for (uint64_t alloc = 1; alloc <= 3; alloc++) {
            const uint64_t n = touched(v, alloc, GRAPH_WRITE);
            most = n > most ? n : most;
            least = n > 0 && (least == 0 || n < least) ? n : least;
        }
    }
    ck_assert_uint_eq(most, (uint64_t)ELEMENTS * WIDE);
    ck_assert_uint_eq(least, (uint64_t)ELEMENTS * PAIR);
    graph_free(g);
    child_clear(&c);
}
END_TEST

/* What graded kernels touch by functions of libraries, for which the compiler
 * inserts no hooks. */
static const struct {
    const char *kernel;
    uint64_t alloc;
    uint32_t write;
    uint64_t nbytes;
} library[] = {
    {"copies", 1, 0, 48},        {"copies_text", 1, 0, 7},
    {"compares", 1, 0, 32},      {"compares", 2, 0, 32},
    {"compares_text", 1, 0, 16}, {"results", 2, GRAPH_WRITE, 16},
};

START_TEST(what_libraries_touch_is_recorded)
{
    struct child c;
    struct graph *const g = run("prog_library", "eager", &c);
    uint64_t nbytes = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->nodes[i].node.kind == GRAPH_KERNEL &&
            strcmp(g->nodes[i].name, library[_i].kernel) == 0)
            nbytes =
                touched(&g->nodes[i], library[_i].alloc, library[_i].write);
    ck_assert_uint_eq(nbytes, library[_i].nbytes);
    graph_free(g);
    child_clear(&c);
}
END_TEST

/* Of too many ranges, neighbours become one, but no two of two allocations. */
START_TEST(too_many_ranges_are_joined_within_an_allocation)
{
    enum { ONE = 1, NRANGES = 300 * 256, MOST = 1 << 16 };
    struct child c;
    struct graph *const g =
        recorded_run(&c, "%s/tests/simgpu/prog_accesses sparse", child_build());
    const struct graph_view *v = NULL;
    size_t nones = 0, nrough = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (strcmp(g->nodes[i].name, "sparse") == 0)
            v = &g->nodes[i];
    ck_assert(v && v->naccesses <= MOST);
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const int is_one = a->alloc == ONE;
        nones += is_one;
        nrough += (a->write & GRAPH_ROUGH) != 0;
        ck_assert(!is_one || (a->begin == 0 && !(a->write & GRAPH_ROUGH)));
        ck_assert_uint_le(a->end, is_one ? 4 : 8 * NRANGES);
    }
    ck_assert_uint_eq(nones, 1);
    ck_assert_uint_ge(nrough, NRANGES - MOST);
    graph_free(g);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("accesses");
    TCase *const t = tcase_create("accesses");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, one_build_inlines_accesses);
    tcase_add_loop_test(t, both_builds_record_the_same, 0, 3);
    tcase_add_loop_test(t, what_functions_return_is_recorded, 0, 2);
    SUITE_LOOP(t, what_libraries_touch_is_recorded, library);
    tcase_add_test(t, too_many_ranges_are_joined_within_an_allocation);
    suite_add_tcase(s, t);
    return suite_run(s);
}
