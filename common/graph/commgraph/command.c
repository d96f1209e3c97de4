#define _GNU_SOURCE
#include <stdarg.h> /* va_list */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */
#include <unistd.h> /* environ */

#include "command.h"
#include "graph/replay/load.h"

static const struct command *running;

int command_start(const struct command *c, int argc, char **argv)
{
    running = c;
    return c->run(argc, argv);
}

int command_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "commgraph %s: ", running->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    fprintf(stderr, "usage: commgraph %s %s\n", running->name,
            running->arguments);
    return COMMAND_USAGE;
}

int command_failed(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "commgraph: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return COMMAND_FAILED;
}

int command_sets(struct topo_sets *algos, struct topo_sets *protos)
{
    char err[400];
    if (topo_algo_sets(getenv("NCCL_ALGO"), algos, err, sizeof err) != 0)
        return command_failed("NCCL_ALGO: %s", err);
    if (topo_proto_sets(getenv("NCCL_PROTO"), protos, err, sizeof err) != 0)
        return command_failed("NCCL_PROTO: %s", err);
    return 0;
}

static const struct command_option *find(const struct command_option *o,
                                         const char *name)
{
    while (o->name && strcmp(o->name, name) != 0)
        o++;
    return o->name ? o : NULL;
}

int command_arguments(int argc, char **argv,
                      const struct command_option *options, const char **dir)
{
    *dir = NULL;
    for (int i = 1; i < argc; i++) {
        const struct command_option *const o = find(options, argv[i]);
        if (o && o->value && i + 1 == argc)
            return command_usage("%s needs a value", argv[i]);
        if (o && o->value)
            *o->value = argv[++i];
        else if (o)
            *o->flag = 1;
        else if (argv[i][0] == '-' || *dir)
            return command_usage("unexpected argument '%s'", argv[i]);
        else
            *dir = argv[i];
    }
    return 0;
}

void command_remark(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "commgraph: %s\n", line);
}

struct topo *command_topo(const char *name)
{
    char err[600];
    struct topo *const t = topo_load(name, err, sizeof err);
    if (!t) {
        command_failed("%s", err);
        return NULL;
    }
    topo_settings(t, environ, command_remark, NULL);
    topo_warnings(t, command_remark, NULL);
    return t;
}

int command_run_init(struct command_run *r, const char *dir, const char *topo)
{
    char err[512];
    *r = (struct command_run){0};
    if (command_sets(&r->options.algos, &r->options.protos) != 0)
        return COMMAND_FAILED;
    r->graph = graph_load(dir, err, sizeof err);
    if (!r->graph)
        return command_failed("%s", err);
    if (!topo)
        topo = r->graph->machine ? r->graph->machine : "dgx-h100";
    r->topo = command_topo(topo);
    if (r->topo)
        r->replay = replay_run(r->graph, r->topo, &r->options, err, sizeof err);
    if (r->replay)
        return 0;
    if (r->topo)
        command_failed("%s", err);
    command_run_release(r);
    return COMMAND_FAILED;
}

void command_run_release(struct command_run *r)
{
    replay_free(r->replay);
    graph_free(r->graph);
    topo_free(r->topo);
    *r = (struct command_run){0};
}
