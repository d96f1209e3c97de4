#include <jansson.h>
#include <string.h> /* strcspn */

#include "command.h"
#include "explain_text.h"

/* A cause that would save less than this share of the run is not an answer. */
#define WORTH 0.05

/* Nor is the best cause the first answer if a cost of the machine is more than
 * this many times what the cause would save. */
#define DWARFS 10

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

static double percent(const struct explain *e, const struct explain_finding *f)
{
    return e->length_ps ? 100 * (double)f->saves_ps / (double)e->length_ps : 0;
}

/* The number of causes worth changing; they come first in the list. */
static int nworth(const struct explain *e)
{
    int n = 0;
    while (n < e->ncauses && percent(e, &e->cause[n]) >= 100 * WORTH)
        n++;
    return n;
}

/* The cost of the machine that is the first answer, or NULL if a cause is. */
static const struct explain_finding *bound(const struct explain *e)
{
    const uint64_t limit_ps = e->nlimits ? e->limit[0].saves_ps : 0;
    const int n = nworth(e);
    for (int i = 0; i < n; i++)
        if (limit_ps <= DWARFS * e->cause[i].saves_ps)
            return NULL;
    return e->nlimits ? &e->limit[0] : NULL;
}

/* ---- text ---------------------------------------------------------------- */

/* Print words, indented, in lines of at most 79 columns. */
static void print_wrapped(const char *text)
{
    enum { INDENT = 4, COLUMNS = 79 };
    int column = 0;
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column && column + 1 + word > COLUMNS) {
            printf("\n");
            column = 0;
        }
        printf(column ? " %.*s" : "    %.*s", word, text);
        column += word + (column ? 1 : INDENT);
        text += word;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void print_where(const struct graph *g, const struct explain_finding *f)
{
    const struct graph_view *const v = &g->nodes[f->node];
    printf("    at %s, rank %u%s%s\n", v->site[0] ? v->site : "?", v->node.rank,
           v->span[0] ? ", span " : "", v->span);
}

static void print_cause(const struct command_run *r, const struct explain *e,
                        int i)
{
    char text[512];
    const struct explain_finding *const f = &e->cause[i];
    printf("\n%d. %s: saves up to %.1f us (%.0f %%)\n", i + 1,
           explain_name(f->kind), us(f->saves_ps), percent(e, f));
    print_wrapped(explain_what(r->graph, r->topo, f, text, sizeof text));
    if (f->node != GRAPH_NOWHERE)
        print_where(r->graph, f);
    snprintf(text, sizeof text, "Try: %s.", explain_advice(r->graph, f));
    print_wrapped(text);
}

static void print_bound(const struct command_run *r,
                        const struct explain_finding *f, int alone)
{
    char text[512];
    printf("\n%sThe run is bound by its %s.\n",
           alone ? "Nothing stands out. " : "", explain_name(f->kind));
    if (f->node != GRAPH_NOWHERE)
        print_where(r->graph, f);
    snprintf(text, sizeof text, "Try: %s.", explain_advice(r->graph, f));
    print_wrapped(text);
}

static void print_limits(const struct command_run *r, const struct explain *e)
{
    char text[512];
    printf("\nHow much shorter the run would be if\n");
    for (int i = 0; i < e->nlimits; i++)
        printf(
            "%12.1f us %4.0f %%  %s\n", us(e->limit[i].saves_ps),
            percent(e, &e->limit[i]),
            explain_what(r->graph, r->topo, &e->limit[i], text, sizeof text));
}

static void print_text(const struct command_run *r, const struct explain *e)
{
    const int n = nworth(e);
    printf("%u ranks on %s: %.1f us\n", r->graph->nranks, topo_name(r->topo),
           us(e->length_ps));
    if (e->setup != GRAPH_NOWHERE)
        printf("without %.1f us of set-up, most of it in %s (%s)\n",
               us(e->setup_ps), r->graph->nodes[e->setup].name,
               r->graph->nodes[e->setup].site);
    if (bound(e))
        print_bound(r, bound(e), n == 0);
    for (int i = 0; i < n && i < 5; i++)
        print_cause(r, e, i);
    if (e->nlimits)
        print_limits(r, e);
    printf("\nEach figure is from a replay of the run with that one change. "
           "They don't add up.\n");
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *finding(const struct command_run *r, const struct explain *e,
                       const struct explain_finding *f)
{
    char text[512];
    json_t *const j = json_pack(
        "{s:s, s:f, s:f, s:s, s:s, s:i}", "kind", explain_name(f->kind),
        "saves_us", us(f->saves_ps), "percent", percent(e, f), "what",
        explain_what(r->graph, r->topo, f, text, sizeof text), "try",
        explain_advice(r->graph, f), "count", (int)f->count);
    if (j && f->node != GRAPH_NOWHERE) {
        const struct graph_view *const v = &r->graph->nodes[f->node];
        json_object_set_new(j, "rank", json_integer(v->node.rank));
        json_object_set_new(j, "site", json_string(v->site));
        json_object_set_new(j, "name", json_string(v->name));
    }
    return j;
}

static int print_json(const struct command_run *r, const struct explain *e)
{
    json_t *const causes = json_array(), *const limits = json_array();
    const int n = nworth(e);
    for (int i = 0; i < n; i++)
        json_array_append_new(causes, finding(r, e, &e->cause[i]));
    for (int i = 0; i < e->nlimits; i++)
        json_array_append_new(limits, finding(r, e, &e->limit[i]));
    const char *const by = bound(e) ? explain_name(bound(e)->kind) : NULL;
    json_t *const all = json_pack(
        "{s:s, s:f, s:f, s:s?, s:o, s:o}", "topology", topo_name(r->topo),
        "total_us", us(e->length_ps), "setup_us", us(e->setup_ps), "bound_by",
        by, "causes", causes, "limits", limits);
    const int err =
        all ? json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) : -1;
    printf("\n");
    json_decref(all);
    return err ? command_failed("cannot write JSON") : 0;
}

int cmd_explain(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL, *span = NULL;
    int json = 0;
    const struct command_option options[] = {{"--topo", &topo, NULL},
                                             {"--span", &span, NULL},
                                             {"--json", NULL, &json},
                                             {NULL, NULL, NULL}};
    int status = command_arguments(argc, argv, options, &dir);
    if (status)
        return status;
    if (!dir)
        return command_usage("give the directory of a saved run");
    struct command_run r;
    struct explain e;
    char err[512];
    status = command_run_init(&r, dir, topo);
    if (status)
        return status;
    if (explain_run(r.graph, r.topo, &r.options, span, &e, err, sizeof err) !=
        0)
        status = command_failed("%s", err);
    else if (json)
        status = print_json(&r, &e);
    else
        print_text(&r, &e);
    command_run_release(&r);
    return status;
}
