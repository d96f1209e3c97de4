#define _GNU_SOURCE
#include "graph/record/record.h"

#include <errno.h>    /* EEXIST */
#include <fcntl.h>    /* open */
#include <pthread.h>  /* pthread_mutex_t */
#include <stdio.h>    /* fprintf, rename */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* ftruncate */

#include "base/recorder.h"
#include "base/whole.h"
#include "graph/record/format.h"
#include "graph/record/intern.h"
#include "graph/record/mapped.h"
#include "graph/record/site.h"

enum { STATUS_FAULT = 70 }; /* EX_SOFTWARE, as for other faults of a run */

struct graph_segment {
    struct format_header *header; /* in its first mapping */
    int fd;
    int recorder; /* connection to the recorder; -1 if there is none */
    int records;  /* the pipe through which it takes records */
    char *dir;
    int muted;
    pthread_mutex_t lock; /* held for appending, and for everything below */
    struct mapped mapped;
    uint32_t nnodes;
    struct intern strings, sites; /* sites: by return addresses */
};

/* ---- life cycle ---------------------------------------------------------- */

static int map_segment(struct graph_segment *g)
{
    g->fd = memfd_create(GRAPH_MEMFD, MFD_CLOEXEC);
    if (g->fd < 0 || ftruncate(g->fd, FORMAT_CAPACITY) != 0)
        return -1;
    if (mapped_init(&g->mapped, g->fd, PROT_READ | PROT_WRITE) != 0)
        return -1;
    g->header = (void *)g->mapped.bytes;
    return 0;
}

/* Connect to the folder's recorder. Returns 0 also if there is none. */
static int join_recorder(struct graph_segment *g)
{
    g->recorder = recorder_join(g->dir, RECORDER_GRAPH, g->header->rank, g->fd);
    if (g->recorder < 0)
        return errno == ENOENT ? 0 : -1;
    g->records = recorder_pipe(g->recorder);
    return g->records < 0 ? -1
                          : recorder_append(g->records, g->header, FORMAT_DATA);
}

struct graph_segment *graph_open(uint32_t rank, uint32_t nranks,
                                 const char *dir)
{
    struct graph_segment *const g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->fd = g->recorder = g->records = -1;
    pthread_mutex_init(&g->lock, NULL);
    if (dir && mkdir(dir, 0777) != 0 && errno != EEXIST)
        goto fail;
    if (dir && !(g->dir = strdup(dir)))
        goto fail;
    if (map_segment(g) != 0)
        goto fail;
    memcpy(g->header->magic, FORMAT_MAGIC, sizeof g->header->magic);
    g->header->version = FORMAT_VERSION;
    g->header->byte_order = FORMAT_BYTE_ORDER;
    g->header->rank = rank;
    g->header->nranks = nranks;
    atomic_store_explicit(&g->header->used, FORMAT_DATA, memory_order_release);
    if (!dir || join_recorder(g) == 0)
        return g;
fail:;
    const int err = errno;
    graph_close(g);
    errno = err;
    return NULL;
}

void graph_close(struct graph_segment *g)
{
    if (!g)
        return;
    mapped_release(&g->mapped);
    if (g->fd >= 0)
        close(g->fd);
    if (g->recorder >= 0)
        close(g->recorder);
    if (g->records >= 0)
        close(g->records);
    intern_release(&g->strings);
    intern_release(&g->sites);
    pthread_mutex_destroy(&g->lock);
    free(g->dir);
    free(g);
}

void graph_mute(struct graph_segment *g)
{
    g->muted = 1;
}

int graph_fd(const struct graph_segment *g)
{
    return g->fd;
}

/* ---- appending ----------------------------------------------------------- */

static _Noreturn void stop_run(const struct graph_segment *g, const char *why)
{
    fprintf(stderr,
            "commlab: rank %u: the execution graph %s after %u operations.\n"
            "Modelled times would be wrong from here on, so the run stops. "
            "Run fewer iterations, or smaller kernels.\n",
            g->header->rank, why, g->nnodes);
    _exit(STATUS_FAULT);
}

/*
 * A record is written in pieces after `used`, then published by moving `used`
 * past it. The lock is held from begin to publish.
 */
struct writer {
    struct graph_segment *g;
    uint64_t used; /* before the record */
    char *at;
};

