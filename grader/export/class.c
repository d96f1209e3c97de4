#include "grader/export/class.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "grader/export/change.h"
#include "grader/job/place.h"
#include "grader/ledger/pending.h"

struct loader {
    struct export *e;
    char *lab; /* the full name, once known */
    int best;
    char timezone[64];   /* the last batch's; "": UTC */
    struct roster *then; /* the roster when an entry was made */
    json_t *pending;     /* pending.h */
};

/* True if the name is the full one, or its short form: "lab1" for
 * "lab1-collectives". */
static int is_lab(const char *full, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(full, name, n) == 0 && (!full[n] || full[n] == '-');
}

/* Merge a batch's roster with those before: each batch may cover one section
 * only. */
static void join(struct roster **all, const json_t *batch)
{
    struct roster *const r = roster_from_json(json_object_get(batch, "roster"));
    if (r)
        *all = *all ? roster_join(*all, r) : r;
}

static int take_batch(const struct ledger_entry *b, void *arg)
{
    struct loader *const l = arg;
    if (!is_lab(b->lab, l->lab))
        return 0;
    json_t *const j = json_loads(b->body, 0, NULL);
    if (json_is_array(json_object_get(j, "roster"))) {
        join(&l->e->roster, j);
        const char *const zone =
            json_string_value(json_object_get(j, "timezone"));
        snprintf(l->lab, 64, "%s", b->lab);
        snprintf(l->timezone, sizeof l->timezone, "%s", zone ? zone : "");
        l->e->grace = (int)json_integer_value(json_object_get(j, "grace"));
    }
    json_decref(j);
    return 0;
}

/* ---- attempts ------------------------------------------------------------ */

static struct row *find(const struct export *e, const char *key)
{
    const struct student *const s = roster_find(e->roster, key);
    return s ? &e->row[s - e->roster->student] : NULL;
}

/* The place of the attempt with this number, which is made if it
 * doesn't exist. */
static struct attempt *place_of(struct row *r, int number)
{
    int at = 0;
    while (at < r->nattempts && r->attempts[at].number < number)
        at++;
    if (at < r->nattempts && r->attempts[at].number == number)
        return &r->attempts[at];
    const size_t size = sizeof *r->attempts;
    r->attempts = realloc(r->attempts, ((size_t)r->nattempts + 1) * size);
    if (!r->attempts)
        abort();
    memmove(&r->attempts[at + 1], &r->attempts[at],
            (size_t)(r->nattempts++ - at) * size);
    r->attempts[at] = (struct attempt){.number = number};
    return &r->attempts[at];
}

/* The last of several gradings of an attempt counts, unless it is infra; then
 * the one before it does. But what a student has handed in counts rather than
 * what a group had handed in that the student joined. */
static void take_attempt(struct row *r, const struct ledger_entry *e,
                         int joined)
{
    struct grading new;
    const int bad = grading_parse(&new, e->body);
    struct attempt *const a = bad ? NULL : place_of(r, e->attempt);
    const int worse =
        !a || (a->id && a->joined == joined && a->g.outcome != OUTCOME_INFRA &&
               new.outcome == OUTCOME_INFRA);
    if (worse || (a->id && joined && !a->joined)) {
        grading_release(&new);
        return;
    }
    grading_release(&a->g);
    a->g = new;
    a->id = e->id;
    a->joined = joined;
    snprintf(a->student, sizeof a->student, "%s", e->student);
    snprintf(a->digest, sizeof a->digest, "%s", e->digest);
}

/* True if both handed in together when the entry was made. */
static int were_together(const struct loader *l, const char *a, const char *b)
{
    const struct student *const x = l->then ? roster_find(l->then, a) : NULL,
                                *const y =
                                    l->then ? roster_find(l->then, b) : NULL;
    return strcmp(a, b) == 0 || (x && y && roster_together(x, y));
}

/* The number of the grading that an entry repeats; 0 if none. */
static int64_t repeats(const struct ledger_entry *e)
{
    json_t *const j = json_loads(e->body, 0, NULL);
    const int64_t id = json_integer_value(json_object_get(j, "regraded"));
    json_decref(j);
    return id;
}

