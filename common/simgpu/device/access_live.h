/*
 * access_live.h: what an access does first; between access.c and the hooks
 *
 * An instruction mostly touches bytes that it has touched before, or those
 * right behind them. Each has a span of such bytes. Bytes behind it are as good
 * as noted: they are in the same allocation and next to bytes of the set, so
 * they cannot be the first of any hazard (note_first()). They are added when
 * the span is settled.
 *
 * A thread that has polled has no spans (access_forget()): its next access is
 * counted and ends the poll.
 *
 * The functions here use general registers only and no memory but the log's, so
 * that a hook which has to preserve all registers can use them (hooks_at.c).
 */
#ifndef SIMGPU_DEVICE_ACCESS_LIVE_H
#define SIMGPU_DEVICE_ACCESS_LIVE_H

#include "device/access_log.h"

/* The log of the kernel that the calling thread runs; NULL: none. Every access
 * asks for it, so it has a known place, without a call. */
extern __thread struct log *access_live
    __attribute__((tls_model("initial-exec")));

/* An access of any length, without a span. */
void access_plain(const char *p, size_t nbytes, enum kind kind, const void *pc);

/* An access outside of the instruction's span, which becomes another one. */
void access_outside(struct log *g, struct span *s, const char *p, size_t nbytes,
                    enum kind kind, const void *pc);

/* True if such an access can be the first of its bytes, and is recorded. */
static inline int access_may_be_first(const struct log *g, enum kind kind)
{
    return (kind == READ || kind == REDUCED || access_may_spin(kind)) &&
           g->nfirst < g->most_first;
}

/* True if the bytes are in the set now: they were, or are next to bytes of it
 * in an allocation that is known. */
static inline __attribute__((always_inline)) int
access_known(struct log *g, const char *p, size_t nbytes, enum kind kind)
{
    struct touched *const set = &g->set[kind];
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

/* The known bytes around p, which has just been noted: up to a word of the
 * set. */
static inline struct span access_span_at(struct log *g, const char *p,
                                         size_t nbytes, enum kind kind)
{
    struct span s = {p, p + nbytes, p + nbytes, p + nbytes, NULL};
    const struct touched_line *const l = touched_line(&g->set[kind], p);
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

/* True if the access is in the instruction's span, or is now: it may grow. */
static inline int access_in_span(struct span *s, const char *p, size_t nbytes)
{
    const char *const end = p + nbytes;
    if (__builtin_expect(p >= s->begin && end <= s->end, 1))
        return 1;
    if (p != s->end || end > s->limit)
        return 0;
    s->end = end;
    return 1;
}

/* True if the set has the bytes of an access outside, or does now, and the
 * instruction keeps its span: one that jumps about would change it each time.
 * The second of two accesses that follow each other moves it. */
static inline int access_aside(struct log *g, struct span *s, const char *p,
                               size_t nbytes, enum kind kind)
{
    if (!s->end || p == s->next || !access_known(g, p, nbytes, kind))
        return 0;
    s->next = p + nbytes;
    return 1;
}

/* Move the span to p. Returns 0 if that takes access_outside(). */
static inline int access_move(struct log *g, struct span *s, const char *p,
                              size_t nbytes, enum kind kind)
{
    if (!s->end || !access_known(g, p, nbytes, kind) ||
        (s->fresh != s->end && !touched_add_known(&g->set[kind], s->fresh,
                                                  (size_t)(s->end - s->fresh))))
        return 0;
    g->count++;
    *s = access_span_at(g, p, nbytes, kind);
    return 1;
}

#endif
