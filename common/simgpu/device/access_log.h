/*
 * access_log.h: what a kernel has touched, and its form for the graph
 *
 * access.c fills the log; a read that comes before any write of its bytes is
 * recorded apart, as far as there is room, since it tells of a hazard.
 */
#ifndef SIMGPU_DEVICE_ACCESS_LOG_H
#define SIMGPU_DEVICE_ACCESS_LOG_H

#include "core/heap.h"
#include "device/launch.h"
#include "device/run.h" /* struct poll */
#include "device/touched.h"

enum kind {
    READ,
    WRITE,
    ATOMIC,   /* of narrower scope than the system's */
    EXCHANGE, /* likewise, ignoring the old value */
    SYSTEM,   /* an atomic at system scope: sync.c knows what it orders; */
    RETRY,    /* likewise a compare-and-swap right after one that failed */
    SIGNAL,   /* likewise a word that is set, or volatile */
    POLL,     /* likewise a read of a word that others may write */
    REDUCED,  /* read by the switch, which reduces; */
    SPREAD,   /* written by the switch to all; */
    ADDED,    /* or an atomic at all */
    KINDS
};
enum { MAX_FIRST = 16, SPANS = 512 };

/*
 * The bytes that an instruction of the kernel may touch without being noted
 * again: [begin, end) is in the set of its kind, except for [fresh, end), which
 * is to be added. It may grow up to `limit`. All NULL: nothing is known. The
 * layout is known to simnvcc/inline.c.
 */
struct span {
    const char *begin, *end, *limit, *fresh;
    const char *next; /* where its last access beside them ended */
};

struct spans {             /* of the instructions that read, or write */
    struct span at[SPANS]; /* by address of the instruction */
};

struct used { /* a span that is not empty: of those, or in device code */
    struct span *span;
    enum kind kind;
};

struct range { /* bytes of one allocation, user addresses */
    const char *begin, *end;
    uint32_t block; /* index into the log's blocks */
    int rough;      /* not all of it was touched */
};

struct first {
    struct range range;
    enum kind kind;
};

struct transfer; /* put.c */

struct log { /* of the kernel that this worker runs */
    const struct launch *launch;
    uint64_t count;           /* accesses without polls */
    int fenced;               /* the kernel has called a fence */
    struct heap_block *block; /* allocations touched */
    uint32_t nblocks, latest; /* latest: the one used last */
    const struct poll *poll;  /* of the running thread */
    struct touched set[KINDS];
    struct spans spans[WRITE + 1];
    struct used *used;
    size_t nused, cap_used;
    struct range *range; /* of one kind, being reported */
    size_t nranges, cap_ranges;
    struct first *first; /* read before the kernel wrote there */
    size_t nfirst, most_first, cap_first;
    const struct log *earlier; /* cores.h: of the grid's first slice */
    struct graph_access *access;
    struct graph_move *move;
    struct transfer *transfer; /* not known to have arrived: put.c */
    size_t ntransfers, cap_transfers;
};

/* Kinds that a spinning thread makes many of. */
static inline int access_may_spin(enum kind kind)
{
    return kind == ATOMIC || kind == SYSTEM || kind == RETRY || kind == ADDED;
}

/* Kinds by which all memories of a multicast are touched: the switch moves the
 * bytes between each and itself. */
static inline int access_by_switch(enum kind kind)
{
    return kind >= REDUCED;
}

/* The latency of a word is charged to its waiter (sync.c): no bytes are
 * moved. */
static inline int access_is_word(enum kind kind)
{
    return kind == EXCHANGE || kind == SIGNAL || kind == POLL;
}

/* False for retries, too: which words a thread still tries, in a hash map that
 * several ranks fill, depends on which of them came first, and modelled time
 * must not. */
static inline int access_moves_bytes(enum kind kind)
{
    return !access_is_word(kind) && kind != RETRY;
}

/* Add to the sets what the spans are to add. */
void access_log_settle(struct log *g);

/* The same; and every instruction's next access is noted. */
void access_log_forget(struct log *g);

/* An instruction's span becomes this one. */
void access_log_span(struct log *g, enum kind kind, struct span *s,
                     struct span with);

/* The index of the allocation that holds [p, p + nbytes), or -1 if the kernel
 * has touched none such. */
int64_t access_log_block(struct log *g, const char *p, size_t nbytes);

/* Convert what has been collected to the graph's form. The arrays last until
 * the next call. */
void access_log_summarise(struct log *g, struct launch_cost *c);

/*
 * What the log `later` of blocks behind this log's has collected is added, as
 * if this log had gone on: so the first reads of bytes that this log has, too,
 * are left out. Then `later` is empty.
 */
void access_log_append(struct log *g, struct log *later);

/* Note a read as the first of its bytes, if there is room. */
void access_log_first(struct log *g, struct first first);

/* Start over: nothing has been touched. */
void access_log_clear(struct log *g);

/* An array with room for n elements; never NULL. */
void *access_log_grow(void *array, size_t n, size_t size);

#endif
