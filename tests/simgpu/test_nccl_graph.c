/* What the graph has of each call of NCCL: whom it matches, how many bytes,
 * what it follows, and which memory it touches. */
#include <check.h>
#include <string.h> /* strncmp */

#include "calls.h"
#include "child.h"
#include "golden.h"
#include "graph/read.h"
#include "suite.h"

/* The many small messages of the program are left out. */
static int is_of_interest(const struct graph_view *v)
{
    return strncmp(v->name, "nccl", 4) == 0 &&
           (v->node.bytes != 4 ||
            (v->node.kind != GRAPH_SEND && v->node.kind != GRAPH_RECV));
}

START_TEST(the_graph_has_what_each_call_says)
{
    char dir[CHILD_FOLDER], err[512];
    child_folder(dir, "commlab-nccl-graph");
    struct child c = child_run(60,
                               "SIMGPU_TOPO=dgx-h100 SIMGPU_GRAPH=%s "
                               "%s/tests/simgpu/prog_nccl32_graph",
                               dir, child_build());
    ck_assert_msg(c.status == 0, "status %d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    FILE *const f = golden_begin();
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (is_of_interest(&g->nodes[at]))
            calls_print(f, g, &g->nodes[at]);
    golden_end(f, "tests/simgpu/nccl_graph.txt");
    graph_free(g);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("nccl_graph");
    TCase *const t = tcase_create("nccl_graph");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_graph_has_what_each_call_says);
    suite_add_tcase(s, t);
    return suite_run(s);
}
