/*
 * cugraph_order.c: an order in which each node follows what it depends on
 */
#include <stdlib.h> /* calloc */

#include "core/report.h"
#include "cudart/graphs/cugraph.h"

struct CUgraphNode_st **cugraph_order(const struct CUgraph_st *g)
{
    struct CUgraphNode_st **const out =
        simgpu_need(calloc(g->nnodes + 1, sizeof *out), "a graph");
    unsigned n = 0, before = 1;
    for (struct CUgraphNode_st *k = g->first; k; k = k->next)
        k->mark = 0;
    while (n < g->nnodes && n != before) {
        before = n;
        for (struct CUgraphNode_st *k = g->first; k; k = k->next) {
            size_t i = 0;
            while (i < k->ndeps && k->dep[i].from->mark)
                i++;
            if (!k->mark && i == k->ndeps) {
                k->mark = 1;
                out[n++] = k;
            }
        }
    }
    if (n == g->nnodes)
        return out;
    free(out);
    return NULL;
}
