/*
 * A profiler plugin as others write them: it knows NCCL's interface, and
 * nothing of simgpu. VERSION (1 to 6) is the version that it exports. A line
 * for each event goes to standard output once it is over, with its parent; one
 * at the end says how many never were.
 *
 *     0: AllReduce coll in AllReduce coll-api: 4096 ncclFloat32 ...
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NO_SYMBOL
#define EXPORTED(version) nothing_v##version
#else
#define EXPORTED(version) ncclProfiler_v##version
#endif
#define NAMED(version) EXPORTED(version)

enum {
    Group = 1,
    Coll = 2,
    P2p = 4,
    KernelCh = 64,
    GroupApi = 256,
    CollApi = 512,
    P2pApi = 1024,
    KernelLaunch = 2048
};

typedef void (*logger)(int level, unsigned long flags, const char *file,
                       int line, const char *format, ...);

struct descriptor {
#if VERSION >= 5
    uint64_t type;
#else
    uint8_t type;
#endif
    void *parentObj;
    int rank;
    union {
#if VERSION >= 5
        struct {
            bool graphCaptured;
            int groupDepth;
        } groupApi;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graphCaptured;
        } collApi;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            void *stream;
            bool graphCaptured;
        } p2pApi;
        struct {
            void *stream;
        } kernelLaunch;
#endif
        struct {
#if VERSION < 4
            const char *name;
            uint64_t commHash;
#endif
            uint64_t seqNumber;
#if VERSION == 1
            uint8_t func;
#else
            const char *func;
#endif
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
#if VERSION == 1
            uint8_t datatype;
            uint32_t op;
#else
            const char *datatype;
#endif
#if VERSION < 3
            size_t trafficBytes;
#endif
            uint8_t nChannels;
            uint8_t nWarps;
#if VERSION == 1
            uint8_t algo;
            uint8_t proto;
            int isCollnet;
            int isNvls;
#else
            const char *algo;
            const char *proto;
#endif
#if VERSION >= 5
            void *parentGroup;
#endif
        } coll;
        struct {
#if VERSION < 4
            const char *name;
            uint64_t commHash;
#endif
#if VERSION == 1
            uint8_t func;
            void *buff;
            uint8_t datatype;
#else
            const char *func;
            void *buff;
            const char *datatype;
#endif
            size_t count;
            int peer;
#if VERSION >= 4
            uint8_t nChannels;
#endif
#if VERSION >= 5
            void *parentGroup;
#endif
        } p2p;
        struct {
            uint8_t channelId;
#if VERSION >= 4
            uint64_t pTimer;
#endif
        } kernelCh;
    };
};

union arguments {
    struct {
        uint64_t pTimer;
    } kernelCh;
    char all[16];
};

/* ---- events -------------------------------------------------------------- */

struct context {
    int rank, open;
};

struct event {
    struct context *context;
    unsigned type;
    const struct event *parent;
    char name[32], text[300];
    uint64_t began, ended;
    int states;
};

static const char *kind_of(unsigned type)
{
    switch (type) {
    case Group: return "group";
    case Coll: return "coll";
    case P2p: return "p2p";
    case KernelCh: return "kernel-channel";
    case GroupApi: return "group-api";
    case CollApi: return "coll-api";
    case P2pApi: return "p2p-api";
    case KernelLaunch: return "kernel-launch";
    }
    return "unknown";
}

static void add_count(struct event *e, const char *what, size_t n)
{
    const size_t length = strlen(e->text);
    snprintf(e->text + length, sizeof e->text - length, ", %s %zu", what, n);
}

/* What is at an address: bytes from the first one that was heard of. */
static void add_buffer(struct event *e, const char *what, const void *at)
{
    static const char *first;
    const size_t length = strlen(e->text);
    if (!first)
        first = at;
    snprintf(e->text + length, sizeof e->text - length, ", %s %td", what,
             at ? (const char *)at - first : (ptrdiff_t)-1);
}

/* The same of what has a few values: their numbers, from 1; NULL is 0. */
static void add_number(struct event *e, const char *what, const void *of)
{
    static const void *known[8];
    const size_t length = strlen(e->text);
    int i = 0;
    while (i < 7 && known[i] && known[i] != of)
        i++;
    known[i] = of;
    snprintf(e->text + length, sizeof e->text - length, ", %s %d", what,
             of ? i + 1 : 0);
}

