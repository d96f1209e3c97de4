#define _GNU_SOURCE
#include "change.h"

#include <math.h>   /* NAN */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <time.h>   /* strftime */

#include "text.h"

const char *const change_name[CHANGES] = {"override", "clear", "excuse",
                                          "extend", "comment"};

int change_find(const char *name)
{
    for (int i = 0; i < CHANGES; i++)
        if (strcmp(change_name[i], name) == 0)
            return i;
    return -1;
}

char *change_body(const struct change *c)
{
    json_t *const j = json_object();
    json_object_set_new(j, "by", json_string(c->by));
    json_object_set_new(j, "reason", json_string(c->reason));
    if (c->case_name)
        json_object_set_new(j, "case", json_string(c->case_name));
    if (!isnan(c->score))
        json_object_set_new(j, "score", json_real(c->score));
    if (c->kind == CHANGE_EXTEND)
        json_object_set_new(j, "deadline", json_integer(c->deadline));
    if (c->undo)
        json_object_set_new(j, "undo", json_true());
    char *const body = json_dumps(j, JSON_SORT_KEYS | JSON_COMPACT);
    json_decref(j);
    return body;
}

static struct change parse(enum change_kind kind, const json_t *j)
{
    const json_t *const score = json_object_get(j, "score");
    const char *const by = json_string_value(json_object_get(j, "by"));
    const char *const why = json_string_value(json_object_get(j, "reason"));
    return (struct change){
        .kind = kind,
        .by = by ? by : "",
        .reason = why ? why : "",
        .case_name = json_string_value(json_object_get(j, "case")),
        .score = json_is_number(score) ? json_number_value(score) : NAN,
        .deadline = json_integer_value(json_object_get(j, "deadline")),
        .undo = json_is_true(json_object_get(j, "undo"))};
}

/* ---- points -------------------------------------------------------------- */

int change_is_suspected(const struct grading *g)
{
    return g->outcome == OUTCOME_SUSPECTED;
}

/* The outcome that follows from the cases', of a grading that has cases. */
static void sum_up(struct grading *g)
{
    g->outcome = OUTCOME_PASS;
    for (int i = 0; i < g->ncases; i++)
        if (g->cases[i].outcome > g->outcome)
            g->outcome = g->cases[i].outcome;
}

/* A person's word: no doubt is left of the whole. */
static void set_total(struct attempt *a, double score)
{
    a->g.score = score;
    a->changed = 1;
    a->g.outcome = score >= a->g.max_score ? OUTCOME_PASS : OUTCOME_FAIL;
}

static void set_case(struct attempt *a, struct grading_case *c, double score)
{
    a->g.score += score - c->score;
    c->score = score;
    c->outcome = score >= c->max_score ? OUTCOME_PASS : OUTCOME_FAIL;
    if (!a->changed)
        sum_up(&a->g);
}

static void apply_points(struct attempt *a, const struct change *c)
{
    for (int i = 0; i < a->g.ncases; i++) {
        struct grading_case *const of = &a->g.cases[i];
        if (c->case_name && strcmp(of->name, c->case_name) != 0)
            continue;
        if (c->kind == CHANGE_CLEAR && of->outcome == OUTCOME_SUSPECTED)
            set_case(a, of, isnan(c->score) ? of->max_score : c->score);
        else if (c->kind == CHANGE_OVERRIDE && c->case_name)
            set_case(a, of, c->score);
    }
    if (!c->case_name && !isnan(c->score) &&
        (c->kind == CHANGE_OVERRIDE || a->g.ncases == 0))
        set_total(a, c->score);
}

/* ---- what is shown of it ------------------------------------------------- */

static void put_when(FILE *f, int64_t t)
{
    char text[64];
    struct tm tm;
    const time_t when = (time_t)t;
    localtime_r(&when, &tm);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M %Z", &tm);
    fprintf(f, " to %s", text);
}

static void note(struct row *r, const struct change *c,
                 const struct ledger_entry *e)
{
    static const char *const says[CHANGES] = {"points set", "suspicion cleared",
                                              "excused", "deadline extended",
                                              "comment"};
    char *text = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    fprintf(f, "%s", c->undo ? "no longer excused" : says[c->kind]);
    if (c->kind <= CHANGE_CLEAR && r->nattempts > 1)
        fprintf(f, " of attempt %d", e->attempt);
    if (c->case_name)
        fprintf(f, " for %s", c->case_name);
    if (!isnan(c->score))
        fprintf(f, " to %g", c->score);
    if (c->kind == CHANGE_EXTEND)
        put_when(f, c->deadline);
    fprintf(f, " by %s: %s", c->by, c->reason);
    fclose(f);
    char *const clean = text_clean(text, TEXT_MESSAGE);
    json_array_append_new(r->notes, json_string(clean));
    free(clean);
    free(text);
}

static struct attempt *find_attempt(struct row *r, const struct ledger_entry *e)
{
    for (int i = 0; i < r->nattempts; i++)
        if (r->attempts[i].number == e->attempt &&
            strcmp(r->attempts[i].digest, e->digest) == 0)
            return &r->attempts[i];
    return NULL;
}

/* Points for a student who handed nothing in: on paper, say. */
static int give(struct row *r, const struct change *c,
                const struct ledger_entry *e)
{
    if (e->attempt || c->case_name || isnan(c->score))
        return 0;
    r->given = 1;
    r->given_score = c->score;
    return 1;
}

void change_apply(struct row *r, const struct ledger_entry *e)
{
    const int kind = change_find(e->kind);
    json_t *const j = kind < 0 ? NULL : json_loads(e->body, 0, NULL);
    if (!j)
        return;
    const struct change c = parse((enum change_kind)kind, j);
    struct attempt *const a = find_attempt(r, e);
    int counts = 1;
    switch (c.kind) {
    case CHANGE_OVERRIDE:
    case CHANGE_CLEAR:
        if (a)
            apply_points(a, &c);
        counts = a || give(r, &c, e);
        break;
    case CHANGE_EXCUSE: r->excused = !c.undo; break;
    case CHANGE_EXTEND: r->deadline = c.deadline; break;
    case CHANGE_COMMENT: break;
    }
    if (counts)
        note(r, &c, e);
    json_decref(j);
}
