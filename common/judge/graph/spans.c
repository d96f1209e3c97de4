#include "judge/graph/spans.h"

#include <math.h>   /* NAN */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "base/map.h"
#include "base/mix.h"
#include "graph/replay/overlap.h"
#include "judge/graph/awaited.h"
#include "judge/graph/sections.h"

struct spans {
    const struct graph *g;
    const struct topo *topo;
    struct topo *own; /* loaded here; NULL: topo is the caller's */
    struct replay *replay;
    struct sections *sections; /* this and the next fields are filled on
                                  first use */
    struct hazards hazards;
    int hazards_are_found;
    struct hazard_past *past; /* see spans_after(); may be NULL */
    struct origins *origins;
    int reaches_peers; /* see origins_new() */
    char *unawaited;   /* awaited_find() */
    struct compared *compared;
    struct held **held; /* by rank, of all files, then of the student's; filled
                           on first use */
};

struct compared { /* times with and without communication; filled on first
                     use */
    unsigned kinds;
    struct hidden_runs *runs;
};

struct spans *spans_new(const struct graph *g, const struct topo *on, char *err,
                        size_t err_nbytes)
{
    struct spans *const s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(err, err_nbytes, "no memory");
        return NULL;
    }
    s->g = g;
    s->compared = calloc(1, sizeof *s->compared);
    s->held = calloc(2 * (size_t)g->nranks, sizeof *s->held);
    if (!on)
        s->own =
            topo_load(g->machine ? g->machine : PLAN_TOPO, err, err_nbytes);
    s->topo = on ? on : s->own;
    if (s->topo)
        s->replay = replay_run(g, s->topo, NULL, err, err_nbytes);
    if (s->replay && s->compared && s->held)
        return s;
    if (s->replay)
        snprintf(err, err_nbytes, "no memory");
    spans_free(s);
    return NULL;
}

void spans_free(struct spans *s)
{
    if (!s)
        return;
    sections_free(s->sections);
    hazards_release(&s->hazards);
    if (s->compared)
        hidden_free(s->compared->runs);
    free(s->compared);
    free(s->unawaited);
    for (uint32_t r = 0; s->held && r < 2 * s->g->nranks; r++)
        free(s->held[r]);
    free(s->held);
    origins_free(s->origins);
    replay_free(s->replay);
    topo_free(s->own);
    free(s);
}

void spans_after(struct spans *s, struct hazard_past *past)
{
    s->past = past;
}

void spans_reach_peers(struct spans *s)
{
    s->reaches_peers = 1;
}

const struct topo *spans_topo(const struct spans *s)
{
    return s->topo;
}

const struct replay *spans_replay(const struct spans *s)
{
    return s->replay;
}

const struct replay_time *spans_times(const struct spans *s)
{
    return replay_times(s->replay);
}

const char *spans_name(const char *case_name, int iteration,
                       char out[SPANS_NAME])
{
    snprintf(out, SPANS_NAME, "%.60s #%d", case_name, iteration);
    return out;
}

const struct held *spans_held(struct spans *s, int rank, const struct plan *by)
{
    struct held **const held =
        &s->held[(by ? s->g->nranks : 0) + (uint32_t)rank];
    if (!*held)
        *held = held_new(s->g, (uint32_t)rank, by);
    return *held;
}

/* ---- hazards and origins ------------------------------------------------- */

/* The sections, found on first use; NULL if memory runs out. */
static const struct sections *sections(struct spans *s)
{
    if (!s->sections)
        s->sections = sections_new(s->g);
    return s->sections;
}

static const struct hazards *hazards(struct spans *s)
{
    char err[128];
    if (!s->hazards_are_found && sections(s))
        hazards_find_next(s->past, s->g, sections(s)->of, &s->hazards, err,
                          sizeof err);
    s->hazards_are_found = 1;
    return &s->hazards;
}

/* The origins, traced on first use; NULL if memory runs out. */
static const struct origins *origins(const struct judge_task *t)
{
    struct spans *const s = t->spans;
    if (!s->origins && sections(s))
        s->origins =
            origins_new(s->g, spans_times(s), sections(s)->of, s->reaches_peers,
                        t->seed ? mix_hash(t->seed[0]) : 0);
    return s->origins;
}

/* True if this range is an iteration of the case. */
static int is_of_case(const char *range, const struct plan_case *c)
{
    char name[SPANS_NAME];
    spans_name(c->name, 0, name);
    const size_t n = (size_t)(strrchr(name, '#') - name);
    return strncmp(range, name, n) == 0 && strrchr(range, '#') == range + n;
}

const struct hazard *spans_hazard(const struct judge_task *t, size_t *more)
{
    const struct hazard *first = NULL;
    *more = 0;
    if (!t->spans)
        return NULL;
    const struct hazards *const all = hazards(t->spans);
    for (size_t i = 0; i < all->n; i++) {
        const struct hazard *const found = &all->hazard[i];
        if (found->warning || found->section == 0 ||
            !is_of_case(sections(t->spans)->name[found->section], t->c))
            continue;
        *more += first != NULL;
        if (!first)
            first = found;
    }
    return first;
}