/* Replace the grading with this number wherever it counts. Returns how often
 * it did. */
static int take_repeated(const struct loader *l, const struct ledger_entry *e,
                         int64_t id)
{
    int n = 0;
    for (int i = 0; i < l->e->nrows && id; i++) {
        struct row *const r = &l->e->row[i];
        for (int k = 0; k < r->nattempts; k++)
            if (r->attempts[k].id == id) {
                take_attempt(r, e, r->attempts[k].joined);
                n++;
                break;
            }
    }
    return n;
}

/* Give a group's submission to all who were its members then, and to those who
 * are now. A member who left since keeps the grade. */
static void take_grading(struct loader *l, const struct ledger_entry *e)
{
    const struct row *const of = find(l->e, e->student);
    if (!of || take_repeated(l, e, repeats(e)) > 0)
        return;
    for (int i = 0; i < l->e->nrows; i++) {
        struct row *const r = &l->e->row[i];
        const int was = were_together(l, r->student->key, e->student);
        if (was || roster_together(r->student, of->student))
            take_attempt(r, e, !was);
    }
}

static int take_entry(const struct ledger_entry *e, void *arg)
{
    struct loader *const l = arg;
    pending_take(l->pending, e);
    if (strcmp(e->kind, "grading") == 0)
        take_grading(l, e);
    if (strcmp(e->kind, "batch") == 0) {
        json_t *const j = json_loads(e->body, 0, NULL);
        join(&l->then, j);
        json_decref(j);
    }
    return 0;
}

/* A group's submission is pending for all its members, unless one of them has a
 * grading of a later attempt. */
static void take_pending(const struct export *e, const json_t *pending)
{
    for (int i = 0; i < e->nrows; i++) {
        const struct student *const of = e->row[i].student;
        const int attempt = pending_attempt(pending, of->key);
        for (int k = 0; k < e->nrows && attempt; k++) {
            struct row *const r = &e->row[k];
            if (roster_together(r->student, of) &&
                (r->nattempts == 0 ||
                 r->attempts[r->nattempts - 1].number <= attempt))
                r->pending = attempt;
        }
    }
}

static void take_changes(struct export *e)
{
    struct changes c;
    changes_load(&c, e->ledger, e->lab);
    for (size_t i = 0; i < c.n; i++) {
        struct row *const r = find(e, c.entry[i].student);
        if (r)
            changes_apply(&c, i, r);
    }
    changes_release(&c);
}

/* ---- which one counts ---------------------------------------------------- */

static double less_late(const struct export *e, double score, int days_late)
{
    const double left = 1 - e->late_percent / 100 * days_late;
    return left > 0 ? score * left : 0;
}

/* Finish an attempt: the deadline is the present one, the time of handing in
 * is the ledger's. */
static void finish_attempt(const struct export *e, const struct row *r,
                           struct attempt *a)
{
    const int64_t said = roster_submitted(r->student, a->number);
    a->submitted = said != ROSTER_NEVER ? said : a->g.submitted;
    a->days_late =
        r->deadline == ROSTER_NEVER
            ? a->g.days_late
            : roster_days_between(r->deadline,
                                  roster_forgive(a->submitted, e->grace),
                                  r->student->late_days);
    a->g.days_late = a->days_late;
    a->has_score = a->g.outcome != OUTCOME_INFRA && !change_is_suspected(&a->g);
    a->final = less_late(e, a->g.score, a->days_late);
}

/* True if attempt a counts rather than `than`. Attempts come in order, so of
 * two equal ones the later counts. */
static int counts_more(const struct attempt *a, const struct attempt *than,
                       int best)
{
    if (!than || !best)
        return 1;
    return a->has_score != than->has_score ? a->has_score
                                           : a->final >= than->final;
}

