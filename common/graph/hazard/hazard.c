#include "graph/hazard/hazard.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcmp */

#include "base/mix.h"
#include "graph/hazard/hazard_crossed.h"
#include "graph/hazard/hazard_excuse.h"
#include "graph/hazard/hazard_init.h"
#include "graph/hazard/hazard_order.h"
#include "graph/hazard/hazard_ranges.h"
#include "graph/hazard/hazard_ring.h"

struct find {
    const struct graph *g;
    const uint32_t *section; /* by position; may be NULL */
    struct { /* the last race, which may extend to the next bytes */
        uint32_t before, now, hazard;
    } last;
    struct hazards *out;
    struct hazard_table ranges;
    struct hazard_behind behind;
    const uint32_t *known; /* the latest operation's clock */
    struct map notes;     /* by allocation: its position in g->allocs, from 1 */
    struct map queues;    /* by queue: its position in g->queues, from 1 */
    struct map seen;      /* by pair of calls: 1 + number in out, or NOT_KEPT */
    unsigned char *raced; /* by position: 1 if it is in a race */
    struct hazard_past *past;      /* NULL: the graph is all that is known */
    struct hazard_init own, *init; /* init: of the past, or own */
    struct { /* uninitialised reads, which a race may explain */
        uint32_t at, hazard;
    } * reads;
    uint32_t nreads;
};

struct hazard_past {
    struct hazard_init init;
};

enum { NOT_KEPT = 0xfffffffe, MAX_READS = 4096 };

/* ---- describing ---------------------------------------------------------- */

static uint64_t queue_key(uint32_t rank, uint32_t queue)
{
    return (uint64_t)rank << 32 | queue;
}

static struct hazard_op describe_op(const struct find *f, uint32_t at,
                                    uint32_t touch)
{
    const struct graph_view *const v = &f->g->nodes[at];
    const uint32_t note =
        map_get(&f->queues, queue_key(v->node.rank, v->node.queue));
    struct hazard_op op = {.node = {v->node.rank, v->node.index},
                           .place = v->node.place,
                           .queue = v->node.queue,
                           .thread = v->node.thread,
                           .kind = v->node.kind,
                           .how = touch};
    snprintf(op.name, sizeof op.name, "%s",
             v->name[0] ? v->name : "an operation");
    graph_site_text_of(f->g, v->node.rank, v->node.site, op.site,
                       sizeof op.site);
    graph_site_from(f->g, v->node.rank, v->node.site, op.from, sizeof op.from);
    snprintf(op.stream, sizeof op.stream, "%s",
             v->node.queue && note ? f->g->queues[note - 1].name : "stream");
    return op;
}

static void describe_alloc(const struct find *f, struct hazard *h)
{
    const uint32_t number = map_get(&f->notes, h->alloc);
    if (!number)
        return;
    const struct graph_alloc_note *const a = &f->g->allocs[number - 1];
    h->alloc_nbytes = a->nbytes;
    h->alloc_place = a->place;
    graph_site_text_of(f->g, (uint32_t)(a->alloc >> 32), a->site_id,
                       h->alloc_site, sizeof h->alloc_site);
}

/* ---- keeping ------------------------------------------------------------- */

static int same_op(const struct hazard_op *a, const struct hazard_op *b)
{
    return a->kind == b->kind && a->how == b->how && !a->queue == !b->queue &&
           strcmp(a->name, b->name) == 0 && strcmp(a->site, b->site) == 0 &&
           strcmp(a->from, b->from) == 0;
}

