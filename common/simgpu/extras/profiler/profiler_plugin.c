#include "extras/profiler/profiler_plugin.h"

#include <dlfcn.h>   /* dlopen */
#include <pthread.h> /* pthread_mutex_t */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strchr */
#include <strings.h> /* strcasecmp */

#include "nccl/debug.h"

/* The process's one plugin. */
static struct {
    pthread_mutex_t lock; /* held while loading and closing */
    void *library;        /* NULL: none is loaded */
    const struct profiler_table *table;
    int version;
    int users; /* communicators that use it */
    int mask;  /* the plugin may write to it at any time */
} plugin = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { NEWEST = 6 };

/* ---- loading ------------------------------------------------------------- */

/* True if the name may stand for libnccl-profiler-NAME.so. */
static int may_be_short(const char *name)
{
    const size_t n = strlen(name);
    return !strchr(name, '/') && (strncmp(name, "lib", 3) != 0 || n < 3 ||
                                  strcmp(name + n - 3, ".so") != 0);
}

static void *open_library(const char *name)
{
    char file[4096], first[1024] = "";
    if (!name || !*name) // the default library may be missing
        return dlopen("libnccl-profiler.so", RTLD_NOW | RTLD_LOCAL);
    void *library = strcasecmp(name, "STATIC_PLUGIN") == 0
                        ? dlopen(NULL, RTLD_NOW)
                        : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return library;
    snprintf(first, sizeof first, "%s", dlerror());
    if (may_be_short(name)) {
        snprintf(file, sizeof file, "libnccl-profiler-%s.so", name);
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library)
        nccl_error(ncclSystemError,
                   "PROFILER/Plugin: NCCL_PROFILER_PLUGIN=%s: %s%s%s. "
                   "Continue without a profiler; try the library's path, or "
                   "add its folder to LD_LIBRARY_PATH",
                   name, first, may_be_short(name) ? "; " : "",
                   may_be_short(name) ? dlerror() : "");
    return library;
}

/* Choose the newest version that the library has, as NCCL does. */
static int find_table(const char *name)
{
    char symbol[32];
    for (int v = NEWEST; v > 0; v--) {
        snprintf(symbol, sizeof symbol, "ncclProfiler_v%d", v);
        plugin.table = dlsym(plugin.library, symbol);
        plugin.version = v;
        if (plugin.table)
            return 0;
    }
    nccl_error(ncclSystemError,
               "PROFILER/Plugin: %s has no symbol ncclProfiler_v%d to "
               "ncclProfiler_v1. Continue without a profiler",
               name, NEWEST);
    return -1;
}

static void close_library(void)
{
    if (plugin.library)
        dlclose(plugin.library);
    plugin.library = NULL;
    plugin.table = NULL;
    plugin.mask = 0;
}

static int load(void)
{
    static int failed; // as in NCCL, one failure is final
    const char *const name = getenv("NCCL_PROFILER_PLUGIN");
    if (failed)
        return -1;
    if (name && *name)
        debug_info(DEBUG_ENV, -1,
                   "NCCL_PROFILER_PLUGIN set by environment to %s", name);
    if (!name || strcasecmp(name, "none") != 0)
        plugin.library = open_library(name);
    failed = !plugin.library ||
             find_table(name && *name ? name : "libnccl-profiler.so") != 0;
    if (failed) {
        close_library();
        return -1;
    }
    debug_info(DEBUG_INIT, -1, "PROFILER/Plugin: Loaded %s (v%d)",
               plugin.table->name, plugin.version);
    return 0;
}

/* ---- communicators ------------------------------------------------------- */

static ncclResult_t init(struct profiler_comm *c)
{
    void (*const f)(void) = plugin.table->init;
    if (plugin.version < 4)
        return ((profiler_init_v1 *)f)(&c->context, &plugin.mask);
    if (plugin.version == 4)
        return ((profiler_init_v4 *)f)(&c->context, &plugin.mask, c->name,
                                       c->hash, c->nnodes, c->nranks, c->rank,
                                       debug_log);
    return ((profiler_init_v5 *)f)(&c->context, c->hash, &plugin.mask, c->name,
                                   c->nnodes, c->nranks, c->rank, debug_log);
}

