/*
 * export_reasons.c: a class's cases: how many pass, and why others don't; and
 * what a person grades: answers in words
 */
#include <ctype.h>  /* isdigit */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "grader/export/export_pages.h"
#include "grader/export/page.h"
#include "grader/job/place.h"
#include "judge/answers.h"
#include "judge/prediction.h"
#include "judge/report.h"

/* Count how one case went over the class: pass, partial, fail, not written. */
static void count_case(const struct export *e, const char *name, int count[4])
{
    for (int i = 0; i < e->nrows; i++)
        for (int k = 0; k < e->row[i].g.ncases; k++) {
            const struct grading_case *const c = &e->row[i].g.cases[k];
            if (strcmp(c->name, name) != 0)
                continue;
            const int pass = c->outcome == OUTCOME_PASS;
            const int hole = strncmp(c->message, "not implemented", 15) == 0;
            count[pass ? 0 : c->score > 0 ? 1 : hole ? 3 : 2]++;
        }
}

json_t *export_class_cases(const struct export *e)
{
    const struct row *most = NULL;
    json_t *const all = json_array();
    for (int i = 0; i < e->nrows; i++)
        if (!most || e->row[i].g.ncases > most->g.ncases)
            most = &e->row[i];
    for (int i = 0; most && i < most->g.ncases; i++) {
        const struct grading_case *const c = &most->g.cases[i];
        int n[4] = {0};
        count_case(e, c->name, n);
        json_array_append_new(
            all, json_pack("{s:o, s:b, s:f, s:[i,i,i,i]}", "name",
                           page_text(c->name), "hidden", c->hidden, "max",
                           c->max_score, "count", n[0], n[1], n[2], n[3]));
    }
    return all;
}

/* ---- why there are no points --------------------------------------------- */

enum { REASON = 160 };

struct reason {
    char text[REASON];
    int cases, students;
    const struct row *last; /* the last student counted */
};

struct reasons {
    struct reason *r;
    int n;
};

/* The first line of a message, with numbers replaced by N so that similar
 * ones are equal. */
static void plain(const char *message, char out[REASON])
{
    size_t n = 0;
    for (const char *p = message; *p && *p != '\n' && n + 2 < REASON; p++) {
        if (!isdigit((unsigned char)*p))
            out[n++] = *p;
        else if (p == message || !isdigit((unsigned char)p[-1]))
            out[n++] = 'N';
    }
    out[n] = 0;
}

static void count_reason(struct reasons *all, const struct row *r,
                         const char *message)
{
    char text[REASON];
    struct reason *of = NULL;
    plain(message, text);
    for (int i = 0; i < all->n && !of; i++)
        if (strcmp(all->r[i].text, text) == 0)
            of = &all->r[i];
    if (!of) {
        all->r = realloc(all->r, ((size_t)all->n + 1) * sizeof *all->r);
        if (!all->r)
            abort();
        of = &all->r[all->n++];
        *of = (struct reason){.cases = 0};
        memcpy(of->text, text, sizeof text);
    }
    of->cases++;
    of->students += of->last != r;
    of->last = r;
}

static int by_count(const void *x, const void *y)
{
    const struct reason *const a = x, *const b = y;
    if (a->students != b->students)
        return b->students - a->students;
    return a->cases != b->cases ? b->cases - a->cases
                                : strcmp(a->text, b->text);
}

json_t *export_class_reasons(const struct export *e)
{
    enum { MOST = 15 };
    struct reasons all = {NULL, 0};
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        for (int k = 0; k < r->g.ncases; k++)
            if (r->g.cases[k].outcome != OUTCOME_PASS &&
                !(r->g.cases[k].score > 0))
                count_reason(&all, r, r->g.cases[k].message);
        if (r->attempt && r->g.ncases == 0)
            count_reason(&all, r, r->g.message);
    }
    if (all.n)
        qsort(all.r, (size_t)all.n, sizeof *all.r, by_count);
    json_t *const shown = json_array();
    for (int i = 0; i < all.n && i < MOST; i++)
        json_array_append_new(shown, json_pack("{s:o, s:i, s:i}", "text",
                                               page_text(all.r[i].text),
                                               "students", all.r[i].students,
                                               "cases", all.r[i].cases));
    free(all.r);
    return shown;
}

/* ---- what a person grades ------------------------------------------------ */

/* A student's prediction and answer in words, and whether there is a work
 * log. */
static json_t *words_of(const struct row *r)
{
    const struct student *const s = r->student;
    return json_pack(
        "{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:b}", "key", s->key, "name",
        page_text(s->name), "text", page_text(r->g.in_words), "state",
        r->g.prediction, "when", r->g.predicted_when, "predicted",
        report_number(r->g.predicted), "found", report_number(r->g.found),
        "worklog", r->g.worklog[0] != 0);
}

/* A question of the lab's own answers.txt. */
static json_t *question(const char *text, const char *name)
{
    char *const of = answers_question(text, name);
    json_t *const j = page_text(of);
    free(of);
    return j;
}

json_t *export_class_words(const struct export *e, const struct place *p)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/labs/%s/answers.txt", p->kit, p->lab);
    char *const text = p->plan->rubric[1] ? answers_load(path) : NULL;
    if (!text)
        return json_null();
    json_t *const students = json_array();
    for (int i = 0; i < e->nrows; i++)
        if (e->row[i].attempt)
            json_array_append_new(students, words_of(&e->row[i]));
    json_t *const j =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "question",
                  question(text, ANSWERS_IN_WORDS), "cause",
                  page_text(p->plan->rubric[0]), "consequence",
                  page_text(p->plan->rubric[1]), "asked",
                  question(text, PREDICTION), "students", students);
    free(text);
    return j;
}
