/* What the graph has of each call of NCCL: whom it matches, how many bytes,
 * what it follows, and which memory it touches. */
#include <check.h>
#include <string.h> /* strcmp */

#include "calls.h"
#include "golden.h"
#include "recorded.h"
#include "suite.h"

/* The many small messages of the program are left out. */
static int is_of_interest(const struct graph_view *v)
{
    if (strcmp(v->name, "cudaStreamWaitEvent") == 0)
        return 1;
    return strncmp(v->name, "nccl", 4) == 0 &&
           (v->node.bytes != 4 ||
            (v->node.kind != GRAPH_SEND && v->node.kind != GRAPH_RECV));
}

START_TEST(the_graph_has_what_each_call_says)
{
    struct child c;
    struct graph *const g = recorded_run(&c,
                                         "SIMGPU_TOPO=dgx-h100 "
                                         "%s/tests/simgpu/prog_nccl32_graph",
                                         child_build());
    FILE *const f = golden_begin();
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (is_of_interest(&g->nodes[at]))
            calls_print(f, g, &g->nodes[at]);
    golden_end(f, "tests/simgpu/graphs.txt#nccl");
    graph_free(g);
    child_clear(&c);
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
