/*
 * export_student.c: a student's page of the class' site
 *
 * It is for that student: hidden cases are only counted in it. What the student
 * changed since the attempt before is there with what became of it.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <math.h>   /* isnan */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "base/temp.h"
#include "export_html.h"
#include "folder.h"
#include "graph/view.h"
#include "html.h"
#include "submission.h"
#include "unpack.h"
#include "verb.h"

static void case_row(FILE *f, const struct grading_case *c)
{
    fprintf(f, "<tr><td class=\"n\">");
    if (!c->hidden) // those, counted as one, are of several parts
        fprintf(f, "%d", c->part);
    fprintf(f, "</td><th scope=\"row\" class=\"c\"><b>");
    html_text(f, c->name);
    fprintf(f, "</b></th><td>");
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
    if (!pass || c->hidden) {
        fprintf(f, "<pre>");
        html_text(f, c->message);
        fprintf(f, "</pre>");
    }
    if (!pass && c->rerun[0]) {
        fprintf(f, "<code>");
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
    fprintf(f, "<h2>Cases</h2>\n");
    html_table(f, "class=\"cards\"", "What was tried, and what became of it",
               "#part|case|verdict|#points|#time|why, and how to run it "
               "again");
    for (int i = 0; i < n; i++)
        case_row(f, &c[i]);
    fprintf(f, "</tbody></table>\n");
    free(c);
}

/* students/KEY.view.html; 1 if there is one, -1 having said why it can't be
 * written. Its data was made by the grader, which lets no name that a student's
 * program left end a string or begin a tag. */
static int view(const struct export *e, const struct row *r)
{
    char title[400];
    if (!r->g.view[0])
        return 0;
    FILE *const f = export_file_in(e, "students/%s.view.html", r->student->key);
    if (!f)
        return -1;
    snprintf(title, sizeof title, "%s: %s", e->title, r->student->key);
    view_page(f, title, r->g.view);
    return export_close(e, f) != 0 ? -1 : 1;
}

/* An image is a document of its own, in which nothing runs. */
static int timeline(FILE *f, const struct export *e, const struct row *r)
{
    const char *const key = r->student->key;
    if (!r->attempt || !r->g.timeline[0])
        return 0;
    FILE *const svg = export_file_in(e, "students/%s.svg", key);
    if (!svg)
        return -1;
    fputs(r->g.timeline, svg);
    if (export_close(e, svg) != 0)
        return -1;
    const int has_view = view(e, r);
    fprintf(
        f,
        "<h2>Timeline</h2>\n<p class=\"dim\">What ran when, on the modelled "
        "machine, in one iteration of a case. A click shows it alone.</p>\n");
    if (has_view > 0)
        fprintf(f,
                "<p><a href=\"%s.view.html\">Look closer</a>: what each "
                "operation waited for, which links were busy, who held which "
                "piece.</p>\n",
                key);
    fprintf(f,
            "<p class=\"wide\"><a href=\"%s.svg\"><img src=\"%s.svg\" "
            "alt=\"what ran when\"></a></p>\n",
            key, key);
    return has_view < 0 ? -1 : 0;
}

/* ---- since the attempt before -------------------------------------------- */

static const struct grading_case *find(const struct grading *g,
                                       const char *name)
{
    for (int i = 0; i < g->ncases; i++)
        if (strcmp(g->cases[i].name, name) == 0)
            return &g->cases[i];
    return NULL;
}

/* Visible cases whose points changed. */
static void changed_cases(FILE *f, const struct row *r)
{
    int n = 0;
    for (int i = 0; i < r->g.ncases; i++) {
        const struct grading_case *const c = &r->g.cases[i], *const was = find(
                                                                 &r->before->g,
                                                                 c->name);
        if (c->hidden || !was || fabs(c->score - was->score) < 0.005)
            continue;
        fprintf(f, "%s<li><b>", n++ ? "" : "<ul>");
        html_text(f, c->name);
        fprintf(f, "</b>: ");
        html_points(f, was->score);
        fprintf(f, " &rarr; ");
        html_points(f, c->score);
        fprintf(f, " points, ");
        html_outcome(f, outcome_name[was->outcome]);
        fprintf(f, " &rarr; ");
        html_outcome(f, outcome_name[c->outcome]);
        fprintf(f, "</li>\n");
    }
    fprintf(f, n ? "</ul>\n" : "<p>No visible case has other points.</p>\n");
}

/* One line of diff -u. */
static void diff_line(FILE *f, const char *line)
{
    const char *const class = strncmp(line, "+++", 3) == 0 ||
                                      strncmp(line, "---", 3) == 0 ||
                                      *line == '@'
                                  ? "at"
                              : *line == '+' ? "add"
                              : *line == '-' ? "del"
                                             : "";
    fprintf(f, "<span class=\"%s\">", class);
    html_text(f, line);
    fprintf(f, "</span>\n");
}

/* Write the plan's files of a kept submission to DIR/WHICH. */
static void write_attempt(const struct export *e, const struct attempt *a,
                          const struct plan *p, const char *dir,
                          const char *which)
{
    struct unpack_file file[PLAN_MAX_FILES] = {{0}};
    char path[1024], why[128];
    size_t nbytes;
    snprintf(path, sizeof path, "%s/%s", dir, which);
    folder_make(path);
    void *const data = ledger_kept(e->ledger, a->digest, &nbytes);
    for (int i = 0; i < p->nfiles; i++)
        file[i].name = p->file[i];
    if (data)
        unpack_files(data, nbytes, file, p->nfiles, SUBMISSION_MAX_FILE, why,
                     sizeof why);
    for (int i = 0; i < p->nfiles; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", dir, which, p->file[i]);
        FILE *const f = file[i].state == UNPACK_FILE ? fopen(path, "we") : NULL;
        if (f) {
            fwrite(file[i].data, 1, file[i].nbytes, f);
            fclose(f);
        }
        free(file[i].data);
    }
    free(data);
}

static void put_diff(FILE *f, const char *dir)
{
    enum { MOST_LINES = 5000 };
    char command[300], *line = NULL;
    size_t room = 0;
    int n = 0;
    snprintf(command, sizeof command, "cd '%s' && diff -urN a b", dir);
    FILE *const in = popen(command, "re");
    fprintf(f, "<pre tabindex=\"0\" aria-label=\"difference\">");
    for (; in && n < MOST_LINES && getline(&line, &room, in) > 0; n++) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "---", 3) == 0 || strncmp(line, "+++", 3) == 0)
            line[strcspn(line, "\t")] = 0; // no times
        if (strncmp(line, "diff ", 5) != 0)
            diff_line(f, line);
    }
    fprintf(f, "%s</pre>\n", n == 0 ? "the same bytes" : "");
    free(line);
    if (in)
        pclose(in);
}

