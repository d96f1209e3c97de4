/*
 * cugraph_picture.c: pictures of graphs for Graphviz, as CUDA draws them
 *
 * Each graph is a cluster. The clusters of a graph's child graphs and of its
 * conditional nodes' bodies follow its own.
 */
#include <stdio.h> /* fopen */

#include "core/site.h"
#include "cudart/graphs/cugraph.h"

static const char *const type_names[] = {
    [cudaGraphNodeTypeKernel] = "KERNEL",
    [cudaGraphNodeTypeMemcpy] = "MEMCPY",
    [cudaGraphNodeTypeMemset] = "MEMSET",
    [cudaGraphNodeTypeHost] = "HOST",
    [cudaGraphNodeTypeGraph] = "GRAPH",
    [cudaGraphNodeTypeEmpty] = "EMPTY",
    [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
    [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
    [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
    [cudaGraphNodeTypeMemFree] = "MEM_FREE",
    [CUGRAPH_MEMORY_OPS] = "BATCH_MEM_OP",
    [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    [cudaGraphNodeTypeCount] = NULL,
};

static const char *shape_of(const struct CUgraphNode_st *n)
{
    switch (n->params.type) {
    case cudaGraphNodeTypeKernel: return "style=\"bold\" shape=\"octagon\" ";
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeMemset:
        return "style=\"solid\" shape=\"invtrapezium\"";
    default: return "style=\"solid\" shape=\"rectangle\" ";
    }
}

static void print_what(FILE *f, const struct CUgraphNode_st *n)
{
    static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD"};
    const struct cudaMemsetParamsV2 *const m = &n->params.memset;
    const struct cudaMemcpy3DParms *const c = &n->params.memcpy.copyParams;
    switch (n->params.type) {
    case cudaGraphNodeTypeKernel: fprintf(f, "%s\n", n->name); break;
    case cudaGraphNodeTypeGraph: fprintf(f, "graph_%u\n", n->child->id); break;
    case cudaGraphNodeTypeMemset:
        fprintf(f, "MEMSET\n(%u,%zu)\n", m->value, m->width);
        break;
    case cudaGraphNodeTypeMemcpy:
        fprintf(f, "MEMCPY\n(%s,%zu)\n",
                c->kind < cudaMemcpyDefault ? kinds[c->kind] : "Default",
                c->extent.width * c->extent.height * c->extent.depth);
        break;
    default: fprintf(f, "%s\n", type_names[n->params.type]);
    }
}

/* Print what only simgpu knows: the call that made the node, and its line. */
static void print_origin(FILE *f, const struct CUgraphNode_st *n)
{
    char where[256];
    const struct cudaKernelNodeParamsV2 *const k = &n->params.kernel;
    if (n->params.type == cudaGraphNodeTypeKernel && !n->foreign)
        fprintf(f, "\\<\\<\\<(%u,%u,%u), (%u,%u,%u), %u\\>\\>\\>\n",
                k->gridDim.x, k->gridDim.y, k->gridDim.z, k->blockDim.x,
                k->blockDim.y, k->blockDim.z, k->sharedMemBytes);
    else
        fprintf(f, "%s\n", n->name);
    simgpu_site_text(n->site, where, sizeof where);
    fprintf(f, "%s\n", where);
}

static void print_nodes(FILE *f, const struct CUgraph_st *g, int verbose)
{
    unsigned at = 0;
    for (struct CUgraphNode_st *n = g->first; n; n = n->next) {
        n->mark = at++;
        fprintf(f, "\"graph_%u_node_%u\"[%slabel=\"%u\n", g->id, n->mark,
                shape_of(n), n->mark);
        print_what(f, n);
        if (verbose)
            print_origin(f, n);
        fprintf(f, "\"];\n\n");
    }
}

static void print_graph(FILE *f, const struct CUgraph_st *g, int verbose)
{
    fprintf(f,
            "subgraph cluster_%u {\n"
            "label=\"graph_%u\" graph[style=\"dashed\"];\n",
            g->id, g->id);
    print_nodes(f, g, verbose);
    for (const struct CUgraphNode_st *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->ndeps; i++)
            fprintf(f, "\"graph_%u_node_%u\" -> \"graph_%u_node_%u\";\n", g->id,
                    n->dep[i].from->mark, g->id, n->mark);
    fprintf(f, "}\n");
    for (const struct CUgraphNode_st *n = g->first; n; n = n->next) {
        if (n->child)
            print_graph(f, n->child, verbose);
        for (unsigned i = 0; n->body && i < n->body->n; i++)
            print_graph(f, n->body->graph[i], verbose);
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
                                   unsigned int flags)
{
    if (!cugraph_is_live(graph) || !path)
        return api_return(cudaErrorInvalidValue);
    FILE *const f = fopen(path, "w");
    if (!f)
        return api_return(cudaErrorOperatingSystem);
    fprintf(f, "digraph dot {\n");
    print_graph(f, graph, flags != 0); // any flag asks for details
    fprintf(f, "}\n");
    return api_return(fclose(f) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
