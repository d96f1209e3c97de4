/*
 * segment.h: reading one rank's segment
 *
 * Reads the bytes of format.h, from a peer's memfd while it grows, or from a
 * file. Each record is checked before it is used, so damaged bytes give an
 * error, never a crash. The contents of a segment can be trusted: indices are
 * in range, arrays have the lengths of their counts, and texts are terminated.
 */
#ifndef COMMLAB_GRAPH_SEGMENT_H
#define COMMLAB_GRAPH_SEGMENT_H

#include "graph/record/format.h"
#include "graph/record/read.h" /* struct graph_view */

struct segment_node {
    const struct graph_node *node; /* its deps, moves and accesses follow */
    uint32_t amend, last;          /* its first and last amendment; 0: none */
    uint32_t nparts;
    int begun;  /* according to the recorder */
    int broken; /* graph_note_broken() */
};

struct segment_amend {                /* an amendment, or the start of a part */
    const struct format_amend *amend; /* moves and accesses follow; or NULL */
    const struct format_part *part;   /* points follow; or NULL */
    const struct format_aside *aside; /* contains the part; or NULL */
    uint32_t next;
};

struct segment_site {
    const struct format_site *site;
    const char *text; /* NULL if it has none yet */
    const char *from; /* NULL: none, or none yet */
};

struct segment {
    const char *bytes;
    uint64_t at; /* offset read so far, or that of an error */
    uint32_t rank, nranks;
    int is_witnessed; /* the file lists which nodes have begun */
    char wrong[160];  /* the error; "" if there is none */

    /* Arrays numbered from 1: entry 0 of each is empty. */
    struct segment_node *node;
    struct segment_amend *amend;
    struct segment_site *site;
    const char **string;
    const char *machine;               /* NULL if it was not noted */
    const struct format_queue **queue; /* in the order of their notes */
    const struct format_alloc **alloc;
    uint32_t *alloc_after; /* by allocation: nodes recorded before its note */
    const struct format_fault **fault;
    const struct graph_harm **harm;
    uint32_t *broken; /* nodes without their match */
    uint32_t nnodes, namends, nsites, nstrings, nqueues, nallocs, nfaults,
        nharms, nbroken;
};

/*
 * Start reading the segment at `bytes` (aligned to 8), of which `nbytes` are
 * available. The caller keeps the bytes, which must outlive s, and may later
 * point s->bytes to a longer copy of them. Returns 0, or -1 with s->at and
 * s->wrong set.
 */
int segment_init(struct segment *s, const char *bytes, uint64_t nbytes);
void segment_release(struct segment *s);

/* Continue up to `used`. Returns 0, or -1 as above. */
int segment_advance(struct segment *s, uint64_t used);

const char *segment_string(const struct segment *s, uint32_t id);

/* Write "file:line" of a call site to out, in saved and live segments; "?" if
 * it doesn't exist. Returns out. */
const char *segment_site(const struct segment *s, uint32_t id, char *out,
                         size_t nbytes);

/* The same for the call that led to it, from another file: see
 * site_stack_from(). */
const char *segment_site_from(const struct segment *s, uint32_t id, char *out,
                              size_t nbytes);

/* Allocations that are freed together. */
struct arena {
    struct arena_block *blocks;
};
void *arena_alloc(struct arena *a, size_t nbytes); /* NULL: no memory */
void arena_release(struct arena *a);

/*
 * Write the first n parts of a node, with their amendments, to out[n]; new
 * arrays are allocated from a. The text of the site is "" unless the segment
 * was saved. Returns -1 if memory runs out.
 */
int segment_views(const struct segment *s, uint32_t index, uint32_t n,
                  struct arena *a, struct graph_view *out);

#endif
