/*
 * export_html.c: a site for the class: a summary, and a page for each student
 *
 * The summary is for staff: it names students and hidden cases. A student's
 * page (export_student.c) is for that student. The summary's table can be
 * searched and sorted; without scripts it is the same table, by name.
 */
#include "export_html.h"

#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "html.h"
#include "place.h"

/* Rows are hidden that lack the words, or are of another section or outcome;
 * a header's button sorts by data-v, or by the cell's text. The address may say
 * what to begin with: #q=ada&section=A&outcome=fail&sort=5. */
static const char script[] =
    "'use strict';const t=document.getElementById('students'),b=t.tBodies[0],"
    "q=document.getElementById('q'),s=document.getElementById('section'),"
    "o=document.getElementById('outcome'),"
    "c=document.getElementById('count');\n"
    "function show(){let n=0;const w=q.value.toLowerCase().split(/\\s+/);"
    "for(const r of b.rows){const x=r.textContent.toLowerCase();"
    "r.hidden=!(w.every(k=>x.includes(k))&&(!s.value||r.dataset.section==="
    "s.value)&&(!o.value||r.dataset.outcome===o.value));n+=!r.hidden}"
    "c.textContent=n+' of '+b.rows.length+' students'}\n"
    "for(const f of[q,s,o])f.addEventListener('input',show);\n"
    "document.getElementById('find').addEventListener('submit',"
    "e=>e.preventDefault());\n"
    "[...t.tHead.rows[0].cells].forEach((h,i)=>{const k=document.createElement("
    "'button');k.type='button';k.textContent=h.textContent;"
    "h.replaceChildren(k);k.addEventListener('click',()=>{"
    "const up=h.getAttribute('aria-sort')!=='ascending';"
    "for(const x of t.tHead.rows[0].cells)x.removeAttribute('aria-sort');"
    "h.setAttribute('aria-sort',up?'ascending':'descending');"
    "const v=r=>r.cells[i].dataset.v??r.cells[i].textContent;"
    "const d=(x,y)=>h.classList.contains('n')?v(x)-v(y):"
    "v(x).localeCompare(v(y));"
    "[...b.rows].sort((x,y)=>up?d(x,y):d(y,x)).forEach(r=>b.append(r))})});"
    "const a=new URLSearchParams(location.hash.slice(1));"
    "for(const f of[q,s,o])f.value=a.get(f.id)||'';"
    "if(a.has('sort'))t.tHead.rows[0].cells[a.get('sort')].firstChild.click();"
    "document.getElementById('find').hidden=false;show()";

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

/* Of a section; NULL: of all. */
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

static void tile(FILE *f, const struct export *e, double points,
                 const char *what)
{
    fprintf(f, "<div><b>");
    html_points(f, points);
    fprintf(f, " / ");
    html_points(f, e->max_score);
    fprintf(f, "</b>%s</div>", what);
}

static const char *const outcomes[] = {
    "pass", "fail", "suspected", "infra", "missing", "excused", "given"};
enum { NOUTCOMES = sizeof outcomes / sizeof *outcomes, ALWAYS = 5 };

