#include "cudart/graphs/capture.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/report.h"
#include "core/stream/deferred.h"
#include "core/stream/stream.h"
#include "core/thread.h"
#include "cudart/graphs/capture_state.h"
#include "cudart/memory/box.h"

static void *need(void *p)
{
    return simgpu_need(p, "a capture");
}

/* ---- sets of nodes ------------------------------------------------------- */

void node_set_to(struct node_set *s, struct CUgraphNode_st *const *node,
                 size_t n)
{
    struct CUgraphNode_st **const copy = need(malloc((n + 1) * sizeof *copy));
    if (n)
        memcpy(copy, node, n * sizeof *copy);
    free(s->node);
    s->node = copy;
    s->n = n;
}

static int node_set_has(const struct node_set *s,
                        const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->node[i] == node)
            return 1;
    return 0;
}

void node_set_join(struct node_set *s, struct CUgraphNode_st *const *node,
                   size_t n)
{
    s->node = need(realloc(s->node, (s->n + n + 1) * sizeof *s->node));
    for (size_t i = 0; i < n; i++)
        if (!node_set_has(s, node[i]))
            s->node[s->n++] = node[i];
}

/* ---- recording ----------------------------------------------------------- */

cudaError_t capture_params(struct stream *s, struct cudaGraphNodeParams *params,
                           const char *name, uint32_t site,
                           struct CUgraphNode_st **out)
{
    struct member *const m = simgpu_stream_capture(s);
    cudaGraphNode_t node = NULL;
    const cudaError_t err =
        cugraph_add(m->capture->graph, m->follows.node, NULL, m->follows.n,
                    params, name, site, &node);
    if (err == cudaSuccess) {
        node->device = simgpu_stream_device(s);
        node_set_to(&m->follows, &node, 1);
    } else {
        m->capture->invalid = 1;
    }
    if (out)
        *out = node;
    return err;
}

/* A copy's box, as CUDA describes it. */
static struct cudaMemcpy3DParms box_of(const struct copy *c)
{
    const size_t dy =
        c->depth > 1 && c->dpitch ? c->dslice / c->dpitch : c->height;
    const size_t sy =
        c->depth > 1 && c->spitch ? c->sslice / c->spitch : c->height;
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)c->src, c->spitch, c->width, sy},
        .dstPtr = {c->dst, c->dpitch, c->width, dy},
        .extent = {c->width, c->height, c->depth},
        .kind = c->kind,
    };
}

cudaError_t capture_copy(struct stream *s, const struct copy *c)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeMemcpy};
    p.memcpy.copyParams = box_of(c);
    return capture_params(s, &p, c->name, c->site, NULL);
}

/* A memset node has two dimensions. If a fill's slices are not contiguous, each
 * becomes a node. */
cudaError_t capture_fill(struct stream *s, const struct fill *f)
{
    const int whole = f->depth == 1 || f->slice == f->pitch * f->height;
    struct cudaGraphNodeParams p = {
        .type = cudaGraphNodeTypeMemset,
        .memset = {.dst = f->dst,
                   .pitch = f->pitch,
                   .value = f->value,
                   .elementSize = f->elem_nbytes,
                   .width = f->width / f->elem_nbytes,
                   .height = whole ? f->height * f->depth : f->height}};
    cudaError_t err = cudaSuccess;
    for (size_t z = 0; z < (whole ? 1 : f->depth) && !err; z++) {
        p.memset.dst = (char *)f->dst + z * f->slice;
        err = capture_params(s, &p, f->name, f->site, NULL);
    }
    return err;
}

cudaError_t capture_record(struct stream *s, struct captured *into)
{
    const struct member *const m = simgpu_stream_capture(s);
    into->capture = m->capture;
    into->id = m->capture->id;
    node_set_to(&into->nodes, m->follows.node, m->follows.n);
    return cudaSuccess;
}

/* The capture in which the event was recorded, among those in progress from c
 * on, if it is valid; else NULL. */
static struct capture *capture_of(const struct captured *event,
                                  struct capture *c)
{
    while (c && (c != event->capture || c->id != event->id))
        c = c->next;
    return c && !c->invalid ? c : NULL;
}

int capture_is_over(const struct captured *event)
{
    const int over = !capture_of(event, captures_lock());
    captures_unlock();
    return over;
}

