/* What the graph has of host calls of NVSHMEM: copies and kernels, with their
 * threads and the memory that they touch. */
#include <check.h>
#include <string.h> /* strncmp */

#include "calls.h"
#include "golden.h"
#include "recorded.h"
#include "suite.h"

START_TEST(the_graph_has_what_each_call_does)
{
    struct child c;
    struct graph *const g = recorded_run(&c,
                                         "SIMGPU_TOPO=dgx-h100 mpirun -n 2 "
                                         "%s/tests/extras/prog_shmem_graph",
                                         child_build());
    FILE *const f = golden_begin();
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (strncmp(g->nodes[at].name, "nvshmem", 7) == 0)
            calls_print(f, g, &g->nodes[at]);
    golden_end(f, "tests/extras/shmem.txt#graph");
    graph_free(g);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("shmem_graph");
    TCase *const t = tcase_create("shmem_graph");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_graph_has_what_each_call_does);
    suite_add_tcase(s, t);
    return suite_run(s);
}