static void tiles(FILE *f, const struct export *e)
{
    const struct tally all = count(e, NULL);
    char what[64];
    fprintf(f, "<div class=\"tiles\">");
    for (int k = 0; k < NOUTCOMES; k++) {
        int n = 0;
        for (int i = 0; i < e->nrows; i++)
            n += strcmp(export_outcome(&e->row[i]), outcomes[k]) == 0;
        if (n == 0 && k >= ALWAYS)
            continue;
        fprintf(f, "<div><b>%d</b>", n);
        html_outcome(f, outcomes[k]);
        fprintf(f, "</div>");
    }
    snprintf(what, sizeof what, "median of %d", all.n);
    tile(f, e, all.median, what);
    tile(f, e, all.mean, "mean");
    fprintf(f, "</div>\n");
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

static int count_sections(const struct export *e)
{
    int n = 0;
    for (int i = 0; i < e->nrows; i++)
        n += is_first(e, i);
    return n;
}

static void section_table(FILE *f, const struct export *e)
{
    if (count_sections(e) == 0)
        return;
    fprintf(f, "<h2 id=\"sections\">Sections</h2>\n");
    html_table(f, "", "Of those with a score",
               "section|#students|#median|#mean");
    for (int i = 0; i < e->nrows; i++) {
        if (!is_first(e, i))
            continue;
        const char *const section = e->row[i].student->section;
        const struct tally c = count(e, section);
        fprintf(f, "<tr><th scope=\"row\">");
        html_text(f, section);
        fprintf(f, "</th><td class=\"n\">%d</td><td class=\"n\">", c.n);
        html_points(f, c.median);
        fprintf(f, "</td><td class=\"n\">");
        html_points(f, c.mean);
        fprintf(f, "</td></tr>\n");
    }
    fprintf(f, "</tbody></table>\n");
}

/* ---- students ------------------------------------------------------------ */

static void option(FILE *f, const char *value)
{
    fprintf(f, "<option value=\"");
    html_text(f, value);
    fprintf(f, "\">");
    html_text(f, value);
    fprintf(f, "</option>");
}

static void find_form(FILE *f, const struct export *e)
{
    fprintf(f, "<form id=\"find\" role=\"search\" hidden><div><label "
               "for=\"q\">Search</label><input id=\"q\" type=\"search\" "
               "autocomplete=\"off\"></div><div><label "
               "for=\"section\">Section</label><select id=\"section\"><option "
               "value=\"\">all</option>");
    for (int i = 0; i < e->nrows; i++)
        if (is_first(e, i))
            option(f, e->row[i].student->section);
    fprintf(f, "</select></div><div><label "
               "for=\"outcome\">Outcome</label><select id=\"outcome\"><option "
               "value=\"\">all</option>");
    for (int k = 0; k < NOUTCOMES; k++)
        option(f, outcomes[k]);
    fprintf(f, "</select></div><p id=\"count\" role=\"status\"></p></form>\n");
}

/* Where there is more of a student: the picture of a run, the files' changes.
 */
static void links(FILE *f, const struct row *r)
{
    const char *const key = r->student->key;
    if (r->attempt && r->g.timeline[0])
        fprintf(f, "<a href=\"students/%s.svg\">timeline</a> ", key);
    if (r->before && r->before->has_score && r->has_score)
        fprintf(f, "<a href=\"students/%s.diff.html\">diff</a>", key);
}

static void student_row(FILE *f, const struct row *r)
{
    const struct student *const s = r->student;
    fprintf(f, "<tr data-section=\"");
    html_text(f, s->section);
    fprintf(f,
            "\" data-outcome=\"%s\"><th scope=\"row\"><a "
            "href=\"students/%s.html\">",
            export_outcome(r), s->key);
    html_text(f, s->name[0] ? s->name : s->key);
    fprintf(f, "</a>");
    if (s->name[0])
        fprintf(f, " <span class=\"dim\">%s</span>", s->key);
    fprintf(f, "</th><td class=\"hide\">");
    html_text(f, s->section);
    fprintf(f, "</td><td>");
    html_outcome(f, export_outcome(r));
    fprintf(f, "</td><td class=\"n hide\">%s", r->attempt ? "" : "0");
    if (r->attempt)
        fprintf(f, "%d", r->attempt);
    fprintf(f, "</td><td class=\"n hide\" data-v=\"%d\">", r->days_late);
    if (r->days_late)
        fprintf(f, "%d d", r->days_late);
    fprintf(f, "</td><td class=\"n\" data-v=\"%.2f\">",
            r->has_score ? r->final : -1);
    if (r->has_score)
        html_points(f, r->final);
    fprintf(f, "</td><td class=\"hide\">");
    links(f, r);
    fprintf(f, "</td></tr>\n");
}

static void student_table(FILE *f, const struct export *e)
{
    fprintf(f, "<h2 id=\"class\">Students</h2>\n");
    find_form(f, e);
    fprintf(f,
            "<table id=\"students\"><caption>Each student's page has the "
            "diagnoses</caption><thead><tr><th scope=\"col\">student</th><th "
            "scope=\"col\" class=\"hide\">section</th><th "
            "scope=\"col\">outcome</th><th scope=\"col\" class=\"n "
            "hide\">attempt</th><th scope=\"col\" class=\"n "
            "hide\">late</th><th scope=\"col\" class=\"n\">points</th><th "
            "scope=\"col\" class=\"hide\">more</th></tr></thead><tbody>\n");
    for (int i = 0; i < e->nrows; i++)
        student_row(f, &e->row[i]);
    fprintf(f, "</tbody></table>\n");
}

/* ---- the site ------------------------------------------------------------ */

static int summary(const struct export *e)
{
    FILE *const f = export_file_in(e, "index.html");
    if (!f)
        return -1;
    html_begin(f, e->title, script, 0);
    fprintf(f, "<h1>");
    html_text(f, e->title);
    fprintf(f,
            "</h1>\n<p class=\"dim\">%s, %d students. For staff: this page "
            "names hidden cases.</p>\n",
            e->lab, e->nrows);
    if (e->nplans > 1)
        fprintf(f,
                "<p><mark>These grades mix %d versions of the plan</mark>: "
                "<code>grade regrade</code> makes them one.</p>\n",
                e->nplans);
    fprintf(f,
            "<nav aria-label=\"page\"><a href=\"#class\">students</a> &middot; "
            "<a href=\"#cases\">cases</a> &middot; <a "
            "href=\"#reasons\">why there are no points</a></nav>\n");
    tiles(f, e);
    html_histogram(f, e);
    section_table(f, e);
    student_table(f, e);
    export_case_tables(f, e);
    html_end(f, script);
    return export_close(e, f);
}

int export_html(const struct export *e)
{
    const struct request q = {.lab = e->lab};
    struct place p;
    char err_text[512]; // without the lab's plan there are no diffs
    const int found = place_find(&p, &q, err_text, sizeof err_text) == 0;
    int err = summary(e);
    for (int i = 0; i < e->nrows && !err; i++)
        err = export_student_page(e, &e->row[i], found ? p.plan : NULL);
    place_release(&p);
    return err;
}