cudaError_t capture_allows_host(const struct captured *event, int ends)
{
    if (!event->capture)
        return ends ? capture_allows_unsafe() : cudaSuccess;
    struct capture *const c = capture_of(event, captures_lock());
    if (c)
        c->invalid |= ends;
    captures_unlock();
    return c ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
}

static struct member *member_new(struct capture *c, struct stream *s)
{
    struct member *const m = need(calloc(1, sizeof *m));
    m->capture = c;
    m->stream = s;
    m->next = c->members;
    c->members = m;
    node_set_to(&m->follows, NULL, 0);
    stream_set_capture(s, m);
    return m;
}

static void member_free(struct member *m)
{
    free(m->follows.node);
    free(m->edges);
    free(m);
}

cudaError_t capture_wait(struct stream *s, const struct captured *event)
{
    struct member *m = simgpu_stream_capture(s);
    // work outside the capture cannot be part of its graph
    if (!event->capture) {
        m->capture->invalid = 1;
        return cudaErrorStreamCaptureIsolation;
    }
    if (m && m->capture != event->capture) {
        m->capture->invalid = event->capture->invalid = 1;
        return cudaErrorStreamCaptureMerge;
    }
    if (stream_kind_of(s) == STREAM_LEGACY) {
        event->capture->invalid = 1;
        return cudaErrorStreamCaptureImplicit;
    }
    if (!m) {
        captures_lock();
        m = member_new(event->capture, s);
        captures_unlock();
    }
    node_set_join(&m->follows, event->nodes.node, event->nodes.n);
    return cudaSuccess;
}

/* Add another library's work on several streams to a capture. At least one of
 * the streams must be captured. */
static int defer(struct stream *const *streams, int n,
                 const struct stream_work *work)
{
    struct member *first = NULL;
    for (int i = 0; i < n && !first; i++)
        first = simgpu_stream_capture(streams[i]);
    struct node_set follows = {0};
    struct CUgraphNode_st *node;
    for (int i = 0; i < n; i++) {
        const struct member *const m = simgpu_stream_capture(streams[i]);
        if (!m || m->capture != first->capture || m->capture->invalid) {
            first->capture->invalid = 1;
            free(follows.node);
            return -1;
        }
        node_set_join(&follows, m->follows.node, m->follows.n);
    }
    struct foreign *const f = need(calloc(1, sizeof *f));
    *f = (struct foreign){
        .enqueue = work->enqueue, .release = work->release, .arg = work->arg};
    cugraph_add_foreign(first->capture->graph, follows.node, follows.n,
                        work->kind == STREAM_WORK_KERNEL
                            ? cudaGraphNodeTypeKernel
                            : CUGRAPH_MEMORY_OPS,
                        f, work->name, work->site, &node);
    node->device = simgpu_stream_device(streams[0]);
    for (int i = 0; i < n; i++) {
        struct member *const m = simgpu_stream_capture(streams[i]);
        node_set_to(&m->follows, &node, 1);
    }
    free(follows.node);
    return 0;
}

static int refuses(struct stream *s, int waits)
{
    const cudaError_t err = capture_allows_work(s);
    return err == cudaSuccess && waits ? capture_allows_sync(s) : err;
}

static const struct stream_captures captures = {refuses, defer};

/* ---- beginning and ending ------------------------------------------------ */

/* Returns an error if a capture must not begin on the stream. */
static cudaError_t can_begin(const struct stream *s,
                             enum cudaStreamCaptureMode mode)
{
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if ((int)mode < 0 || mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    const cudaError_t err = capture_allows_legacy(s);
    if (err != cudaSuccess)
        return err;
    if (stream_kind_of(s) == STREAM_LEGACY)
        return cudaErrorStreamCaptureUnsupported;
    return simgpu_stream_capture(s) ? cudaErrorIllegalState : cudaSuccess;
}

static void begin(struct stream *s, struct CUgraph_st *graph,
                  const cudaGraphNode_t *deps, size_t ndeps,
                  enum cudaStreamCaptureMode mode, int given)
{
    stream_set_captures(&captures);
    struct capture *const c = need(calloc(1, sizeof *c));
    c->graph = graph;
    c->given = given;
    c->origin = s;
    c->mode = mode;
    c->thread = thread_number();
    captures_lock();
    captures_add(c);
    struct member *const m = member_new(c, s);
    captures_unlock();
    node_set_to(&m->follows, deps, ndeps);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode)
{
    API_ENTER();
    struct stream *const s = simgpu_stream_of(stream);
    const cudaError_t err = can_begin(s, mode);
    if (err == cudaSuccess)
        begin(s, cugraph_new(0), NULL, 0, mode, 0);
    return api_return(err);
}

cudaError_t cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *dependencyData, size_t numDependencies,
    enum cudaStreamCaptureMode mode)
{
    API_ENTER();
    (void)dependencyData;
    struct stream *const s = simgpu_stream_of(stream);
    const cudaError_t err = graph ? can_begin(s, mode) : cudaErrorInvalidValue;
    if (err != cudaSuccess)
        return api_return(err);
    if (!cugraph_is_live(graph) || (numDependencies && !dependencies))
        return api_return(cudaErrorInvalidValue);
    if (capture_writes(graph))
        return api_return(cudaErrorIllegalState);
    begin(s, graph, dependencies, numDependencies, mode, 1);
    return api_return(cudaSuccess);
}

