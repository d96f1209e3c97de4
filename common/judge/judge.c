#include "judge/judge.h"

#include <math.h>   /* isnan */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strcmp */

#include "base/mix.h"
#include "graph/read.h"
#include "judge/answers.h"
#include "judge/chain.h"
#include "judge/interval.h"
#include "judge/points.h"
#include "judge/spans.h"

uint64_t judge_seed(uint64_t seed, uint64_t i)
{
    return mix_nth(seed, i);
}

uint64_t judge_case_seed(uint64_t seed, const char *case_name)
{
    return mix_text(seed, case_name);
}

uint64_t judge_input_seed(const struct judge_task *t, int rank, int iteration)
{
    const uint64_t digest = iteration > 0
                                ? evidence_digest(t->evidence, rank, t->case_no,
                                                  (unsigned)iteration - 1)
                                : CHAIN_NOTHING;
    return chain_seed(t->seed[rank], iteration, digest);
}

const struct judge_lab *judge_lab_find(const char *lab)
{
    for (int i = 0; judge_labs[i]; i++)
        if (strcmp(judge_labs[i]->lab, lab) == 0)
            return judge_labs[i];
    return NULL;
}

void judge_fail(struct judge_verdict *v, const char *format, ...)
{
    va_list args;
    v->pass = 0;
    v->score = 0;
    if (v->message[0])
        return; // keep the first reason
    va_start(args, format);
    vsnprintf(v->message, sizeof v->message, format, args);
    va_end(args);
}

const void *judge_output(const struct judge_task *t, int rank, int iteration,
                         const char *name, size_t nbytes,
                         struct judge_verdict *v)
{
    size_t have;
    const unsigned char *const p = evidence_output(
        t->evidence, rank, t->case_no, (unsigned)iteration, name, &have);
    if (!p || have != nbytes + 2 * JUDGE_RED_ZONE) {
        judge_fail(v, "rank %d has no output \"%s\" of %zu bytes", rank, name,
                   nbytes);
        return NULL;
    }
    for (int i = 0; i < JUDGE_RED_ZONE; i++) {
        const int before = p[i] != JUDGE_RED;
        if (before || p[JUDGE_RED_ZONE + nbytes + i] != JUDGE_RED) {
            judge_fail(v, "rank %d wrote %d bytes %s its output \"%s\"", rank,
                       before ? JUDGE_RED_ZONE - i : i + 1,
                       before ? "before" : "past the end of", name);
            return NULL;
        }
    }
    return p + JUDGE_RED_ZONE;
}

/* What is wrong with bytes of an output; 0 if nothing is. */
static int refuse_origin(int rank, size_t at, uint64_t from, uint64_t need,
                         struct judge_verdict *v)
{
    const uint64_t lacks = need & ~from;
    if (from & ORIGIN_HOST)
        judge_fail(v,
                   "the result is right, but byte %zu of rank %d's output came "
                   "through the host's memory; keep the data on the devices",
                   at, rank);
    else if (lacks)
        judge_fail(v,
                   "the result is right, but no operation on the devices "
                   "brought rank %d's data to byte %zu of rank %d's output",
                   __builtin_ctzll(lacks), at, rank);
    return (from & ORIGIN_HOST) || lacks;
}

uint64_t judge_everybody(const struct judge_task *t)
{
    return t->nranks < 63 ? (UINT64_C(1) << t->nranks) - 1 : ~ORIGIN_HOST;
}

/* ignored: bits of origins that do not matter */
static void find_origin(const struct judge_task *t, int rank, int iteration,
                        const char *name, const size_t range[2], uint64_t need,
                        uint64_t ignored, struct judge_verdict *v)
{
    size_t n, nbytes;
    if (!t->spans || !v->pass || range[0] >= range[1])
        return;
    need &= ~spans_reached(t, rank, iteration);
    evidence_output(t->evidence, rank, t->case_no, (unsigned)iteration, name,
                    &nbytes);
    const struct origin *const o =
        spans_origin(t, rank, iteration, nbytes,
                     evidence_output_number(t->evidence, rank, t->case_no,
                                            (unsigned)iteration, name),
                     &n);
    const size_t begin = range[0] + JUDGE_RED_ZONE,
                 end = range[1] + JUDGE_RED_ZONE;
    if (n == 0)
        refuse_origin(rank, range[0], 0, need, v);
    for (size_t i = 0; i < n; i++) {
        const size_t from = o[i].begin > begin ? o[i].begin : begin;
        if (o[i].begin < end && o[i].end > begin &&
            refuse_origin(rank, from - JUDGE_RED_ZONE, o[i].from & ~ignored,
                          need, v))
            return;
    }
}