static struct writer record_begin(struct graph_segment *g, size_t nbytes,
                                  enum format_kind kind)
{
    const uint64_t used =
        atomic_load_explicit(&g->header->used, memory_order_relaxed);
    const uint64_t end =
        used + sizeof(struct format_record) + format_padded(nbytes);
    if (nbytes > UINT32_MAX || end > FORMAT_CAPACITY)
        stop_run(g, "is full");
    if (mapped_reach(&g->mapped, end) != 0)
        stop_run(g, "has no addresses left");
    struct format_record *const r = (void *)(g->mapped.bytes + used);
    *r = (struct format_record){(uint32_t)nbytes, kind};
    return (struct writer){g, used, (char *)(r + 1)};
}

static void record_put(struct writer *w, const void *data, size_t nbytes)
{
    if (nbytes)
        memcpy(w->at, data, nbytes);
    w->at += nbytes;
}

static void record_publish(struct writer *w)
{
    struct graph_segment *const g = w->g;
    const uint64_t end = format_padded((uint64_t)(w->at - g->mapped.bytes));
    // before any other code of this process can see the record
    if (g->records >= 0)
        recorder_append(g->records, g->mapped.bytes + w->used, end - w->used);
    atomic_store_explicit(&g->header->used, end, memory_order_release);
}

/* Append a record of a head and the bytes that follow it. The
 * lock must be held. */
static void append(struct graph_segment *g, enum format_kind kind,
                   const void *head, size_t head_nbytes, const void *rest,
                   size_t rest_nbytes)
{
    struct writer w = record_begin(g, head_nbytes + rest_nbytes, kind);
    record_put(&w, head, head_nbytes);
    record_put(&w, rest, rest_nbytes);
    record_publish(&w);
}

/* The same, for callers that do not hold the lock. */
static void put(struct graph_segment *g, enum format_kind kind,
                const void *head, size_t head_nbytes, const void *rest,
                size_t rest_nbytes)
{
    pthread_mutex_lock(&g->lock);
    append(g, kind, head, head_nbytes, rest, rest_nbytes);
    pthread_mutex_unlock(&g->lock);
}

/* The current span. A process has a single segment, which numbers its spans. */
static _Thread_local uint32_t span_now;

uint32_t graph_span(uint32_t name)
{
    const uint32_t before = span_now;
    span_now = name;
    return before;
}

uint32_t graph_add(struct graph_segment *g, const struct graph_node *n,
                   const struct graph_ref *deps, const struct graph_move *moves,
                   const struct graph_access *accesses)
{
    const size_t deps_nbytes = n->ndeps * sizeof *deps;
    const size_t moves_nbytes = n->nmoves * sizeof *moves;
    const size_t accesses_nbytes = n->naccesses * sizeof *accesses;
    const size_t nbytes =
        sizeof *n + deps_nbytes + moves_nbytes + accesses_nbytes;
    struct graph_node node = *n;
    if (node.span == 0)
        node.span = span_now;

    node.rank = g->header->rank;
    pthread_mutex_lock(&g->lock);
    node.index = ++g->nnodes;
    if (!g->muted) {
        struct writer w = record_begin(g, nbytes, FORMAT_NODE);
        record_put(&w, &node, sizeof node);
        record_put(&w, deps, deps_nbytes);
        record_put(&w, moves, moves_nbytes);
        record_put(&w, accesses, accesses_nbytes);
        record_publish(&w);
    }
    pthread_mutex_unlock(&g->lock);
    return node.index;
}

void graph_amend(struct graph_segment *g, uint32_t index, double flops,
                 const struct graph_move *moves, size_t nmoves,
                 const struct graph_access *accesses, size_t naccesses)
{
    const size_t moves_nbytes = nmoves * sizeof *moves;
    const size_t accesses_nbytes = naccesses * sizeof *accesses;
    const struct format_amend amend = {.index = index,
                                       .nmoves = (uint32_t)nmoves,
                                       .naccesses = (uint32_t)naccesses,
                                       .flops = flops};
    if (g->muted)
        return;
    pthread_mutex_lock(&g->lock);
    struct writer w = record_begin(
        g, sizeof amend + moves_nbytes + accesses_nbytes, FORMAT_AMEND);
    record_put(&w, &amend, sizeof amend);
    record_put(&w, moves, moves_nbytes);
    record_put(&w, accesses, accesses_nbytes);
    record_publish(&w);
    pthread_mutex_unlock(&g->lock);
}

void graph_part(struct graph_segment *g, uint32_t index,
                const struct graph_point *after, size_t n, uint64_t latency_ps)
{
    const struct format_part part = {index, (uint32_t)n, latency_ps};
    if (g->muted)
        return;
    put(g, FORMAT_PART, &part, sizeof part, after, n * sizeof *after);
}

