/*
 * judge_zero.c: schedules whose backward passes come in halves
 *
 * There is more than one right list, so lists are not compared but played: each
 * stage runs its passes in order, each as soon as its inputs have arrived. The
 * judge then looks at the time and at the micro-batches in flight.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

#include "judge_model.h"
#include "judge_train.h"

enum { FORWARD, BACKWARD, WEIGHTS, KINDS };

static const char *const names[] = {"forward", "backward", "weights"};

struct action { /* as in the evidence */
    int kind, micro, chunk;
};

struct player { /* a stage */
    const struct action *list;
    int n, at;        /* its next pass */
    int begin, clock; /* start of its first pass, end of its last one */
    int idle;         /* between them */
    int live, most;   /* in flight, in all chunks; the most so far */
};

struct game {
    const struct model *m;
    int nstages, nruns;
    int *end; /* when each pass ended, from 1 on; 0: has not run. at() */
    struct player *player;
};

/* The entry for the end of a pass through a run of the network. */
static int *at(const struct game *g, int kind, int micro, int run)
{
    return &g->end[(kind * g->m->task.micro + micro) * g->nruns + run];
}

static int run_of(const struct game *g, int stage, int chunk)
{
    return model_run(g->nstages, g->m->schedule == MODEL_ZERO_V, stage, chunk);
}

/* The time at which a pass's inputs have arrived; 0 if they haven't yet. Times
 * count from 1, the start. */
static int ready(const struct game *g, const struct action *a, int run)
{
    if (a->kind == WEIGHTS)
        return *at(g, BACKWARD, a->micro, run);
    if (a->kind == FORWARD)
        return run == 0 ? 1 : *at(g, FORWARD, a->micro, run - 1);
    const int own = *at(g, FORWARD, a->micro, run);
    return run == g->nruns - 1 || own == 0
               ? own
               : *at(g, BACKWARD, a->micro, run + 1);
}

/* Run a stage's next pass if its inputs have arrived. Returns 1 if it ran. */
static int play(const struct game *g, int stage)
{
    struct player *const p = &g->player[stage];
    if (p->at == p->n)
        return 0;
    const struct action *const a = &p->list[p->at];
    const int run = run_of(g, stage, a->chunk), from = ready(g, a, run);
    if (from == 0)
        return 0;
    const int start = from > p->clock ? from : p->clock;
    if (p->at == 0)
        p->begin = start;
    else
        p->idle += start - p->clock;
    p->clock = *at(g, a->kind, a->micro, run) = start + 1;
    p->live += (a->kind == FORWARD);
    p->most = p->live > p->most ? p->live : p->most;
    p->live -= a->kind == WEIGHTS;
    p->at++;
    return 1;
}

/* ---- lists --------------------------------------------------------------- */

/* Expect each pass once. */
static void judge_whole(const struct game *g, int stage,
                        struct judge_verdict *v)
{
    const struct player *const p = &g->player[stage];
    const int micro = g->m->task.micro, chunks = g->m->chunks;
    int *const seen = calloc((size_t)p->n, sizeof *seen);
    for (int i = 0; i < p->n; i++) {
        const struct action *const a = &p->list[i];
        if ((unsigned)a->kind >= KINDS ||
            (unsigned)a->micro >= (unsigned)micro ||
            (unsigned)a->chunk >= (unsigned)chunks) {
            judge_fail(v,
                       "stage %d's action %d is of kind %d, micro-batch %d, "
                       "chunk %d; there are kinds 0 to 2, micro-batches 0 to "
                       "%d, chunks 0 to %d",
                       stage, i, a->kind, a->micro, a->chunk, micro - 1,
                       chunks - 1);
            break;
        }
        if (seen[(a->kind * micro + a->micro) * chunks + a->chunk]++)
            judge_fail(v, "stage %d's list has %s %d.%d twice", stage,
                       names[a->kind], a->micro, a->chunk);
    }
    free(seen);
}

/* On the last stage of a V, the result that a pass through one chunk leaves for
 * the other has to be read before its buffer is written again. */
