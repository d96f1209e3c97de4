#define _GNU_SOURCE
#include "recorder_graph.h"

#include <fcntl.h>    /* open */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcmp */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* pread */

#include "graph/format.h"
#include "recorder.h"

enum { CHUNK = 256 << 10 };

struct recorder_graph {
    int memfd, file;
    uint64_t nbytes;           /* taken */
    struct format_record head; /* of the record that is arriving */
    size_t nhead;              /* bytes of it */
    uint64_t left;             /* bytes to come: of the header, of a body */
    uint64_t complete;         /* bytes up to the end of the last record */
    int is_whole;
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
    mkdir(g->early, 0700); // by the first rank
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

/* Its rank ended early: what there is, up to the last record that is complete,
 * for pictures. */
static void keep_early(struct recorder_graph *g)
{
    struct format_header header;
    if (g->complete < FORMAT_DATA ||
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
    free(g);
}

/* Nothing is mapped: a rank may cut its memfd, and then a read is short. */
static int read_all(int fd, void *data, size_t n, uint64_t at)
{
    return pread(fd, data, n, (off_t)at) == (ssize_t)n ? 0 : -1;
}

/* The header apart, which says how much there is. */
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

static enum recorder_graph_result finish(struct recorder_graph *g)
{
    struct format_header header;
    const enum recorder_graph_result result = compare(g);
    if (result != RECORDER_GRAPH_WHOLE)
        return result;
    if (read_all(g->file, &header, sizeof header, 0) != 0)
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
    if (pwrite(g->file, data, n, (off_t)g->nbytes) != (ssize_t)n)
        return RECORDER_GRAPH_FAILED;
    g->nbytes += n;
    return g->nbytes > RECORDER_GRAPH_CAP ? RECORDER_GRAPH_FULL
                                          : RECORDER_GRAPH_TAKEN;
}

/* Go through the records, which may be cut anywhere. Returns nbytes; or, with
 * *is_end, how many bytes there are up to the end of the graph. */
static size_t follow(struct recorder_graph *g, const char *data, size_t nbytes,
                     int *is_end)
{
    size_t at = 0;
    *is_end = 0;
    while (at < nbytes && !*is_end) {
        if (g->left > 0) {
            const size_t n =
                g->left < nbytes - at ? (size_t)g->left : nbytes - at;
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
        return RECORDER_GRAPH_FORGED; // who sends this is not the kit
    const size_t n = follow(g, data, nbytes, &is_end);
    const enum recorder_graph_result result = keep(g, data, n);
    if (!is_end || result != RECORDER_GRAPH_TAKEN)
        return result;
    g->nbytes -= sizeof g->head; // the end itself
    if (ftruncate(g->file, (off_t)g->nbytes) != 0)
        return RECORDER_GRAPH_FAILED;
    return finish(g);
}
