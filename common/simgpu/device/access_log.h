/*
 * access_log.h: what a kernel has touched, and its form for the graph
 *
 * access.c fills in the log. A read of bytes that the kernel has not written
 * before may reveal a hazard, so a limited number of such *first reads* is
 * recorded separately.
 */
#ifndef SIMGPU_DEVICE_ACCESS_LOG_H
#define SIMGPU_DEVICE_ACCESS_LOG_H

#include "core/heap/heap.h"
#include "device/launch.h"
#include "device/poll.h"
#include "device/touched.h"
#include "simgpu/kernel.h" /* simgpu_own */

/* How a kernel touches bytes. */
enum touch_kind {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ATOMIC,   /* has a narrower scope than the system */
    TOUCH_EXCHANGE, /* an ATOMIC that ignores the old value */
    TOUCH_SYSTEM,  /* at system scope: sync.c handles it, and the next three; */
    TOUCH_RETRY,   /* a compare-and-swap right after one that failed */
    TOUCH_SIGNAL,  /* a store to a word that others may poll */
    TOUCH_POLL,    /* a read of a word that others may write */
    TOUCH_REDUCED, /* read by the switch, which reduces */
    TOUCH_SPREAD,  /* written by the switch to all memories */
    TOUCH_ADDED,   /* an atomic of the switch in all memories */
    TOUCH_KINDS
};
enum {
    ACCESS_LOG_FIRSTS = 16, /* first reads that are recorded */
    ACCESS_LOG_SPANS = 512, /* instructions that have a span, by address */
    ACCESS_LOG_TRAILS = 64, /* and that have a trail */
    ACCESS_LOG_STEPS = 512  /* steps in a trail */
};

/*
 * The bytes that an instruction of the kernel can touch without being recorded
 * again. [begin, end) is in the set of its kind, except for [fresh, end), which
 * is still to be added. The span can grow up to `limit`. In an empty span all
 * are NULL.
 */
struct access_span {
    const char *begin, *end, *limit, *fresh;
    const char *next; /* end of the latest access outside the span */
};

/* True if the access is in the instruction's span,
 * which may grow to include it. */
static inline int access_in_span(struct access_span *s, const char *p,
                                 size_t nbytes)
{
    const char *const end = p + nbytes;
    if (__builtin_expect(p >= s->begin && end <= s->end, 1))
        return 1;
    if (p != s->end || end > s->limit)
        return 0;
    s->end = end;
    return 1;
}

struct access_spans { /* all instructions that read, or that write */
    struct access_span at[ACCESS_LOG_SPANS]; /* by the instruction's address */
};

/*
 * An instruction in a loop touches bytes far apart, and for the next thread the
 * bytes right behind each of these:
 *
 *     thread 0:   x[0]   x[n]     x[2n]     x[3n]
 *     thread 1:   x[1]   x[n + 1] x[2n + 1] x[3n + 1]
 *
 * So it gets further spans, its *steps*, and for each the step that followed it
 * the last time. It gets them once it has left its own span often. Most steps
 * are followed by the one behind them in the array.
 */
struct access_step {
    struct access_span span;  /* limit: of where an access may begin */
    struct access_step *then; /* NULL: the step behind this one */
};

/* What an instruction with inline code has in each thread: its span, and where
 * it is in its trail. simnvcc/inline.c generates code that relies on the
 * layout. */
struct access_inlined {
    struct access_span span;
    struct access_step *last; /* NULL: it has no trail */
    uint64_t nmet;            /* accesses that were the expected step */
    uint64_t unused; /* the size is that of a line of the processor's cache */
};

struct access_trail {
    struct access_inlined *of; /* NULL: no instruction has it */
    struct access_step *step;  /* ACCESS_LOG_STEPS, and one that is empty */
    struct access_step *begin, *added; /* steps added without one being met */
    const struct access_inlined *next_of; /* who gets the trail */
    unsigned nleft;                       /* how often it has left its span */
    unsigned nmissed; /* accesses that were not the expected step */
    unsigned nadded;
};

struct access_used { /* a span in use, of the log's or in device code */
    struct access_span *span;
    enum touch_kind kind;
};

struct access_range { /* bytes of one allocation, user addresses */
    const char *begin, *end;
    uint32_t block; /* index into the log's blocks */
    int rough;      /* contains bytes that were not touched */
};

struct access_first {
    struct access_range range;
    enum touch_kind kind;
};

struct transfer; /* put.c */

struct access_log {            /* what one kernel on this worker touches */
    struct simgpu_own atomics; /* device code reads it: simgpu/kernel.h */
    const struct launch *launch;
    uint64_t count;  /* number of accesses other than polls */
    int fenced;      /* the kernel has called a fence */
    int is_resident; /* resident_enter() has been called for it */
    int strayed;     /* it has written outside the used part of an allocation */
    struct heap_block *block; /* allocations touched */
    uint32_t nblocks, latest; /* latest: used last */
    const struct poll *poll;  /* the running thread's */
    struct touched set[TOUCH_KINDS];
    struct touched *now;    /* the set, or `behind` while the running block is
                               behind (behind.h) */
    struct touched *behind; /* by kind; NULL: no block has been behind */
    uint32_t behind_by;     /* that many parts: graph_behind() */
    struct access_spans spans[TOUCH_WRITE + 1];
    struct access_trail trail[ACCESS_LOG_TRAILS]; /* by the span's address */
    int has_left; /* an instruction has left its span: access_log_left() */
    struct access_used *used;
    size_t nused, cap_used;
    struct access_range *range; /* ranges of the kind being reported */
    size_t nranges, cap_ranges;
    struct access_first *first; /* bytes read before the kernel wrote them */
    size_t nfirst, most_first, cap_first;
    const struct access_log
        *earlier; /* log of the grid's first slice (cores.h) */
    struct graph_access *access;
    struct graph_move *move;
    int was_alone, is_alone; /* the kernel: alone.h */
    struct access_range own; /* an allocation that it alone can change */
    unsigned nwords;         /* accesses to others */
    int follows; /* another kernel's write: each atomic is recorded */
    struct transfer *transfer; /* may not have arrived yet: put.c */
    size_t ntransfers, cap_transfers;
};

