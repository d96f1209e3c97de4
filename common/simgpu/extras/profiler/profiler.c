#include "nccl/profiler.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "core/clock/clock.h"
#include "core/clock/model.h"
#include "core/report.h"
#include "core/stream/stream.h"
#include "extras/profiler/profiler_plugin.h"
#include "nccl/coll.h"
#include "nccl/explain.h"
#include "nccl/message.h"
#include "nccl/reduce.h"

/* ---- NCCL's names -------------------------------------------------------- */

static const char *const func_name[] = {
    [PROFILER_BROADCAST] = "Broadcast",
    [PROFILER_REDUCE] = "Reduce",
    [PROFILER_ALLGATHER] = "AllGather",
    [PROFILER_REDUCESCATTER] = "ReduceScatter",
    [PROFILER_ALLREDUCE] = "AllReduce",
    [PROFILER_SENDRECV] = "SendRecv",
    [PROFILER_SEND] = "Send",
    [PROFILER_RECV] = "Recv",
    [PROFILER_ALLTOALL] = "AlltoAll",
    [PROFILER_SCATTER] = "Scatter",
    [PROFILER_GATHER] = "Gather",
    [PROFILER_PUT] = "PutSignal",
    [PROFILER_SIGNAL] = "Signal",
    [PROFILER_WAIT] = "WaitSignal",
};

