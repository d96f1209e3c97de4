#define _GNU_SOURCE
#include "graph/record.h"

#include <errno.h>    /* ENOMEM */
#include <fcntl.h>    /* open */
#include <pthread.h>  /* pthread_mutex_t */
#include <stdio.h>    /* fprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create, mmap */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* ftruncate */

#include "graph/format.h"
#include "graph/site.h" /* site_text */

struct table { /* interned values; id i is entry i - 1 */
    const void **key;
    uint32_t count, cap;
};

struct graph_segment {
    struct format_header *header;
    int fd;
    char *dir;
    pthread_mutex_t lock; /* over everything below and appending */
    struct table strings, sites;
};

struct graph_segment *graph_open(uint32_t rank, uint32_t nranks,
                                 const char *dir)
{
    struct graph_segment *const g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->fd = memfd_create("commlab-graph", MFD_CLOEXEC);
    if (g->fd < 0 || ftruncate(g->fd, FORMAT_CAPACITY) != 0)
        goto fail;
    g->header = mmap(NULL, FORMAT_CAPACITY, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE, g->fd, 0);
    if (g->header == MAP_FAILED)
        goto fail;
    pthread_mutex_init(&g->lock, NULL);
    g->dir = dir ? strdup(dir) : NULL;
    g->header->magic = FORMAT_MAGIC;
    g->header->version = FORMAT_VERSION;
    g->header->rank = rank;
    g->header->nranks = nranks;
    g->header->pid = (uint32_t)getpid();
    atomic_store(&g->header->used, FORMAT_DATA);
    return g;
fail:
    if (g->fd >= 0)
        close(g->fd);
    free(g);
    return NULL;
}

int graph_fd(const struct graph_segment *g)
{
    return g->fd;
}

/*
 * A record is written piece by piece behind `used`, then published by moving
 * `used` past it. The lock is held from begin to publish.
 */
struct writer {
    struct graph_segment *g;
    char *begin, *at;
};

static struct writer record_begin(struct graph_segment *g, size_t nbytes,
                                  enum format_kind kind)
{
    const uint64_t used =
        atomic_load_explicit(&g->header->used, memory_order_relaxed);
    if (used + sizeof(struct format_record) + nbytes + FORMAT_ALIGN >
        FORMAT_CAPACITY) {
        fprintf(stderr,
                "commlab: the execution graph of rank %u is full after %u "
                "operations: times would be wrong from here on.\n"
                "Run fewer iterations, or synchronise all ranks and devices "
                "now and then.\n",
                g->header->rank, atomic_load(&g->header->nnodes));
        _exit(70);
    }
    char *const begin = (char *)g->header + used;
    *(struct format_record *)begin =
        (struct format_record){.nbytes = (uint32_t)nbytes, .kind = kind};
    return (struct writer){g, begin, begin + sizeof(struct format_record)};
}

static void record_put(struct writer *w, const void *data, size_t nbytes)
{
    if (nbytes)
        memcpy(w->at, data, nbytes);
    w->at += nbytes;
}

static void record_publish(struct writer *w)
{
    const size_t nbytes = (size_t)(w->at - w->begin);
    const size_t padded = (nbytes + FORMAT_ALIGN - 1) & ~(FORMAT_ALIGN - 1ul);
    atomic_fetch_add_explicit(&w->g->header->used, padded,
                              memory_order_release);
}

uint32_t graph_add(struct graph_segment *g, const struct graph_node *n,
                   const struct graph_ref *deps, const struct graph_move *moves,
                   const struct graph_access *accesses)
{
    const size_t deps_nbytes = n->ndeps * sizeof *deps;
    const size_t moves_nbytes = n->nmoves * sizeof *moves;
    const size_t accesses_nbytes = n->naccesses * sizeof *accesses;
    struct graph_node node = *n;

    pthread_mutex_lock(&g->lock);
    node.rank = g->header->rank;
    node.index = atomic_load(&g->header->nnodes) + 1;
    struct writer w = record_begin(
        g, sizeof node + deps_nbytes + moves_nbytes + accesses_nbytes,
        FORMAT_NODE);
    record_put(&w, &node, sizeof node);
    record_put(&w, deps, deps_nbytes);
    record_put(&w, moves, moves_nbytes);
    record_put(&w, accesses, accesses_nbytes);
    record_publish(&w);
    atomic_store(&g->header->nnodes, node.index);
    pthread_mutex_unlock(&g->lock);
    return node.index;
}

void graph_amend(struct graph_segment *g, uint32_t index, double flops,
                 const struct graph_move *moves, size_t nmoves,
                 const struct graph_access *accesses, size_t naccesses)
{
    const struct format_amend amend = {.index = index,
                                       .nmoves = (uint16_t)nmoves,
                                       .naccesses = (uint32_t)naccesses,
                                       .flops = flops};
    pthread_mutex_lock(&g->lock);
    struct writer w = record_begin(
        g, sizeof amend + nmoves * sizeof *moves + naccesses * sizeof *accesses,
        FORMAT_AMEND);
    record_put(&w, &amend, sizeof amend);
    record_put(&w, moves, nmoves * sizeof *moves);
    record_put(&w, accesses, naccesses * sizeof *accesses);
    record_publish(&w);
    pthread_mutex_unlock(&g->lock);
}

