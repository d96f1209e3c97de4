/*
 * command.h: what commgraph's commands have in common
 *
 * A command gets its own arguments, its name first, and returns the exit status:
 * 0, 1 when it failed (with a line on standard error), 2 for wrong usage.
 */
#ifndef COMMLAB_COMMGRAPH_COMMAND_H
#define COMMLAB_COMMGRAPH_COMMAND_H

#include <stdio.h>

#include "graph/replay.h"

enum { COMMAND_FAILED = 1, COMMAND_USAGE = 2 };

int cmd_time(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_path(int argc, char **argv);
int cmd_topo(int argc, char **argv);
int cmd_collective(int argc, char **argv);
int cmd_p2p(int argc, char **argv);
int cmd_hazards(int argc, char **argv);

/* Print "commgraph: ..." and how to call the command; returns COMMAND_USAGE. */
int command_usage(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print "commgraph: ..." to standard error; returns COMMAND_FAILED. */
int command_failed(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* The set in an environment variable, which `parse` reads: 0, or
 * COMMAND_FAILED with a message for an unknown word. */
int command_set(const char *variable, int (*parse)(const char *words),
                int *set);

/* A saved run, replayed. */
struct command_run {
    struct graph *graph;
    struct topo *topo;
    struct replay *replay;
};

/*
 * Load the run in `dir` and replay it on machine `topo`, or where that is NULL
 * on the one it was recorded for. NCCL_ALGO and NCCL_PROTO are obeyed. 0, or the
 * exit status, with a message printed.
 */
int command_run_init(struct command_run *r, const char *dir, const char *topo);
void command_run_release(struct command_run *r);

#endif