/* True if a note is of the call at "ring.c:40: ...", which may be some lines
 * long. */
static int is_note_of(const struct graph *g, const struct graph_fault_note *n,
                      const char *text)
{
    enum { LINES = 8 };
    char site[256];
    graph_site_text_of(g, n->rank, n->site_id, site, sizeof site);
    const char *const colon = strchr(site, ':');
    const size_t file = colon ? (size_t)(colon - site) + 1 : 0;
    if (!colon || strncmp(site, text, file) != 0)
        return 0;
    const int behind = atoi(colon + 1) - atoi(text + file);
    return behind >= 0 && behind < LINES;
}

/* What the graph says of the call with which a rank left a case: that memory
 * was freed, or ends too early. NULL: nothing. */
static const char *noted(const struct judge_task *t, int rank, const char *text)
{
    const char *found = NULL;
    for (size_t i = 0; t->graph && i < t->graph->nfaults; i++) {
        const struct graph_fault_note *const n = &t->graph->faults[i];
        if ((int)n->rank == rank && is_note_of(t->graph, n, text))
            found = n->text;
    }
    return found;
}

/* A rank left the case with an error: what failed, why if the graph knows, and
 * what to look for. */
static void judge_error(const struct judge_task *t, int rank, const char *text,
                        struct judge_verdict *v)
{
    const char *const why = text ? noted(t, rank, text) : NULL;
    if (why)
        judge_fail(v, "rank %d: %.*s\n%s.\n%s", rank, (int)strcspn(text, "\n"),
                   text, why,
                   strncmp(why, "use after free", 14) == 0
                       ? "Free memory when nothing uses it any more: wait for "
                         "the streams that do."
                       : "Is the size in bytes, and the pointer the one that "
                         "was meant?");
    else
        judge_fail(v, "rank %d: %s", rank, text ? text : "returned an error");
}

void judge_descent(const struct judge_task *t, int rank, int iteration,
                   const char *name, size_t begin, size_t end, uint64_t need,
                   struct judge_verdict *v)
{
    const size_t range[] = {begin, end};
    find_origin(t, rank, iteration, name, range, need, ORIGIN_HOST, v);
}

void judge_origin(const struct judge_task *t, int rank, int iteration,
                  const char *name, size_t begin, size_t end, uint64_t need,
                  struct judge_verdict *v)
{
    const size_t range[] = {begin, end};
    find_origin(t, rank, iteration, name, range, need, 0, v);
}

/* Check that all ranks reached the end of this case. A rank that did not says
 * nothing; one that left it early says why, and comes first. */
static void judge_status(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < 2 * t->nranks; i++) {
        const int r = i % t->nranks;
        if (i < t->nranks &&
            evidence_status(t->evidence, r, t->case_no) == RUN_MISSING)
            continue;
        const char *const text = evidence_text(t->evidence, r, t->case_no);
        switch (evidence_status(t->evidence, r, t->case_no)) {
        case RUN_OK: break;
        case RUN_NOT_IMPLEMENTED:
            v->not_implemented = 1;
            judge_fail(v, "not implemented: %s", text ? text : "");
            break;
        case RUN_ERROR: judge_error(t, r, text, v); break;
        case RUN_MISSING:
            judge_fail(v, "rank %d did not get to the end of this case", r);
            break;
        }
    }
}

/*
 * A GPU's clock and its host's measure the same interval (lab_end()); the
 * host's also includes the calls around it. If they differ by more than that,
 * the time is meaningless and needs review.
 */
static void judge_clocks(const struct judge_task *t, int iteration,
                         struct judge_verdict *v)
{
    static const double CALLS_US = 1000, LEAST = 0.5, MOST = 1.02;
    for (int r = 0; r < t->nranks; r++) {
        const double us = evidence_metric(t->evidence, r, t->case_no,
                                          (unsigned)iteration, "time_us");
        const double host_us = evidence_metric(t->evidence, r, t->case_no,
                                               (unsigned)iteration, "host_us");
        if (us >= host_us * LEAST - CALLS_US && us <= host_us * MOST + CALLS_US)
            continue;
        v->suspected = 1;
        judge_fail(v,
                   "rank %d: %.4g us on its GPU's clock but %.4g us on its "
                   "host's: a person will look at it",
                   r, us, host_us);
        return;
    }
}

/* The slowest rank's time, as recorded by the ranks. */
static double shown_time(const struct judge_task *t, int iteration)
{
    double slowest = -1;
    for (int r = 0; r < t->nranks; r++) {
        const double us = evidence_metric(t->evidence, r, t->case_no,
                                          (unsigned)iteration, "time_us");
        if (isnan(us))
            return NAN;
        slowest = us > slowest ? us : slowest;
    }
    return slowest;
}