static void add_group(struct event *e, const void *group)
{
    const struct event *const g = group;
    strcat(e->text, !g                 ? ", no group"
                    : g->type == Group ? ", of a group"
                                       : ", of another event");
}

static void add_rank(struct event *e, int rank)
{
    if (rank != e->context->rank)
        strcat(e->text, ", of another rank");
}

static void describe_coll(struct event *e, const struct descriptor *d)
{
#if VERSION == 1
    snprintf(e->name, sizeof e->name, "%d", d->coll.func);
    snprintf(e->text, sizeof e->text,
             "%zu of %d, op %u, algo %d proto %d, %d channels, %zu bytes%s%s, "
             "number %llu of %s",
             d->coll.count, d->coll.datatype, d->coll.op, d->coll.algo,
             d->coll.proto, d->coll.nChannels, d->coll.trafficBytes,
             d->coll.isNvls ? " NVLS" : "", d->coll.isCollnet ? " CollNet" : "",
             (unsigned long long)d->coll.seqNumber,
             d->coll.name ? d->coll.name : "NULL");
#else
    snprintf(e->name, sizeof e->name, "%s", d->coll.func);
    snprintf(e->text, sizeof e->text,
             "%zu %s, root %d, %s %s, %d channels, number %llu%s%s",
             d->coll.count, d->coll.datatype, d->coll.root, d->coll.algo,
             d->coll.proto, d->coll.nChannels,
             (unsigned long long)d->coll.seqNumber,
#if VERSION < 4
             " of ", d->coll.name ? d->coll.name : "NULL"
#else
             "", ""
#endif
    );
#endif
    add_count(e, "warps", d->coll.nWarps);
    add_buffer(e, "from", d->coll.sendBuff);
    add_buffer(e, "to", d->coll.recvBuff);
    add_rank(e, d->rank);
#if VERSION == 1
    add_count(e, "root", (size_t)d->coll.root);
#endif
#if VERSION == 2
    add_count(e, "bytes", d->coll.trafficBytes);
#endif
#if VERSION < 4
    add_number(e, "hash", (const void *)(uintptr_t)d->coll.commHash);
#endif
#if VERSION >= 5
    add_group(e, d->coll.parentGroup);
#endif
}

static void describe_p2p(struct event *e, const struct descriptor *d)
{
#if VERSION == 1
    snprintf(e->name, sizeof e->name, "%d", d->p2p.func);
    snprintf(e->text, sizeof e->text, "%zu of %d, peer %d", d->p2p.count,
             d->p2p.datatype, d->p2p.peer);
#else
    snprintf(e->name, sizeof e->name, "%s", d->p2p.func);
    snprintf(e->text, sizeof e->text, "%zu %s, peer %d", d->p2p.count,
             d->p2p.datatype, d->p2p.peer);
#endif
    add_buffer(e, "at", d->p2p.buff);
    add_rank(e, d->rank);
#if VERSION < 4
    add_number(e, "hash", (const void *)(uintptr_t)d->p2p.commHash);
    snprintf(e->text + strlen(e->text), 32, " of %s",
             d->p2p.name ? d->p2p.name : "NULL");
#else
    add_count(e, "channels", d->p2p.nChannels);
#endif
#if VERSION >= 5
    add_group(e, d->p2p.parentGroup);
#endif
}

static void describe(struct event *e, const struct descriptor *d)
{
    if (e->type == Coll)
        describe_coll(e, d);
    if (e->type == P2p)
        describe_p2p(e, d);
    if (e->type == KernelCh) {
        snprintf(e->name, sizeof e->name, "%d", d->kernelCh.channelId);
#if VERSION >= 4
        e->began = d->kernelCh.pTimer;
#endif
    }
#if VERSION >= 5
    if (e->type == GroupApi)
        snprintf(e->text, sizeof e->text, "depth %d%s", d->groupApi.groupDepth,
                 d->groupApi.graphCaptured ? ", captured" : "");
    if (e->type == CollApi) {
        snprintf(e->name, sizeof e->name, "%s", d->collApi.func);
        snprintf(e->text, sizeof e->text, "%zu %s, root %d%s", d->collApi.count,
                 d->collApi.datatype, d->collApi.root,
                 d->collApi.graphCaptured ? ", captured" : "");
        add_number(e, "stream", d->collApi.stream);
    }
    if (e->type == P2pApi) {
        snprintf(e->name, sizeof e->name, "%s", d->p2pApi.func);
        snprintf(e->text, sizeof e->text, "%zu %s%s", d->p2pApi.count,
                 d->p2pApi.datatype,
                 d->p2pApi.graphCaptured ? ", captured" : "");
        add_number(e, "stream", d->p2pApi.stream);
    }
    if (e->type == KernelLaunch) {
        strcpy(e->text, "one kernel");
        add_number(e, "stream", d->kernelLaunch.stream);
    }
#endif
}

