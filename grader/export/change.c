#define _GNU_SOURCE
#include "grader/export/change.h"

#include <math.h>   /* NAN */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <time.h>   /* strftime */

#include "grader/base/text.h"

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

/* Set the outcome of a grading from the outcomes of its cases, if it has
 * any. */
static void sum_up(struct grading *g)
{
    g->outcome = OUTCOME_PASS;
    for (int i = 0; i < g->ncases; i++)
        if (g->cases[i].outcome > g->outcome)
            g->outcome = g->cases[i].outcome;
}

/* Set the total to a person's score, which also settles any suspicion. */
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

/* The verdict that the case would have without the suspicion. Ledgers have it
 * from a certain version on; before that, all points were restored. */
static void clear_case(struct attempt *a, struct grading_case *c)
{
    if (isnan(c->beneath)) {
        set_case(a, c, c->max_score);
        return;
    }
    set_case(a, c, c->beneath);
    c->message = c->beneath_message;
}

static void apply_points(struct attempt *a, const struct change *c)
{
    for (int i = 0; i < a->g.ncases; i++) {
        struct grading_case *const of = &a->g.cases[i];
        if (c->case_name && strcmp(of->name, c->case_name) != 0)
            continue;
        if (c->kind == CHANGE_OVERRIDE && c->case_name)
            set_case(a, of, c->score);
        else if (c->kind == CHANGE_CLEAR && of->outcome == OUTCOME_SUSPECTED &&
                 isnan(c->score))
            clear_case(a, of);
        else if (c->kind == CHANGE_CLEAR && of->outcome == OUTCOME_SUSPECTED)
            set_case(a, of, c->score);
    }
    if (!c->case_name && !isnan(c->score) &&
        (c->kind == CHANGE_OVERRIDE || a->g.ncases == 0))
        set_total(a, c->score);
}

/* ---- text of a change ---------------------------------------------------- */

void change_when(int64_t t, char out[64])
{
    struct tm tm;
    const time_t when = (time_t)t;
    localtime_r(&when, &tm);
    strftime(out, 64, "%Y-%m-%d %H:%M %Z", &tm);
}

static void put_when(FILE *f, int64_t t)
{
    char text[64];
    change_when(t, text);
    fprintf(f, " to %s", text);
}

static void note(struct row *r, const struct change *c,
                 const struct ledger_entry *e)
{
    static const char *const says[CHANGES] = {"points set", "suspicion cleared",
                                              "excused", "deadline extended",
                                              "comment"};
    static const char *const unsays[CHANGES] = {"points no longer set",
                                                "suspicion no longer cleared",
                                                "no longer excused", "", ""};
    char *text = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    fprintf(f, "%s", (c->undo ? unsays : says)[c->kind]);
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

/* Give points to a student who handed in nothing, for work on paper, say. */
static int give(struct row *r, const struct change *c,
                const struct ledger_entry *e)
{
    if (e->attempt || c->case_name || isnan(c->score))
        return 0;
    r->given = 1;
    r->given_score = c->score;
    return 1;
}

/* ---- the changes of a ledger --------------------------------------------- */

static int is_same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int changes_last(const struct changes *c, const struct ledger_entry *like,
                 const char *case_name)
{
    for (size_t i = c->n; i-- > 0;) {
        const struct ledger_entry *const e = &c->entry[i];
        if (c->undone[i] || e->attempt != like->attempt ||
            !is_same(e->kind, like->kind) ||
            !is_same(e->student, like->student) ||
            !is_same(e->lab, like->lab) || !is_same(e->digest, like->digest))
            continue;
        json_t *const j = json_loads(e->body, 0, NULL);
        const char *const of = json_string_value(json_object_get(j, "case"));
        const int stands = !json_is_true(json_object_get(j, "undo")) &&
                           (!case_name || (of && is_same(of, case_name)));
        json_decref(j);
        if (stands)
            return (int)i;
    }
    return -1;
}

/* Keep an entry that is a change. One with undo takes an earlier one back. */
static int keep(const struct ledger_entry *e, void *arg)
{
    struct changes *const c = arg;
    const int kind = change_find(e->kind);
    if (kind < 0)
        return 0;
    json_t *const j = json_loads(e->body, 0, NULL);
    const struct change change = parse((enum change_kind)kind, j);
    const int undone = change.undo && kind <= CHANGE_CLEAR
                           ? changes_last(c, e, change.case_name)
                           : -1;
    json_decref(j);
    if (undone >= 0)
        c->undone[undone] = 1;
    c->entry = realloc(c->entry, (c->n + 1) * sizeof *c->entry);
    c->undone = realloc(c->undone, c->n + 1);
    if (!c->entry || !c->undone)
        abort();
    c->undone[c->n] = 0;
    c->entry[c->n++] = (struct ledger_entry){.id = e->id,
                                             .kind = strdup(e->kind),
                                             .student = strdup(e->student),
                                             .lab = strdup(e->lab),
                                             .attempt = e->attempt,
                                             .digest = strdup(e->digest),
                                             .body = strdup(e->body)};
    return 0;
}

void changes_load(struct changes *c, struct ledger *l, const char *lab)
{
    *c = (struct changes){.n = 0};
    ledger_each(l, NULL, lab, keep, c);
}

void changes_release(struct changes *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct ledger_entry *const e = &c->entry[i];
        const char *const texts[] = {e->kind, e->student, e->lab, e->digest,
                                     e->body};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free((char *)texts[k]);
    }
    free(c->entry);
    free(c->undone);
}

/* Change an attempt's points, or those of work without a submission, unless
 * the change is taken back. Returns 0 if it is about other bytes. */
static int set_points(struct row *r, const struct change *c,
                      const struct ledger_entry *e, int stands)
{
    struct attempt *const a = find_attempt(r, e);
    if (a && stands)
        apply_points(a, c);
    else if (!a && stands)
        return give(r, c, e);
    return a || e->attempt == 0;
}

/* The last extension replaces those before it. The class may get a later
 * deadline afterwards, which then counts for this student, too. */
static int64_t extended(const struct row *r, int64_t deadline)
{
    const int64_t of_roster = r->student->deadline;
    return deadline > of_roster ? deadline : of_roster;
}

void changes_apply(const struct changes *all, size_t i, struct row *r)
{
    const struct ledger_entry *const e = &all->entry[i];
    json_t *const j = json_loads(e->body, 0, NULL);
    if (!j)
        return;
    const struct change c = parse((enum change_kind)change_find(e->kind), j);
    int counts = 1;
    switch (c.kind) {
    case CHANGE_OVERRIDE:
    case CHANGE_CLEAR:
        counts = set_points(r, &c, e, !c.undo && !all->undone[i]);
        break;
    case CHANGE_EXCUSE: r->excused = !c.undo; break;
    case CHANGE_EXTEND: r->deadline = extended(r, c.deadline); break;
    case CHANGE_COMMENT: break;
    }
    if (counts)
        note(r, &c, e);
    json_decref(j);
}
