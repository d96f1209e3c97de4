#include <errno.h>  /* errno */
#include <stdlib.h> /* calloc, strtoul */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/draw/timeline.h"
#include "graph/record/span.h"

static int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static int write_picture(const struct command_run *r, const char *dir,
                         const char *path, const char *span, uint32_t nranks)
{
    char title[512], *const in = calloc((size_t)r->graph->nnodes + 1, 1);
    if (!in)
        return command_failed("no memory");
    if (span)
        span_mark(r->graph, span, in);
    const int n = snprintf(title, sizeof title, "%s on %s: %u rank%s",
                           span ? span : dir, topo_name(r->topo),
                           r->graph->nranks, r->graph->nranks == 1 ? "" : "s");
    if (!span && n < (int)sizeof title) // for a span, the axis shows its time
        snprintf(title + n, sizeof title - n, ", %.3f us",
                 (double)replay_end_ps(r->replay) * 1e-6);
    const struct timeline t = {.graph = r->graph,
                               .time = replay_times(r->replay),
                               .topo = r->topo,
                               .title = title,
                               .in = span ? in : NULL,
                               .nranks = nranks};
    FILE *const f = fopen(path, "w");
    int err = !f                        ? -1
              : ends_with(path, ".svg") ? timeline_svg(f, &t)
                                        : timeline_json(f, &t);
    if (f && fclose(f) != 0)
        err = -1;
    free(in);
    return err ? command_failed("%s: %s", path, strerror(errno)) : 0;
}

int cmd_timeline(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL, *path = NULL, *span = NULL;
    const char *ranks = "0";
    const struct command_option options[] = {{"-o", &path, NULL},
                                             {"--topo", &topo, NULL},
                                             {"--span", &span, NULL},
                                             {"--ranks", &ranks, NULL},
                                             {NULL, NULL, NULL}};
    int status = command_arguments(argc, argv, options, &dir);
    if (status)
        return status;
    if (!dir)
        return command_usage("give the directory of a saved run");
    if (!path || (!ends_with(path, ".json") && !ends_with(path, ".svg")))
        return command_usage("-o needs a file that ends in .json or .svg");
    char *end;
    const unsigned long nranks = strtoul(ranks, &end, 10);
    if (*end || end == ranks || nranks > UINT32_MAX)
        return command_usage("--ranks %s: not a number", ranks);
    struct command_run r;
    status = command_run_init(&r, dir, topo);
    if (status == 0)
        status = write_picture(&r, dir, path, span, (uint32_t)nranks);
    command_run_release(&r);
    return status;
}
