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

#include "graph/replay.h"

enum { COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

/* The program: runs the command that is named first. */
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

/* Print "commgraph: ..." and the command's usage; returns COMMAND_USAGE. */
int command_usage(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print "commgraph: ..." to standard error; returns COMMAND_FAILED. */
int command_failed(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Parse an environment variable into a set. Returns 0, or COMMAND_FAILED with
 * a message if it has an unknown word. */
int command_set(const char *variable, int (*parse)(const char *words),
                int *set);

/* Load a machine and give NCCL's variables their effect; what has none is said
 * on standard error. NULL after a message. */
struct topo *command_topo(const char *name);

/* A saved run, replayed. */
struct command_run {
    struct graph *graph;
    struct topo *topo;
    struct replay *replay;
    struct replay_options options; /* it was replayed with */
};

/*
 * Load the run in `dir` and replay it on machine `topo`, or if that is
 * NULL on the one it was recorded for. Honours NCCL_ALGO and NCCL_PROTO.
 * Returns 0, or the exit status after printing a message.
 */
int command_run_init(struct command_run *r, const char *dir, const char *topo);
void command_run_release(struct command_run *r);

#endif
