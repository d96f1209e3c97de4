/*
 * cugraph.h: CUDA graphs
 *
 * A graph is a list of nodes, each with the parameters of its call, and edges
 * from a node to those before it. An executable graph has a copy of a graph, in
 * which `origin` leads from each node to the one that it was copied from.
 * Launching it runs each node's call on a stream that belongs to the executable
 * graph (exec.c):
 *
 *     launch stream   ...--begin----------------end--...
 *     own stream 1          \--A--C--------/
 *     own stream 2             \--B--D----/            B after A, D after B
 *
 * Two nodes are therefore ordered only by what the program has specified.
 */
#ifndef SIMGPU_CUDART_GRAPHS_CUGRAPH_H
#define SIMGPU_CUDART_GRAPHS_CUGRAPH_H

#include "core/declared.h"
#include "cudart/api.h"

struct cugraph_edge {
    struct CUgraphNode_st *from;
    cudaGraphEdgeData data;
};

/* The type of nodes that write values to memory and wait for them. Only the
 * driver has a name for it: CU_GRAPH_NODE_TYPE_BATCH_MEM_OP. */
#define CUGRAPH_MEMORY_OPS ((enum cudaGraphNodeType)12)

/* Work of another library, such as a group of NCCL calls, as a node. */
struct foreign {
    int refs;
    /* enqueues all of it on this stream */
    void (*enqueue)(void *arg, void *stream);
    void (*release)(void *arg);
    void *arg;
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    struct CUgraphNode_st *next, *origin;
    /* when it last became a root; roots are listed in this order */
    uint64_t rooted;
    struct cudaGraphNodeParams params; /* kernel arguments are in `args` */
    /* a copy of a kernel's arguments, for free() */
    void **args;
    unsigned nargs;
    cudaLaunchAttribute attr[8]; /* a kernel's attributes */
    unsigned nattrs;
    int is_declared; /* a captured kernel's cost is known */
    struct declared declared;
    struct foreign *foreign;
    const char *name; /* name of the call or the kernel */
    uint32_t site;    /* where it was added or captured */
    int device;       /* the device that was current then */
    int disabled;
    struct cugraph_edge *dep;
    size_t ndeps, cap_deps;
    struct CUgraph_st *child;    /* a child graph node's; owned */
    struct body *body;           /* a conditional node's; owned */
    unsigned mark;               /* temporary, for walks */
    struct CUgraphNode_st *pair; /* temporary, for updates */
    unsigned chain;              /* exec.c: number of its stream */
    struct fence fence;          /* exec.c: its end in the current launch */
};

struct held; /* user objects: user_object.h */

struct CUgraph_st {
    struct CUgraph_st *next; /* all graphs that programs may use */
    unsigned id;             /* number in pictures */
    int owned;               /* a node owns it: programs don't destroy it */
    struct CUgraphNode_st *first, **tail;
    unsigned nnodes;
    uint64_t nrooted; /* number of times that a node became a root */
    struct held *held;
    struct exec_plan *plan; /* an executable graph's: plan.h */
};

/* What a cudaGraphConditionalHandle refers to. Never freed, since
 * kernels keep handles. */
struct condition {
    _Atomic unsigned value;
    unsigned initial;
    int assign; /* set the initial value at each launch */
};

struct body { /* a conditional node's graphs */
    struct condition *condition;
    enum cudaGraphConditionalNodeType type;
    unsigned n;
    cudaGraph_t *graph; /* n of them */
    /* exec.c: host thread that is charged with its launches */
    uint32_t thread;
};

/* Returns 0 unless it is a graph that the program may use. */
int cugraph_is_live(cudaGraph_t graph);
/* True if the graph or a child allocates or frees memory, so that no part of it
 * can be removed. The program can copy neither such a graph nor one with
 * conditional nodes. */
int cugraph_has_memory(const struct CUgraph_st *g);
int cugraph_can_copy(const struct CUgraph_st *g);

struct CUgraph_st *cugraph_new(int owned);
void cugraph_delete(struct CUgraph_st *g);

/* Copy a graph. Each node's origin is the node it was copied from. */
struct CUgraph_st *cugraph_copy(const struct CUgraph_st *g, int owned);

/*
 * Add a node of this type after `deps`. The parameters are checked and copied.
 * *out is NULL after an error.
 */
cudaError_t cugraph_add(struct CUgraph_st *g, const cudaGraphNode_t *deps,
                        const cudaGraphEdgeData *data, size_t ndeps,
                        struct cudaGraphNodeParams *params, const char *name,
                        uint32_t site, cudaGraphNode_t *out);

/* Add a node of this type for another library's work. */
cudaError_t cugraph_add_foreign(struct CUgraph_st *g,
                                const cudaGraphNode_t *deps, size_t ndeps,
                                enum cudaGraphNodeType type, struct foreign *f,
                                const char *name, uint32_t site,
                                cudaGraphNode_t *out);

/* Replace a node's parameters, which must be of its type. */
cudaError_t node_set(struct CUgraphNode_st *n,
                     const struct cudaGraphNodeParams *params);
cudaError_t node_depend(struct CUgraphNode_st *n, struct CUgraphNode_st *from,
                        const cudaGraphEdgeData *data);
cudaError_t node_undepend(struct CUgraphNode_st *n,
                          const struct CUgraphNode_st *from);
struct CUgraphNode_st *node_find(const struct CUgraph_st *g,
                                 cudaGraphNode_t node);

/* The copy of this node in g or its child graphs, or NULL. */
struct CUgraphNode_st *node_copy_of(const struct CUgraph_st *g,
                                    const struct CUgraphNode_st *origin);

/* Sort g's nodes such that each follows the nodes it depends on. Returns an
 * array of g->nnodes to be freed, or NULL if there is a cycle. */
struct CUgraphNode_st **cugraph_order(const struct CUgraph_st *g);

/* Enqueue a node's call on the stream. */
cudaError_t node_enqueue(struct CUgraphNode_st *n, struct stream *s);

/* Replace the work of a node of another library by that
 * of another such node. */
void node_take_foreign(struct CUgraphNode_st *to,
                       const struct CUgraphNode_st *from);

/* Set an attribute of a kernel node. */
cudaError_t node_set_attribute(struct CUgraphNode_st *n,
                               const cudaLaunchAttribute *a);

/* Remove a node on which no other depends. */
void cugraph_remove(struct CUgraphNode_st *n);

/* Create a condition. Returns its handle. */
cudaGraphConditionalHandle cugraph_condition(unsigned initial, int assign);

/* An executable graph's copy of a node, or NULL (cugraph_exec.c); and replacing
 * the copy's child graph by one of the same shape (cugraph_update.c). */
struct CUgraphNode_st *exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
cudaError_t exec_set_child(struct CUgraphNode_st *n, cudaGraph_t child);

/* A copy of count bytes, as the parameters of a box. */
struct cudaMemcpy3DParms node_box(void *dst, const void *src, size_t count,
                                  enum cudaMemcpyKind kind);

#endif
