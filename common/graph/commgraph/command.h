/*
 * command.h: shared by commgraph's commands
 *
 * A command gets its own arguments, starting with its name, and returns the
 * exit status: 0, 1 if it failed (with a line on standard error), 2 for wrong
 * usage.
 */
#ifndef COMMLAB_COMMGRAPH_COMMAND_H
#define COMMLAB_COMMGRAPH_COMMAND_H

#include <stdio.h>

#include "graph/replay/replay.h"

enum { COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

/* The program's main(). Runs the command that the first argument names. */
int command_main(int argc, char **argv);

int cmd_time(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_path(int argc, char **argv);
int cmd_topo(int argc, char **argv);
int cmd_speeds(int argc, char **argv);
int cmd_collective(int argc, char **argv);
int cmd_p2p(int argc, char **argv);
int cmd_hazards(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_expect(int argc, char **argv);

struct command {
    const char *name, *arguments, *what;
    int (*run)(int argc, char **argv);
};

/* Run a command, for which command_usage() speaks from now on. */
int command_start(const struct command *c, int argc, char **argv);

/* Print "commgraph NAME: ..." and the usage of the command that is running;
 * returns COMMAND_USAGE. */
int command_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Print "commgraph: ..." to standard error; returns COMMAND_FAILED. */
int command_failed(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Read NCCL_ALGO and NCCL_PROTO. Returns 0, or COMMAND_FAILED after a message
 * if NCCL would not accept one of them. */
int command_sets(struct topo_sets *algos, struct topo_sets *protos);

struct command_option {
    const char *name;
    const char **value; /* gets the next argument; NULL for a flag */
    int *flag;          /* becomes 1 */
};

/*
 * Read the arguments of a command: options, which a NULL name ends, and the
 * directory of a saved run. *dir becomes NULL without one. Returns 0, or the
 * exit status after a message.
 */
int command_arguments(int argc, char **argv,
                      const struct command_option *options, const char **dir);

/* Write a line to standard error (a topo_remark). */
void command_remark(void *user, const char *line);

/* Load a machine and apply NCCL's environment variables to it. Variables
 * without an effect, and what is odd about the machine's file, are reported on
 * standard error. NULL after a message. */
struct topo *command_topo(const char *name);

/* A saved run, replayed. */
struct command_run {
    struct graph *graph;
    struct topo *topo;
    struct replay *replay;
    struct replay_options options; /* options of this replay */
};

/*
 * Load the run in `dir` and replay it on machine `topo`, or, if that is NULL,
 * on the machine that it was recorded for. Honours NCCL_ALGO and NCCL_PROTO.
 * Returns 0, or the exit status after a message.
 */
int command_run_init(struct command_run *r, const char *dir, const char *topo);
void command_run_release(struct command_run *r);

#endif