static void finish_row(const struct export *e, struct row *r, int best)
{
    for (int i = 0; i < r->nattempts; i++) {
        finish_attempt(e, r, &r->attempts[i]);
        if (counts_more(&r->attempts[i], r->counts, best))
            r->counts = &r->attempts[i];
    }
    if (!r->counts) {
        r->has_score = r->given && !r->excused;
        r->final = r->given_score;
        return;
    }
    r->before = r->counts > r->attempts ? r->counts - 1 : NULL;
    r->attempt = r->counts->number;
    r->has_score = r->counts->has_score && !r->excused;
    r->days_late = r->counts->days_late;
    r->final = r->counts->final;
    r->g = r->counts->g;
    snprintf(r->digest, sizeof r->digest, "%s", r->counts->digest);
    if (export_lost_points(r))
        json_array_append_new(
            r->notes, json_sprintf("the %g points without a submission no "
                                   "longer count: attempt %d was graded",
                                   r->given_score, r->attempt));
}

/* Count the plans by which rows were graded: rows of different plans
 * can't be compared. */
static int count_plans(const struct export *e)
{
    int n = 0;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        int known = !r->has_score || !r->attempt || !r->g.plan[0];
        for (int k = 0; k < i && !known; k++)
            known = e->row[k].has_score && e->row[k].attempt &&
                    strcmp(e->row[k].g.plan, r->g.plan) == 0;
        n += !known;
    }
    return n;
}

static void make_rows(struct export *e)
{
    e->nrows = e->roster->n;
    e->row = calloc((size_t)e->nrows + 1, sizeof *e->row);
    if (!e->row)
        abort();
    for (int i = 0; i < e->nrows; i++)
        e->row[i] = (struct row){.student = &e->roster->student[i],
                                 .deadline = e->roster->student[i].deadline,
                                 .notes = json_array()};
}

/* A lab of which nothing is graded yet has the points of its plan. */
static void take_plan_points(struct export *e)
{
    const struct request q = {.lab = e->lab};
    struct place p;
    char err[512];
    if (place_find(&p, &q, err, sizeof err) == 0)
        e->max_score = plan_points(p.plan);
    place_release(&p);
}

int class_load(struct export *e, char lab[64], int best, char *err,
               size_t err_nbytes)
{
    struct loader l = {.e = e, .lab = lab, .best = best};
    ledger_each(e->ledger, "batch", NULL, take_batch, &l);
    if (!e->roster) {
        snprintf(err, err_nbytes, "the ledger has no batch of %s", lab);
        return -1;
    }
    const char *const zone = e->timezone ? e->timezone : l.timezone;
    if (roster_timezone(zone) != 0) {
        snprintf(err, err_nbytes, "there is no time zone %s", zone);
        return -1;
    }
    e->lab = e->title = lab;
    make_rows(e);
    l.pending = json_object();
    ledger_each(e->ledger, NULL, lab, take_entry, &l);
    for (int i = 0; i < e->nmore; i++)
        take_grading(&l, &e->more[i]);
    take_pending(e, l.pending);
    json_decref(l.pending);
    roster_free(l.then);
    take_changes(e);
    for (int i = 0; i < e->nrows; i++) {
        struct row *const r = &e->row[i];
        finish_row(e, r, best);
        if (r->attempt && r->g.title[0])
            e->title = r->g.title;
        if (r->attempt && r->g.max_score > e->max_score)
            e->max_score = r->g.max_score;
    }
    if (e->max_score <= 0)
        take_plan_points(e);
    e->nplans = count_plans(e);
    return 0;
}

void class_release(struct export *e)
{
    for (int i = 0; i < e->nrows; i++) {
        struct row *const r = &e->row[i];
        for (int k = 0; k < r->nattempts; k++)
            grading_release(&r->attempts[k].g);
        free(r->attempts);
        json_decref(r->notes);
    }
    free(e->row);
    roster_free(e->roster);
}

const struct attempt *class_attempt(const struct row *r, int number)
{
    for (int i = 0; i < r->nattempts; i++)
        if (r->attempts[i].number == number)
            return &r->attempts[i];
    return NULL;
}
