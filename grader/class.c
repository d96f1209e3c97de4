#include "class.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

struct loader {
    struct export *e;
    char *lab; /* the full name, once it is known */
    int best;
};

/* "lab1" stands for "lab1-collectives". */
static int is_lab(const char *full, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(full, name, n) == 0 && (!full[n] || full[n] == '-');
}

static int take_batch(const struct ledger_entry *b, void *arg)
{
    struct loader *const l = arg;
    if (!is_lab(b->lab, l->lab))
        return 0;
    json_t *const j = json_loads(b->body, 0, NULL);
    struct roster *const r = roster_from_json(json_object_get(j, "roster"));
    if (r) {
        roster_free(l->e->roster);
        l->e->roster = r;
        snprintf(l->lab, 64, "%s", b->lab);
    }
    json_decref(j);
    return 0;
}

static double final_of(const struct export *e, const struct grading *g)
{
    const double left = 1 - e->late_percent / 100 * g->days_late;
    return left > 0 ? g->score * left : 0;
}

/* Does a grading count more than the one the row has? Of one attempt, the last
 * one counts, unless it is infra: then what was graded before it. */
static int counts_more(const struct loader *l, const struct row *r,
                       const struct ledger_entry *g, const struct grading *new)
{
    const int has_score = new->outcome != OUTCOME_INFRA;
    if (!r->attempt || g->attempt == r->attempt)
        return !r->attempt || has_score || !r->has_score;
    if (l->best && has_score != r->has_score)
        return has_score;
    const double final = final_of(l->e, new);
    if (l->best && final != r->final)
        return final > r->final;
    return g->attempt > r->attempt;
}

static struct row *find(const struct export *e, const char *key)
{
    const struct student *const s = roster_find(e->roster, key);
    return s ? &e->row[s - e->roster->student] : NULL;
}

static int take_grading(const struct ledger_entry *g, void *arg)
{
    struct loader *const l = arg;
    struct row *const r = find(l->e, g->student);
    struct grading new;
    const int bad = grading_parse(&new, g->body);
    if (bad || !r || !counts_more(l, r, g, &new)) {
        grading_release(&new);
        return 0;
    }
    grading_release(&r->g);
    r->g = new;
    r->attempt = g->attempt;
    r->has_score = new.outcome != OUTCOME_INFRA;
    r->final = final_of(l->e, &new);
    snprintf(r->digest, sizeof r->digest, "%s", g->digest);
    return 0;
}

int class_load(struct export *e, char lab[64], int best, char *err,
               size_t err_nbytes)
{
    struct loader l = {e, lab, best};
    ledger_each(e->ledger, "batch", NULL, take_batch, &l);
    if (!e->roster) {
        snprintf(err, err_nbytes, "the ledger has no batch of %s", lab);
        return -1;
    }
    e->lab = e->title = lab;
    e->nrows = e->roster->n;
    e->row = calloc((size_t)e->nrows + 1, sizeof *e->row);
    if (!e->row)
        abort();
    for (int i = 0; i < e->nrows; i++)
        e->row[i].student = &e->roster->student[i];
    ledger_each(e->ledger, "grading", lab, take_grading, &l);
    for (int i = 0; i < e->nrows; i++) {
        const struct grading *const g = &e->row[i].g;
        if (e->row[i].attempt && g->title[0])
            e->title = g->title;
        if (e->row[i].attempt && g->max_score > e->max_score)
            e->max_score = g->max_score;
    }
    return 0;
}

void class_release(struct export *e)
{
    for (int i = 0; i < e->nrows; i++)
        grading_release(&e->row[i].g);
    free(e->row);
    roster_free(e->roster);
}
