#include <errno.h>  /* errno */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/span.h"
#include "graph/view.h"

static int write_page(const struct view *v, const char *path)
{
    char *data = NULL;
    size_t nbytes;
    FILE *const f = fopen(path, "w"), *const text =
                                          open_memstream(&data, &nbytes);
    int err = f && text ? view_data(text, v) : -1;
    if (text && fclose(text) != 0)
        err = -1;
    if (!err)
        err = view_page(f, v->title, data);
    if (f && fclose(f) != 0)
        err = -1;
    free(data);
    return err ? command_failed("%s: %s", path, strerror(errno)) : 0;
}

/* From the first call to the last end of the operations that are in, or of the
 * whole run (in NULL), in us. */
static double length_us(const struct command_run *r, const char *in)
{
    const struct replay_time *const time = replay_times(r->replay);
    uint64_t from = UINT64_MAX, to = 0;
    if (!in)
        return (double)replay_end_ps(r->replay) * 1e-6;
    for (uint32_t i = 0; i < r->graph->nnodes; i++) {
        if (!in[i])
            continue;
        from = time[i].issue_ps < from ? time[i].issue_ps : from;
        to = time[i].end_ps > to ? time[i].end_ps : to;
    }
    return (double)(to - from) * 1e-6;
}

static int write_view(const struct command_run *r, const char *dir,
                      const char *span, const char *path)
{
    char title[512], *const in = calloc((size_t)r->graph->nnodes + 1, 1);
    if (!in)
        return command_failed("no memory");
    if (span && span_mark(r->graph, span, in) == 0) {
        free(in);
        return command_failed("no operation of %s is in a span with '%s'", dir,
                              span);
    }
    snprintf(title, sizeof title, "%s%s%s on %s: %u ranks, %.3f us",
             span ? span : "", span ? " of " : "", dir, topo_name(r->topo),
             r->graph->nranks, length_us(r, span ? in : NULL));
    const int status = write_page(&(struct view){.graph = r->graph,
                                                 .topo = r->topo,
                                                 .replay = r->replay,
                                                 .options = &r->options,
                                                 .title = title,
                                                 .in = span ? in : NULL},
                                  path);
    free(in);
    return status;
}

int cmd_view(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL, *path = NULL, *span = NULL;
    for (int i = 1; i < argc; i++) {
        const char **const value = strcmp(argv[i], "-o") == 0       ? &path
                                   : strcmp(argv[i], "--topo") == 0 ? &topo
                                   : strcmp(argv[i], "--span") == 0 ? &span
                                                                    : NULL;
        if (value && i + 1 == argc)
            return command_usage("view", "%s needs a value", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-' || dir)
            return command_usage("view", "unexpected argument '%s'", argv[i]);
        else
            dir = argv[i];
    }
    if (!dir || !path)
        return command_usage("view", "give the directory of a saved run, and "
                                     "-o FILE.html");
    struct command_run r;
    int status = command_run_init(&r, dir, topo);
    if (status == 0)
        status = write_view(&r, dir, span, path);
    command_run_release(&r);
    return status;
}
