/*
 * load.h: a saved run, ready for a replay
 */
#ifndef COMMLAB_GRAPH_LOAD_H
#define COMMLAB_GRAPH_LOAD_H

#include "graph/record/read.h"

/*
 * Read a saved run from DIR/rank-N.graph for all N, and add the order that only
 * its host threads knew (apart.h). On failure, also for a damaged file, returns
 * NULL with "file: offset: reason" in err. Free it with graph_free().
 */
struct graph *graph_load(const char *dir, char *err, size_t err_nbytes);

#endif
