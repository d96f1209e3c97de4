/*
 * tables.h: the tables of measurements that a command was given
 */
#ifndef COMMLAB_COMMGRAPH_TABLES_H
#define COMMLAB_COMMGRAPH_TABLES_H

#include "topo/nccltests.h"

struct tables_options {             /* for tables that don't say themselves */
    const char *op, *ranks, *nodes; /* NULL: not given */
};

/*
 * Read n files, "-" for standard input, and complete their tables. The file's
 * own words count more than the options. Returns 0, or a command's exit status
 * after a message of command `name`.
 */
int tables_read(const char *name, struct nccltests *all,
                const char *const *paths, int n,
                const struct tables_options *options);

#endif
