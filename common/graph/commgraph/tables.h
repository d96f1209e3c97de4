/*
 * tables.h: tables of measurements given to a command
 */
#ifndef COMMLAB_COMMGRAPH_TABLES_H
#define COMMLAB_COMMGRAPH_TABLES_H

#include "topo/fit/nccltests.h"

enum { TABLES_FILES = 256 };

struct tables_options { /* a command's arguments; NULL if not given */
    const char *topo;
    const char *op, *ranks, *nodes; /* for tables that don't say so
                                       themselves */
    const char *path[TABLES_FILES];
    int npaths;
};

struct tables_option { /* an option that only this command has */
    const char *name, **value;
};

/*
 * Read a command's arguments: files and options. `more` lists further
 * options, up to one without a name. Returns 0, or an exit status after a
 * message.
 */
int tables_arguments(int argc, char **argv, struct tables_options *out,
                     const struct tables_option *more);

/*
 * Read the files, "-" for standard input, and complete their tables. What a
 * file says takes precedence over the options. Returns 0, or the exit status
 * after a message.
 */
int tables_read(struct nccltests *all, const struct tables_options *options);

#endif