static int diff_page(const struct export *e, const struct row *r,
                     const struct plan *p)
{
    char dir[200];
    FILE *const f = export_file_in(e, "students/%s.diff.html", r->student->key);
    if (!f)
        return -1;
    if (!mkdtemp(temp_path(dir, sizeof dir, "commlab-diff"))) {
        verb_wrong("export", "%s: %s", dir, strerror(errno));
        fclose(f);
        return -1;
    }
    write_attempt(e, r->before, p, dir, "a");
    write_attempt(e, r->counts, p, dir, "b");
    html_begin(f, "What changed", NULL, 0);
    fprintf(f, "<h1>");
    html_text(f, e->title);
    fprintf(f,
            "</h1>\n<p><a href=\"%s.html\">%s</a>: attempt %d against attempt "
            "%d</p>\n",
            r->student->key, r->student->key, r->attempt, r->before->number);
    put_diff(f, dir);
    html_end(f, NULL);
    folder_remove(dir);
    return export_close(e, f);
}

static void since(FILE *f, const struct row *r, const struct plan *p)
{
    fprintf(f, "<h2>Since attempt %d</h2>\n<p>", r->before->number);
    html_points(f, r->before->g.score);
    fprintf(f, " &rarr; ");
    html_points(f, r->g.score);
    fprintf(f, " points before lateness.");
    if (p)
        fprintf(f, " <a href=\"%s.diff.html\">What changed in the files</a>",
                r->student->key);
    fprintf(f, "</p>\n");
    changed_cases(f, r);
}

/* ---- all of it ----------------------------------------------------------- */

static void head(FILE *f, const struct export *e, const struct row *r)
{
    char *const feedback = export_feedback(r);
    const char *const name =
        r->student->name[0] ? r->student->name : r->student->key;
    html_begin(f, e->title, NULL, 0);
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
    if (r->has_score && r->attempt && r->final < r->g.score) {
        fprintf(f, "<p>");
        html_points(f, r->g.score);
        fprintf(f, " points before lateness, which takes %g %% a day.</p>\n",
                e->late_percent);
    }
    free(feedback);
}

int export_student_page(const struct export *e, const struct row *r,
                        const struct plan *p)
{
    const int has_before = r->before && r->before->has_score && r->has_score;
    FILE *const f = export_file_in(e, "students/%s.html", r->student->key);
    if (!f)
        return -1;
    head(f, e, r);
    if (has_before)
        since(f, r, p);
    if (r->g.ncases)
        cases(f, r);
    int err = timeline(f, e, r);
    html_end(f, NULL);
    if (export_close(e, f) != 0)
        err = -1;
    return !err && has_before && p ? diff_page(e, r, p) : err;
}