/* ---- windows ------------------------------------------------------------- */

int spans_window(const struct judge_task *t, int rank, int iteration,
                 struct spans_window *out)
{
    char name[SPANS_NAME];
    struct spans *const s = t->spans;
    spans_name(t->c->name, iteration, name);
    const struct bounds *const b =
        s && sections(s) ? sections_bounds(sections(s), (uint32_t)rank, name)
                         : NULL;
    if (!b)
        return -1;
    const struct replay_time *const time = spans_times(s);
    *out = (struct spans_window){.first = b->first, .last = b->last};
    out->begin_ps = out->end_ps = time[out->first].end_ps;
    for (uint32_t at = out->first; at <= out->last; at++)
        if (spans_is_work(&s->g->nodes[at].node) &&
            time[at].end_ps > out->end_ps)
            out->end_ps = time[at].end_ps;
    return 0;
}

const struct graph_view *spans_late(const struct judge_task *t, int *rank)
{
    for (*rank = 0; *rank < t->nranks; ++*rank)
        for (int i = 0; i < t->iterations; i++) {
            struct spans_window w;
            if (spans_window(t, *rank, i, &w) != 0)
                continue;
            const struct graph_view *v = &t->graph->nodes[w.last];
            const uint32_t runner = v->node.thread;
            const uint32_t end = t->graph->first[*rank + 1];
            for (uint32_t at = w.last + 1; at < end; at++) {
                v = &t->graph->nodes[at];
                if (v->node.thread == runner)
                    break;
                if (spans_is_work(&v->node))
                    return v;
            }
        }
    return NULL;
}

const uint32_t *spans_sections(const struct judge_task *t)
{
    return sections(t->spans) ? sections(t->spans)->of : NULL;
}

const char *spans_unawaited(const struct judge_task *t)
{
    struct spans *const s = t->spans;
    if (!s->unawaited && sections(s))
        s->unawaited = awaited_find(sections(s));
    return s->unawaited;
}

/* ---- origins ------------------------------------------------------------- */

const struct origin *spans_origin(const struct judge_task *t, int rank,
                                  int iteration, uint64_t nbytes, int number,
                                  size_t *n)
{
    struct spans_window w;
    const struct origins *o;
    *n = 0;
    if (spans_window(t, rank, iteration, &w) != 0 || !(o = origins(t)))
        return NULL;
    for (uint32_t at = w.last + 1; at < t->graph->first[rank + 1]; at++) {
        const struct origin *const found = origins_of(o, at, n);
        // an operation of another thread proves nothing
        if (found && found[*n - 1].end == nbytes &&
            t->graph->nodes[at].node.thread ==
                t->graph->nodes[w.first].node.thread &&
            number-- == 0)
            return found;
    }
    *n = 0;
    return NULL;
}

const struct origin *spans_result(const struct judge_task *t, int rank,
                                  int iteration, const char *name, size_t *n)
{
    char mark[ORIGIN_NAME];
    struct spans_window w;
    const struct origins *o;
    *n = 0;
    if (spans_window(t, rank, iteration, &w) != 0 || !(o = origins(t)))
        return NULL;
    origin_result_name(t->c->name, name, iteration, mark);
    for (uint32_t at = w.last + 1; at < t->graph->first[rank + 1]; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->node.thread != t->graph->nodes[w.first].node.thread ||
            strcmp(v->span, mark) != 0)
            continue;
        const struct origin *const found = origins_of(o, at, n);
        if (found)
            return found;
    }
    return NULL;
}

const struct origin_source *spans_source(const struct judge_task *t, int rank,
                                         int iteration, const char *name)
{
    char mark[ORIGIN_NAME];
    const struct origins *const o = t->spans ? origins(t) : NULL;
    return o ? origins_source(
                   o, rank,
                   origin_source_name(t->c->name, name, iteration, mark))
             : NULL;
}

struct rank_set spans_reached(const struct judge_task *t, int rank,
                              int iteration)
{
    struct spans_window w;
    const struct origins *o;
    if (spans_window(t, rank, iteration, &w) != 0 || !(o = origins(t)))
        return (struct rank_set){{0}};
    return origins_reached(o, sections(t->spans)->of[w.first], rank);
}

double spans_time_us(const struct judge_task *t, int iteration)
{
    uint64_t slowest_ps = 0;
    struct spans_window w;
    for (int r = 0; r < t->nranks; r++) {
        if (spans_window(t, r, iteration, &w) != 0)
            return NAN;
        if (w.end_ps - w.begin_ps > slowest_ps)
            slowest_ps = w.end_ps - w.begin_ps;
    }
    return (double)slowest_ps * 1e-6;
}

