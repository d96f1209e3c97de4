#include <string.h> /* strcmp */

#include "command.h"

static const struct command commands[] = {
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
    {"critical-path", "DIR [--span NAME] [--topo T] [--all]",
     "the chain of operations that determined when the run, or a span, ended",
     cmd_path},
    {"explain", "DIR [--span NAME] [--topo T] [--json]",
     "why a run takes as long as it does, and what would help", cmd_explain},
    {"topo", "T", "a machine's links, as nvidia-smi topo -m shows them",
     cmd_topo},
    {"speeds", "T...",
     "bandwidth and latency of the machines' kinds of links, one copy alone",
     cmd_speeds},
    {"collective",
     "--topo T --op OP --ranks N [--nodes M] --bytes B [--algo A] [--proto P] "
     "[--json | --nccl]",
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

int command_main(int argc, char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return command_start(&commands[i], argc - 1, argv + 1);
    const int help = strcmp(name, "--help") == 0 || strcmp(name, "help") == 0;
    if (!help && *name)
        fprintf(stderr, "commgraph: unknown command '%s'\n", name);
    print_usage(help ? stdout : stderr);
    return help ? 0 : COMMAND_USAGE;
}
