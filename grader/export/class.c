#include "class.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "change.h"

struct loader {
    struct export *e;
    char *lab; /* the full name, once it is known */
    int best;
    char timezone[64]; /* the last batch's; "": UTC */
};

/* "lab1" stands for "lab1-collectives". */
static int is_lab(const char *full, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(full, name, n) == 0 && (!full[n] || full[n] == '-');
}

/* Rosters add up: each batch may have been of one section only. */
static int take_batch(const struct ledger_entry *b, void *arg)
{
    struct loader *const l = arg;
    if (!is_lab(b->lab, l->lab))
        return 0;
    json_t *const j = json_loads(b->body, 0, NULL);
    struct roster *const r = roster_from_json(json_object_get(j, "roster"));
    if (r) {
        l->e->roster = l->e->roster ? roster_join(l->e->roster, r) : r;
        const char *const zone =
            json_string_value(json_object_get(j, "timezone"));
        snprintf(l->lab, 64, "%s", b->lab);
        snprintf(l->timezone, sizeof l->timezone, "%s", zone ? zone : "");
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

/* The place of an attempt of that number, made if need be. */
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

/* Of one attempt the last grading counts, unless it is infra: then what was
 * graded before it. */
static void take_attempt(struct row *r, const struct ledger_entry *e)
{
    struct grading new;
    const int bad = grading_parse(&new, e->body);
    struct attempt *const a = bad ? NULL : place_of(r, e->attempt);
    if (!a || (a->id && a->g.outcome != OUTCOME_INFRA &&
               new.outcome == OUTCOME_INFRA)) {
        grading_release(&new);
        return;
    }
    grading_release(&a->g);
    a->g = new;
    a->id = e->id;
    snprintf(a->student, sizeof a->student, "%s", e->student);
    snprintf(a->digest, sizeof a->digest, "%s", e->digest);
}

/* What one of a group handed in is everybody's in it. */
static int take_grading(const struct ledger_entry *e, void *arg)
{
    struct loader *const l = arg;
    struct row *const of = find(l->e, e->student);
    for (int i = 0; of && i < l->e->nrows; i++)
        if (roster_together(l->e->row[i].student, of->student))
            take_attempt(&l->e->row[i], e);
    return 0;
}

static int take_change(const struct ledger_entry *e, void *arg)
{
    struct loader *const l = arg;
    struct row *const r = find(l->e, e->student);
    if (r)
        change_apply(r, e);
    return 0;
}

/* ---- which one counts ---------------------------------------------------- */

static double less_late(const struct export *e, double score, int days_late)
{
    const double left = 1 - e->late_percent / 100 * days_late;
    return left > 0 ? score * left : 0;
}

/* The deadline is today's, the time of handing in is the ledger's. */
static void finish_attempt(const struct export *e, const struct row *r,
                           struct attempt *a)
{
    const int64_t said = roster_submitted(r->student, a->number);
    a->submitted = said != ROSTER_NEVER ? said : a->g.submitted;
    a->days_late = r->deadline == ROSTER_NEVER
                       ? a->g.days_late
                       : roster_days_between(r->deadline, a->submitted,
                                             r->student->late_days);
    a->g.days_late = a->days_late;
    a->has_score = a->g.outcome != OUTCOME_INFRA && !change_is_suspected(&a->g);
    a->final = less_late(e, a->g.score, a->days_late);
}

/* Attempts come in order, so of two alike the later one counts. */
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
}

/* Rows that were graded by one plan and rows by another are no one class. */
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

int class_load(struct export *e, char lab[64], int best, char *err,
               size_t err_nbytes)
{
    struct loader l = {e, lab, best, ""};
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
    ledger_each(e->ledger, "grading", lab, take_grading, &l);
    ledger_each(e->ledger, NULL, lab, take_change, &l);
    for (int i = 0; i < e->nrows; i++) {
        struct row *const r = &e->row[i];
        finish_row(e, r, best);
        if (r->attempt && r->g.title[0])
            e->title = r->g.title;
        if (r->attempt && r->g.max_score > e->max_score)
            e->max_score = r->g.max_score;
    }
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