static void mark_before(struct CUgraphNode_st *n)
{
    if (n->mark)
        return;
    n->mark = 1;
    for (size_t i = 0; i < n->ndeps; i++)
        mark_before(n->dep[i].from);
}

static void clear_marks(const struct capture *c)
{
    for (struct CUgraphNode_st *n = c->graph->first; n; n = n->next)
        n->mark = 0;
}

static void mark_followed(const struct member *m)
{
    for (size_t i = 0; i < m->follows.n; i++)
        mark_before(m->follows.node[i]);
}

static int is_marked(const struct member *m)
{
    for (size_t i = 0; i < m->follows.n; i++)
        if (!m->follows.node[i]->mark)
            return 0;
    return 1;
}

/* True if the origin follows everything that the other
 * streams have captured. */
static int is_joined(const struct capture *c)
{
    clear_marks(c);
    for (const struct member *m = c->members; m; m = m->next)
        if (m->stream == c->origin)
            mark_followed(m);
    for (const struct member *m = c->members; m; m = m->next)
        if (!is_marked(m))
            return 0;
    return 1;
}

/* True if the other streams follow everything that m's has captured, so that
 * the capture can end without it. */
static int is_followed(const struct capture *c, const struct member *m)
{
    clear_marks(c);
    for (const struct member *x = c->members; x; x = x->next)
        if (x != m)
            mark_followed(x);
    return is_marked(m);
}

/* End the capture: its streams execute work again. */
static void finish(struct capture *c)
{
    captures_lock();
    captures_remove(c);
    captures_unlock();
    for (struct member *m = c->members, *next; m; m = next) {
        next = m->next;
        stream_set_capture(m->stream, NULL);
        member_free(m);
    }
    free(c);
}

/* Also destroys a graph that the program has passed in. */
static void discard(const struct capture *c)
{
    if (!c->graph->owned)
        cugraph_delete(c->graph);
}

/* Returns an error if the stream must not end the capture. */
static cudaError_t end_error(const struct capture *c)
{
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (c->mode != cudaStreamCaptureModeRelaxed && c->thread != thread_number())
        return cudaErrorStreamCaptureWrongThread;
    return is_joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
}

/* Ends the capture even if there is an error, or if `out` is NULL. */
static cudaError_t end(struct stream *s, cudaGraph_t *out)
{
    struct member *const m = simgpu_stream_capture(s);
    const cudaError_t used = capture_allows_legacy(s);
    if (used != cudaSuccess || !m)
        return used != cudaSuccess ? used : cudaErrorIllegalState;
    struct capture *const c = m->capture;
    if (c->origin != s) {
        c->invalid = 1;
        return cudaErrorStreamCaptureUnmatched;
    }
    const cudaError_t err = end_error(c);
    if (err == cudaSuccess && out)
        *out = c->graph;
    else if (err != cudaSuccess || !c->given)
        discard(c);
    finish(c);
    return err;
}

void capture_leave(struct stream *s)
{
    struct member *const m = simgpu_stream_capture(s);
    if (!m)
        return;
    struct capture *const c = m->capture;
    if (c->origin == s) {
        discard(c);
        finish(c);
        return;
    }
    captures_lock();
    struct member **link = &c->members;
    while (*link != m)
        link = &(*link)->next;
    c->invalid |= !is_followed(c, m);
    *link = m->next;
    captures_unlock();
    stream_set_capture(s, NULL);
    member_free(m);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    API_ENTER();
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (pGraph)
        *pGraph = NULL;
    return api_return(end(s, pGraph));
}