uint64_t spans_count(const struct judge_task *t, int rank, int iteration,
                     enum graph_kind kind, enum topo_op op)
{
    uint64_t count = 0;
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        count += v->part == 0 && v->node.kind == kind &&
                 (op == TOPO_OP_NONE || v->node.op == op);
    }
    return count;
}

double spans_flops(const struct judge_task *t, int rank, int iteration,
                   const char *prefix)
{
    double flops = 0;
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return NAN;
    for (uint32_t at = w.first; at <= w.last; at++)
        if (strncmp(t->graph->nodes[at].name, prefix, strlen(prefix)) == 0)
            flops += t->graph->nodes[at].node.flops;
    return flops;
}

/* Bytes that a rank must send for its part of an operation. */
static double traffic_of(const struct graph_node *n)
{
    const double others = n->match_size ? n->match_size - 1 : 0;
    if (n->kind == GRAPH_SEND)
        return n->place == n->peer_place ? 0 : (double)n->bytes;
    if (n->kind != GRAPH_COLL || others == 0)
        return 0;
    const double once = (double)n->bytes * others / n->match_size;
    return n->op == TOPO_OP_ALLREDUCE ? 2 * once : once;
}

double spans_traffic_bytes(const struct judge_task *t, int rank, int iteration)
{
    struct spans_window w;
    double sum = 0;
    if (spans_window(t, rank, iteration, &w) != 0)
        return NAN;
    for (uint32_t at = w.first; at <= w.last; at++)
        if (t->graph->nodes[at].part == 0)
            sum += traffic_of(&t->graph->nodes[at].node);
    return sum;
}

/* The replays for these kinds, made on first use; NULL if memory runs out. */
static const struct hidden_runs *runs_of(const struct spans *s, unsigned kinds)
{
    char err[128];
    struct compared *const c = s->compared;
    if (!c->runs || c->kinds != kinds) {
        hidden_free(c->runs);
        c->kinds = kinds;
        c->runs = hidden_new(s->g, s->topo, kinds, err, sizeof err);
    }
    return c->runs;
}

int spans_hidden(const struct judge_task *t, int rank, int iteration,
                 unsigned kinds, const char *work, struct spans_hidden *out)
{
    struct spans_window w;
    struct hidden h;
    *out = (struct spans_hidden){0};
    if (spans_window(t, rank, iteration, &w) != 0)
        return -1;
    const struct hidden_runs *const r = runs_of(t->spans, kinds);
    if (!r || hidden_of(r, w.first, w.last, &h) != 0)
        return -1;
    *out = (struct spans_hidden){
        (double)h.comm_ps * 1e-6, (double)h.exposed_ps * 1e-6,
        (double)h.hidden_ps * 1e-6,
        (double)hidden_most_ps(r, w.first, w.last, work) * 1e-6};
    return 0;
}

void spans_judge_hidden(const struct judge_task *t, double least,
                        struct judge_verdict *v)
{
    for (int r = 0; v->pass && r < t->nranks; r++) {
        struct spans_hidden h;
        if (spans_hidden(t, r, 0, 1u << GRAPH_COLL, "cublas", &h) != 0)
            continue; // real GPUs: no graph
        if (!(h.hidden_us >= least * h.most_us && h.most_us > 0))
            judge_fail_method(
                v,
                "rank %d hides %.1f of %.1f us of communication: "
                "without any, the step would be %.1f us shorter. %.1f "
                "can be hidden, and %.0f %% of that is required",
                r, h.hidden_us, h.comm_us, h.exposed_us, h.most_us,
                least * 100);
    }
}

/* ---- host memory --------------------------------------------------------- */

/* True if the operation reads host memory; `pinned` has a 1 for each allocation
 * of the host. */
static int reads_host(const struct graph_view *n, const struct map *pinned)
{
    for (size_t i = 0; i < n->nmoves; i++)
        if (n->moves[i].nbytes && n->moves[i].from < 0)
            return 1;
    for (size_t i = 0; i < n->naccesses; i++) {
        const int touch = n->accesses[i].write & GRAPH_TOUCH;
        if ((touch == GRAPH_READ || touch == GRAPH_ATOMIC) &&
            map_get(pinned, n->accesses[i].alloc))
            return 1;
    }
    return 0;
}

const struct graph_view *spans_from_host(const struct judge_task *t, int rank,
                                         int iteration)
{
    struct map pinned = {0};
    struct spans_window w;
    const struct graph_view *found = NULL;
    if (spans_window(t, rank, iteration, &w) != 0)
        return NULL;
    for (size_t i = 0; i < t->graph->nallocs; i++) {
        const struct graph_alloc_note *const a = &t->graph->allocs[i];
        uint64_t *const is = a->place < 0 ? map_at(&pinned, a->alloc) : NULL;
        if (is)
            *is = 1;
    }
    for (uint32_t at = w.first; at <= w.last && !found; at++)
        if (reads_host(&t->graph->nodes[at], &pinned))
            found = &t->graph->nodes[at];
    map_release(&pinned);
    return found;
}