void graph_aside(struct graph_segment *g, uint32_t index, uint32_t queue,
                 const char *name, const struct graph_point *after, size_t n,
                 uint64_t latency_ps)
{
    const struct format_aside aside = {
        queue, graph_string(g, name), {index, (uint32_t)n, latency_ps}};
    if (g->muted)
        return;
    put(g, FORMAT_ASIDE, &aside, sizeof aside, after, n * sizeof *after);
}

/* ---- strings and call sites ---------------------------------------------- */

static void put_text(struct graph_segment *g, enum format_kind kind,
                     uint32_t id, const char *text)
{
    const struct format_text head = {id, (uint32_t)strlen(text)};
    append(g, kind, &head, sizeof head, text, head.nbytes + 1);
}

/* graph_string() with the lock held. */
static uint32_t string_id(struct graph_segment *g, const char *text)
{
    int is_new;
    const uint32_t id = intern_id(&g->strings, text, strlen(text), &is_new);
    if (id == 0)
        stop_run(g, "has no memory left");
    if (is_new)
        put_text(g, FORMAT_STRING, id, text);
    return id;
}

uint32_t graph_string(struct graph_segment *g, const char *text)
{
    if (g->muted || !text || !*text)
        return 0;
    pthread_mutex_lock(&g->lock);
    const uint32_t id = string_id(g, text);
    pthread_mutex_unlock(&g->lock);
    return id;
}

/* The interned part of a call. The same line called from different places gives
 * different sites. */
struct site_key {
    const void *address;
    uint64_t caller; /* number of a site, or 0 */
};

static void put_site(struct graph_segment *g, uint32_t id,
                     const struct site_key *key)
{
    char module[4096];
    struct format_site site = {.id = id, .caller = (uint32_t)key->caller};
    site_locate(key->address, module, sizeof module, &site.offset);
    site.module = module[0] ? string_id(g, module) : 0;
    append(g, FORMAT_SITE, &site, sizeof site, NULL, 0);
}

uint32_t graph_site_stack(struct graph_segment *g,
                          const void *const *return_address, int n)
{
    if (g->muted || n == 0 || !return_address[0])
        return 0;
    int is_new;
    struct site_key key = {.caller = 0};
    pthread_mutex_lock(&g->lock);
    while (n-- > 0) {
        key.address = return_address[n];
        const uint32_t id = intern_id(&g->sites, &key, sizeof key, &is_new);
        if (id == 0)
            stop_run(g, "has no memory left");
        if (is_new)
            put_site(g, id, &key);
        key.caller = id;
    }
    pthread_mutex_unlock(&g->lock);
    return (uint32_t)key.caller;
}

uint32_t graph_site(struct graph_segment *g, const void *return_address)
{
    return graph_site_stack(g, &return_address, 1);
}

int graph_site_calls(struct graph_segment *g, uint32_t site,
                     const void *return_address[SITE_DEPTH])
{
    int n = 0;
    pthread_mutex_lock(&g->lock);
    while (site && site <= g->sites.count && n < SITE_DEPTH) {
        struct site_key key;
        memcpy(&key, g->sites.value[site - 1].data, sizeof key);
        return_address[n++] = key.address;
        site = (uint32_t)key.caller;
    }
    pthread_mutex_unlock(&g->lock);
    return n;
}

/* Write what `text` makes of the calls of a site to out. Returns out. */
static const char *text_of(struct graph_segment *g, uint32_t site,
                           site_stack_fn *text, char *out, size_t nbytes)
{
    char module[SITE_DEPTH][1024];
    const void *address[SITE_DEPTH];
    struct site_call call[SITE_DEPTH];
    const int n = graph_site_calls(g, site, address);
    for (int i = 0; i < n; i++) {
        site_locate(address[i], module[i], sizeof *module, &call[i].offset);
        call[i].module = module[i];
    }
    return text(call, n, out, nbytes);
}

const char *graph_site_text(struct graph_segment *g, uint32_t site, char *out,
                            size_t nbytes)
{
    return text_of(g, site, site_stack_text, out, nbytes);
}

/* ---- notes --------------------------------------------------------------- */

void graph_note_machine(struct graph_segment *g, const char *name)
{
    pthread_mutex_lock(&g->lock);
    put_text(g, FORMAT_MACHINE, 0, name);
    pthread_mutex_unlock(&g->lock);
}

void graph_note_placed(struct graph_segment *g, uint64_t alloc, int32_t place,
                       uint64_t nbytes, uint32_t site, uint32_t device,
                       uint64_t offset)
{
    const struct format_alloc a = {.alloc = alloc,
                                   .nbytes = nbytes,
                                   .place = place,
                                   .site = site,
                                   .offset = offset,
                                   .device = device};
    put(g, FORMAT_ALLOC, &a, sizeof a, NULL, 0);
}

