/*
 * exec.h: executable graphs
 */
#ifndef SIMGPU_CUDART_EXEC_H
#define SIMGPU_CUDART_EXEC_H

#include "cudart/cugraph.h"

struct CUgraphExec_st {
    struct CUgraphExec_st *next; /* all that programs may use */
    struct CUgraph_st *graph;    /* a copy */
    unsigned long long flags;
    struct fence last; /* the end of its latest launch */
};

/* NULL if it is not one that the program may use. */
struct CUgraphExec_st *exec_find(cudaGraphExec_t exec);

/* *node: where it went wrong, or NULL. */
cudaError_t exec_new(const struct CUgraph_st *g, unsigned long long flags,
                     struct CUgraphExec_st **out, cudaGraphNode_t *node);
void exec_delete(struct CUgraphExec_st *e);
cudaError_t exec_launch(struct CUgraphExec_st *e, struct stream *s,
                        uint32_t site);

#endif
