#include "judge/judge.h"

#include <math.h>   /* isnan */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strcmp */

#include "base/mix.h"
#include "base/near.h"
#include "base/siphash.h"
#include "graph/record/read.h"
#include "judge/answers.h"
#include "judge/chain.h"
#include "judge/graph/contract.h"
#include "judge/graph/spans.h"
#include "judge/interval.h"
#include "judge/points.h"
#include "judge/zone.h"

static const double SHOWN_US = 0.05; /* less would be printed as 0.0 */

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

uint64_t judge_key_seed(uint64_t key, int rank)
{
    return siphash((const uint64_t[]){key, 0}, (uint64_t)rank);
}

const struct judge_lab *judge_lab_find(const char *lab)
{
    for (int i = 0; judge_labs[i]; i++)
        if (strcmp(judge_labs[i]->lab, lab) == 0)
            return judge_labs[i];
    return NULL;
}

static const struct judge_kind *find_kind(const struct judge_lab *lab,
                                          const char *name)
{
    for (const struct judge_kind *k = lab->kinds; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

int judge_check_kinds(const struct judge_lab *lab, const struct plan *p,
                      char *err, size_t err_nbytes)
{
    for (int i = 0; i < p->ncases; i++) {
        const char *const kind = p->cases[i].kind;
        struct near near = {NULL, 0};
        if (strcmp(kind, JUDGE_ANSWER) == 0 || find_kind(lab, kind))
            continue;
        near_try(&near, kind, JUDGE_ANSWER, 2);
        for (const struct judge_kind *k = lab->kinds; k->name; k++)
            near_try(&near, kind, k->name, 2);
        return plan_wrong(p, &p->cases[i], err, err_nbytes,
                          "its judge has no kind \"%s\"%s%s%s", kind,
                          near.name ? ": did you mean " : "",
                          near.name ? near.name : "", near.name ? "?" : "");
    }
    return 0;
}

static void fail(struct judge_verdict *v, const char *format, va_list args)
{
    v->pass = 0;
    v->score = 0;
    if (!v->message[0]) // keep the first reason
        vsnprintf(v->message, sizeof v->message, format, args);
}

void judge_fail(struct judge_verdict *v, const char *format, ...)
{
    va_list args;
    v->right = 0;
    va_start(args, format);
    fail(v, format, args);
    va_end(args);
}

void judge_fail_method(struct judge_verdict *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(v, format, args);
    va_end(args);
}

void judge_suspect(struct judge_verdict *v, const char *format, ...)
{
    va_list args;
    if (v->trusting)
        return;
    v->suspected = 1;
    va_start(args, format);
    fail(v, format, args);
    va_end(args);
}

void judge_beneath(struct judge_verdict *v, const struct judge_verdict *trusted)
{
    const struct judge_verdict *const t = trusted;
    v->beneath = t->suspected ? t->beneath : t->score;
    snprintf(v->beneath_message, sizeof v->beneath_message, "%.999s",
             t->suspected ? t->beneath_message : t->message);
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
    for (int is_before = 1; is_before >= 0; is_before--)
        if (zone_changed(t, rank, iteration, name, p, have, is_before, v))
            return NULL;
    return p + JUDGE_RED_ZONE;
}

/* Fail the verdict if an output's byte came from the host or lacks a rank's
 * data. Returns 0 if neither is the case. */
static int refuse_origin(int rank, size_t at, const struct origin_set *from,
                         struct rank_set need, int ignores_host,
                         struct judge_verdict *v)
{
    const int host = from && from->host && !ignores_host;
    if (from)
        rank_set_remove(&need, &from->ranks);
    const int lacks = rank_set_lowest(&need);
    if (host)
        judge_fail_method(
            v,
            "the result is right, but byte %zu of rank %d's output came "
            "through the host's memory; keep the data on the devices",
            at, rank);
    else if (lacks >= 0)
        judge_fail_method(
            v,
            "the result is right, but no operation on the devices "
            "brought rank %d's data to byte %zu of rank %d's output",
            lacks, at, rank);
    return host || lacks >= 0;
}

struct rank_set judge_everybody(const struct judge_task *t)
{
    return rank_set_first(t->nranks);
}

/* Check the origin of an output's bytes in `range`. */
static void find_origin(const struct judge_task *t, int rank, int iteration,
                        const char *name, const size_t range[2],
                        struct rank_set need, int ignores_host,
                        struct judge_verdict *v)
{
    size_t n, nbytes;
    if (!t->spans || !v->pass || range[0] >= range[1])
        return;
    const struct rank_set reached = spans_reached(t, rank, iteration);
    rank_set_remove(&need, &reached);
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
        refuse_origin(rank, range[0], NULL, need, ignores_host, v);
    for (size_t i = 0; i < n; i++) {
        const size_t from = o[i].begin > begin ? o[i].begin : begin;
        if (o[i].begin < end && o[i].end > begin &&
            refuse_origin(rank, from - JUDGE_RED_ZONE, o[i].from, need,
                          ignores_host, v))
            return;
    }
}

/* True if a note is about the call at "ring.c:40: ...", whose text may extend
 * over several lines. */
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

/* What the graph says about the call with which a rank left a case: memory was
 * freed, or is too short. NULL if it says nothing. */
static const char *noted(const struct judge_task *t, int rank, const char *text)
{
    const char *found = NULL;
    for (size_t i = 0; t->graph && i < t->graph->nfaults; i++) {
        const struct graph_fault_note *const n = &t->graph->faults[i];
        if ((int)n->rank == rank && n->warning < GRAPH_REMARK &&
            is_note_of(t->graph, n, text))
            found = n->text;
    }
    return found;
}

/* A rank left the case with an error: report what failed, why if the graph
 * knows, and what to look for. */
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
                   const char *name, size_t begin, size_t end,
                   struct rank_set need, struct judge_verdict *v)
{
    const size_t range[] = {begin, end};
    find_origin(t, rank, iteration, name, range, need, 1, v);
}

void judge_origin(const struct judge_task *t, int rank, int iteration,
                  const char *name, size_t begin, size_t end,
                  struct rank_set need, struct judge_verdict *v)
{
    const size_t range[] = {begin, end};
    find_origin(t, rank, iteration, name, range, need, 0, v);
}

/* Check that all ranks reached the end of this case. A rank that left it early
 * says why, so it is reported before the ranks that merely didn't get there. */
static void judge_status(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < 2 * t->nranks; i++) {
        const int r = i % t->nranks;
        if (i < t->nranks &&
            evidence_status(t->evidence, r, t->case_no) == RUN_MISSING)
            continue;
        const char *const text = evidence_text(t->evidence, r, t->case_no);
        const enum run_status status =
            evidence_status(t->evidence, r, t->case_no);
        if (v->pass) // the first reason counts
            v->unfinished = status == RUN_ERROR || status == RUN_MISSING;
        switch (status) {
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
 * host's also includes the calls around it. If they differ by more, the time is
 * meaningless and needs review.
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
        judge_suspect(v,
                      "rank %d: %.4g us on its GPU's clock but %.4g us on its "
                      "host's: a person will look at it",
                      r, us, host_us);
        return;
    }
}

/* The slowest rank's time, as the ranks recorded it. */
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

/* The median over iterations of the slowest rank's time. On simgpu it comes
 * from replaying the graph, not from the process. */
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

/* A slow case that should hide its communication: say what the rank that hides
 * the least leaves unhidden. */
static void add_exposed(const struct judge_kind *k, const struct judge_task *t,
                        struct judge_verdict *v)
{
    struct spans_hidden most = {0}, h;
    const size_t at = strlen(v->message);
    int rank = 0;
    for (int r = 0; r < t->nranks; r++)
        if (spans_hidden(t, r, 0, k->hides, k->behind, &h) == 0 &&
            h.exposed_us > most.exposed_us) {
            most = h;
            rank = r;
        }
    if (most.exposed_us < SHOWN_US)
        return;
    snprintf(v->message + at, sizeof v->message - at,
             "\nRank %d hides %.1f of %.1f us of communication, and its "
             "kernels %s* could hide %.1f.\nStart each message before the "
             "kernels that run meanwhile, on a stream of its own,\nand wait "
             "for it only where its data is needed.",
             rank, most.hidden_us, most.comm_us, k->behind, most.most_us);
}

/* A run that took too little time: say what it did in its first iteration. */
static void add_done(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t at = strlen(v->message);
    uint64_t of[GRAPH_KINDS] = {0};
    double bytes = 0;
    for (int r = 0; r < t->nranks; r++) {
        bytes += spans_traffic_bytes(t, r, 0);
        for (int k = 0; k < GRAPH_KINDS; k++)
            of[k] += spans_count(t, r, 0, (enum graph_kind)k, TOPO_OP_NONE);
    }
    snprintf(v->message + at, sizeof v->message - at,
             ".\nAll ranks together ran %llu kernels and library calls, made "
             "%llu copies, and moved\n%.0f bytes by %llu messages and %llu "
             "calls of collectives. Which is left out, or too small?",
             (unsigned long long)of[GRAPH_KERNEL],
             (unsigned long long)of[GRAPH_COPY], bytes,
             (unsigned long long)of[GRAPH_SEND],
             (unsigned long long)of[GRAPH_COLL]);
}

/* The points of a timed case that is right so far. */
static void judge_speed(const struct judge_kind *k, const struct judge_task *t,
                        struct judge_verdict *v)
{
    if (t->spans) // the plan's times are modelled
        v->reference_us = plan_reference_us(t->c, t->nranks);
    if (t->spans && k->limit_us)
        v->limit_us = k->limit_us(t);
    if (t->graph_problem)
        judge_fail(v, "cannot be timed: %s", t->graph_problem);
    for (int i = 0; t->clocked && i < t->iterations; i++)
        judge_clocks(t, i, v);
    if (!v->pass)
        return;
    points_judge_time(t->c, v);
    if (v->pass || v->suspected || !t->spans)
        return;
    if (v->time_us < v->limit_us)
        add_done(t, v);
    else if (k->hides)
        add_exposed(k, t, v);
}

/* A wrong result may be the consequence of a failed call: add
 * the first rank's. */
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

/* A wrong result has no source line of its own: name the
 * function that made it. */
static void add_function(const struct judge_lab *lab, const struct plan_case *c,
                         struct judge_verdict *v)
{
    const size_t at = strlen(v->message);
    const struct judge_student *s = lab->students;
    if (v->pass || v->suspected || v->skipped)
        return;
    while (s && s->kind &&
           (strcmp(s->kind, c->kind) != 0 ||
            (s->key && strcmp(plan_text(c, s->key, ""), s->value) != 0)))
        s++;
    if (s && s->kind)
        snprintf(v->message + at, sizeof v->message - at, "\nLook at %s.",
                 s->functions);
}

static void judge_once(const struct judge_lab *lab, const struct judge_task *t,
                       struct judge_verdict *v)
{
    v->pass = 1;
    v->right = 1;
    v->score = 1;
    if (t->nranks > LAB_MAX_RANKS)
        judge_fail(v, "%d ranks: results of at most %d can be judged",
                   t->nranks, LAB_MAX_RANKS);
    else
        judge_status(t, v);
    if (!v->pass)
        return;
    if (t->spans && lab->reaches_peers)
        spans_reach_peers(t->spans);
    if (strcmp(t->c->kind, JUDGE_ANSWER) == 0) {
        answers_judge(t, v);
        return;
    }
    const struct judge_kind *const k = find_kind(lab, t->c->kind);
    if (!k) {
        judge_fail(v, "the plan asks for \"%s\", which this lab cannot judge",
                   t->c->kind);
        return;
    }
    v->time_us = judge_time(t);
    if (!k->several_streams)
        contract_judge_awaited(t, v);
    k->judge(t, v);
    add_function(lab, t->c, v);
    contract_judge_hazards(t, v);
    contract_judge_late(t, v);
    if (t->c->timed)
        judge_speed(k, t, v);
    add_failure(t, v);
}

void judge_case(const struct judge_lab *lab, const struct judge_task *t,
                struct judge_verdict *v)
{
    struct judge_verdict trusted = JUDGE_VERDICT_NONE;
    *v = JUDGE_VERDICT_NONE;
    judge_once(lab, t, v);
    if (!v->suspected)
        return;
    trusted.trusting = 1;
    judge_once(lab, t, &trusted);
    judge_beneath(v, &trusted);
}
