#define _GNU_SOURCE
#include "grader/recorder/recorder_graph.h"

#include <fcntl.h>    /* open */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcmp */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* pread */

#include "grader/base/room.h"
#include "grader/recorder/recorder.h"
#include "graph/hazard/overwrite.h"
#include "graph/record/format.h"

enum { CHUNK = 256 << 10, TAIL = 64 << 10 };

struct node {        /* a node of the graph, numbered from 0 here */
    uint64_t at;     /* offset of its record in the file */
    uint32_t nbytes; /* bytes of the record's body */
    int begun;
};

struct recorder_graph {
    int memfd, file;
    uint64_t nbytes;           /* bytes taken */
    struct format_record head; /* head of the arriving record */
    size_t nhead;              /* bytes of that head so far */
    uint64_t left;             /* bytes that are missing from the header or
                                  from a body */
    uint64_t complete;         /* bytes up to the end of the last
                                  complete record */
    int is_whole, is_forged;
    struct node *node;
    uint32_t nnodes;
    size_t cap_nodes;
    struct format_alloc alloc;   /* the arriving one */
    struct format_alloc *placed; /* complete ones, for
                                    recorder_graph_placed() */
    size_t nplaced, cap_placed;
    size_t ntail; /* last bytes taken, which are not in the file yet */
    char tail[TAIL];
    char path[PATH_MAX], part[PATH_MAX + 8], early[PATH_MAX];
    char chunk[2][CHUNK];
};

