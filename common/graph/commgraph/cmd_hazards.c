#include <jansson.h>

#include "command.h"
#include "graph/hazard/hazard.h"
#include "graph/replay/load.h"

static json_t *json_of_op(const struct hazard_op *op)
{
    static const char *const how[GRAPH_TOUCHES] = {
        "read", "write", "atomic", "allocate", "free", "hold"};
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "name", op->name, "site",
        op->site, "access", how[op->how], "rank", (json_int_t)op->node.rank,
        "index", (json_int_t)op->node.index, "place", (json_int_t)op->place,
        "queue", (json_int_t)op->queue, "thread", (json_int_t)op->thread);
}

static json_t *json_of_ranks(const struct rank_set *ranks)
{
    json_t *const array = json_array();
    for (int r = 0; r < LAB_MAX_RANKS; r++)
        if (rank_set_has(ranks, r))
            json_array_append_new(array, json_integer(r));
    return array;
}

static json_t *json_of(const struct hazard *h)
{
    char text[4096];
    json_t *const ops = json_array();
    for (int i = 0; i < h->nops; i++)
        json_array_append_new(ops, json_of_op(&h->op[i]));
    json_t *const j = json_pack(
        "{s:s, s:b, s:o, s:I, s:o, s:s}", "kind", hazard_kind_name(h->kind),
        "warning", h->warning, "operations", ops, "count", (json_int_t)h->count,
        "ranks", json_of_ranks(&h->ranks), "text",
        hazard_text(h, text, sizeof text));
    if (j && h->nops)
        json_object_set_new(
            j, "bytes",
            json_pack("{s:s, s:I, s:I, s:I, s:I}", "allocated", h->alloc_site,
                      "place", (json_int_t)h->alloc_place, "nbytes",
                      (json_int_t)h->alloc_nbytes, "begin",
                      (json_int_t)h->begin, "end", (json_int_t)h->end));
    return j;
}

static int print_json(const struct graph *g, const struct hazards *found)
{
    json_t *const array = json_array();
    for (size_t i = 0; i < found->n; i++)
        json_array_append_new(array, json_of(&found->hazard[i]));
    json_t *const all =
        json_pack("{s:I, s:I, s:o}", "count", (json_int_t)g->nnodes, "errors",
                  (json_int_t)found->nerrors, "hazards", array);
    const int err =
        all ? json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) : -1;
    printf("\n");
    json_decref(all);
    return err ? command_failed("cannot write JSON") : 0;
}

static void print_text(const struct graph *g, const struct hazards *found)
{
    char text[4096];
    for (size_t i = 0; i < found->n; i++)
        printf("%s%s\n", found->hazard[i].warning ? "warning: " : "",
               hazard_text(&found->hazard[i], text, sizeof text));
    printf("%zu hazards and %zu warnings in %u operations of %u ranks\n",
           found->nerrors, found->n - found->nerrors, g->nnodes, g->nranks);
}

static int find_and_print(const char *dir, int json)
{
    char err[512];
    struct hazards found = {0};
    int status = COMMAND_FAILED;
    struct graph *const g = graph_load(dir, err, sizeof err);
    if (!g || hazards_find(g, NULL, &found, err, sizeof err) != 0) {
        command_failed("%s", err);
        goto out;
    }
    status = 0;
    if (json)
        status = print_json(g, &found);
    else
        print_text(g, &found);
    if (status == 0 && found.nerrors)
        status = COMMAND_FAILED;
out:
    hazards_release(&found);
    graph_free(g);
    return status;
}

int cmd_hazards(int argc, char **argv)
{
    const char *dir = NULL;
    int json = 0;
    const struct command_option options[] = {{"--json", NULL, &json},
                                             {NULL, NULL, NULL}};
    const int status = command_arguments(argc, argv, options, &dir);
    if (status)
        return status;
    if (!dir)
        return command_usage("give the directory of a saved run");
    return find_and_print(dir, json);
}