/* The id of a new entry. */
static uint32_t table_add(struct table *t, const void *key)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->key = realloc(t->key, t->cap * sizeof *t->key);
        if (!t->key)
            abort();
    }
    t->key[t->count++] = key;
    return t->count;
}

uint32_t graph_string(struct graph_segment *g, const char *text)
{
    if (!text || !*text)
        return 0;
    pthread_mutex_lock(&g->lock);
    uint32_t id = 0;
    for (uint32_t i = 0; i < g->strings.count && !id; i++)
        if (strcmp(g->strings.key[i], text) == 0)
            id = i + 1;
    if (!id) {
        id = table_add(&g->strings, strdup(text));
        const struct format_text head = {id, (uint32_t)strlen(text)};
        struct writer w =
            record_begin(g, sizeof head + head.length, FORMAT_STRING);
        record_put(&w, &head, sizeof head);
        record_put(&w, text, head.length);
        record_publish(&w);
    }
    pthread_mutex_unlock(&g->lock);
    return id;
}

static void put_site(struct graph_segment *g, uint32_t id, const void *address,
                     const char *text)
{
    const struct format_text head = {id, (uint32_t)strlen(text)};
    const uint64_t where = (uintptr_t)address;
    struct writer w =
        record_begin(g, sizeof head + sizeof where + head.length, FORMAT_SITE);
    record_put(&w, &head, sizeof head);
    record_put(&w, &where, sizeof where);
    record_put(&w, text, head.length);
    record_publish(&w);
}

uint32_t graph_site(struct graph_segment *g, const void *return_address)
{
    if (!return_address)
        return 0;
    pthread_mutex_lock(&g->lock);
    uint32_t id = 0;
    for (uint32_t i = 0; i < g->sites.count && !id; i++)
        if (g->sites.key[i] == return_address)
            id = i + 1;
    if (!id) {
        id = table_add(&g->sites, return_address);
        put_site(g, id, return_address, "");
    }
    pthread_mutex_unlock(&g->lock);
    return id;
}

const void *graph_site_address(struct graph_segment *g, uint32_t site)
{
    pthread_mutex_lock(&g->lock);
    const void *const address =
        site && site <= g->sites.count ? g->sites.key[site - 1] : NULL;
    pthread_mutex_unlock(&g->lock);
    return address;
}

const char *graph_site_text(struct graph_segment *g, uint32_t site, char *out,
                            size_t nbytes)
{
    return site_text(getpid(), graph_site_address(g, site), out, nbytes);
}

void graph_note_alloc(struct graph_segment *g, uint64_t alloc, int32_t place,
                      uint64_t nbytes, uint32_t site)
{
    const struct format_alloc a = {alloc, nbytes, place, site};
    pthread_mutex_lock(&g->lock);
    struct writer w = record_begin(g, sizeof a, FORMAT_ALLOC);
    record_put(&w, &a, sizeof a);
    record_publish(&w);
    pthread_mutex_unlock(&g->lock);
}

void graph_note_queue(struct graph_segment *g, uint32_t queue, int32_t place,
                      const char *name)
{
    const struct format_queue q = {
        .queue = queue, .place = place, .length = (uint32_t)strlen(name)};
    pthread_mutex_lock(&g->lock);
    struct writer w = record_begin(g, sizeof q + q.length, FORMAT_QUEUE);
    record_put(&w, &q, sizeof q);
    record_put(&w, name, q.length);
    record_publish(&w);
    pthread_mutex_unlock(&g->lock);
}

/* A second record of each site, with its text. */
static void resolve_sites(struct graph_segment *g)
{
    char text[512];
    pthread_mutex_lock(&g->lock);
    for (uint32_t i = 0; i < g->sites.count; i++)
        put_site(g, i + 1, g->sites.key[i],
                 site_text(getpid(), g->sites.key[i], text, sizeof text));
    pthread_mutex_unlock(&g->lock);
}

int graph_save(struct graph_segment *g)
{
    char path[4096];
    if (!g->dir)
        return 0;
    resolve_sites(g);
    mkdir(g->dir, 0777);
    snprintf(path, sizeof path, "%s/rank-%u.graph", g->dir, g->header->rank);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        goto fail;
    const char *at = (const char *)g->header;
    const char *const end = at + atomic_load(&g->header->used);
    while (at < end) {
        const ssize_t n = write(fd, at, (size_t)(end - at));
        if (n < 0) {
            close(fd);
            goto fail;
        }
        at += n;
    }
    return close(fd);
fail:
    fprintf(stderr, "commlab: cannot save the execution graph to %s: %s\n",
            path, strerror(errno));
    return -1;
}

void graph_close(struct graph_segment *g)
{
    if (!g)
        return;
    munmap(g->header, FORMAT_CAPACITY);
    close(g->fd);
    for (uint32_t i = 0; i < g->strings.count; i++)
        free((void *)g->strings.key[i]);
    free(g->strings.key);
    free(g->sites.key);
    free(g->dir);
    free(g);
}
