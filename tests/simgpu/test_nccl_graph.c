/* What the graph has of each call of NCCL: whom it matches, how many bytes,
 * what it follows, and which memory it touches. */
#include <check.h>
#include <stdio.h>  /* fprintf */
#include <string.h> /* strncmp */

#include "child.h"
#include "golden.h"
#include "graph/read.h"
#include "suite.h"

/* Index of the first node with v's match. */
static uint32_t first_of(const struct graph *g, const struct graph_view *v)
{
    uint32_t at = 0;
    while (g->nodes[at].node.match != v->node.match)
        at++;
    return g->nodes[at].node.index;
}

/* The many small messages of the program are left out. */
static int is_of_interest(const struct graph_view *v)
{
    return strncmp(v->name, "nccl", 4) == 0 &&
           (v->node.bytes != 4 ||
            (v->node.kind != GRAPH_SEND && v->node.kind != GRAPH_RECV));
}

/* ", reads 1:8+12": 12 bytes from byte 8 of allocation 1. Ordinary memory is
 * number 0, at addresses that differ. */
static void print_accesses(FILE *f, const struct graph_view *v)
{
    static const char *const touch[] = {"reads", "writes", "atomic", "alloc",
                                        "free"};
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const uint32_t number = (uint32_t)a->alloc;
        fprintf(f, ", %s %u:", touch[a->write], number);
        if (number)
            fprintf(f, "%llu", (unsigned long long)a->begin);
        fprintf(f, "+%llu", (unsigned long long)(a->end - a->begin));
    }
    for (size_t i = 0; i < v->nmoves; i++)
        fprintf(f, ", moves %llu from %d to %d",
                (unsigned long long)v->moves[i].nbytes, v->moves[i].from,
                v->moves[i].to);
}

/* "#12 of all 1/3 root 2": those that match have the number of the first. */
static void print_match(FILE *f, const struct graph *g,
                        const struct graph_view *v)
{
    static const char *const kinds[] = {"",        "of all", "from root",
                                        "to root", "pair",   "message"};
    const struct graph_node *const n = &v->node;
    if (n->match)
        fprintf(f, ", #%u %s %u/%u root %u, op %u", first_of(g, v),
                kinds[n->match_kind], n->match_rank, n->match_size,
                n->match_root, n->op);
}

static void print_node(FILE *f, const struct graph *g,
                       const struct graph_view *v)
{
    static const char *const kinds[GRAPH_KINDS] = {
        [GRAPH_COLL] = "coll", [GRAPH_SEND] = "send", [GRAPH_RECV] = "recv",
        [GRAPH_COPY] = "copy", [GRAPH_MARK] = "mark", [GRAPH_HOST] = "host"};
    const struct graph_node *const n = &v->node;
    const char *const kind = kinds[n->kind] ? kinds[n->kind] : "?";
    fprintf(f, "%u.%u %s %s queue %u, host %llu", n->index, v->part, v->name,
            kind, n->queue, (unsigned long long)n->host_ps);
    if (n->group)
        fprintf(f, ", group %u", n->group);
    print_match(f, g, v);
    fprintf(f, ", %llu bytes of %u", (unsigned long long)n->bytes,
            n->elem_size);
    if (n->kind == GRAPH_SEND || n->kind == GRAPH_RECV)
        fprintf(f, ", peer %d", n->peer_place);
    for (int i = 0; i < n->ndeps; i++)
        fprintf(f, ", after %u", v->deps[i].index);
    print_accesses(f, v);
    fputc('\n', f);
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
            print_node(f, g, &g->nodes[at]);
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
