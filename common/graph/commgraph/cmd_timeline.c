#include <errno.h>  /* errno */
#include <stdlib.h> /* calloc, strtoul */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/span.h"
#include "graph/timeline.h"

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
    const int n =
        snprintf(title, sizeof title, "%s on %s: %u ranks", span ? span : dir,
                 topo_name(r->topo), r->graph->nranks);
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
    for (int i = 1; i < argc; i++) {
        const char **const value = strcmp(argv[i], "-o") == 0        ? &path
                                   : strcmp(argv[i], "--topo") == 0  ? &topo
                                   : strcmp(argv[i], "--span") == 0  ? &span
                                   : strcmp(argv[i], "--ranks") == 0 ? &ranks
                                                                     : NULL;
        if (value && i + 1 == argc)
            return command_usage("timeline", "%s needs a value", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-' || dir)
            return command_usage("timeline", "unexpected argument '%s'",
                                 argv[i]);
        else
            dir = argv[i];
    }
    if (!dir)
        return command_usage("timeline", "give the directory of a saved run");
    if (!path || (!ends_with(path, ".json") && !ends_with(path, ".svg")))
        return command_usage("timeline",
                             "-o needs a file that ends in .json or .svg");
    char *end;
    const unsigned long nranks = strtoul(ranks, &end, 10);
    if (*end || end == ranks || nranks > UINT32_MAX)
        return command_usage("timeline", "--ranks %s: not a number", ranks);
    struct command_run r;
    int status = command_run_init(&r, dir, topo);
    if (status == 0)
        status = write_picture(&r, dir, path, span, (uint32_t)nranks);
    command_run_release(&r);
    return status;
}
