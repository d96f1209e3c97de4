#include <errno.h>  /* errno */
#include <stdlib.h> /* free */
#include <string.h> /* strerror */

#include "command.h"
#include "graph/draw/view.h"
#include "graph/record/span.h"

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

/* The time in us from the first call to the last end of the operations marked
 * in `in`, or of the whole run if it is NULL. */
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
    const struct command_option options[] = {{"-o", &path, NULL},
                                             {"--topo", &topo, NULL},
                                             {"--span", &span, NULL},
                                             {NULL, NULL, NULL}};
    int status = command_arguments(argc, argv, options, &dir);
    if (status)
        return status;
    if (!dir || !path)
        return command_usage("give the directory of a saved run, and "
                             "-o FILE.html");
    struct command_run r;
    status = command_run_init(&r, dir, topo);
    if (status == 0)
        status = write_view(&r, dir, span, path);
    command_run_release(&r);
    return status;
}
