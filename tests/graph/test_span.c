/* What is in a span (graph/record/span.h): on a graph of two ranks made by
 * hand. */
#include <check.h>
#include <string.h> /* memset */

#include "graph/record/span.h"
#include "suite.h"

enum { NODES = 9, BEHIND = 1 };

/* Behind the last rank's nodes lies another, which is no part of the graph. */
static uint32_t mark(const char *const spans[NODES + BEHIND], const char *span,
                     char in[NODES + BEHIND])
{
    struct graph_view nodes[NODES + BEHIND];
    uint32_t first[] = {0, 5, NODES, NODES + BEHIND};
    memset(nodes, 0, sizeof nodes);
    memset(in, 0, NODES + BEHIND);
    for (int i = 0; i < NODES + BEHIND; i++)
        nodes[i].span = spans[i];
    const struct graph g = {
        .nranks = 2, .nnodes = NODES, .nodes = nodes, .first = first};
    return span_mark(&g, span, in);
}

static const struct marked {
    const char *spans[NODES + BEHIND], *span;
    char in[NODES + BEHIND + 1];
    uint32_t n;
} marked[] = {
    // from the first to the last node of each rank, whatever lies between
    {{"", "step 1", "", "step 1", "", "step 1", "", "", "step 1", "step 1"},
     "step 1",
     "0111011110",
     7},
    {{"step 1", "step 2", "", "", "", "step 2", "", "", "", "step 2"},
     "step 2",
     "0100010000",
     2},
    {{"a step", "", "", "", "steps", "", "", "", "", "step"},
     "step",
     "1111100000",
     5},
    {{"", "", "", "", "", "", "", "", "step", ""}, "step", "0000000010", 1},
    {{"", "", "", "", "", "", "", "", "", "step"}, "step", "0000000000", 0},
};

START_TEST(what_lies_between_a_ranks_first_and_last_is_in)
{
    const struct marked *const m = &marked[_i];
    char in[NODES + BEHIND];
    ck_assert_uint_eq(mark(m->spans, m->span, in), m->n);
    for (int i = 0; i < NODES + BEHIND; i++)
        ck_assert_msg(in[i] == m->in[i] - '0', "node %d", i);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("span");
    TCase *const t = tcase_create("span");
    tcase_add_loop_test(t, what_lies_between_a_ranks_first_and_last_is_in, 0,
                        sizeof marked / sizeof *marked);
    suite_add_tcase(s, t);
    return suite_run(s);
}
