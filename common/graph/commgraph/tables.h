/*
 * tables.h: the tables of measurements that a command was given
 */
#ifndef COMMLAB_COMMGRAPH_TABLES_H
#define COMMLAB_COMMGRAPH_TABLES_H

#include "topo/nccltests.h"

enum { TABLES_FILES = 256 };

struct tables_options { /* a command's arguments; NULL: not given */
    const char *topo;
    const char *op, *ranks, *nodes; /* for tables that don't say themselves */
    const char *path[TABLES_FILES];
    int npaths;
};

struct tables_option { /* one that only this command has */
    const char *name, **value;
};

/* Read the arguments of command `name`: files and options, `more` among them up
 * to one without a name. Returns 0, or an exit status after a message. */
int tables_arguments(const char *name, int argc, char **argv,
                     struct tables_options *out,
                     const struct tables_option *more);

/*
 * Read the files, "-" for standard input, and complete their tables. The file's
 * own words count more than the options. Returns 0, or a command's exit status
 * after a message of command `name`.
 */
int tables_read(const char *name, struct nccltests *all,
                const struct tables_options *options);

#endif