static void judge_turn(const struct game *g, struct judge_verdict *v)
{
    const struct player *const p = &g->player[g->nstages - 1];
    int left[2][MODEL_BUFFERS] = {{0}}; // forward, backward: not read yet
    for (int i = 0; i < p->n; i++) {
        const struct action *const a = &p->list[i];
        if (a->kind == WEIGHTS)
            continue;
        const int gives = a->chunk == (a->kind == FORWARD ? 0 : 1);
        int *const here = &left[a->kind][a->micro % MODEL_BUFFERS];
        if (gives && *here)
            judge_fail(v,
                       "on stage %d, the last one, action %d (%s %d.%d) "
                       "overwrites the result of micro-batch %d, which has not "
                       "passed through the other chunk",
                       g->nstages - 1, i, names[a->kind], a->micro, a->chunk,
                       *here - 1);
        *here = gives ? a->micro + 1 : 0;
    }
}

/* ---- time and memory ----------------------------------------------------- */

/* Play all lists to their end. */
static void judge_play(const struct game *g, struct judge_verdict *v)
{
    for (int moved = 1; moved;) {
        moved = 0;
        for (int s = 0; s < g->nstages; s++)
            while (play(g, s))
                moved = 1;
    }
    for (int s = 0; s < g->nstages; s++) {
        const struct player *const p = &g->player[s];
        if (p->at < p->n)
            judge_fail(v,
                       "stage %d waits for ever at its action %d (%s %d.%d): "
                       "what it needs comes later in the lists",
                       s, p->at, names[p->list[p->at].kind],
                       p->list[p->at].micro, p->list[p->at].chunk);
    }
}

static void judge_idle(const struct game *g, struct judge_verdict *v)
{
    const int passes = KINDS * g->m->task.micro * g->m->chunks;
    const int vee = g->m->schedule == MODEL_ZERO_V;
    const int most = g->nstages * g->m->chunks;
    for (int s = 0; s < g->nstages; s++) {
        const struct player *const p = &g->player[s];
        const int took = p->clock - 1, want = passes + g->nstages - 1;
        if (vee && p->idle > 0)
            judge_fail_method(
                v,
                "stage %d waits for %d passes' time between its first "
                "and its last pass, should never wait",
                s, p->idle);
        if (!vee && took > want)
            judge_fail_method(
                v,
                "stage %d is done after %d passes' time, of which it "
                "waits for %d; %d is enough",
                s, took, took - passes, want);
        if (p->most > most)
            judge_fail_method(
                v,
                "stage %d has %d micro-batches in flight at once, "
                "should have %d at most",
                s, p->most, most);
    }
}

/* Read the lists. */
static void judge_lists(const struct judge_task *t, struct game *g,
                        struct judge_verdict *v)
{
    const int n = KINDS * g->m->task.micro * g->m->chunks;
    char name[EVIDENCE_NAME];
    for (int s = 0; s < g->nstages && v->pass; s++) {
        snprintf(name, sizeof name, "count.%d", s);
        const double got = evidence_metric(t->evidence, 0, t->case_no, 0, name);
        if (got != n)
            judge_fail(v, "stage %d has %.0f actions, should have %d", s, got,
                       n);
        snprintf(name, sizeof name, "stage.%d", s);
        g->player[s] = (struct player){
            .list = judge_output(t, 0, 0, name,
                                 (size_t)n * sizeof(struct action), v),
            .n = n,
            .clock = 1};
        if (g->player[s].list && v->pass)
            judge_whole(g, s, v);
    }
}

void judge_zero(const struct judge_task *t, struct judge_verdict *v)
{
    const int nstages = (int)plan_int(t->c, "stages", 4);
    const struct model m = model_of(t->c, nstages);
    struct game g = {&m, nstages, nstages * m.chunks, NULL, NULL};
    g.end = calloc((size_t)(KINDS * m.task.micro * g.nruns), sizeof *g.end);
    g.player = calloc((size_t)nstages, sizeof *g.player);
    judge_lists(t, &g, v);
    if (v->pass)
        judge_play(&g, v);
    if (v->pass && m.schedule == MODEL_ZERO_V)
        judge_turn(&g, v);
    if (v->pass)
        judge_idle(&g, v);
    free(g.end);
    free(g.player);
}