/* ---- the interface ------------------------------------------------------- */

static int start_event(void *context, void **handle, struct descriptor *d)
{
    struct context *const c = context;
    struct event *const e = calloc(1, sizeof *e);
    *handle = e;
    if (!e)
        return 2;
    e->context = c;
    e->type = (unsigned)d->type;
    e->parent = d->parentObj;
    __atomic_fetch_add(&c->open, 1, __ATOMIC_RELAXED);
    describe(e, d);
    return 0;
}

static int record_state(void *handle, int state, union arguments *a)
{
    struct event *const e = handle;
    e->states = 100 * e->states + state;
    if (state == 22)
        e->ended = a->kernelCh.pTimer;
    return 0;
}

/* The events stay: the children of many live longer. */
static int stop_event(void *handle)
{
    struct event *const e = handle;
    const struct event *const p = e->parent;
    char line[640], states[32] = "";
    if (e->states)
        snprintf(states, sizeof states, " states %d", e->states);
    if (e->type == KernelCh)
        snprintf(e->text, sizeof e->text, "%llu ns",
                 (unsigned long long)(e->ended - e->began));
    snprintf(line, sizeof line, "%d: %s%s%s%s%s%s%s%s%s%s\n", e->context->rank,
             e->name, *e->name ? " " : "", kind_of(e->type), p ? " in " : "",
             p ? p->name : "", p && *p->name ? " " : "",
             p ? kind_of(p->type) : "", *e->text ? ": " : "", e->text, states);
    fputs(line, stdout);
    fflush(stdout);
    __atomic_fetch_sub(&e->context->open, 1, __ATOMIC_RELAXED);
    return 0;
}

static int finalize(void *context)
{
    struct context *const c = context;
    printf("%d: finalize, %d open\n", c->rank, c->open);
    free(c);
    return 0;
}

static int begin(void **context, int *mask, int rank)
{
    const char *const env = getenv("NCCL_PROFILE_EVENT_MASK");
    struct context *const c = calloc(1, sizeof *c);
    if (!c || getenv("PLUGIN_REFUSES"))
        return 3;
    c->rank = rank;
    *context = c;
    *mask = env ? atoi(env) : 0;
    return 0;
}

#if VERSION >= 5
static int init(void **context, uint64_t commId, int *mask, const char *name,
                int nnodes, int nranks, int rank, logger log)
#elif VERSION == 4
static int init(void **context, int *mask, const char *name, uint64_t commId,
                int nnodes, int nranks, int rank, logger log)
#endif
#if VERSION >= 4
{
    printf("%d: init %s, rank %d of %d on %d nodes%s\n", rank,
           name ? name : "NULL", rank, nranks, nnodes, commId ? "" : ", no id");
    log(3, 1, __func__, __LINE__, "the plugin's own line %d", rank);
    return begin(context, mask, rank);
}
#else
    static int init(void **context, int *mask)
{
    const char *const rank = getenv("PMI_RANK");
    return begin(context, mask, rank ? atoi(rank) : 0);
}
#endif

struct {
    const char *name;
    void *init;
    int (*start)(void *, void **, struct descriptor *);
    int (*stop)(void *);
    int (*record)(void *, int, union arguments *);
    int (*finalize)(void *);
} NAMED(VERSION) = {"Check",    (void *)init, start_event,
                    stop_event, record_state, finalize};

__attribute__((destructor)) static void closed(void)
{
    fputs("closed\n", stdout); // one write, unlike puts()
    fflush(stdout);
}
