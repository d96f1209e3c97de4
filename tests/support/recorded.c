#include "recorded.h"
#include "graph/replay/load.h"

#include <check.h>
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <string.h> /* memcmp */

struct graph *recorded_run(struct child *c, const char *format, ...)
{
    char err[256], dir[CHILD_FOLDER], command[512];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    child_folder(dir, "recorded");
    *c = child_run(120, "export SIMGPU_GRAPH=%s; %s", dir, command);
    ck_assert_msg(c->status == 0, "%s%s", c->out, c->err);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    child_remove(dir);
    return g;
}

static void same_nodes(const struct graph_view *a, const struct graph_view *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_str_eq(a->site, b->site);
    ck_assert_msg(a->naccesses == b->naccesses && a->nmoves == b->nmoves,
                  "%s at %s: %zu accesses, or %zu", a->name, a->site,
                  a->naccesses, b->naccesses);
    for (size_t i = 0; i < a->naccesses; i++)
        ck_assert_msg(
            memcmp(&a->accesses[i], &b->accesses[i], sizeof *a->accesses) == 0,
            "access %zu of %s differs", i, a->name);
    for (size_t i = 0; i < a->nmoves; i++)
        ck_assert_msg(memcmp(&a->moves[i], &b->moves[i], sizeof *a->moves) == 0,
                      "move %zu of %s differs", i, a->name);
}

void recorded_same_kernels(const struct graph *a, const struct graph *b)
{
    ck_assert_uint_eq(a->nnodes, b->nnodes);
    for (uint32_t i = 0; i < a->nnodes; i++)
        if (a->nodes[i].node.kind == GRAPH_KERNEL)
            same_nodes(&a->nodes[i], &b->nodes[i]);
}
