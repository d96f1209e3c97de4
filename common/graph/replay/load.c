#include "graph/replay/load.h"

#include <stdio.h> /* snprintf */

#include "graph/replay/apart.h"

struct graph *graph_load(const char *dir, char *err, size_t err_nbytes)
{
    struct graph *const g = graph_read(dir, err, err_nbytes);
    if (!g || apart_find(g) == 0)
        return g;
    graph_free(g);
    snprintf(err, err_nbytes, "no memory");
    return NULL;
}
