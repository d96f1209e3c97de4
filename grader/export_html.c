/*
 * export_html.c: a site for the class: a summary, and a page for each student
 *
 * The summary is for staff: it names students and hidden cases. A student's
 * page is for that student: hidden cases are only counted in it.
 */
#include <math.h>   /* isnan */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "export.h"
#include "html.h"

/* ---- a student's page ---------------------------------------------------- */

static void case_row(FILE *f, const struct grading_case *c)
{
    fprintf(f, "<tr><td class=\"n\">");
    if (!c->hidden) // those, counted as one, are of several parts
        fprintf(f, "%d", c->part);
    fprintf(f, "</td><td class=\"c\"><b>");
    html_text(f, c->name);
    fprintf(f, "</b></td><td>");
    html_outcome(f, outcome_name[c->outcome]);
    fprintf(f, "</td><td class=\"n\">");
    html_points(f, c->score);
    fputc('/', f);
    html_points(f, c->max_score);
    fprintf(f, "</td><td class=\"n\">");
    if (!isnan(c->time_us))
        fprintf(f, "%.2f us", c->time_us);
    fprintf(f, "</td><td class=\"t\">");
    const int pass = c->outcome == OUTCOME_PASS;
    if (!pass || c->hidden)
        html_text(f, c->message);
    if (!pass && c->rerun[0]) {
        fprintf(f, "<br><code>");
        html_text(f, c->rerun);
        fprintf(f, "</code>");
    }
    fprintf(f, "</td></tr>\n");
}

static void cases(FILE *f, const struct row *r)
{
    char hidden[64];
    int n;
    struct grading_case *const c = export_cases(r, hidden, &n);
    fprintf(f, "<h2>Cases</h2>\n<table class=\"cards\"><thead><tr><th "
               "class=\"n\">part</th><th>case</th><th>verdict</th><th "
               "class=\"n\">points</th><th class=\"n\">time</th><th>why, and "
               "how to run it again</th></tr></thead>\n");
    for (int i = 0; i < n; i++)
        case_row(f, &c[i]);
    fprintf(f, "</table>\n");
    free(c);
}

/* The timeline is ours (commgraph's), but made from what a student's program
 * left: an image is a document of its own, in which nothing runs. */
static int timeline(FILE *f, const struct export *e, const struct row *r)
{
    if (!r->attempt || !r->g.timeline[0])
        return 0;
    FILE *const svg = export_file_in(e, "students/%s.svg", r->student->key);
    if (!svg)
        return -1;
    fputs(r->g.timeline, svg);
    if (export_close(e, svg) != 0)
        return -1;
    fprintf(
        f,
        "<h2>Timeline</h2>\n<p class=\"dim\">What ran when, on the modelled "
        "machine, in one iteration of a case. A click shows it alone.</p>\n<p "
        "class=\"wide\"><a href=\"%s.svg\"><img src=\"%s.svg\" alt=\"what "
        "ran when\"></a></p>\n",
        r->student->key, r->student->key);
    return 0;
}

static void head(FILE *f, const struct export *e, const struct row *r)
{
    char *const feedback = export_feedback(r);
    const char *const name =
        r->student->name[0] ? r->student->name : r->student->key;
    html_begin(f, e->title);
    fprintf(f, "<h1>");
    html_text(f, e->title);
    fprintf(f, "</h1>\n<p>");
    html_text(f, name);
    if (r->attempt)
        fprintf(f, " <span class=\"dim\">attempt %d</span>", r->attempt);
    fprintf(f, "</p>\n<div class=\"tiles\"><div><b>");
    if (r->has_score) {
        html_points(f, r->final);
        fprintf(f, " / ");
        html_points(f, e->max_score);
    } else {
        fprintf(f, "no score");
    }
    fprintf(f, "</b>");
    html_outcome(f, export_outcome(r));
    fprintf(f, "</div></div>\n<p>");
    html_text(f, feedback);
    fprintf(f, "</p>\n");
    free(feedback);
}

static int student_page(const struct export *e, const struct row *r)
{
    FILE *const f = export_file_in(e, "students/%s.html", r->student->key);
    if (!f)
        return -1;
    head(f, e, r);
    if (r->g.ncases)
        cases(f, r);
    const int err = timeline(f, e, r);
    html_end(f);
    return export_close(e, f) != 0 ? -1 : err;
}

