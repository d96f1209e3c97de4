/*
 * node_attribute.c: attributes of streams and of kernel nodes
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/stream/stream.h"
#include "cudart/graphs/cugraph.h"

enum {
    MAX = sizeof((struct CUgraphNode_st *)0)->attr / sizeof(cudaLaunchAttribute)
};

cudaError_t node_set_attribute(struct CUgraphNode_st *n,
                               const cudaLaunchAttribute *a)
{
    unsigned i = 0;
    while (i < n->nattrs && n->attr[i].id != a->id)
        i++;
    if (i == MAX)
        return cudaErrorNotSupported;
    n->attr[i] = *a;
    if (i == n->nattrs)
        n->nattrs++;
    return cudaSuccess;
}

static int is_kernel(cudaGraphNode_t n)
{
    return n && n->params.type == cudaGraphNodeTypeKernel && !n->foreign;
}

static int is_known(cudaLaunchAttributeID id)
{
    return id == cudaLaunchAttributeAccessPolicyWindow ||
           id == cudaLaunchAttributeCooperative ||
           id == cudaLaunchAttributeClusterDimension ||
           id == cudaLaunchAttributeClusterSchedulingPolicyPreference ||
           id == cudaLaunchAttributePriority ||
           id == cudaLaunchAttributeMemSyncDomainMap ||
           id == cudaLaunchAttributeMemSyncDomain ||
           id == cudaLaunchAttributePreferredSharedMemoryCarveout;
}

cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode,
                                cudaKernelNodeAttrID attr,
                                const cudaKernelNodeAttrValue *value)
{
    if (!is_kernel(hNode) || !value || !is_known(attr) ||
        !api_attribute_fits(attr, value))
        return api_return(cudaErrorInvalidValue);
    cudaLaunchAttribute a = {.id = attr};
    a.val = *value;
    if (attr == cudaLaunchAttributePriority)
        a.val.priority = api_priority(value->priority);
    return api_return(node_set_attribute(hNode, &a));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode,
                                            cudaKernelNodeAttrID attr,
                                            cudaKernelNodeAttrValue *value_out)
{
    if (!is_kernel(hNode) || !value_out || !is_known(attr))
        return api_return(cudaErrorInvalidValue);
    memset(value_out, 0, sizeof *value_out);
    for (unsigned i = 0; i < hNode->nattrs; i++)
        if (hNode->attr[i].id == attr)
            *value_out = hNode->attr[i].val;
    return api_return(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst,
                                              cudaGraphNode_t hSrc)
{
    if (!is_kernel(hDst) || !is_kernel(hSrc))
        return api_return(cudaErrorInvalidValue);
    memcpy(hDst->attr, hSrc->attr, sizeof hDst->attr);
    hDst->nattrs = hSrc->nattrs;
    return api_return(cudaSuccess);
}