void graph_note_alloc(struct graph_segment *g, uint64_t alloc, int32_t place,
                      uint64_t nbytes, uint32_t site)
{
    graph_note_placed(g, alloc, place, nbytes, site, FORMAT_NO_DEVICE, 0);
}

void graph_note_queue(struct graph_segment *g, uint32_t queue, int32_t place,
                      const char *name)
{
    const struct format_queue q = {queue, place, (uint32_t)strlen(name), 0};
    put(g, FORMAT_QUEUE, &q, sizeof q, name, q.nbytes + 1);
}

void graph_note_fault(struct graph_segment *g, uint32_t index, uint32_t site,
                      int warning, const char *text)
{
    struct format_fault f = {index, site, (uint32_t)warning,
                             (uint32_t)strlen(text)};
    pthread_mutex_lock(&g->lock);
    if (index == 0)
        f.index = g->nnodes;
    append(g, FORMAT_FAULT, &f, sizeof f, text, f.nbytes + 1);
    pthread_mutex_unlock(&g->lock);
}

void graph_note_broken(struct graph_segment *g, uint32_t index)
{
    if (g->muted)
        return;
    put(g, FORMAT_BROKEN, &index, sizeof index, NULL, 0);
}

void graph_note_harm(struct graph_segment *g, const struct graph_harm *harm,
                     const char *text)
{
    struct graph_harm h = *harm;
    h.nbytes = (uint32_t)strlen(text);
    pthread_mutex_lock(&g->lock);
    if (h.index == GRAPH_NEXT)
        h.index = g->nnodes + 1;
    append(g, FORMAT_HARM, &h, sizeof h, text, h.nbytes + 1);
    pthread_mutex_unlock(&g->lock);
}

/* ---- saving -------------------------------------------------------------- */

/* Add texts for the sites that have none. */
static void put_site_texts(struct graph_segment *g)
{
    char text[512], from[512];
    pthread_mutex_lock(&g->lock);
    const uint32_t n = g->sites.count;
    pthread_mutex_unlock(&g->lock);
    for (uint32_t id = 1; id <= n; id++) {
        graph_site_text(g, id, text, sizeof text);
        text_of(g, id, site_stack_from, from, sizeof from);
        pthread_mutex_lock(&g->lock);
        put_text(g, FORMAT_SITE_TEXT, id, text);
        if (from[0])
            put_text(g, FORMAT_SITE_FROM, id, from);
        pthread_mutex_unlock(&g->lock);
    }
}

/* Write everything published so far, with a matching `used`. */
static int write_file(struct graph_segment *g, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    pthread_mutex_lock(&g->lock);
    const uint64_t used = atomic_load(&g->header->used);
    const char *const bytes = g->mapped.bytes;
    pthread_mutex_unlock(&g->lock);
    struct format_header header;
    memcpy(&header, g->header, sizeof header);
    atomic_init(&header.used, used);
    if (whole_put(write, fd, &header, sizeof header) != 0 ||
        whole_put(write, fd, bytes + sizeof header, used - sizeof header) !=
            0) {
        const int err = errno;
        close(fd);
        errno = err;
        return -1;
    }
    return close(fd);
}

/* Tell the recorder that it has everything. */
static int save_there(struct graph_segment *g)
{
    const struct format_record end = {0, FORMAT_END};
    pthread_mutex_lock(&g->lock);
    const int err = recorder_append(g->records, &end, sizeof end);
    char *const reply = err ? NULL : recorder_reply(g->recorder);
    close(g->recorder);
    close(g->records);
    g->recorder = g->records = -1;
    pthread_mutex_unlock(&g->lock);
    free(reply);
    return reply ? 0 : -1;
}

int graph_save(struct graph_segment *g)
{
    if (!g->dir)
        return 0;
    char path[4096], part[4200];
    snprintf(path, sizeof path, "%s/rank-%u.graph", g->dir, g->header->rank);
    snprintf(part, sizeof part, "%s.part", path);
    const int has_recorder = g->recorder >= 0;
    put_site_texts(g);
    if (has_recorder ? save_there(g) == 0
                     : write_file(g, part) == 0 && rename(part, path) == 0)
        return 0;
    fprintf(stderr,
            "commlab: cannot save the execution graph of rank %u to %s: %s\n",
            g->header->rank, path, strerror(errno));
    if (!has_recorder)
        unlink(part);
    return -1;
}
