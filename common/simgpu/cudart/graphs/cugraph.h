/*
 * cugraph.h: CUDA graphs
 *
 * A graph is a list of nodes with the calls' own parameters, and edges from a
 * node to those before it. An executable graph holds a copy, in which `origin`
 * leads from each node to the one that it is a copy of. Launching it runs each
 * node's call on a stream of the executable graph's own (exec.c):
 *
 *     launch stream   ...--begin----------------end--...
 *     own stream 1          \--A--C--------/
 *     own stream 2             \--B--D----/            B after A, D after B
 *
 * so that what orders two nodes is what the program said, and nothing else.
 */
#ifndef SIMGPU_CUDART_CUGRAPH_H
#define SIMGPU_CUDART_CUGRAPH_H

#include "cudart/api.h"

struct cugraph_edge {
    struct CUgraphNode_st *from;
    cudaGraphEdgeData data;
};

/* Work of another library, such as a group of NCCL calls, as a node. */
struct foreign {
    int refs;
    void (*enqueue)(void *arg, void *stream); /* all of it, to this stream */
    void (*release)(void *arg);
    void *arg;
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct CUgraphNode_st *next, *origin;
    uint64_t rooted; /* when it last became a root: roots are listed by this */
    struct cudaGraphNodeParams params; /* a kernel's arguments are a copy */
    void **args;                       /* that copy, for free() */
    unsigned nargs;
    cudaLaunchAttribute attr[8]; /* a kernel's attributes */
    unsigned nattrs;
    struct foreign *foreign;
    const char *name; /* of the call, or of the kernel */
    uint32_t site;    /* where it was added or captured */
    int device;       /* current then */
    int disabled;
    struct cugraph_edge *dep;
    size_t ndeps, cap_deps;
    struct CUgraph_st *child;    /* of a child graph node; owned */
    struct body *body;           /* of a conditional node; owned */
    unsigned mark;               /* scratch for walks */
    struct CUgraphNode_st *pair; /* scratch of updates */
    unsigned chain;              /* exec.c: its stream */
    struct fence fence;          /* exec.c: its end in this launch */
};

struct held { /* a user object */
    struct CUuserObject_st *object;
    unsigned count;
    struct held *next;
};

struct CUgraph_st {
    struct CUgraph_st *next; /* all graphs that programs may use */
    unsigned id;             /* in pictures */
    int owned;               /* by a node: programs do not destroy it */
    struct CUgraphNode_st *first, **tail;
    unsigned nnodes;
    uint64_t nrooted; /* how often a node became a root */
    struct held *held;
    struct plan *plan; /* of an executable graph: exec.c */
};

/* Behind a cudaGraphConditionalHandle; never freed, since kernels hold it. */
struct condition {
    _Atomic unsigned value;
    unsigned initial;
    int assign; /* the initial value, at each launch */
};

struct body { /* of a conditional node */
    struct condition *condition;
    enum cudaGraphConditionalNodeType type;
    unsigned n;
    cudaGraph_t *graph; /* n of them */
    uint32_t thread;    /* exec.c: host thread that its launches count as */
};

/* 0 if it is not one that the program may use. */
int cugraph_is_live(cudaGraph_t graph);
/* True if it, or a child, allocates or frees memory: no part of it can be
 * removed. The program can't copy such a graph, nor one with conditional nodes.
 */
int cugraph_has_memory(const struct CUgraph_st *g);
int cugraph_can_copy(const struct CUgraph_st *g);

struct CUgraph_st *cugraph_new(int owned);
void cugraph_delete(struct CUgraph_st *g);

/* A copy; each node's origin is the node that it is a copy of. */
struct CUgraph_st *cugraph_copy(const struct CUgraph_st *g, int owned);

/*
 * Add a node of this type with these parameters, which are checked and copied,
 * after `deps`. *out is NULL after an error.
 */
cudaError_t cugraph_add(struct CUgraph_st *g, const cudaGraphNode_t *deps,
                        const cudaGraphEdgeData *data, size_t ndeps,
                        struct cudaGraphNodeParams *params, const char *name,
                        uint32_t site, cudaGraphNode_t *out);

/* Add a node for another library's work. */
cudaError_t cugraph_add_foreign(struct CUgraph_st *g,
                                const cudaGraphNode_t *deps, size_t ndeps,
                                struct foreign *f, const char *name,
                                uint32_t site, cudaGraphNode_t *out);

/* Replace a node's parameters, which must be of its type. */
cudaError_t node_set(struct CUgraphNode_st *n,
                     const struct cudaGraphNodeParams *params);
cudaError_t node_depend(struct CUgraphNode_st *n, struct CUgraphNode_st *from,
                        const cudaGraphEdgeData *data);
cudaError_t node_undepend(struct CUgraphNode_st *n,
                          const struct CUgraphNode_st *from);
struct CUgraphNode_st *node_find(const struct CUgraph_st *g,
                                 cudaGraphNode_t node);

/* The node of g that is a copy of this one, in child graphs too; or NULL. */
struct CUgraphNode_st *node_copy_of(const struct CUgraph_st *g,
                                    const struct CUgraphNode_st *origin);

/* g's nodes so that each follows what it depends on, in an array of g->nnodes
 * for free(); NULL if they form a cycle. */
struct CUgraphNode_st **cugraph_order(const struct CUgraph_st *g);

/* Forget what an executable graph needs to run. */
void plan_delete(struct plan *p);

/* Enqueue a node's call on the stream. */
cudaError_t node_enqueue(struct CUgraphNode_st *n, struct stream *s);

/* A node of another library's work becomes that of another. */
void node_take_foreign(struct CUgraphNode_st *to,
                       const struct CUgraphNode_st *from);

/* Note an attribute of a kernel node. */
cudaError_t node_set_attribute(struct CUgraphNode_st *n,
                               const cudaLaunchAttribute *a);

/* Remove a node that no other depends on. */
void cugraph_remove(struct CUgraphNode_st *n);

/* A new condition, as its handle. */
cudaGraphConditionalHandle cugraph_condition(unsigned initial, int assign);

/* An executable graph's copy of a node, or NULL (cugraph_exec.c); and a new
 * child graph for it, of the same shape (cugraph_update.c). */
struct CUgraphNode_st *exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
cudaError_t exec_set_child(struct CUgraphNode_st *n, cudaGraph_t child);

/* The pattern of a copy of bytes, as a box. */
struct cudaMemcpy3DParms node_box(void *dst, const void *src, size_t count,
                                  enum cudaMemcpyKind kind);

/* User objects: gained and lost by graphs. */
cudaError_t user_object_hold(struct CUgraph_st *g,
                             struct CUuserObject_st *object, unsigned count,
                             int move);
void user_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from);
void user_objects_drop(struct CUgraph_st *g);

#endif
