/*
 * capture_info.c: querying captures, and the nodes that their streams follow
 */
#include <stdlib.h> /* calloc */

#include "core/stream/stream.h"
#include "cudart/graphs/capture.h"
#include "cudart/graphs/capture_state.h"

static cudaError_t status_of(cudaStream_t stream,
                             enum cudaStreamCaptureStatus *status,
                             struct member **member)
{
    if (!status)
        return cudaErrorInvalidValue;
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    const cudaError_t err = capture_legacy_error(s, 0); // a query does no harm
    if (err != cudaSuccess)
        return err;
    const struct member *const m = *member = simgpu_stream_capture(s);
    *status = !m                    ? cudaStreamCaptureStatusNone
              : m->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *pCaptureStatus)
{
    API_ENTER();
    struct member *m;
    return api_return(status_of(stream, pCaptureStatus, &m));
}

/* All edges are plain, which zeros express. They are
 * valid until the next call. */
static const cudaGraphEdgeData *edges_of(struct member *m)
{
    free(m->edges);
    m->edges = calloc(m->follows.n + 1, sizeof *m->edges);
    return m->edges;
}

cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
    unsigned long long *id_out, cudaGraph_t *graph_out,
    const cudaGraphNode_t **dependencies_out,
    const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    API_ENTER();
    struct member *m = NULL;
    const cudaError_t err = status_of(stream, captureStatus_out, &m);
    if (err != cudaSuccess || !m)
        return api_return(err);
    if (id_out)
        *id_out = m->capture->id;
    if (m->capture->invalid)
        return api_return(err);
    if (graph_out)
        *graph_out = m->capture->graph;
    if (dependencies_out)
        *dependencies_out = m->follows.node;
    if (edgeData_out)
        *edgeData_out = edges_of(m);
    if (numDependencies_out)
        *numDependencies_out = m->follows.n;
    return api_return(cudaSuccess);
}

cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                    cudaGraphNode_t *dependencies,
                                    const cudaGraphEdgeData *dependencyData,
                                    size_t numDependencies, unsigned int flags)
{
    API_ENTER();
    (void)dependencyData;
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err = capture_allows_work(s);
    if (err != cudaSuccess)
        return api_return(err);
    struct member *const m = simgpu_stream_capture(s);
    if (!m)
        return api_return(cudaErrorIllegalState);
    if (flags > cudaStreamSetCaptureDependencies ||
        (numDependencies && !dependencies))
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < numDependencies; i++)
        if (!node_find(m->capture->graph, dependencies[i]))
            return api_return(cudaErrorInvalidValue);
    if (flags == cudaStreamSetCaptureDependencies)
        node_set_to(&m->follows, dependencies, numDependencies);
    else
        node_set_join(&m->follows, dependencies, numDependencies);
    return api_return(cudaSuccess);
}