/* ---- the summary --------------------------------------------------------- */

static void tiles(FILE *f, const struct export *e)
{
    static const char *const kinds[] = {"pass", "fail", "suspected", "infra",
                                        "missing"};
    double sum = 0;
    int n = 0;
    fprintf(f, "<div class=\"tiles\">");
    for (int k = 0; k < 5; k++) {
        int count = 0;
        for (int i = 0; i < e->nrows; i++)
            count += strcmp(export_outcome(&e->row[i]), kinds[k]) == 0;
        fprintf(f, "<div><b>%d</b>", count);
        html_outcome(f, kinds[k]);
        fprintf(f, "</div>");
    }
    for (int i = 0; i < e->nrows; i++) {
        sum += e->row[i].has_score ? e->row[i].final : 0;
        n += e->row[i].has_score;
    }
    fprintf(f, "<div><b>");
    html_points(f, n ? sum / n : 0);
    fprintf(f, " / ");
    html_points(f, e->max_score);
    fprintf(f, "</b>mean of %d</div></div>\n", n);
}

/* pass, partial, fail, not written: of one case, over the class. */
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

static void case_table(FILE *f, const struct export *e)
{
    const struct row *most = NULL;
    for (int i = 0; i < e->nrows; i++)
        if (!most || e->row[i].g.ncases > most->g.ncases)
            most = &e->row[i];
    fprintf(f, "<h2>Cases</h2>\n<p class=\"key dim\"><i "
               "style=\"background:var(--pass)\"></i>pass<i "
               "style=\"background:var(--part)\"></i>partial<i "
               "style=\"background:var(--fail)\"></i>fail<i "
               "style=\"background:var(--none)\"></i>not written</p>\n"
               "<table><tr><th>case</th><th class=\"n\">points</th><th "
               "class=\"n\">pass</th><th style=\"width:45%%\">class</th>"
               "</tr>\n");
    for (int i = 0; most && i < most->g.ncases; i++) {
        const struct grading_case *const c = &most->g.cases[i];
        int count[4] = {0};
        count_case(e, c->name, count);
        fprintf(f, "<tr><td class=\"c\">");
        html_text(f, c->name);
        fprintf(f, "%s</td><td class=\"n\">",
                c->hidden ? " <span class=\"dim\">hidden</span>" : "");
        html_points(f, c->max_score);
        fprintf(f, "</td><td class=\"n\">%d</td><td>", count[0]);
        html_bar(f, count);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</table>\n");
}

static void student_table(FILE *f, const struct export *e)
{
    fprintf(f, "<h2>Students</h2>\n<table><tr><th>student</th><th "
               "class=\"hide\">section</th><th>outcome</th><th class=\"n "
               "hide\">late</th><th class=\"n\">points</th></tr>\n");
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        const struct student *const s = r->student;
        fprintf(f, "<tr><td><a href=\"students/%s.html\">", s->key);
        html_text(f, s->name[0] ? s->name : s->key);
        fprintf(f, "</a></td><td class=\"hide\">");
        html_text(f, s->section);
        fprintf(f, "</td><td>");
        html_outcome(f, export_outcome(r));
        fprintf(f, "</td><td class=\"n hide\">");
        if (r->days_late)
            fprintf(f, "%d d", r->days_late);
        fprintf(f, "</td><td class=\"n\">");
        if (r->has_score)
            html_points(f, r->final);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</table>\n");
}

int export_html(const struct export *e)
{
    FILE *const f = export_file_in(e, "index.html");
    if (!f)
        return -1;
    html_begin(f, e->title);
    fprintf(f, "<h1>");
    html_text(f, e->title);
    fprintf(f,
            "</h1>\n<p class=\"dim\">%s, %d students. For staff: this page "
            "names hidden cases.</p>\n",
            e->lab, e->nrows);
    tiles(f, e);
    html_histogram(f, e);
    case_table(f, e);
    student_table(f, e);
    html_end(f);
    int err = export_close(e, f);
    for (int i = 0; i < e->nrows && !err; i++)
        err = student_page(e, &e->row[i]);
    return err;
}
