/*
 * export_student.c: a student's page on the class's site
 *
 * The page is for that student: hidden cases are only counted. It shows what
 * the student changed since the previous attempt, and the effect.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "base/temp.h"
#include "grader/base/folder.h"
#include "grader/base/verb.h"
#include "grader/export/export_pages.h"
#include "grader/export/page.h"
#include "grader/intake/submission.h"
#include "grader/intake/unpack.h"
#include "grader/ledger/pack.h"
#include "graph/draw/view.h"
#include "judge/report.h"

/* A case for the page. One that passes has no message and no rerun, and the
 * hidden cases, counted as one, have no part. */
static json_t *of_case(const struct grading_case *c)
{
    const int pass = c->outcome == OUTCOME_PASS;
    return json_pack(
        "{s:o, s:o, s:s, s:f, s:f, s:o, s:o, s:o}", "part",
        c->hidden ? json_null() : json_integer(c->part), "name",
        page_text(c->name), "outcome", outcome_word(c->outcome, c->score),
        "score", c->score, "max", c->max_score, "time_us",
        report_number(c->time_us), "message",
        !pass || c->hidden ? page_text(c->message) : json_null(), "rerun",
        !pass && c->rerun[0] ? page_text(c->rerun) : json_null());
}

static json_t *cases(const struct row *r)
{
    char hidden[64];
    int n;
    struct grading_case *const c = export_cases(r, hidden, &n);
    json_t *const all = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(all, of_case(&c[i]));
    free(c);
    return all;
}

/*
 * Copy students/KEY.view.html. Returns 1 if there is one, -1 after printing why
 * if it can't be written. The grader made its data, and lets no name from a
 * student's program end a string or start a tag.
 */
static int view(const struct export *e, const struct row *r)
{
    char title[400];
    if (!r->g.view[0])
        return 0;
    FILE *const f = export_file_in(e, "students/%s.view.html", r->student->key);
    if (!f)
        return -1;
    snprintf(title, sizeof title, "%s: %s", e->title, r->student->key);
    char *const data = pack_text(r->g.view);
    view_page(f, title, data);
    free(data);
    return export_close(e, f) != 0 ? -1 : 1;
}

/* An image is a separate document, in which no script runs. */
static int timeline(const struct export *e, const struct row *r)
{
    FILE *const svg = export_file_in(e, "students/%s.svg", r->student->key);
    if (!svg)
        return -1;
    char *const picture = pack_text(r->g.timeline);
    fputs(picture, svg);
    free(picture);
    return export_close(e, svg);
}

/* ---- since the previous attempt ------------------------------------------ */

static const struct grading_case *find(const struct grading *g,
                                       const char *name)
{
    for (int i = 0; i < g->ncases; i++)
        if (strcmp(g->cases[i].name, name) == 0)
            return &g->cases[i];
    return NULL;
}

static json_t *points_of(const struct grading_case *c)
{
    return json_pack("{s:f, s:s}", "score", c->score, "outcome",
                     outcome_word(c->outcome, c->score));
}

/* List the visible cases whose points changed. */
static json_t *changed_cases(const struct row *r)
{
    json_t *const all = json_array();
    for (int i = 0; i < r->g.ncases; i++) {
        const struct grading_case *const c = &r->g.cases[i];
        const struct grading_case *const was = find(&r->before->g, c->name);
        if (!c->hidden && was && fabs(c->score - was->score) >= 0.005)
            json_array_append_new(
                all, json_pack("{s:o, s:o, s:o}", "name", page_text(c->name),
                               "was", points_of(was), "now", points_of(c)));
    }
    return all;
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

/* The lines of diff -u, without those that repeat the command. */
static json_t *diff(const char *dir)
{
    enum { MOST_LINES = 5000 };
    char command[300], *line = NULL;
    size_t room = 0;
    json_t *const lines = json_array();
    snprintf(command, sizeof command, "cd '%s' && diff -urN a b", dir);
    FILE *const in = popen(command, "re");
    for (int n = 0; in && n < MOST_LINES && getline(&line, &room, in) > 0;
         n++) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "---", 3) == 0 || strncmp(line, "+++", 3) == 0)
            line[strcspn(line, "\t")] = 0; // cut off the time
        if (strncmp(line, "diff ", 5) != 0)
            json_array_append_new(lines, page_text(line));
    }
    free(line);
    if (in)
        pclose(in);
    return lines;
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
    page_write(f, PAGE_DIFF, "What changed", 0,
               json_pack("{s:o, s:s, s:i, s:i, s:o}", "title",
                         page_text(e->title), "key", r->student->key, "attempt",
                         r->attempt, "before", r->before->number, "lines",
                         diff(dir)));
    folder_remove(dir);
    return export_close(e, f);
}

static json_t *since(const struct row *r, int has_diff)
{
    return json_pack("{s:i, s:f, s:f, s:b, s:o}", "number", r->before->number,
                     "was", r->before->g.score, "now", r->g.score, "diff",
                     has_diff, "cases", changed_cases(r));
}

/* ---- the whole page ------------------------------------------------------ */

static json_t *of_student(const struct export *e, const struct row *r)
{
    char *const feedback = export_feedback(r);
    const char *const name =
        r->student->name[0] ? r->student->name : r->student->key;
    json_t *const data =
        json_pack("{s:o, s:s, s:o, s:i, s:o, s:f, s:s, s:o, s:o}", "title",
                  page_text(e->title), "key", r->student->key, "name",
                  page_text(name), "attempt", r->attempt, "final",
                  r->has_score ? json_real(r->final) : json_null(), "max",
                  e->max_score, "outcome", export_outcome(r), "feedback",
                  page_text(feedback), "cases", cases(r));
    if (r->has_score && r->attempt && r->final < r->g.score)
        json_object_set_new(data, "late",
                            json_pack("{s:f, s:f}", "score", r->g.score,
                                      "percent", e->late_percent));
    if (r->attempt && r->g.worklog[0])
        json_object_set_new(data, "worklog", page_text(r->g.worklog));
    free(feedback);
    return data;
}

int export_student_page(const struct export *e, const struct row *r,
                        const struct plan *p)
{
    const int has_before = r->before && r->before->has_score && r->has_score;
    const int has_timeline = r->attempt && r->g.timeline[0];
    FILE *const f = export_file_in(e, "students/%s.html", r->student->key);
    if (!f)
        return -1;
    int err = has_timeline ? timeline(e, r) : 0;
    const int has_view = has_timeline && !err ? view(e, r) : 0;
    json_t *const data = of_student(e, r);
    json_object_set_new(data, "timeline", json_boolean(has_timeline));
    json_object_set_new(data, "view", json_boolean(has_view > 0));
    if (has_before)
        json_object_set_new(data, "before", since(r, p != NULL));
    page_write(f, PAGE_STUDENT, e->title, 0, data);
    if (export_close(e, f) != 0 || has_view < 0)
        err = -1;
    return !err && has_before && p ? diff_page(e, r, p) : err;
}