static void leave(void)
{
    if (--plugin.users > 0)
        return;
    debug_info(DEBUG_INIT, -1, "PROFILER/Plugin: Closing profiler plugin %s",
               plugin.table->name);
    close_library();
}

int plugin_open(struct profiler_comm *c)
{
    ncclResult_t err = ncclSuccess;
    pthread_mutex_lock(&plugin.lock);
    if (!plugin.library && load() != 0) {
        pthread_mutex_unlock(&plugin.lock);
        return -1;
    }
    plugin.users++;
    err = init(c);
    if (err != ncclSuccess) {
        nccl_error(ncclSystemError,
                   "PROFILER/Plugin: init of %s failed with error %d. Continue "
                   "without it",
                   plugin.table->name, (int)err);
        leave();
    } else {
        debug_info(DEBUG_INIT, -1, "Profiler event mask: %#x", plugin_mask());
    }
    pthread_mutex_unlock(&plugin.lock);
    return err == ncclSuccess ? 0 : -1;
}

void plugin_close(struct profiler_comm *c)
{
    pthread_mutex_lock(&plugin.lock);
    if (c->context) // NULL if the plugin ignores this communicator
        plugin.table->finalize(c->context);
    leave();
    pthread_mutex_unlock(&plugin.lock);
}

int plugin_mask(void)
{
    return __atomic_load_n(&plugin.mask, __ATOMIC_RELAXED);
}

/* ---- events in the layouts of old versions ------------------------------- */

static void *start(const struct profiler_comm *c, void *event)
{
    void *handle = NULL;
    plugin.table->start(c->context, &handle, event);
    return handle;
}

/* The members with the same names in versions 1 to 4. */
#define COPY_COLL(to, from)                                                    \
    (to).coll.seqNumber = (from)->coll.seqNumber,                              \
    (to).coll.sendBuff = (from)->coll.sendBuff,                                \
    (to).coll.recvBuff = (from)->coll.recvBuff,                                \
    (to).coll.count = (from)->coll.count, (to).coll.root = (from)->coll.root,  \
    (to).coll.nWarps = (from)->coll.nWarps
#define COPY_P2P(to, from)                                                     \
    (to).p2p.buff = (from)->p2p.buff, (to).p2p.count = (from)->p2p.count,      \
    (to).p2p.peer = (from)->p2p.peer
#define COPY_WORDS(to, from, kind)                                             \
    (to).kind.func = (from)->kind.func,                                        \
    (to).kind.datatype = (from)->kind.datatype
#define NAME(to, c, kind)                                                      \
    (to).kind.name = (c)->name, (to).kind.commHash = (c)->hash

/* Before version 5, tasks were children of groups. */
static void *parent_of(const struct profiler_event_v5 *e)
{
    return e->type == PROFILE_COLL  ? e->coll.parentGroup
           : e->type == PROFILE_P2P ? e->p2p.parentGroup
                                    : e->parentObj;
}

static void *start_v4(const struct profiler_comm *c,
                      const struct profiler_event_v5 *e)
{
    struct profiler_event_v4 old = {
        .type = (uint8_t)e->type, .parentObj = parent_of(e), .rank = e->rank};
    if (e->type == PROFILE_COLL) {
        COPY_COLL(old, e);
        COPY_WORDS(old, e, coll);
        old.coll.nChannels = e->coll.nChannels;
        old.coll.algo = e->coll.algo;
        old.coll.proto = e->coll.proto;
    } else if (e->type == PROFILE_P2P) {
        COPY_P2P(old, e);
        COPY_WORDS(old, e, p2p);
        old.p2p.nChannels = e->p2p.nChannels;
    } else if (e->type == PROFILE_KERNEL_CH) {
        old.kernelCh.channelId = e->kernelCh.channelId;
        old.kernelCh.pTimer = e->kernelCh.pTimer;
    }
    return start(c, &old);
}

