#include "device/parts.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memset */

#include "core/heap/heap.h"
#include "core/report.h"
#include "core/stream/stream.h"
#include "device/access.h"
#include "device/sync.h" /* SYNC_AFTER */

unsigned seen_find(const struct seen *s, const void *p)
{
    unsigned i = 0;
    while (i < s->n && s->p[i] != p)
        i++;
    return i;
}

void parts_begin(struct parts *s, struct op *op)
{
    s->op = op;
    s->new_part = s->is_aside = 0;
    s->part = s->nasides = 0;
    memset(s->turn, 0, sizeof s->turn);
    s->after.n = s->known.n = 0;
    s->blocks = (struct behind){0};
    behind_of = &s->blocks;
    s->nplaced = 0;
}

/* The latest part follows all acquires that have no part yet. */
static void place_acquires(struct parts *s)
{
    while (s->nplaced < s->blocks.nacquired)
        s->follows[s->nplaced++] = s->part;
}

static void note_acquire(struct parts *s)
{
    behind_acquire(&s->blocks);
    if (s->blocks.nacquired <= s->cap_follows)
        return;
    s->cap_follows = s->cap_follows ? 2 * s->cap_follows : 64;
    s->follows =
        simgpu_need(realloc(s->follows, s->cap_follows * sizeof *s->follows),
                    "the parts of a kernel");
}

/* Tell the log in which part the blocks that are behind were left. No part is
 * due. */
static void date_behind(const struct parts *s)
{
    const uint32_t most = s->blocks.most;
    behind_date(s->part - (most ? s->follows[most - 1] : 0));
}

/* Begin the part that is due, unless the one before would be empty. */
static void begin_part(struct parts *s)
{
    struct graph_point after[MAX_SEEN];
    uint64_t latency_ps = 0;
    if (!s->new_part || (!s->after.n && !s->is_aside && !access_any()))
        return;
    for (unsigned i = 0; i < s->after.n; i++) {
        after[i] = s->after.by[i].part;
        if (s->after.by[i].flight_ps > latency_ps)
            latency_ps = s->after.by[i].flight_ps;
    }
    s->part = simgpu_op_part(s->op, after, s->after.n, latency_ps);
    place_acquires(s);
    s->after.n = 0;
    s->new_part = s->is_aside = 0;
}

void parts_end(struct parts *s)
{
    s->new_part |= s->is_aside; // the last part must be the kernel's own
    begin_part(s);
    date_behind(s);
    behind_of = NULL;
}

static void flush(struct parts *s)
{
    begin_part(s);
    date_behind(s);
    access_flush(s->op);
}

/* The latency between the kernel's device and the
 * memory that contains the word. */
static uint64_t flight_ps(const struct parts *s, const void *p)
{
    struct heap_block b;
    struct topo_path path;
    const int32_t here = simgpu_proc_place(simgpu_stream_device(s->op->stream));
    if (!p || simgpu_heap_find(p, &b) != 0 || b.place == here ||
        topo_path(simgpu_proc()->topo, here, b.place, TOPO_LOADS, &path) != 0)
        return 0;
    return path.latency_ps;
}

struct flag_source parts_release(struct parts *s, const void *p)
{
    if (!s->is_aside || s->after.n || access_touched())
        flush(s);
    s->new_part = 1;
    return (struct flag_source){
        .part = {simgpu_proc()->rank, s->op->node.index, s->part},
        .flight_ps = (uint32_t)flight_ps(s, p)};
}

/* ---- which parts come before --------------------------------------------- */

const void *parts_name(const void *p, struct flag_source by)
{
    const uintptr_t rank = by.part.rank & 0xff;
    const uintptr_t index = by.part.index;
    if (by.is_aside)
        return (const void *)(rank << 48 | (index & 0xfffff) << 20 |
                              (by.part.part & 0xfffff));
    return (const void *)((uintptr_t)p | ((rank << 7 | (index & 0x7f)) + 1)
                                             << 48);
}

/* The word for a name from parts_name(), or for a word's own address. */
static const void *word_of(const void *name)
{
    return (const void *)((uintptr_t)name & ((UINT64_C(1) << 48) - 1));
}

/* Record that the kernel follows a write of the word at p. Returns true if it
 * did already, because another of its threads has read the word. */
static int note_known(struct seen *s, const void *p, struct graph_point part)
{
    unsigned i = seen_find(s, p);
    if (i == MAX_SEEN)
        i = 0; // too many words: drop one
    const struct graph_point was = s->by[i].part;
    const int same = i < s->n && s->p[i] == p && was.rank == part.rank &&
                     was.index == part.index && was.part == part.part;
    s->p[i] = p;
    s->by[i].part = part;
    s->n += i == s->n;
    return same;
}

int parts_are_own(const struct parts *s, struct graph_point p)
{
    if (p.rank != simgpu_proc()->rank || p.index != s->op->node.index)
        return 0;
    uint32_t i = s->nasides;
    while (i > 0 && s->aside[i - 1] > p.part)
        i--;
    return i == 0 || s->aside[i - 1] != p.part;
}

void parts_acquire(struct parts *s, const void *p, struct flag_source by)
{
    if (by.part.index == 0 || parts_are_own(s, by.part) ||
        note_known(&s->known, p, by.part))
        return;
    if (access_any())
        flush(s);
    by.flight_ps += (uint32_t)flight_ps(s, word_of(p));
    unsigned i = seen_find(&s->after, p);
    if (i == MAX_SEEN) { // too many words: begin a part for them
        s->new_part = 1;
        begin_part(s);
        i = 0;
    }
    s->after.p[i] = p;
    s->after.by[i] = by;
    if (i == s->after.n)
        s->after.n++;
    s->new_part = 1;
    note_acquire(s);
}

/* ---- parts aside --------------------------------------------------------- */

static void note_aside(struct parts *s, uint32_t part)
{
    if (s->nasides == s->cap_asides) {
        s->cap_asides = s->cap_asides ? 2 * s->cap_asides : 64;
        s->aside = realloc(s->aside, s->cap_asides * sizeof *s->aside);
        if (!s->aside)
            simgpu_report_fault(NULL, "out of host memory for a kernel's puts");
    }
    s->aside[s->nasides++] = part;
}

struct graph_point parts_aside(struct parts *s, const char *name, unsigned peer,
                               const struct graph_point *after, size_t n,
                               uint64_t latency_ps, unsigned *slot)
{
    struct graph_point all[SYNC_AFTER + 1];
    all[0] = parts_release(s, NULL).part;
    for (size_t i = 0; i < n && i < SYNC_AFTER; i++)
        all[i + 1] = after[i];
    const unsigned p = peer % PARTS_PEERS;
    *slot = p * PARTS_LANES + s->turn[p]++ % PARTS_LANES;
    const uint32_t part =
        simgpu_op_aside(s->op, *slot, name, all, n + 1, latency_ps);
    note_aside(s, part);
    s->is_aside = s->new_part = 1;
    return (struct graph_point){simgpu_proc()->rank, s->op->node.index, part};
}
