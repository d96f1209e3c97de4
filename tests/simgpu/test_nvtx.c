/* NVTX ranges name the spans of the operations that a thread enqueues in
 * them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "graph/replay/load.h"
#include "suite.h"

/* By the bytes that prog_nvtx sets. */
static const char *const spans[] = {
    "",      "", "outer",       "inner",       "started",     "innermost",
    "inner", "", "\303\274ber", "\303\274ber", "of a domain", ""};
enum { SPANS = sizeof spans / sizeof *spans };

START_TEST(operations_have_the_innermost_open_range)
{
    char dir[] = "/tmp/commlab-nvtx-XXXXXX", err[512];
    ck_assert(mkdtemp(dir) != NULL);
    struct child c = child_run(30, "SIMGPU_GRAPH=%s %s/tests/simgpu/prog_nvtx",
                               dir, child_build());
    ck_assert_int_eq(c.status, 0);
    child_clear(&c);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    int n = 0;
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->node.kind != GRAPH_MEMSET)
            continue;
        ck_assert_uint_lt(v->node.bytes, SPANS);
        ck_assert_str_eq(v->span, spans[v->node.bytes]);
        n++;
    }
    ck_assert_int_eq(n, SPANS - 1);
    graph_free(g);
    c = child_run(10, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nvtx");
    TCase *const t = tcase_create("nvtx");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, operations_have_the_innermost_open_range);
    suite_add_tcase(s, t);
    return suite_run(s);
}
