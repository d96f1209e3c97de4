/* cuBLAS on simgpu: its rules, the same bits under every schedule, what it
 * leaves in the graph, and mistakes that are named. */
#include <check.h>
#include <stdlib.h> /* EXIT_FAILURE */
#include <string.h> /* strstr */

#include "child.h"
#include "graph/replay/load.h"
#include "suite.h"

static const char *const schedules[] = {"eager", "late", "random:1",
                                        "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

START_TEST(the_rules_hold_and_the_bits_are_the_same_under_every_schedule)
{
    char *first = NULL;
    for (int i = 0; i < SCHEDULES; i++) {
        struct child c = child_run(120,
                                   "SIMGPU_SCHEDULE=%s "
                                   "%s/tests/cublas/prog_cublas strict",
                                   schedules[i], child_build());
        char *const bad = strstr(c.out, "FAILED");
        ck_assert_msg(!bad && c.status == 0, "%s: status %d\n%.300s\n%s",
                      schedules[i], c.status, bad ? bad : "", c.err);
        if (!first)
            first = strdup(c.out);
        ck_assert_str_eq(first, c.out);
        child_clear(&c);
    }
    ck_assert_ptr_nonnull(strstr(first, "digest"));
    free(first);
}
END_TEST

static const struct graph_view *find(const struct graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (strcmp(g->nodes[i].name, name) == 0)
            return &g->nodes[i];
    ck_abort_msg("no %s in the graph", name);
}

/* The flops of each element of a vector. */
static const struct {
    const char *name;
    int flops;
} vectors[] = {
    {"cublasAxpyEx", 2}, {"cublasScalEx", 1}, {"cublasDotEx", 2},
    {"cublasNrm2Ex", 2}, {"cublasSaxpy", 2},  {"cublasSscal", 1},
    {"cublasSrot", 6},
};

static void vectors_cost(const struct graph *g)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ck_assert_double_eq(find(g, vectors[i].name)->node.flops,
                            16 * vectors[i].flops);
}

/* Of a product with a vector: two columns of four, 32 bytes apart, two numbers
 * and four. */
static void gemv_touches(const struct graph *g)
{
    const struct graph_view *const m = find(g, "cublasSgemv");
    static const uint64_t at[] = {0, 32, 32 * 4, 64 * 4},
                          is[] = {16, 16, 8, 16};
    ck_assert_uint_eq(m->naccesses, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(m->accesses[i].begin, at[i]);
        ck_assert_uint_eq(m->accesses[i].end - m->accesses[i].begin, is[i]);
    }
}

START_TEST(a_product_is_recorded_with_its_cost_and_every_column)
{
    char dir[] = "/tmp/commlab-cublas-XXXXXX", err[256];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    struct child c =
        child_run(60, "SIMGPU_GRAPH=%s %s/tests/cublas/prog_cublas record", dir,
                  child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);

    const struct graph_view *const v = find(g, "cublasSgemm");
    ck_assert_int_eq(v->node.kind, GRAPH_KERNEL);
    ck_assert_double_eq(v->node.flops, 2 * 4 * 2 * 8);
    ck_assert_int_eq(v->node.math, TOPO_FP32);
    // A, B, and C's two columns of 16 bytes, 64 apart, read and written
    ck_assert_uint_eq(v->naccesses, 6);
    ck_assert_uint_eq(v->accesses[0].end - v->accesses[0].begin, 4 * 8 * 4);
    ck_assert_uint_eq(v->accesses[1].end - v->accesses[1].begin, 8 * 2 * 4);
    for (int i = 2; i < 6; i++) {
        ck_assert_uint_eq(v->accesses[i].begin,
                          (uint64_t)(64 * 4 + (i % 2) * 64));
        ck_assert_uint_eq(v->accesses[i].end - v->accesses[i].begin, 16);
        ck_assert_uint_eq(v->accesses[i].write,
                          i < 4 ? GRAPH_READ | GRAPH_FIRST : GRAPH_WRITE);
    }
    ck_assert_uint_eq(v->nmoves, 1);
    ck_assert_uint_eq(v->moves[0].nbytes, 128 + 64 + 32 + 32);

    const struct graph_view *const h = find(g, "cublasGemmEx");
    ck_assert_int_eq(h->node.math, TOPO_FP16);
    ck_assert_uint_eq(h->naccesses, 3); // beta is 0: C is not read
    ck_assert_uint_eq(h->moves[0].nbytes, 64 + 32 + 32);

    // both products of a batch, 64 bytes apart, are written
    const struct graph_view *const b = find(g, "cublasSgemmStridedBatched");
    for (size_t i = 0; i < 2; i++) {
        const struct graph_access *const c = &b->accesses[b->naccesses - 2 + i];
        ck_assert_uint_eq(c->begin, 160 * 4 + i * 64);
        ck_assert_uint_eq(c->end - c->begin, 32);
        ck_assert_uint_eq(c->write, 1);
    }
    vectors_cost(g);
    gemv_touches(g);
    graph_free(g);
    c = child_run(10, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

START_TEST(vectors_and_triangles_are_as_blas_says)
{
    static const char *const programs[] = {"prog_blas", "prog_triangles"};
    for (int i = 0; i < SCHEDULES; i++) {
        struct child c = child_run(
            120, "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s %s/tests/cublas/%s",
            schedules[i], child_build(), programs[_i]);
        ck_assert_msg(c.status == 0 && strstr(c.out, "\n0 failed"), "%s%s",
                      c.out, c.err);
        ck_assert_msg(strstr(c.err, "0 hazards"), "%s", c.err);
        child_clear(&c);
    }
}
END_TEST

START_TEST(a_matrix_too_large_for_its_memory_is_named)
{
    struct child c =
        child_run(60, "%s/tests/cublas/prog_cublas_fault", child_build());
    ck_assert_int_eq(c.status, 70);
    ck_assert_msg(strstr(c.err, "cublasSgemm") &&
                      strstr(c.err, "prog_cublas") &&
                      strstr(c.err, "C needs 64 bytes") &&
                      strstr(c.err, "leading dimension"),
                  "%s", c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("cublas");
    TCase *const t = tcase_create("cublas");
    tcase_set_timeout(t, 600);
    tcase_add_test(
        t, the_rules_hold_and_the_bits_are_the_same_under_every_schedule);
    tcase_add_test(t, a_product_is_recorded_with_its_cost_and_every_column);
    tcase_add_loop_test(t, vectors_and_triangles_are_as_blas_says, 0, 2);
    tcase_add_test(t, a_matrix_too_large_for_its_memory_is_named);
    suite_add_tcase(s, t);
    return suite_run(s);
}
