/*
 * parts.h: the parts of a running kernel's node (sync.h)
 *
 * sync.c decides when a part ends and which parts the next one follows.
 */
#ifndef SIMGPU_DEVICE_PARTS_H
#define SIMGPU_DEVICE_PARTS_H

#include <stddef.h>

#include "core/stream/flag.h" /* struct flag_source */
#include "core/stream/op.h"
#include "device/sharing/behind.h"

/* A peer's queues are used in turn. The graph orders the parts of one queue,
 * but nothing orders two puts to a peer, so successive ones are in different
 * queues. */
enum { PARTS_LANES = 2, PARTS_PEERS = OP_ASIDES / PARTS_LANES };

enum { MAX_SEEN = 1024 };

/* The words that have been read and their writers, one entry per word. */
struct seen {
    const void *p[MAX_SEEN];
    struct flag_source by[MAX_SEEN];
    unsigned n;
};

struct parts {
    struct op *op;    /* the kernel's operation */
    int new_part;     /* its next access begins a part */
    int is_aside;     /* the latest part is a part aside */
    uint32_t part;    /* the latest part that is not aside */
    uint32_t nasides; /* number of parts aside so far */
    uint32_t *aside;  /* the numbers of these parts */
    uint32_t cap_asides;
    uint8_t turn[PARTS_PEERS]; /* asides so far, which choose the lane */
    struct seen after;         /* writers that the next part follows */
    struct seen known; /* writers that this or an earlier part follows */
    struct behind blocks;
    uint32_t *follows; /* by acquire: the first part that follows it */
    uint32_t nplaced, cap_follows; /* the latest acquires have no part yet */
};

/* The index of the word at p or else of the next free
 * entry, possibly MAX_SEEN. */
unsigned seen_find(const struct seen *s, const void *p);

/* Call these when the kernel begins and ends. Zero the struct before the first
 * kernel; its memory is kept for the next one. */
void parts_begin(struct parts *s, struct op *op);
void parts_end(struct parts *s);

/* End the current part with a write to p. Returns the name of the part. */
struct flag_source parts_release(struct parts *s, const void *p);

/* Order what the kernel does next after the part that wrote the word at p. */
void parts_acquire(struct parts *s, const void *p, struct flag_source by);

/* A name, for struct seen, of one of several writers of a word; and the word of
 * a name. The name for a part aside is not an address of a heap
 * (core/heap/heap_space.h). */
const void *parts_name(const void *p, struct flag_source by);

/* True if p is a part of the running kernel, which need not
 * be ordered after itself. */
int parts_are_own(const struct parts *s, struct graph_point p);

/* See sync_aside(). */
struct graph_point parts_aside(struct parts *s, const char *name, unsigned peer,
                               const struct graph_point *after, size_t n,
                               uint64_t latency_ps, unsigned *slot);

#endif
