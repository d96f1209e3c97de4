/*
 * segment.h: one rank's segment, read
 *
 * Works on the bytes of format.h, in a peer's memfd that grows while it is read,
 * or in a file. Records are checked one by one before anything is taken from
 * them, so damaged bytes lead to a message, never to a crash; what a segment
 * holds afterwards can be trusted: indices are in range, arrays have the
 * lengths that their counts say, texts end.
 */
#ifndef COMMLAB_GRAPH_SEGMENT_H
#define COMMLAB_GRAPH_SEGMENT_H

#include "graph/format.h"
#include "graph/read.h" /* struct graph_view */

struct segment_node {
    const struct graph_node *node; /* deps, moves, accesses follow it */
    uint32_t amend, last;          /* of its amendments, 0: none */
    uint32_t nparts;
};

struct segment_amend {                /* an amendment, or where a part begins */
    const struct format_amend *amend; /* moves, accesses follow it; or NULL */
    const struct format_part *part;   /* points follow it; or NULL */
    uint32_t next;
};

struct segment_site {
    const struct format_site *site;
    const char *text; /* NULL as long as there is none */
};

struct segment {
    const char *bytes;
    uint64_t at; /* read so far; where it went wrong */
    uint32_t rank, nranks;
    char wrong[160]; /* what, "" if nothing */

    /* Numbered from 1: entry 0 of each is empty. */
    struct segment_node *node;
    struct segment_amend *amend;
    struct segment_site *site;
    const char **string;
    const char *machine;               /* NULL: not noted */
    const struct format_queue **queue; /* in order of their notes */
    const struct format_alloc **alloc;
    const struct format_fault **fault;
    uint32_t nnodes, namends, nsites, nstrings, nqueues, nallocs, nfaults;
};

/*
 * Begin to read the segment at `bytes` (aligned to 8), of which `nbytes` are
 * there. 0, or -1 with s->at and s->wrong set. The bytes stay the caller's and
 * must outlive s.
 */
int segment_init(struct segment *s, const char *bytes, uint64_t nbytes);
void segment_release(struct segment *s);

/* Read on up to `used`. 0, or -1 as above. */
int segment_advance(struct segment *s, uint64_t used);

const char *segment_string(const struct segment *s, uint32_t id);

/* "file:line" of a call site, whether the segment was saved or not, into out;
 * "?" for one that there isn't. Returns out. */
const char *segment_site(const struct segment *s, uint32_t id, char *out,
                         size_t nbytes);

/* Memory that lives as long as what is made of it. */
struct arena {
    struct arena_block *blocks;
};
void *arena_alloc(struct arena *a, size_t nbytes); /* NULL: no memory */
void arena_release(struct arena *a);

/*
 * The first n parts of a node with their amendments added, one behind the other
 * in out; arrays that had to be made lie in a. The site's text is "" unless the
 * segment was saved. -1: no memory.
 */
int segment_views(const struct segment *s, uint32_t index, uint32_t n,
                  struct arena *a, struct graph_view *out);

#endif