static const char *const type_name[] = {
    "ncclInt8",    "ncclUint8",    "ncclInt32",      "ncclUint32",
    "ncclInt64",   "ncclUint64",   "ncclFloat16",    "ncclFloat32",
    "ncclFloat64", "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};

/* Names in NCCL's order, and the warps of NCCL's widest kernel by protocol. */
static const char *const algo_name[] = {
    "TREE",      "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS",
    "NVLS_TREE", "PAT"};
static const struct {
    const char *name;
    uint8_t nwarps;
} protos[] = {{"LL", 16}, {"LL128", 20}, {"SIMPLE", 17}};

static enum profiler_func func_of(const struct nccl_call *c)
{
    switch (c->kind) {
    case CALL_COLL: return coll_func(c);
    case CALL_SEND: return PROFILER_SEND;
    case CALL_RECV: return PROFILER_RECV;
    case CALL_PUT: return c->target ? PROFILER_PUT : PROFILER_SIGNAL;
    case CALL_WAIT: return PROFILER_WAIT;
    }
    abort();
}

/* True if NCCL runs the collective as messages. */
static int is_messages(const struct nccl_call *c)
{
    return c->kind == CALL_SEND || c->kind == CALL_RECV ||
           (c->kind == CALL_COLL && coll_is_messages(c));
}

/* True if this rank sends to the peer; below, if it receives from the peer. */
static int sends(const struct nccl_call *c, int peer)
{
    return c->kind == CALL_COLL ? coll_sends(c, peer)
                                : c->kind == CALL_SEND && peer == c->root;
}

static int receives(const struct nccl_call *c, int peer)
{
    return c->kind == CALL_COLL ? coll_receives(c, peer)
                                : c->kind == CALL_RECV && peer == c->root;
}

/* ---- communicators ------------------------------------------------------- */

static int count_nodes(const struct ncclComm *c)
{
    int32_t *const place = simgpu_need(calloc((size_t)c->nranks, sizeof *place),
                                       "%d ranks", c->nranks);
    for (int r = 0; r < c->nranks; r++)
        place[r] = c->hub.hub->member[r].place;
    const int nodes = simgpu_model_nodes(place, c->nranks);
    free(place);
    return nodes;
}

void profiler_join(struct ncclComm *c)
{
    const char *const name = c->config.name;
    // a revoked communicator with a new hub was profiled already
    if (c->profiled)
        return;
    struct profiler_comm *const p =
        simgpu_need(calloc(1, sizeof *p), "a profiler");
    *p = (struct profiler_comm){.name = *name ? name : NULL,
                                .hash = c->uid,
                                .nnodes = count_nodes(c),
                                .nranks = c->nranks,
                                .rank = c->rank};
    if (plugin_open(p) == 0)
        c->profiled = p;
    else
        free(p);
}

void profiler_leave(struct ncclComm *c)
{
    if (!c->profiled)
        return;
    plugin_close(c->profiled);
    free(c->profiled);
    c->profiled = NULL;
}

/* ---- API events ---------------------------------------------------------- */

/* The calling thread's group, from its first call on. */
static _Thread_local struct {
    int open, mask;
    void *event; /* NULL if the plugin doesn't want the event */
} group;

enum {
    OF_COLL = PROFILE_COLL | PROFILE_PROXY_OP | PROFILE_PROXY_STEP |
              PROFILE_KERNEL_CH | PROFILE_NET_PLUGIN,
    OF_P2P = PROFILE_P2P | PROFILE_PROXY_OP | PROFILE_PROXY_STEP |
             PROFILE_KERNEL_CH | PROFILE_NET_PLUGIN,
    OF_GROUP = PROFILE_GROUP | OF_COLL | OF_P2P,
    OF_GROUP_API = PROFILE_GROUP_API | PROFILE_COLL_API | PROFILE_P2P_API |
                   PROFILE_KERNEL_LAUNCH | OF_GROUP | PROFILE_CE
};

static void enter_group(const struct nccl_call *c, int depth, int captured)
{
    struct profiler_event_v5 e = {.type = PROFILE_GROUP_API};
    group.mask = plugin_mask();
    if (group.open)
        return;
    group.open = 1;
    group.event = NULL;
    e.groupApi.graphCaptured = captured;
    e.groupApi.groupDepth = depth;
    if (group.mask & OF_GROUP_API)
        group.event = plugin_start(c->comm->profiled, &e, NULL);
    plugin_record(group.event, PROFILE_GROUP_START_STOP, 0);
}

static void *start_p2p_api(const struct nccl_call *c, int func, int captured)
{
    struct profiler_event_v5 e = {.type = PROFILE_P2P_API,
                                  .parentObj = group.event};
    e.p2pApi.func = func_name[func];
    e.p2pApi.count = c->count;
    e.p2pApi.datatype = type_name[c->type];
    e.p2pApi.stream = c->handle;
    e.p2pApi.graphCaptured = captured;
    return group.mask & (PROFILE_P2P_API | OF_P2P)
               ? plugin_start(c->comm->profiled, &e, NULL)
               : NULL;
}

static void *start_coll_api(const struct nccl_call *c, int captured)
{
    struct profiler_event_v5 e = {.type = PROFILE_COLL_API,
                                  .parentObj = group.event};
    e.collApi.func = func_name[func_of(c)];
    e.collApi.count = c->count;
    e.collApi.datatype = type_name[c->type];
    e.collApi.root = c->root;
    e.collApi.stream = c->handle;
    e.collApi.graphCaptured = captured;
    return group.mask & (PROFILE_COLL_API | OF_COLL | PROFILE_CE)
               ? plugin_start(c->comm->profiled, &e, NULL)
               : NULL;
}

void profiler_enter_call(struct nccl_call *c, int depth)
{
    const int captured = simgpu_stream_capture(c->stream) != NULL;
    int any_send = 0, any_recv = 0;
    c->profiled = (struct profiler_call){.mask = 0};
    if (!c->comm->profiled)
        return;
    enter_group(c, depth, captured);
    c->profiled.mask = group.mask;
    c->profiled.group = group.event;
    if (!is_messages(c)) {
        c->profiled.send = start_coll_api(c, captured);
        return;
    }
    for (int r = 0; r < c->comm->nranks; r++) {
        any_send |= sends(c, r);
        any_recv |= receives(c, r);
    }
    if (any_send)
        c->profiled.send = start_p2p_api(c, PROFILER_SEND, captured);
    if (any_recv)
        c->profiled.recv = start_p2p_api(c, PROFILER_RECV, captured);
}

void profiler_leave_call(struct nccl_call *c)
{
    plugin_stop(c->profiled.send);
    plugin_stop(c->profiled.recv);
}

void profiler_end_group(void)
{
    if (group.open)
        plugin_record(group.event, PROFILE_GROUP_END_START, 0);
}

void profiler_leave_group(void)
{
    if (group.open)
        plugin_stop(group.event);
    group.open = 0;
    group.event = NULL;
}

/* ---- tasks --------------------------------------------------------------- */

struct profiler_task {
    _Atomic int refs;      /* held by the launch and by the operation */
    struct nccl_call call; /* has the program's own buffers */
    int nchannels;         /* a collective's */
    int nevents;
    void *event[]; /* one for the collective, or for each message */
};

struct profiler_launch {
    struct ncclComm *comm;
    int mask;
    void *event, *group;
    int n;
    struct profiler_task *task[];
};

void profiler_release(struct profiler_task *t)
{
    if (t && atomic_fetch_sub(&t->refs, 1) == 1)
        free(t);
}

static struct profiler_task *task_of(const struct nccl_call *c)
{
    const int n = is_messages(c) ? 2 * c->comm->nranks : 1;
    struct profiler_task *const t = simgpu_need(
        calloc(1, sizeof *t + (size_t)n * sizeof *t->event), "a profiler");
    atomic_store(&t->refs, 2);
    t->call = *c;
    return t;
}

static int number_in(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

/* Copy the modelled machine's choice for a collective. */
static void take_choice(struct profiler_task *t, struct profiler_event_v5 *e,
                        struct profiler_detail *d)
{
    struct model_choice choice = {.algo = "", .proto = ""};
    char err[512];
    if (explain_choice(&t->call, &choice, err, sizeof err) != 0)
        choice = (struct model_choice){.algo = "RING", .proto = "SIMPLE"};
    d->algo =
        number_in(algo_name, sizeof algo_name / sizeof *algo_name, choice.algo);
    for (int i = 0; i < (int)(sizeof protos / sizeof *protos); i++)
        if (strcmp(protos[i].name, choice.proto) == 0)
            d->proto = i;
    e->coll.algo = algo_name[d->algo];
    e->coll.proto = protos[d->proto].name;
    e->coll.nWarps = protos[d->proto].nwarps;
    t->nchannels = explain_channels(t->call.comm);
    e->coll.nChannels = (uint8_t)t->nchannels;
}

static void start_coll(const struct profiler_launch *l, struct profiler_task *t)
{
    const struct nccl_call *const c = &t->call;
    struct profiler_detail d = {.func = func_of(c),
                                .datatype = (int)c->type,
                                .op = c->op,
                                .nbytes = coll_nbytes(c)};
    struct profiler_event_v5 e = {.type = PROFILE_COLL,
                                  .parentObj = c->profiled.send,
                                  .rank = c->comm->rank};
    const uint64_t seq = c->comm->profiled->ncalls[d.func]++;
    if (!(c->profiled.mask & OF_COLL))
        return;
    e.coll.seqNumber = seq;
    e.coll.func = func_name[d.func];
    e.coll.sendBuff = c->sendbuf;
    e.coll.recvBuff = c->recvbuf;
    e.coll.count = c->count;
    e.coll.root = c->root;
    if (c->coll == COLL_ALLGATHER || c->coll == COLL_BROADCAST) {
        e.coll.count *= reduce_type_size(c->type); // NCCL counts it in bytes
        d.datatype = ncclInt8;
    }
    e.coll.datatype = type_name[d.datatype];
    e.coll.parentGroup = l->group;
    take_choice(t, &e, &d);
    t->event[t->nevents++] = plugin_start(c->comm->profiled, &e, &d);
}

/* The part of a buffer that is sent to, or received from, a peer. */
static void *part_of(const struct nccl_call *c, const void *buffer, int peer,
                     int all)
{
    const size_t block = c->count * reduce_type_size(c->type);
    return (char *)buffer + (all ? (size_t)peer * block : 0);
}

static void start_p2p(const struct profiler_launch *l, struct profiler_task *t,
                      int func, int peer, void *buffer)
{
    const struct nccl_call *const c = &t->call;
    const struct profiler_detail d = {.func = func, .datatype = (int)c->type};
    struct profiler_event_v5 e = {.type = PROFILE_P2P,
                                  .parentObj = func == PROFILER_SEND
                                                   ? c->profiled.send
                                                   : c->profiled.recv,
                                  .rank = c->comm->rank};
    e.p2p.func = func_name[func];
    e.p2p.buff = buffer;
    e.p2p.datatype = type_name[c->type];
    e.p2p.count = c->count;
    e.p2p.peer = peer;
    e.p2p.nChannels = 1;
    e.p2p.parentGroup = l->group;
    t->nchannels = 1;
    t->event[t->nevents++] = plugin_start(c->comm->profiled, &e, &d);
}

static void start_messages(const struct profiler_launch *l,
                           struct profiler_task *t)
{
    const struct nccl_call *const c = &t->call;
    const int coll = c->kind == CALL_COLL;
    if (!(c->profiled.mask & OF_P2P))
        return;
    for (int r = 0; r < c->comm->nranks; r++) {
        if (sends(c, r))
            start_p2p(
                l, t, PROFILER_SEND, r,
                part_of(c, c->sendbuf, r, coll && c->coll != COLL_GATHER));
        if (receives(c, r))
            start_p2p(
                l, t, PROFILER_RECV, r,
                part_of(c, c->recvbuf, r, coll && c->coll != COLL_SCATTER));
    }
}

/* ---- launches ------------------------------------------------------------ */

struct profiler_launch *profiler_enter_launch(struct nccl_op *const *op, int n)
{
    struct profiler_event_v5 e = {.type = PROFILE_KERNEL_LAUNCH};
    struct ncclComm *const comm = op[0]->call.comm;
    if (!comm->profiled)
        return NULL;
    struct profiler_launch *const l = simgpu_need(
        calloc(1, sizeof *l + (size_t)n * sizeof *l->task), "a profiler");
    l->comm = comm;
    l->n = n;
    for (int i = 0; i < n; i++) {
        l->task[i] = op[i]->profiled = task_of(&op[i]->call);
        l->mask |= op[i]->call.profiled.mask;
    }
    e.parentObj = op[0]->call.profiled.group;
    e.kernelLaunch.stream = op[0]->call.handle;
    if (l->mask & PROFILE_KERNEL_LAUNCH)
        l->event = plugin_start(comm->profiled, &e, NULL);
    return l;
}

void profiler_leave_launch(struct profiler_launch *l)
{
    const struct profiler_event_v5 e = {.type = PROFILE_GROUP};
    if (!l)
        return;
    plugin_stop(l->event);
    if (l->mask & OF_GROUP)
        l->group = plugin_start(l->comm->profiled, &e, NULL);
    for (int i = 0; i < l->n; i++) {
        const struct nccl_call *const c = &l->task[i]->call;
        if (is_messages(c))
            start_messages(l, l->task[i]);
        else if (c->kind == CALL_COLL)
            start_coll(l, l->task[i]);
    }
    for (int i = 0; i < l->n; i++) {
        for (int k = 0; k < l->task[i]->nevents; k++)
            plugin_stop(l->task[i]->event[k]);
        profiler_release(l->task[i]);
    }
    plugin_stop(l->group);
    free(l);
}

/* ---- on the worker ------------------------------------------------------- */

/* Raise all channels' events: each channel starts before the first one ends. */
static void raise_channels(const struct profiler_task *t, uint64_t start_ns,
                           uint64_t end_ns)
{
    const int n = t->nevents * t->nchannels;
    struct profiler_event_v5 e = {.type = PROFILE_KERNEL_CH};
    void **const event =
        simgpu_need(calloc((size_t)n, sizeof *event), "a profiler");
    e.kernelCh.pTimer = start_ns;
    for (int i = 0; i < n; i++) {
        e.parentObj = t->event[i / t->nchannels];
        e.kernelCh.channelId = (uint8_t)(i % t->nchannels);
        event[i] = plugin_start(t->call.comm->profiled, &e, NULL);
    }
    for (int i = 0; i < n; i++) {
        plugin_record(event[i], PROFILE_KERNEL_CH_STOP, end_ns);
        plugin_stop(event[i]);
    }
    free(event);
}

void profiler_end_op(const struct nccl_op *o)
{
    const struct profiler_task *const t = o->profiled;
    uint64_t start, end;
    if (t && t->nevents > 0 && (t->call.profiled.mask & PROFILE_KERNEL_CH) &&
        simgpu_clock_span(o->op.node.index, &start, &end) == 0)
        raise_channels(t, start / 1000, end / 1000);
}