/* The kinds of access that a spinning thread repeats. */
static inline int access_may_spin(enum touch_kind kind)
{
    return kind == TOUCH_READ || kind == TOUCH_ATOMIC || kind == TOUCH_SYSTEM ||
           kind == TOUCH_RETRY || kind == TOUCH_ADDED;
}

/* The kinds of access that touch all memories of a multicast: the switch moves
 * the bytes between each memory and itself. */
static inline int access_by_switch(enum touch_kind kind)
{
    return kind >= TOUCH_REDUCED;
}

/* The access moves no bytes in the model: the latency of its word is charged to
 * the kernel that waits for it (sync.c). */
static inline int access_is_word(enum touch_kind kind)
{
    return kind == TOUCH_EXCHANGE || kind == TOUCH_SIGNAL || kind == TOUCH_POLL;
}

/* Retries move no bytes: when several ranks fill a hash map, the slots that a
 * thread still has to try depend on which rank was first, and modelled time
 * must not depend on that. */
static inline int access_moves_bytes(enum touch_kind kind)
{
    return !access_is_word(kind) && kind != TOUCH_RETRY;
}

/* Add the fresh bytes of all spans to the sets. */
void access_log_settle(struct access_log *g);

/* The same, and have every instruction's next access recorded. */
void access_log_forget(struct access_log *g);

/* From now on, record accesses of a block that is behind, or is not. */
void access_log_behind(struct access_log *g, int is_behind);

/* True if the byte has been touched in this way, by any block. */
int access_log_has(struct access_log *g, enum touch_kind kind, const char *p);

/* Replace an instruction's span. */
void access_log_span(struct access_log *g, enum touch_kind kind,
                     struct access_span *s, struct access_span with);

/* The trail of this instruction, or of another one. */
static inline struct access_trail *
access_log_trail(struct access_log *g, const struct access_inlined *s)
{
    return &g->trail[(uintptr_t)s / sizeof *s % ACCESS_LOG_TRAILS];
}

/* True if an instruction has a trail, or is to get one: access_log_step(). */
enum { ACCESS_LOG_OFTEN = 4096 }; /* it has left its span as often */
static inline int access_log_has_trail(struct access_log *g,
                                       const struct access_inlined *s)
{
    const struct access_trail *const t = access_log_trail(g, s);
    return t->next_of == s && t->nleft == ACCESS_LOG_OFTEN;
}

/* Note that an instruction has left its span. True if it now has a trail. */
static inline int access_log_left(struct access_log *g,
                                  const struct access_inlined *s)
{
    struct access_trail *const t = access_log_trail(g, s);
    if (t->next_of != s) {
        if (t->next_of)
            return 0;
        t->next_of = s;
        g->has_left = 1;
    }
    return t->nleft == ACCESS_LOG_OFTEN || ++t->nleft == ACCESS_LOG_OFTEN;
}

/* Add a step to the instruction's trail: an access that was not the expected
 * step, to bytes that are in the set and in an allocation that ends at
 * `limit`. */
void access_log_step(struct access_log *g, enum touch_kind kind,
                     struct access_inlined *s, const char *p, size_t nbytes,
                     const char *limit);

/* The index of the allocation that contains [p, p + nbytes), or -1 if the
 * kernel has touched no such allocation. */
int64_t access_log_block(struct access_log *g, const char *p, size_t nbytes);

/* The bytes around p of its allocation: all, or its used part, or the rest. */
static inline struct access_range access_log_limits(const struct heap_block *b,
                                                    const char *p)
{
    const char *const end = b->used + b->used_nbytes;
    if (b->used && p >= b->used && p < end)
        return (struct access_range){.begin = b->used, .end = end};
    return (struct access_range){.begin = b->base, .end = b->base + b->nbytes};
}

/* Convert what has been collected to the graph's form. The arrays last until
 * the next call. */
void access_log_summarise(struct access_log *g, struct launch_cost *c);

/*
 * Append the log `later`, which belongs to later blocks, as if this log had
 * recorded their accesses: first reads of bytes that this log has already
 * touched are left out. Afterwards `later` is empty.
 */
void access_log_append(struct access_log *g, struct access_log *later);

/* Record a first read, unless there are too many already. */
void access_log_first(struct access_log *g, struct access_first first);

/* Empty the log. */
void access_log_clear(struct access_log *g);

/* Resize an array to hold n elements; never returns NULL. */
void *access_log_grow(void *array, size_t n, size_t size);

#endif
