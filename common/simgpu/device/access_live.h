/*
 * access_live.h: the fast path of an access; between access.c and the hooks
 *
 * Most instructions touch bytes that they have touched before, or the bytes
 * right behind those. Each instruction therefore has a span of such bytes.
 * Bytes right behind the span need not be checked: they are in the same
 * allocation and next to bytes of the set, so they cannot be the first of any
 * hazard (note_first()). They are added to the set when the span is settled.
 *
 * A thread that has polled has no spans (access_forget()), so that its next
 * access is counted and ends the poll.
 *
 * The functions here use general registers only, and touch no memory but the
 * log's, so that hooks which must preserve all registers can call them
 * (hooks_at.c).
 */
#ifndef SIMGPU_DEVICE_ACCESS_LIVE_H
#define SIMGPU_DEVICE_ACCESS_LIVE_H

#include "device/access_log.h"
#include "device/alone.h"

/* The log of the kernel that the calling thread runs, or NULL (live.c). */
extern __thread struct access_log *access_live __asm__("simgpu_access_live")
    __attribute__((tls_model("initial-exec")));

/* Have the calling thread's accesses recorded in this log; NULL: in none. */
static inline void access_set_live(struct access_log *g)
{
    access_live = g;
    simgpu_live_own = g ? &g->atomics : NULL;
}

/* Record an access of any length, without a span. */
void access_plain(const char *p, size_t nbytes, enum touch_kind kind,
                  const void *pc);

/* Record an access outside the instruction's span, and
 * start another span there. */
void access_outside(struct access_log *g, struct access_span *s, const char *p,
                    size_t nbytes, enum touch_kind kind, const void *pc);

/* The same for an access outside the heaps: to memory of the host that the GPU
 * reaches, or to device code's own, over all of which the span then extends. */
void access_outside_heaps(struct access_log *g, struct access_span *s,
                          const char *p, size_t nbytes, enum touch_kind kind,
                          const void *pc);

/* True if no other kernel can change [p, p + nbytes), which the kernel has just
 * touched, before the running thread waits; access_ask_alone() finds out. */
int access_ask_alone(struct access_log *g, const char *p, size_t nbytes);
static inline int access_is_alone(struct access_log *g, const char *p,
                                  size_t nbytes)
{
    return (p >= g->own.begin && p < g->own.end && alone_holds()) ||
           access_ask_alone(g, p, nbytes);
}

/* Note the words around p, in memory that the kernel alone can change, that
 * atomics of this kind need not record: they are in the set. */
void access_learn_words(struct access_log *g, enum touch_kind kind,
                        const char *p, size_t nbytes);

/* True if an access of this kind can be the first to its
 * bytes and is recorded. */
static inline int access_may_be_first(const struct access_log *g,
                                      enum touch_kind kind)
{
    return (kind == TOUCH_READ || kind == TOUCH_REDUCED ||
            access_may_spin(kind)) &&
           g->nfirst < g->most_first;
}

/* True if the bytes are in the set, or are added to it now because they are
 * next to bytes of the set in a known allocation. */
static inline __attribute__((always_inline)) int
access_known(struct access_log *g, const char *p, size_t nbytes,
             enum touch_kind kind)
{
    struct touched *const set = &g->now[kind];
    struct touched_line *const l = touched_line(set, p);
    const unsigned at = (uintptr_t)p % 64;
    const uint64_t mask =
        nbytes < 64 ? (UINT64_C(1) << nbytes) - 1 : UINT64_MAX;
    if (nbytes > 16 || !touched_is_line(l, p))
        return 0;
    uint64_t *const word = touched_word(l, p);
    if ((*word >> at & mask) == mask)
        return 1;
    if (at + nbytes > 64 || p < l->begin || p + nbytes > l->end ||
        (access_may_be_first(g, kind) && !(at && *word >> (at - 1) & 1)))
        return 0;
    *word |= mask << at;
    return 1;
}

/* The span around p, which has just been recorded: at
 * most one word of the set. */
static inline struct access_span access_span_at(struct access_log *g,
                                                const char *p, size_t nbytes,
                                                enum touch_kind kind)
{
    struct access_span s = {p, p + nbytes, p + nbytes, p + nbytes, NULL};
    const struct touched_line *const l = touched_line(&g->now[kind], p);
    const unsigned at = (uintptr_t)p % 64;
    if (at + nbytes > 64 || !touched_is_line(l, p) || p < l->begin ||
        p + nbytes > l->end)
        return s;
    const uint64_t unset = ~*touched_word(l, p);
    const uint64_t below = unset & ((UINT64_C(1) << at) - 1);
    const uint64_t above = unset >> at;
    s.begin = p - (below ? at - (64 - (unsigned)__builtin_clzll(below)) : at);
    s.end = p + (above ? (unsigned)__builtin_ctzll(above) : 64 - at);
    s.fresh = s.end;
    s.limit = l->end;
    return s;
}

/*
 * True if the set has, or now gets, the bytes of an access outside the span,
 * and the instruction keeps its span. An instruction that jumps about would
 * otherwise change its span at each access; only the second of two adjacent
 * accesses moves it.
 */
static inline int access_aside(struct access_log *g, struct access_span *s,
                               const char *p, size_t nbytes,
                               enum touch_kind kind)
{
    if (!s->end || p == s->next || !access_known(g, p, nbytes, kind))
        return 0;
    s->next = p + nbytes;
    return 1;
}

/* Move the span to p. Returns 0 if that needs access_outside(). */
static inline int access_move(struct access_log *g, struct access_span *s,
                              const char *p, size_t nbytes,
                              enum touch_kind kind)
{
    if (!s->end || !access_known(g, p, nbytes, kind) ||
        (s->fresh != s->end && !touched_add_known(&g->now[kind], s->fresh,
                                                  (size_t)(s->end - s->fresh))))
        return 0;
    g->count++;
    *s = access_span_at(g, p, nbytes, kind);
    return 1;
}

#endif