/* True if both are the same bug, on another rank or in another buffer. */
static int same_hazard(const struct hazard *a, const struct hazard *b)
{
    return a->kind == b->kind && a->warning == b->warning &&
           a->section == b->section && same_op(&a->op[0], &b->op[0]) &&
           same_op(&a->op[1], &b->op[1]) &&
           strcmp(a->alloc_site, b->alloc_site) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* Add h, or count it as another occurrence of an equal hazard. Returns its
 * number, or NOT_KEPT. */
static uint32_t keep(struct find *f, const struct hazard *h)
{
    struct hazards *const out = f->out;
    const int rank = (int)h->op[h->nops ? h->nops - 1 : 0].node.rank;
    for (size_t i = 0; i < out->n; i++)
        if (same_hazard(&out->hazard[i], h)) {
            out->hazard[i].count++;
            rank_set_add(&out->hazard[i].ranks, rank);
            return (uint32_t)i;
        }
    if (out->n == HAZARD_MAX)
        return NOT_KEPT;
    out->hazard[out->n] = *h;
    out->hazard[out->n].count = 1;
    out->hazard[out->n].ranks = rank_set_of(rank);
    return (uint32_t)out->n++;
}

static uint64_t call_key(const struct graph_node *n, uint32_t touch)
{
    const uint64_t where = (uint64_t)n->rank << 32 | n->site;
    return mix_hash(mix_hash(where) + ((uint64_t)n->name << 8 | touch));
}

/* The section of a, or that of b if a is in none. */
static uint32_t section_of(const struct find *f, uint32_t a, uint32_t b)
{
    if (!f->section)
        return 0;
    return f->section[a] ? f->section[a] : f->section[b];
}

/* The entry for a hazard of this kind between two such calls. */
static uint64_t *seen(struct find *f, uint64_t kind, uint64_t a, uint64_t b,
                      uint64_t alloc)
{
    const uint32_t note = map_get(&f->notes, alloc);
    const uint64_t site =
        note ? (uint64_t)(alloc >> 32) << 32 | f->g->allocs[note - 1].site_id
             : 0;
    return map_at(&f->seen, mix_hash(mix_hash(mix_hash(a + kind) ^ b) +
                                     mix_hash(site + 1)));
}

/* ---- races --------------------------------------------------------------- */

static enum hazard_kind kind_of(const struct graph_node *a, uint32_t how_a,
                                const struct graph_node *b, uint32_t how_b)
{
    if (how_a >= GRAPH_ALLOC || how_b >= GRAPH_ALLOC) // ALLOC, FREE or HOLD
        return HAZARD_LIFE;
    return a->group && a->group == b->group && a->rank == b->rank ? HAZARD_GROUP
                                                                  : HAZARD_RACE;
}

/* True if a was issued before b; between ranks, lower ranks come first. */
static int issued_before(const struct graph_node *a, const struct graph_node *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->index < b->index;
}

/* True if the operation of `now`, though not its block, has waited for that of
 * `before`. */
static int is_behind(const struct find *f, const struct hazard_touch *before)
{
    return f->known[before->point.chain] >= before->point.number;
}

/* Keep the race of a new pair of calls. */
static uint32_t keep_race(struct find *f, const struct hazard_touch *x,
                          const struct hazard_touch *y, int behind,
                          uint64_t begin, uint64_t end)
{
    const struct graph_view *const a = &f->g->nodes[x->at];
    const struct graph_view *const b = &f->g->nodes[y->at];
    struct hazard h = {.kind = kind_of(&a->node, x->how, &b->node, y->how),
                       .nops = 2,
                       .behind = behind,
                       .section = section_of(f, x->at, y->at),
                       .alloc = f->ranges.alloc,
                       .begin = begin,
                       .end = end};
    h.op[0] = describe_op(f, x->at, x->how);
    h.op[1] = describe_op(f, y->at, y->how);
    h.warning = a->node.queue && excuse_by_host(f->g, &a->node, &b->node);
    describe_alloc(f, &h);
    return keep(f, &h);
}

static void go_on(struct hazard *h, uint64_t begin, uint64_t end)
{
    if (begin < h->begin)
        h->begin = begin;
    if (end > h->end)
        h->end = end;
}

static int clash(void *arg, const struct hazard_touch *before,
                 const struct hazard_touch *now, uint64_t begin, uint64_t end)
{
    struct find *const f = arg;
    const struct graph_view *const a = &f->g->nodes[before->at];
    const struct graph_view *const b = &f->g->nodes[now->at];
    if (f->last.before == before->at && f->last.now == now->at) {
        if (f->last.hazard != NOT_KEPT)
            go_on(&f->out->hazard[f->last.hazard], begin, end);
        return 0;
    }
    if (excuse_by_words(a, b) || excuse_by_signal(a, b))
        return 0;
    f->raced[before->at] = f->raced[now->at] = 1;
    const int in_order = issued_before(&a->node, &b->node);
    const struct hazard_touch *const x = in_order ? before : now;
    const struct hazard_touch *const y = in_order ? now : before;
    uint64_t *const number =
        seen(f, (uint64_t)section_of(f, x->at, y->at) << 8,
             call_key(&f->g->nodes[x->at].node, x->how),
             call_key(&f->g->nodes[y->at].node, y->how), f->ranges.alloc);
    if (!number)
        return -1;
    if (*number == 0)
        *number = keep_race(f, x, y, is_behind(f, before) ? 1 + in_order : 0,
                            begin, end) +
                  1;
    else if (*number - 1 != NOT_KEPT)
        f->out->hazard[*number - 1].count++;
    f->last.before = before->at;
    f->last.now = now->at;
    f->last.hazard = *number - 1;
    return 0;
}

/* ---- one operation alone ------------------------------------------------- */

/* Keep a hazard of one operation; *result gets its number. */
static int keep_alone(struct find *f, enum hazard_kind kind, uint32_t at,
                      const struct graph_access *a, int warning,
                      uint32_t *result)
{
    const struct graph_node *const n = &f->g->nodes[at].node;
    uint64_t *const number =
        seen(f, (uint64_t)section_of(f, at, at) << 8 | kind,
             call_key(n, access_how(a)), 0, a->alloc);
    if (!number)
        return -1;
    if (*number == 0) {
        struct hazard h = {.kind = kind,
                           .warning = warning,
                           .nops = 1,
                           .section = section_of(f, at, at),
                           .alloc = a->alloc,
                           .begin = a->begin,
                           .end = a->end};
        h.op[0] = describe_op(f, at, access_how(a));
        describe_alloc(f, &h);
        *number = keep(f, &h) + 1;
    } else if (*number - 1 != NOT_KEPT) {
        f->out->hazard[*number - 1].count++;
    }
    *result = *number - 1;
    return 0;
}

static int check_overlap(struct find *f, uint32_t at)
{
    const struct graph_view *const v = &f->g->nodes[at];
    const struct graph_access *in = NULL, *out = NULL;
    uint32_t number;
    for (size_t i = 0; i < v->naccesses; i++)
        *(access_how(&v->accesses[i]) == GRAPH_READ ? &in : &out) =
            &v->accesses[i];
    if (!in || !out || !access_overlaps(in, out) ||
        excuse_in_place(&v->node, in, out))
        return 0;
    struct graph_access both = *out;
    both.begin = in->begin > out->begin ? in->begin : out->begin;
    both.end = in->end < out->end ? in->end : out->end;
    return keep_alone(f, HAZARD_OVERLAP, at, &both, 0, &number);
}

static int check_init(struct find *f, uint32_t at)
{
    const struct graph_view *const v = &f->g->nodes[at];
    struct graph_access a;
    uint32_t number;
    const int found = hazard_init_begin(f->init, v, &a);
    if (found <= 0)
        return found;
    if (f->raced[at])
        return 0;
    if (keep_alone(f, HAZARD_UNINITIALISED, at, &a,
                   v->node.kind != GRAPH_KERNEL, &number) != 0)
        return -1;
    if (number != NOT_KEPT && f->nreads < MAX_READS) {
        f->reads[f->nreads].at = at;
        f->reads[f->nreads++].hazard = number;
    }
    return 0;
}

/* ---- collectives in opposite orders -------------------------------------- */

static int keep_crossed(void *arg, const struct hazard_crossed *c)
{
    struct find *const f = arg;
    struct hazard h = {.kind = HAZARD_CROSSED,
                       .warning = 1, // there may be room for both
                       .nops = 2,
                       .section = section_of(f, c->first[0], c->first[1])};
    for (int i = 0; i < 2; i++) {
        h.op[i] = describe_op(f, c->first[i], 0);
        h.other[i] = describe_op(f, c->second[i], 0);
    }
    keep(f, &h);
    return 0;
}

/* A ring of two ranks is found by the order of their calls. */
static int keep_ring(void *arg, const struct hazard_link *link, uint32_t n)
{
    struct find *const f = arg;
    struct hazard h = {.kind = HAZARD_CROSSED,
                       .warning = 1,
                       .nops = 2,
                       .nring = n,
                       .section = section_of(f, link[0].first, link[0].then)};
    struct hazard_op *const calls[] = {h.op, h.other, h.third};
    for (uint32_t i = 0; i < 3 && n > 2; i++) {
        calls[i][0] = describe_op(f, link[i].first, 0);
        calls[i][1] = describe_op(f, link[i].then, 0);
    }
    if (n > 2)
        keep(f, &h);
    return 0;
}

/* ---- all hazards --------------------------------------------------------- */

static int begin(void *arg, uint32_t at, struct hazard_point point,
                 const uint32_t *known, uint32_t nchains)
{
    struct find *const f = arg;
    f->known = known;
    if (hazard_behind_begin(&f->behind, at, known, nchains) != 0)
        return -1;
    if (f->g->nodes[at].naccesses == 0)
        return 0;
    if (hazard_table_touch(&f->ranges, &f->g->nodes[at], at, point, known,
                           clash, f) != 0)
        return -1;
    if (f->g->nodes[at].node.kind == GRAPH_COLL && check_overlap(f, at) != 0)
        return -1;
    return check_init(f, at);
}

/* True if the graph has all writes to this device memory, which no earlier part
 * of the run has noted. */
static int contents_are_known(const struct find *f,
                              const struct graph_alloc_note *a)
{
    return a->place >= 0 && (!f->g->is_part || f->past) &&
           !(a->alloc & GRAPH_NO_CONTENTS) &&
           !map_get(&f->init->number, a->alloc);
}

static int note_all(struct find *f)
{
    const struct graph *const g = f->g;
    for (size_t i = 0; i < g->nallocs; i++) {
        uint64_t *const number = map_at(&f->notes, g->allocs[i].alloc);
        if (!number || (contents_are_known(f, &g->allocs[i]) &&
                        hazard_init_note(f->init, g->allocs[i].alloc) != 0))
            return -1;
        *number = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < g->nqueues; i++) {
        uint64_t *const number = map_at(
            &f->queues, queue_key(g->queues[i].rank, g->queues[i].queue));
        if (!number)
            return -1;
        *number = (uint32_t)i + 1;
    }
    return 0;
}

/* Drop uninitialised reads that race with the writer of the bytes. */
static void drop_raced_reads(struct find *f)
{
    struct hazards *const out = f->out;
    for (uint32_t i = 0; i < f->nreads; i++)
        if (f->raced[f->reads[i].at])
            out->hazard[f->reads[i].hazard].count--;
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        if (out->hazard[i].count)
            out->hazard[n++] = out->hazard[i];
    out->n = n;
}

static void take_notes(struct find *f)
{
    for (size_t i = 0; i < f->g->nfaults; i++) {
        const struct graph_fault_note *const n = &f->g->faults[i];
        if (n->warning >= GRAPH_REMARK)
            continue;
        struct hazard h = {.kind = HAZARD_NOTED, .warning = n->warning};
        h.op[0].node = (struct graph_ref){n->rank, n->index};
        const uint32_t at = graph_find(f->g, h.op[0].node);
        if (at == GRAPH_NOWHERE && f->g->is_part)
            continue; // it belongs to another part
        h.section = at == GRAPH_NOWHERE ? 0 : section_of(f, at, at);
        graph_site_text_of(f->g, n->rank, n->site_id, h.op[0].site,
                           sizeof h.op[0].site);
        snprintf(h.text, sizeof h.text, "%s", n->text);
        keep(f, &h);
    }
}

static void find_release(struct find *f)
{
    hazard_behind_release(&f->behind);
    hazard_table_release(&f->ranges);
    free(f->raced);
    free(f->reads);
    map_release(&f->notes);
    map_release(&f->queues);
    map_release(&f->seen);
    hazard_init_release(&f->own);
}

int hazards_find_next(struct hazard_past *past, const struct graph *g,
                      const uint32_t *section, struct hazards *out, char *err,
                      size_t err_nbytes)
{
    struct find f = {.section = section,
                     .g = g,
                     .out = out,
                     .past = past,
                     .last = {GRAPH_NOWHERE, GRAPH_NOWHERE, NOT_KEPT}};
    f.init = past ? &past->init : &f.own;
    f.ranges.behind = &f.behind;
    *out = (struct hazards){0};
    out->hazard = malloc(HAZARD_MAX * sizeof *out->hazard);
    f.raced = calloc((size_t)g->nnodes + 1, 1);
    f.reads = malloc(MAX_READS * sizeof *f.reads);
    const int done = out->hazard && f.raced && f.reads && note_all(&f) == 0 &&
                     hazard_behind_init(&f.behind, g) == 0 &&
                     hazard_order(g, HAZARD_TOGETHER, begin, &f) == 0 &&
                     hazard_crossed(g, keep_crossed, &f) == 0 &&
                     hazard_ring(g, keep_ring, &f) == 0;
    if (done) {
        drop_raced_reads(&f);
        take_notes(&f);
    }
    for (size_t i = 0; i < out->n; i++)
        out->nerrors += !out->hazard[i].warning;
    find_release(&f);
    if (done)
        return 0;
    hazards_release(out);
    snprintf(err, err_nbytes, "no memory for the hazards of %u operations",
             g->nnodes);
    return -1;
}

int hazards_find(const struct graph *g, const uint32_t *section,
                 struct hazards *out, char *err, size_t err_nbytes)
{
    return hazards_find_next(NULL, g, section, out, err, err_nbytes);
}

struct hazard_past *hazard_past_new(void)
{
    return calloc(1, sizeof(struct hazard_past));
}

void hazard_past_free(struct hazard_past *past)
{
    if (past)
        hazard_init_release(&past->init);
    free(past);
}

void hazards_release(struct hazards *h)
{
    free(h->hazard);
    *h = (struct hazards){0};
}
