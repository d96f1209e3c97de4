/*
 * parts.h: the parts of a running kernel's node (sync.h)
 *
 * For sync.c, which says when a part ends, and what the next one follows.
 */
#ifndef SIMGPU_DEVICE_PARTS_H
#define SIMGPU_DEVICE_PARTS_H

#include <stddef.h>

#include "core/flag.h" /* struct flag_source */
#include "core/op.h"

enum { MAX_SEEN = 1024 };

/* The writers of the words seen, one entry per word. */
struct seen {
    const void *p[MAX_SEEN];
    struct flag_source by[MAX_SEEN];
    unsigned n;
};

struct parts {
    struct op *op;    /* the kernel's */
    int new_part;     /* its next access begins a part */
    int is_aside;     /* its latest part is one aside */
    uint32_t part;    /* its latest part that is none */
    uint32_t nasides; /* parts aside so far, */
    uint32_t *aside;  /* and their numbers */
    uint32_t cap_asides;
    struct seen after; /* what the next part follows */
    struct seen known; /* what it or an earlier part follows */
};

/* The place of the word at p, or the next free one, which may be MAX_SEEN. */
unsigned seen_find(const struct seen *s, const void *p);

/* Begin and end with the kernel. What is zero before is kept between them. */
void parts_begin(struct parts *s, struct op *op);
void parts_end(struct parts *s);

/* End the current part with a write to p; returns its name. */
struct flag_source parts_release(struct parts *s, const void *p);

/* Order what follows after the part that wrote the word at p. */
void parts_acquire(struct parts *s, const void *p, struct flag_source by);

/* A name for one of several writers of a word, in struct seen; and the word.
 * That of a part aside is no address of a heap (core/heap_space.h). */
const void *parts_name(const void *p, struct flag_source by);

/* True if it is a part of the running kernel, which follows it anyway. */
int parts_are_own(const struct parts *s, struct graph_point p);

/* See sync_aside(). */
struct graph_point parts_aside(struct parts *s, const char *name,
                               const struct graph_point *after, size_t n,
                               uint64_t latency_ps, unsigned *slot);

#endif
