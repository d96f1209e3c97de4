/*
 * export_html.c: a site for the class: a summary, and a page for each student
 *
 * The summary is for staff: it names students and hidden cases. A student's
 * page (export_student.c) is for that student.
 */
#include "grader/export/export_pages.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "grader/export/page.h"
#include "grader/job/place.h"

/* ---- numbers ------------------------------------------------------------- */

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

struct tally {
    int n; /* with a score */
    double mean, median;
};

/* The scores of a section, or of the whole class if it is NULL. */
static struct tally count(const struct export *e, const char *section)
{
    struct tally c = {0};
    double *const v = calloc((size_t)e->nrows + 1, sizeof *v);
    if (!v)
        abort();
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        if (!r->has_score ||
            (section && strcmp(section, r->student->section) != 0))
            continue;
        v[c.n++] = r->final;
        c.mean += r->final;
    }
    qsort(v, (size_t)c.n, sizeof *v, by_value);
    if (c.n) {
        c.mean /= c.n;
        c.median = (v[c.n / 2] + v[(c.n - 1) / 2]) / 2;
    }
    free(v);
    return c;
}

static json_t *of_students(struct tally c)
{
    return json_pack("{s:i, s:f, s:f}", "students", c.n, "median", c.median,
                     "mean", c.mean);
}

/* Count students by outcome. The first few outcomes are shown even if no
 * student has them. */
static json_t *outcomes(const struct export *e)
{
    static const char *const names[] = {"pass",      "partial", "fail",
                                        "suspected", "infra",   "missing",
                                        "excused",   "given",   "pending"};
    enum { NAMES = sizeof names / sizeof *names, ALWAYS = 6 };
    json_t *const all = json_array();
    for (int k = 0; k < NAMES; k++) {
        int n = 0;
        for (int i = 0; i < e->nrows; i++)
            n += strcmp(export_outcome(&e->row[i]), names[k]) == 0;
        json_array_append_new(all,
                              json_pack("{s:s, s:i, s:b}", "name", names[k],
                                        "students", n, "always", k < ALWAYS));
    }
    return all;
}

/* ---- sections ------------------------------------------------------------ */

/* True if row i is the first of its section. */
static int is_first(const struct export *e, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(e->row[k].student->section, e->row[i].student->section) == 0)
            return 0;
    return e->row[i].student->section[0] != 0;
}

static json_t *sections(const struct export *e)
{
    json_t *const all = json_array();
    for (int i = 0; i < e->nrows; i++) {
        if (!is_first(e, i))
            continue;
        const char *const section = e->row[i].student->section;
        json_t *const of = of_students(count(e, section));
        json_object_set_new(of, "name", page_text(section));
        json_array_append_new(all, of);
    }
    return all;
}

/* ---- the site ------------------------------------------------------------ */

/* A student's row of the summary. "timeline" and "diff" tell the page which
 * files to link to. */
static json_t *student(const struct row *r)
{
    const struct student *const s = r->student;
    return json_pack("{s:s, s:o, s:o, s:s, s:i, s:i, s:o, s:b, s:b}", "key",
                     s->key, "name", page_text(s->name), "section",
                     page_text(s->section), "outcome", export_outcome(r),
                     "attempt", r->attempt, "days_late", r->days_late, "final",
                     r->has_score ? json_real(r->final) : json_null(),
                     "timeline", r->attempt && r->g.timeline[0], "diff",
                     r->before && r->before->has_score && r->has_score);
}

static int summary(const struct export *e, const struct place *p)
{
    FILE *const f = export_file_in(e, "index.html");
    if (!f)
        return -1;
    json_t *const students = json_array();
    for (int i = 0; i < e->nrows; i++)
        json_array_append_new(students, student(&e->row[i]));
    page_write(f, PAGE_CLASS, e->title, 0,
               json_pack("{s:o, s:o, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o, "
                         "s:o, s:o}",
                         "title", page_text(e->title), "lab", page_text(e->lab),
                         "plans", e->nplans, "max", e->max_score, "all",
                         of_students(count(e, NULL)), "outcomes", outcomes(e),
                         "scores", page_scores(e), "sections", sections(e),
                         "students", students, "cases", export_class_cases(e),
                         "reasons", export_class_reasons(e), "words",
                         p ? export_class_words(e, p) : json_null()));
    return export_close(e, f);
}

int export_html(const struct export *e)
{
    const struct request q = {.lab = e->lab};
    struct place p;
    char err_text[512]; // without the lab's plan there are no diffs
    const int found = place_find(&p, &q, err_text, sizeof err_text) == 0;
    int err = summary(e, found ? &p : NULL);
    for (int i = 0; i < e->nrows && !err; i++)
        err = export_student_page(e, &e->row[i], found ? p.plan : NULL);
    place_release(&p);
    return err;
}
