#include "graph/record/span.h"

#include <string.h> /* strstr */

uint32_t span_mark(const struct graph *g, const char *span, char *in)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < g->nranks; rank++) {
        uint32_t first = GRAPH_NOWHERE, last = 0;
        for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++)
            if (strstr(g->nodes[at].span, span)) {
                first = first == GRAPH_NOWHERE ? at : first;
                last = at;
            }
        for (uint32_t at = first; first != GRAPH_NOWHERE && at <= last; at++) {
            in[at] = 1;
            n++;
        }
    }
    return n;
}
