#define _GNU_SOURCE
#include <stdarg.h> /* va_list */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */
#include <unistd.h> /* environ */

#include "command.h"

static const struct command {
    const char *name, *arguments, *what;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"time", "DIR [--topo T] [--json]",
     "total time of each kind of operation and of each rank", cmd_time},
    {"timeline",
     "DIR -o FILE.json|FILE.svg [--topo T] [--span NAME] [--ranks N]",
     "timeline of a run, for Perfetto (.json) or as a picture (.svg)",
     cmd_timeline},
    {"view", "DIR -o FILE.html [--span NAME] [--topo T]",
     "a page to look at a run with, in a browser", cmd_view},
    {"hazards", "DIR [--json]",
     "races and other memory errors; exit status 1 if there are any",
     cmd_hazards},
    {"critical-path", "DIR [--topo T] [--all]",
     "the chain of operations that determined the run's end", cmd_path},
    {"explain", "DIR [--span NAME] [--topo T] [--json]",
     "why a run takes as long as it does, and what would help", cmd_explain},
    {"topo", "T", "a machine's links, as nvidia-smi topo -m shows them",
     cmd_topo},
    {"speeds", "T...",
     "bandwidth and latency of the machines' kinds of links, one copy alone",
     cmd_speeds},
    {"collective",
     "--topo T --op OP --ranks N [--nodes M] --bytes B [--algo A] [--proto P] "
     "[--json]",
     "modelled time of a collective over the first N GPUs", cmd_collective},
    {"p2p", "--topo T [--json | --svg FILE]",
     "bandwidth and latency of copies between all GPUs", cmd_p2p},
    {"expect", "[TABLE...] --topo T [--op OP] [--ranks N] [--nodes M]",
     "compare the output of nccl-tests (or standard input) with the model",
     cmd_expect},
    {"fit",
     "TABLE... --topo T [-o MINE.xml] [--svg FILE] [--op OP] [--ranks N]"
     " [--nodes M]",
     "fit a machine to the output of nccl-tests, or CSV (bytes,us)", cmd_fit},
};

enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *f)
{
    fprintf(f, "usage:\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(f, "  commgraph %s %s\n        %s\n", commands[i].name,
                commands[i].arguments, commands[i].what);
    fprintf(f, "T is a machine's name or the path of its XML file.\n");
}

int command_usage(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "commgraph %s: ", name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            fprintf(stderr, "usage: commgraph %s %s\n", name,
                    commands[i].arguments);
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

int command_set(const char *name, int (*parse)(const char *words), int *set)
{
    const char *const words = getenv(name);
    *set = parse(words);
    if (*set == 0)
        return command_failed("%s=%s: not a list of names that NCCL knows",
                              name, words);
    return 0;
}

static void remark(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "commgraph: %s\n", line);
}

struct topo *command_topo(const char *name)
{
    char err[600];
    struct topo *const t = topo_load(name, err, sizeof err);
    if (t)
        topo_settings(t, environ, remark, NULL);
    else
        command_failed("%s", err);
    return t;
}

int command_run_init(struct command_run *r, const char *dir, const char *topo)
{
    char err[512];
    *r = (struct command_run){0};
    if (command_set("NCCL_ALGO", topo_algo_set, &r->options.algos) != 0 ||
        command_set("NCCL_PROTO", topo_proto_set, &r->options.protos) != 0)
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

int command_main(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    const int help = strcmp(name, "--help") == 0 || strcmp(name, "help") == 0;
    if (!help && *name)
        fprintf(stderr, "commgraph: unknown command '%s'\n", name);
    print_usage(help ? stdout : stderr);
    return help ? 0 : COMMAND_USAGE;
}