static void *start_v3(const struct profiler_comm *c,
                      const struct profiler_event_v5 *e)
{
    struct profiler_event_v3 old = {
        .type = (uint8_t)e->type, .parentObj = parent_of(e), .rank = e->rank};
    if (e->type == PROFILE_COLL) {
        NAME(old, c, coll);
        COPY_COLL(old, e);
        COPY_WORDS(old, e, coll);
        old.coll.nMaxChannels = e->coll.nChannels;
        old.coll.algo = e->coll.algo;
        old.coll.proto = e->coll.proto;
    } else if (e->type == PROFILE_P2P) {
        NAME(old, c, p2p);
        COPY_P2P(old, e);
        COPY_WORDS(old, e, p2p);
    } else if (e->type == PROFILE_KERNEL_CH) {
        old.kernelCh.channelId = e->kernelCh.channelId;
    }
    return start(c, &old);
}

static void *start_v2(const struct profiler_comm *c,
                      const struct profiler_event_v5 *e,
                      const struct profiler_detail *d)
{
    struct profiler_event_v2 old = {
        .type = (uint8_t)e->type, .parentObj = parent_of(e), .rank = e->rank};
    if (e->type == PROFILE_COLL) {
        NAME(old, c, coll);
        COPY_COLL(old, e);
        COPY_WORDS(old, e, coll);
        old.coll.trafficBytes = d->nbytes;
        old.coll.nMaxChannels = e->coll.nChannels;
        old.coll.algo = e->coll.algo;
        old.coll.proto = e->coll.proto;
    } else if (e->type == PROFILE_P2P) {
        NAME(old, c, p2p);
        COPY_P2P(old, e);
        COPY_WORDS(old, e, p2p);
    }
    return start(c, &old);
}

static void *start_v1(const struct profiler_comm *c,
                      const struct profiler_event_v5 *e,
                      const struct profiler_detail *d)
{
    struct profiler_event_v1 old = {
        .type = (uint8_t)e->type, .parentObj = parent_of(e), .rank = e->rank};
    if (e->type == PROFILE_COLL) {
        NAME(old, c, coll);
        COPY_COLL(old, e);
        old.coll.func = (uint8_t)d->func;
        old.coll.datatype = (uint8_t)d->datatype;
        old.coll.op = (uint32_t)d->op;
        old.coll.trafficBytes = d->nbytes;
        old.coll.nMaxChannels = e->coll.nChannels;
        old.coll.algo = (uint8_t)d->algo;
        old.coll.proto = (uint8_t)d->proto;
        old.coll.isCollnet = strncmp(e->coll.algo, "COLLNET", 7) == 0;
        old.coll.isNvls = strncmp(e->coll.algo, "NVLS", 4) == 0;
    } else if (e->type == PROFILE_P2P) {
        NAME(old, c, p2p);
        COPY_P2P(old, e);
        old.p2p.func = (uint8_t)d->func;
        old.p2p.datatype = (uint8_t)d->datatype;
    }
    return start(c, &old);
}

/* The types, among those that simgpu raises, that a version has. */
static int known(void)
{
    const int tasks = PROFILE_GROUP | PROFILE_COLL | PROFILE_P2P;
    return plugin.version < 3   ? tasks
           : plugin.version < 5 ? tasks | PROFILE_KERNEL_CH
                                : ~PROFILE_CE;
}

void *plugin_start(const struct profiler_comm *c,
                   const struct profiler_event_v5 *event,
                   const struct profiler_detail *detail)
{
    if (!((uint64_t)known() & event->type))
        return NULL;
    switch (plugin.version) {
    case 1: return start_v1(c, event, detail);
    case 2: return start_v2(c, event, detail);
    case 3: return start_v3(c, event);
    case 4: return start_v4(c, event);
    default: return start(c, (void *)event);
    }
}

void plugin_record(void *handle, int state, uint64_t ns)
{
    union profiler_args args = {.all = ""};
    const int first = state == PROFILE_KERNEL_CH_STOP ? 4 : 5;
    args.kernelCh.pTimer = ns;
    if (handle && plugin.version >= first)
        plugin.table->record(handle, state, &args);
}

void plugin_stop(void *handle)
{
    if (handle)
        plugin.table->stop(handle);
}