struct recorder_graph *recorder_graph_new(int memfd, const char *dir, int rank)
{
    struct recorder_graph *const g = calloc(1, sizeof *g);
    if (!g) {
        close(memfd);
        return NULL;
    }
    snprintf(g->path, sizeof g->path, "%s/rank-%d.graph", dir, rank);
    snprintf(g->part, sizeof g->part, "%s.part", g->path);
    snprintf(g->early, sizeof g->early, "%s/" RECORDER_EARLY, dir);
    mkdir(g->early, 0700); // the first rank makes it
    snprintf(g->early, sizeof g->early, "%s/" RECORDER_EARLY "/rank-%d.graph",
             dir, rank);
    g->memfd = memfd;
    g->left = FORMAT_DATA;
    g->file = open(g->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (g->file >= 0)
        return g;
    recorder_graph_free(g);
    return NULL;
}

/* Write the tail to the file. */
static int flush(struct recorder_graph *g)
{
    const size_t n = g->ntail;
    g->ntail = 0;
    return pwrite(g->file, g->tail, n, (off_t)(g->nbytes - n)) == (ssize_t)n
               ? 0
               : -1;
}

/* The rank ended early: keep its graph up to the last complete
 * record, for pictures. */
static void keep_early(struct recorder_graph *g)
{
    struct format_header header;
    if (g->complete < FORMAT_DATA || flush(g) != 0 ||
        ftruncate(g->file, (off_t)g->complete) != 0 ||
        pread(g->file, &header, sizeof header, 0) != sizeof header)
        return;
    atomic_init(&header.used, g->complete);
    if (pwrite(g->file, &header, sizeof header, 0) == sizeof header)
        rename(g->part, g->early);
}

void recorder_graph_free(struct recorder_graph *g)
{
    if (!g)
        return;
    if (g->file >= 0 && !g->is_whole) {
        keep_early(g);
        unlink(g->part);
    }
    close(g->memfd);
    if (g->file >= 0)
        close(g->file);
    free(g->node);
    free(g->placed);
    free(g);
}

/* Read, without a mapping: if a rank truncates its memfd, the read is short. */
static int read_all(int fd, void *data, size_t n, uint64_t at)
{
    return pread(fd, data, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}

/* Compare the memfd with the file, except the header, which has the length. */
static enum recorder_graph_result compare(struct recorder_graph *g)
{
    for (uint64_t at = FORMAT_DATA; at < g->nbytes; at += CHUNK) {
        const uint64_t left = g->nbytes - at;
        const size_t n = left < CHUNK ? (size_t)left : CHUNK;
        if (read_all(g->file, g->chunk[0], n, at) != 0)
            return RECORDER_GRAPH_FAILED;
        if (read_all(g->memfd, g->chunk[1], n, at) != 0 ||
            memcmp(g->chunk[0], g->chunk[1], n) != 0)
            return RECORDER_GRAPH_FORGED;
    }
    return RECORDER_GRAPH_WHOLE;
}

/* Append the list of operations that have begun. */
static int put_begun(struct recorder_graph *g)
{
    struct format_record *const r =
        calloc(1, sizeof *r + FORMAT_ALIGN + g->nnodes * sizeof(uint32_t));
    if (!r)
        return -1;
    uint32_t *const index = (uint32_t *)(r + 1), n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (g->node[i].begun)
            index[n++] = i + 1;
    *r = (struct format_record){n * (uint32_t)sizeof *index, FORMAT_BEGUN};
    const size_t all = sizeof *r + format_padded(r->nbytes);
    const int err =
        pwrite(g->file, r, all, (off_t)g->nbytes) != (ssize_t)all ? -1 : 0;
    free(r);
    g->nbytes += all;
    return err;
}

static enum recorder_graph_result finish(struct recorder_graph *g)
{
    struct format_header header;
    const enum recorder_graph_result result = compare(g);
    if (result != RECORDER_GRAPH_WHOLE)
        return result;
    if (read_all(g->file, &header, sizeof header, 0) != 0 || put_begun(g) != 0)
        return RECORDER_GRAPH_FAILED;
    atomic_init(&header.used, g->nbytes);
    if (pwrite(g->file, &header, sizeof header, 0) != sizeof header ||
        rename(g->part, g->path) != 0)
        return RECORDER_GRAPH_FAILED;
    g->is_whole = 1;
    return RECORDER_GRAPH_WHOLE;
}

static enum recorder_graph_result keep(struct recorder_graph *g,
                                       const void *data, size_t n)
{
    if (n > TAIL - g->ntail && flush(g) != 0)
        return RECORDER_GRAPH_FAILED;
    memcpy(g->tail + g->ntail, data, n);
    g->ntail += n;
    g->nbytes += n;
    return g->nbytes > RECORDER_GRAPH_CAP ? RECORDER_GRAPH_FULL
                                          : RECORDER_GRAPH_TAKEN;
}

/* Bytes of a record's body have arrived, after `at` earlier ones. */
static int note_body(struct recorder_graph *g, size_t at, const char *data,
                     size_t n)
{
    if (g->head.kind != FORMAT_ALLOC)
        return 0;
    if (g->head.nbytes != sizeof g->alloc) {
        g->is_forged = 1;
        return 0;
    }
    memcpy((char *)&g->alloc + at, data, n);
    if (at + n < sizeof g->alloc || g->alloc.device == FORMAT_NO_DEVICE)
        return 0;
    if (room_make((void **)&g->placed, g->nplaced, &g->cap_placed,
                  sizeof *g->placed) != 0)
        return -1;
    g->placed[g->nplaced++] = g->alloc;
    return 0;
}

/* The head of a record is complete. It ends at offset `at` of the file. */
static int note_head(struct recorder_graph *g, uint64_t at)
{
    g->is_forged |= g->head.kind == FORMAT_BEGUN; // only this file contains it
    if (g->head.kind != FORMAT_NODE)
        return 0;
    if (room_make((void **)&g->node, g->nnodes, &g->cap_nodes,
                  sizeof *g->node) != 0)
        return -1;
    g->node[g->nnodes++] = (struct node){at, g->head.nbytes, 0};
    return 0;
}

/* Walk through the records, which may be cut anywhere. Returns nbytes or, with
 * *is_end set, the number of bytes up to the end of the graph. */
static size_t follow(struct recorder_graph *g, const char *data, size_t nbytes,
                     int *is_end)
{
    size_t at = 0;
    *is_end = 0;
    while (at < nbytes && !*is_end) {
        if (g->left > 0) {
            const size_t n =
                g->left < nbytes - at ? (size_t)g->left : nbytes - at;
            if (g->complete >= FORMAT_DATA &&
                note_body(g, format_padded(g->head.nbytes) - g->left, data + at,
                          n) != 0)
                break;
            at += n;
            g->left -= n;
            if (g->left == 0)
                g->complete = g->nbytes + at;
            continue;
        }
        const size_t need = sizeof g->head - g->nhead,
                     n = need < nbytes - at ? need : nbytes - at;
        memcpy((char *)&g->head + g->nhead, data + at, n);
        at += n;
        g->nhead += n;
        if (g->nhead < sizeof g->head)
            break;
        g->nhead = 0;
        if (note_head(g, g->nbytes + at) != 0)
            break;
        g->left = format_padded(g->head.nbytes);
        if (g->left == 0)
            g->complete = g->nbytes + at;
        *is_end = g->head.kind == FORMAT_END;
    }
    return at;
}

enum recorder_graph_result recorder_graph_take(struct recorder_graph *g,
                                               const char *data, size_t nbytes)
{
    int is_end;
    if (g->is_whole)
        return RECORDER_GRAPH_FORGED; // the kit sends no such bytes
    const size_t n = follow(g, data, nbytes, &is_end);
    if (g->is_forged)
        return RECORDER_GRAPH_FORGED;
    if (n < nbytes && !is_end)
        return RECORDER_GRAPH_FAILED; // memory ran out
    const enum recorder_graph_result result = keep(g, data, n);
    if (!is_end || result != RECORDER_GRAPH_TAKEN)
        return result;
    if (flush(g) != 0)
        return RECORDER_GRAPH_FAILED;
    g->nbytes -= sizeof g->head; // don't count the end record
    if (ftruncate(g->file, (off_t)g->nbytes) != 0)
        return RECORDER_GRAPH_FAILED;
    return finish(g);
}

int recorder_graph_placed(struct recorder_graph *g, struct format_alloc *out)
{
    if (g->nplaced == 0)
        return 0;
    *out = g->placed[--g->nplaced];
    return 1;
}

uint32_t recorder_graph_nnodes(const struct recorder_graph *g)
{
    const struct node *const last = g->nnodes ? &g->node[g->nnodes - 1] : NULL;
    const int is_cut = last && last->at + last->nbytes > g->nbytes;
    return g->nnodes - (uint32_t)is_cut; // the rest of it is under way
}

/* Read a node's body from the file and the tail. It may be incomplete. */
static int read_node(const struct recorder_graph *g, const struct node *n,
                     void *body)
{
    const uint64_t saved = g->nbytes - g->ntail;
    if (n->at + n->nbytes > g->nbytes)
        return -1;
    if (n->at + n->nbytes <= saved)
        return read_all(g->file, body, n->nbytes, n->at);
    const size_t before = n->at < saved ? (size_t)(saved - n->at) : 0;
    memcpy((char *)body + before, g->tail + (n->at + before - saved),
           n->nbytes - before);
    return before ? read_all(g->file, body, before, n->at) : 0;
}

/* What the operation in a node's record overwrites; NULL if it is damaged. */
static struct graph_access *overwritten(const struct graph_node *n,
                                        uint32_t nbytes, size_t *count)
{
    const struct graph_move *const moves =
        (const void *)((const struct graph_ref *)(n + 1) + n->ndeps);
    const struct graph_access *const a = (const void *)(moves + n->nmoves);
    if ((const char *)(a + n->naccesses) != (const char *)n + nbytes)
        return NULL;
    struct graph_access *const out =
        malloc((2 * (size_t)n->naccesses + 1) * sizeof *out);
    if (out)
        *count = overwrite_find(n, a, n->naccesses, out);
    return out;
}

enum recorder_graph_result recorder_graph_begin(struct recorder_graph *g,
                                                uint32_t index,
                                                struct graph_access **ranges,
                                                size_t *n)
{
    struct node *const node =
        index > 0 && index <= g->nnodes ? &g->node[index - 1] : NULL;
    if (!node || node->begun || node->nbytes < sizeof(struct graph_node))
        return RECORDER_GRAPH_FORGED;
    void *const body = malloc(node->nbytes);
    if (!body || read_node(g, node, body) != 0) {
        free(body);
        return RECORDER_GRAPH_FAILED;
    }
    *ranges = overwritten(body, node->nbytes, n);
    free(body);
    node->begun = 1;
    return *ranges ? RECORDER_GRAPH_TAKEN : RECORDER_GRAPH_FORGED;
}
