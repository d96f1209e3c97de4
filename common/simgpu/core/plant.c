#include "core/plant.h"

#include <signal.h>    /* raise */
#include <stdatomic.h> /* atomic_fetch_add */
#include <string.h>    /* strcmp */
#include <unistd.h>    /* _exit */

#include "base/mix.h"
#include "core/control.h"
#include "core/report.h"
#include "core/site.h"

/* Set once at start; `struck` and the count change later. */
static struct plant plants[PLANT_MAX];
static int nplants;
static _Atomic int struck[PLANT_MAX];
static _Atomic uint64_t nops;
static uint64_t (*now)(void);
static struct graph_segment *graph;

int plant_start(const char *text, char *err, size_t err_nbytes)
{
    nplants = plant_parse(text, plants, err, err_nbytes);
    return nplants < 0 ? -1 : 0;
}

static void note(const struct plant *p, uint32_t index)
{
    const int is_at = p->kind == GRAPH_SLOW || p->kind == GRAPH_LINK ||
                      (p->kind == GRAPH_STALL && index == 0);
    const struct graph_harm h = {
        .kind = p->kind,
        .index = index,
        .place = p->place,
        .peer = p->peer,
        .factor = p->factor,
        .at_ps = is_at ? p->at_ps : 0,
        .for_ps = p->for_ps,
        .span = p->kind == GRAPH_SLOW ? graph_string(graph, p->span) : 0};
    graph_note_harm(graph, &h, p->text);
}

/* True for a fault that its time and span describe, without an operation. */
static int lasts(const struct plant *p)
{
    return p->kind == GRAPH_LINK || (p->kind == GRAPH_SLOW && !p->op) ||
           (p->kind == GRAPH_STALL && p->has_at);
}

void plant_begin(const struct proc *self, uint64_t (*now_ps)(void))
{
    now = now_ps;
    graph = self->graph;
    for (int i = 0; i < nplants; i++) {
        const struct plant *const p = &plants[i];
        if (p->kind != GRAPH_LINK && p->rank != self->rank) {
            struck[i] = 1;
        } else if (lasts(p)) {
            note(p, 0);
            struck[i] = 1;
        }
    }
}

/* True if the calling thread is in this NVTX range. */
static int is_in(const char *span)
{
    const uint32_t here = graph_span(0);
    graph_span(here);
    return here && here == graph_string(graph, span);
}

/* The first fault that strikes at one of these operations, of those that end
 * something (or of the others). Notes and prints it. */
static const struct plant *strike(int ends, uint64_t last, const char *call,
                                  uint32_t site)
{
    char where[256];
    for (int i = 0; i < nplants; i++) {
        const struct plant *const p = &plants[i];
        if (atomic_load(&struck[i]) ||
            ends != (p->kind == GRAPH_KILL || p->kind == GRAPH_LOST) ||
            !(p->op       ? last >= p->op
              : p->has_at ? now() >= p->at_ps
                          : is_in(p->span)) ||
            atomic_exchange(&struck[i], 1))
            continue;
        note(p, GRAPH_NEXT);
        simgpu_report_error("planted fault: %s: before %s at %s", p->text, call,
                            simgpu_site_text(site, where, sizeof where));
        return p;
    }
    return NULL;
}

const struct plant *plant_ahead(uint64_t n, const char *call, uint32_t site)
{
    return nplants ? strike(1, atomic_load(&nops) + n, call, site) : NULL;
}

const struct plant *plant_count(const char *call, uint32_t site)
{
    const struct plant *flip = NULL, *p;
    if (nplants == 0)
        return NULL;
    const uint64_t op = atomic_fetch_add(&nops, 1) + 1;
    while ((p = strike(0, op, call, site)))
        if (p->kind == GRAPH_FLIP)
            flip = p;
    return flip;
}

void plant_kill(const struct plant *kill)
{
    atomic_store(&control_own()->planted, 1);
    graph_save(graph); // other than a signal from outside, it can wait for that
    raise(kill->signal);
    raise(SIGKILL); // the program has a handler for the other signal
    _exit(PROC_EXIT_FAULT);
}

uint64_t plant_bit(const struct plant *flip, uint64_t nbits)
{
    const uint64_t bit = flip->bit >= 0
                             ? (uint64_t)flip->bit
                             : mix_finish(mix_nth(flip->seed, flip->rank));
    return bit % nbits;
}
