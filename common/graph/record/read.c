#include "graph/record/read.h"

#include <errno.h>    /* errno */
#include <stdarg.h>   /* va_list */
#include <stdio.h>    /* fopen */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* strerror */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* pread */

#include "graph/record/index.h"

enum { MAX_RANKS = 1 << 16 };

struct loader {
    const char *dir;
    char *err;
    size_t err_nbytes;
    uint32_t nranks; /* according to rank 0 */
    uint32_t room;   /* capacity of the arrays below */
    struct segment *segment;
    void **bytes;
    size_t *mapped;
};

/* Write "DIR/rank-2.graph: 4096: reason" to err. */
static int fail(struct loader *l, uint32_t rank, uint64_t offset,
                const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(l->err, l->err_nbytes, "%s/rank-%u.graph: %llu: %s", l->dir, rank,
             (unsigned long long)offset, what);
    return -1;
}

/* ---- files --------------------------------------------------------------- */

/* The contents of a file; NULL with errno on failure. */
static void *read_all(FILE *f, size_t *nbytes)
{
    size_t room = 1 << 16;
    char *bytes = malloc(room);
    *nbytes = 0;
    while (bytes) {
        *nbytes += fread(bytes + *nbytes, 1, room - *nbytes, f);
        if (*nbytes < room)
            break;
        char *const larger = realloc(bytes, room *= 2);
        if (!larger)
            free(bytes);
        bytes = larger;
    }
    if (bytes && ferror(f)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Read the segment in bytes[rank]. */
static int read_segment(struct loader *l, uint32_t rank, size_t nbytes)
{
    struct segment *const s = &l->segment[rank];
    const struct format_header *const h = l->bytes[rank];
    if (segment_init(s, l->bytes[rank], nbytes) != 0)
        return fail(l, rank, s->at, "%s", s->wrong);
    if (s->rank != rank)
        return fail(l, rank, 0, "it is the graph of rank %u", s->rank);
    if (!l->mapped[rank] && h->used != nbytes)
        return fail(l, rank, nbytes,
                    "%llu bytes were written, the file has %zu",
                    (unsigned long long)h->used, nbytes);
    if (segment_advance(s, nbytes) != 0)
        return fail(l, rank, s->at, "%s", s->wrong);
    return 0;
}

static int load_rank(struct loader *l, uint32_t rank)
{
    char path[4096];
    size_t nbytes = 0;
    snprintf(path, sizeof path, "%s/rank-%u.graph", l->dir, rank);
    FILE *const f = fopen(path, "rb");
    if (!f)
        return fail(l, rank, 0, "%s", strerror(errno));
    l->bytes[rank] = read_all(f, &nbytes);
    const int err = errno;
    fclose(f);
    if (!l->bytes[rank])
        return fail(l, rank, 0, "%s", strerror(err));

    return read_segment(l, rank, nbytes);
}

static void loader_release(struct loader *l)
{
    for (uint32_t r = 0; r < l->room; r++) {
        segment_release(&l->segment[r]);
        if (l->mapped[r])
            munmap(l->bytes[r], l->mapped[r]);
        else
            free(l->bytes[r]);
    }
    free(l->segment);
    free(l->bytes);
    free(l->mapped);
}

/* Make space for nranks, keeping what is already loaded. */
static int make_room(struct loader *l, uint32_t nranks)
{
    void *const segment = realloc(l->segment, nranks * sizeof *l->segment);
    if (segment)
        l->segment = segment;
    void *const bytes = realloc(l->bytes, nranks * sizeof *l->bytes);
    if (bytes)
        l->bytes = bytes;
    void *const mapped = realloc(l->mapped, nranks * sizeof *l->mapped);
    if (mapped)
        l->mapped = mapped;
    if (!segment || !bytes || !mapped)
        return fail(l, 0, 0, "no memory for %u ranks", nranks);
    for (; l->room < nranks; l->room++) {
        l->segment[l->room] = (struct segment){0};
        l->bytes[l->room] = NULL;
        l->mapped[l->room] = 0;
    }
    return 0;
}

static int load_all(struct loader *l)
{
    if (make_room(l, 1) != 0 || load_rank(l, 0) != 0)
        return -1;
    l->nranks = l->segment[0].nranks;
    if (l->nranks > MAX_RANKS)
        return fail(l, 0, 0, "of a run of %u ranks; %d are possible", l->nranks,
                    MAX_RANKS);
    if (make_room(l, l->nranks) != 0)
        return -1;
    for (uint32_t rank = 1; rank < l->nranks; rank++) {
        if (load_rank(l, rank) != 0)
            return -1;
        if (l->segment[rank].nranks != l->nranks)
            return fail(l, rank, 0, "of a run of %u ranks, rank 0's is of %u",
                        l->segment[rank].nranks, l->nranks);
    }
    return 0;
}

/* ---- from segments to a graph -------------------------------------------- */

/* Check that the parts that others follow exist. */
static int check_parts(struct loader *l, uint32_t rank)
{
    const struct segment *const s = &l->segment[rank];
    for (uint32_t k = 1; k <= s->namends; k++) {
        const struct format_part *const p = s->amend[k].part;
        const struct graph_point *const after = (const void *)(p + 1);
        for (uint32_t i = 0; p && i < p->nafter; i++) {
            const struct segment *const of = &l->segment[after[i].rank];
            if (after[i].index > of->nnodes ||
                after[i].part >= of->node[after[i].index].nparts)
                return fail(l, rank, (uint64_t)((const char *)p - s->bytes),
                            "operation %u follows part %u of operation %u of "
                            "rank %u, which was not recorded",
                            p->index, after[i].part, after[i].index,
                            after[i].rank);
        }
    }
    return 0;
}

/* Check that nodes named as dependences exist. */
static int check_deps(struct loader *l, uint32_t rank)
{
    const struct segment *const s = &l->segment[rank];
    for (uint32_t i = 1; i <= s->nnodes; i++) {
        const struct graph_node *const n = s->node[i].node;
        const struct graph_ref *const deps = (const void *)(n + 1);
        for (int d = 0; d < n->ndeps; d++)
            if (deps[d].index > l->segment[deps[d].rank].nnodes)
                return fail(l, rank, (uint64_t)((const char *)n - s->bytes),
                            "operation %u depends on operation %u of rank %u, "
                            "which has only %u",
                            i, deps[d].index, deps[d].rank,
                            l->segment[deps[d].rank].nnodes);
    }
    return 0;
}

static int copy_nodes(struct graph *g)
{
    struct graph_index *const x = g->index;
    uint32_t at = 0;
    for (uint32_t r = 0; r < g->nranks; r++) {
        const struct segment *const s = &x->segment[r];
        x->first[r] = at;
        g->is_witnessed |= s->is_witnessed;
        for (uint32_t i = 1; i <= s->nnodes; at += s->node[i++].nparts)
            if (segment_views(s, i, s->node[i].nparts, &x->arena,
                              &g->nodes[at]) != 0)
                return -1;
    }
    x->first[g->nranks] = at;
    for (uint32_t r = 0; r < g->nranks; r++)
        if (graph_index_harms(g, r, &x->segment[r]) != 0)
            return -1;
    return 0;
}

static int break_matches(struct graph *g)
{
    struct map broken = {0};
    int err = 0;
    for (uint32_t r = 0; r < g->nranks && !err; r++)
        err = graph_index_broken(&g->index->segment[r], 1, &broken);
    if (!err)
        graph_index_break(g, &broken);
    map_release(&broken);
    return err;
}

/* Make a graph that takes over the loader's segments. */
static struct graph *make_graph(struct loader *l)
{
    uint64_t nnodes = 0;
    for (uint32_t r = 0; r < l->nranks; r++) {
        if (check_deps(l, r) != 0 || check_parts(l, r) != 0)
            return NULL;
        for (uint32_t i = 1; i <= l->segment[r].nnodes; i++)
            nnodes += l->segment[r].node[i].nparts;
    }
    struct graph *const g =
        nnodes < GRAPH_NOWHERE ? graph_new(l->nranks, (uint32_t)nnodes) : NULL;
    if (g) {
        g->index->segment = l->segment;
        g->index->bytes = l->bytes;
        g->index->mapped = l->mapped;
        l->segment = NULL;
        l->bytes = NULL;
        l->mapped = NULL;
        l->room = 0;
        g->machine = g->index->segment[0].machine;
        if (copy_nodes(g) == 0 && break_matches(g) == 0 &&
            graph_index_notes(g) == 0 && graph_index_build(g) == 0)
            return g;
        graph_free(g);
    }
    fail(l, 0, 0, "no memory for %llu operations", (unsigned long long)nnodes);
    return NULL;
}

struct graph *graph_read(const char *dir, char *err, size_t err_nbytes)
{
    struct loader l = {.dir = dir, .err = err, .err_nbytes = err_nbytes};
    struct graph *const g = load_all(&l) == 0 ? make_graph(&l) : NULL;
    loader_release(&l);
    return g;
}

/* Map the published part of a rank's segment. */
static int map_rank(struct loader *l, uint32_t rank, int fd)
{
    struct format_header header;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return fail(l, rank, 0, "cannot read its header");
    const size_t used = atomic_load(&header.used);
    void *const at = mmap(NULL, used, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return fail(l, rank, 0, "cannot map %zu bytes: %s", used,
                    strerror(errno));
    l->bytes[rank] = at;
    l->mapped[rank] = used;
    return read_segment(l, rank, used);
}

struct graph *graph_map(const int *fd, uint32_t nranks, char *err,
                        size_t err_nbytes)
{
    struct loader l = {.dir = "the job",
                       .err = err,
                       .err_nbytes = err_nbytes,
                       .nranks = nranks};
    struct graph *g = NULL;
    int wrong = make_room(&l, nranks);
    for (uint32_t rank = 0; rank < nranks && !wrong; rank++)
        wrong = fd[rank] < 0 ? 0 : map_rank(&l, rank, fd[rank]);
    if (!wrong)
        g = make_graph(&l);
    loader_release(&l);
    return g;
}

const char *graph_site_text_of(const struct graph *g, uint32_t rank,
                               uint32_t site, char *out, size_t nbytes)
{
    const struct segment *const s =
        rank < g->nranks ? graph_index_segment(g, rank) : NULL;
    if (s)
        return segment_site(s, site, out, nbytes);
    snprintf(out, nbytes, "?");
    return out;
}

const char *graph_site_from(const struct graph *g, uint32_t rank, uint32_t site,
                            char *out, size_t nbytes)
{
    const struct segment *const s =
        rank < g->nranks ? graph_index_segment(g, rank) : NULL;
    if (s)
        return segment_site_from(s, site, out, nbytes);
    out[0] = 0;
    return out;
}
