/*
 * plan.h: how an executable graph runs
 *
 * exec.c makes it, and runs graphs by it.
 */
#ifndef SIMGPU_CUDART_GRAPHS_PLAN_H
#define SIMGPU_CUDART_GRAPHS_PLAN_H

struct CUgraphNode_st;
struct stream;

struct exec_plan {
    struct CUgraphNode_st **order; /* each after those it depends on */
    struct stream **stream;        /* by chain */
    int *device;                   /* by chain */
    struct CUgraphNode_st **tail;  /* the latest node, by chain */
    unsigned nchains;
};

void plan_delete(struct exec_plan *p); /* NULL is allowed */

#endif
