/*
 * exec.h: executable graphs
 */
#ifndef SIMGPU_CUDART_GRAPHS_EXEC_H
#define SIMGPU_CUDART_GRAPHS_EXEC_H

#include "cudart/graphs/cugraph.h"

struct CUgraphExec_st {
    struct CUgraphExec_st *next; /* all executable graphs of the program */
    struct CUgraph_st *graph;    /* copy of the graph that was instantiated */
    unsigned long long flags;
    struct fence last; /* the end of its latest launch */
};

/* Returns NULL unless it is an executable graph that the program may use. */
struct CUgraphExec_st *exec_find(cudaGraphExec_t exec);

/* *node is set to the node that failed, or NULL. */
cudaError_t exec_new(const struct CUgraph_st *g, unsigned long long flags,
                     struct CUgraphExec_st **out, cudaGraphNode_t *node);
void exec_delete(struct CUgraphExec_st *e);
cudaError_t exec_launch(struct CUgraphExec_st *e, struct stream *s,
                        uint32_t site);

#endif
