/*
 * user_object.h: the program's objects that graphs keep alive
 */
#ifndef SIMGPU_CUDART_GRAPHS_USER_OBJECT_H
#define SIMGPU_CUDART_GRAPHS_USER_OBJECT_H

#include "cudart/api.h"

struct held { /* references of a graph to an object */
    struct CUuserObject_st *object;
    unsigned count;
    struct held *next;
};

/* A graph gains references, or takes over the program's (move). */
cudaError_t user_object_hold(struct held **all, struct CUuserObject_st *object,
                             unsigned count, int move);

/* The graph loses some references. cudaErrorInvalidValue if it has fewer. */
cudaError_t user_object_unhold(struct held *all, struct CUuserObject_st *object,
                               unsigned count);

/* All that another graph has, for a copy of it; and the loss of all. */
void user_objects_copy(struct held **to, const struct held *from);
void user_objects_drop(struct held *all);

#endif