/* Median over iterations of the slowest rank's time. On simgpu it is computed
 * by replaying the graph, not taken from the process. */
static double judge_time(const struct judge_task *t)
{
    enum { MAX = 256 };
    double each[MAX];
    int n = 0;
    for (int i = 0; i < t->iterations && n < MAX; i++) {
        each[n] = t->spans ? spans_time_us(t, i) : shown_time(t, i);
        if (isnan(each[n++]))
            return NAN;
    }
    if (n == 0)
        return NAN;
    interval_sort(each, n);
    return each[n / 2];
}

/* The points of a timed case that is right so far. */
static void judge_speed(const struct judge_kind *k, const struct judge_task *t,
                        struct judge_verdict *v)
{
    if (t->spans) // the plan's times are modelled ones
        v->reference_us = plan_reference_us(t->c, t->nranks);
    if (t->spans && k->limit_us)
        v->limit_us = k->limit_us(t);
    if (t->graph_problem)
        judge_fail(v, "cannot be timed: %s", t->graph_problem);
    for (int i = 0; t->clocked && i < t->iterations; i++)
        judge_clocks(t, i, v);
    if (v->pass)
        points_judge_time(t->c, v);
}

/* What comes after an iteration is in no time; and what it reads or writes is
 * another run's, or a race, as the machine's load has it. */
static void judge_late(const struct judge_task *t, struct judge_verdict *v)
{
    int rank;
    const struct graph_view *const late = spans_late(t, &rank);
    if (!late || v->suspected)
        return;
    v->message[0] = 0;
    judge_fail(v,
               "rank %d: a thread that your code started goes on after its "
               "function has returned: it calls %s at %s.\nLet it end before "
               "(pthread_join), or wait for what it has to do",
               rank, late->name, late->site);
}

/*
 * A case with a hazard in its graph fails, with the hazard as the reason even
 * if its output is wrong: every run has the hazard, but its wrong numbers
 * differ each time.
 */
static void judge_luck(const struct judge_task *t, struct judge_verdict *v)
{
    char text[sizeof v->message], others[40] = "";
    size_t more;
    const struct hazard *const h = spans_hazard(t, &more);
    if (!h || v->suspected)
        return;
    if (more)
        snprintf(others, sizeof others, "\n(and %zu more)", more);
    v->message[0] = 0;
    hazard_text(h, text, sizeof text);
    text[strlen(text) - 1] = 0; // the last line's end
    judge_fail(v, "%s%s", text, others);
}

/* A wrong result may come of a call that failed: the first rank's that had
 * one. */
static void add_failure(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t at = strlen(v->message);
    for (int r = 0; r < t->nranks && !v->pass && !v->suspected; r++) {
        const char *const text = evidence_text(t->evidence, r, t->case_no);
        if (!text || !*text)
            continue;
        snprintf(v->message + at, sizeof v->message - at, "\nrank %d: %.500s",
                 r, text);
        return;
    }
}

/* A wrong result has no line of its own: name the function that it came of. */
static void add_function(const struct judge_lab *lab, const struct plan_case *c,
                         struct judge_verdict *v)
{
    const size_t at = strlen(v->message);
    const struct judge_student *s = lab->students;
    if (v->pass || v->suspected)
        return;
    while (s && s->kind &&
           (strcmp(s->kind, c->kind) != 0 ||
            (s->key && strcmp(plan_text(c, s->key, ""), s->value) != 0)))
        s++;
    if (s && s->kind)
        snprintf(v->message + at, sizeof v->message - at, "\nLook at %s.",
                 s->functions);
}

void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v)
{
    *v = JUDGE_VERDICT_NONE;
    v->pass = 1;
    v->score = 1;
    judge_status(t, v);
    if (!v->pass)
        return;
    if (t->spans && lab->reaches_peers)
        spans_reach_peers(t->spans);
    if (strcmp(t->c->kind, JUDGE_ANSWER) == 0) {
        answers_judge(t, v);
        return;
    }
    for (const struct judge_kind *k = lab->kinds; k->name; k++)
        if (strcmp(k->name, t->c->kind) == 0) {
            v->time_us = judge_time(t);
            k->judge(t, v);
            add_function(lab, t->c, v);
            judge_luck(t, v);
            judge_late(t, v);
            if (t->c->timed)
                judge_speed(k, t, v);
            add_failure(t, v);
            return;
        }
    judge_fail(v, "the plan asks for \"%s\", which this lab cannot judge",
               t->c->kind);
}
