/*
 * export_csv.c: tables for CSV, Canvas and Moodle
 *
 * Canvas wants `Student,ID,SIS User ID,SIS Login ID,Section,TITLE (NUMBER)`, a
 * second row that may start with `Points Possible`, blanks if there is no
 * score, and EX for excused students. Moodle wants a grade and a feedback, and
 * stops at anything that isn't a number, except `-` for no grade.
 */
#define _GNU_SOURCE
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/base/text.h"
#include "grader/export/cells.h"
#include "grader/export/export.h"

/* The case with this name; NULL if it wasn't judged. */
static const struct grading_case *find(const struct row *r, const char *name)
{
    for (int i = 0; i < r->g.ncases; i++)
        if (strcmp(r->g.cases[i].name, name) == 0)
            return &r->g.cases[i];
    return NULL;
}

/* A row whose grading has all cases, which gives the table its columns. */
static const struct row *most_cases(const struct export *e)
{
    const struct row *most = NULL;
    for (int i = 0; i < e->nrows; i++)
        if (!most || e->row[i].g.ncases > most->g.ncases)
            most = &e->row[i];
    return most;
}

static void csv_line(FILE *f, const struct row *r, const struct row *columns)
{
    const struct student *const s = r->student;
    char *const feedback = export_feedback(r);
    char when[32];
    cells_login(f, s, ',');
    cells_text(f, s->name, ',');
    cells_text(f, s->email, ',');
    cells_text(f, s->section, ',');
    export_when(r->counts ? r->counts->submitted : ROSTER_NEVER, when);
    fprintf(f, "%d,%s,", r->attempt, export_outcome(r));
    cells_number(f, r->has_score, r->attempt ? r->g.score : r->final, "", ',');
    cells_number(f, r->has_score && r->attempt, r->g.max_score, "", ',');
    fprintf(f, "%s,%d,", when, r->days_late);
    cells_number(f, r->has_score, r->final, "", ',');
    cells_text(f, feedback, columns && columns->g.ncases ? ',' : '\n');
    for (int i = 0; columns && i < columns->g.ncases; i++) {
        const struct grading_case *const c = find(r, columns->g.cases[i].name);
        cells_number(f, c && r->has_score, c ? c->score : 0, "",
                     i + 1 < columns->g.ncases ? ',' : '\n');
    }
    free(feedback);
}

int export_csv(const struct export *e)
{
    FILE *const f = export_file(e);
    const struct row *const columns = most_cases(e);
    if (!f)
        return -1;
    fprintf(f, "student,name,email,section,attempt,outcome,score,max_score,"
               "submitted,days_late,final,feedback");
    for (int i = 0; columns && i < columns->g.ncases; i++) {
        fputc(',', f);
        text_csv(f, columns->g.cases[i].name);
    }
    fputc('\n', f);
    for (int i = 0; i < e->nrows; i++)
        csv_line(f, &e->row[i], columns);
    return export_close(e, f);
}

int export_canvas(const struct export *e)
{
    FILE *const f = export_file(e);
    if (!f)
        return -1;
    fprintf(f, "Student,ID,SIS User ID,SIS Login ID,Section,");
    cells_canvas_title(f, e->title, e->assignment, '\n');
    fprintf(f, "Points Possible,,,,,%.2f\n", e->max_score);
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        const struct student *const s = r->student;
        if (s->name[0])
            cells_text(f, s->name, ',');
        else
            cells_login(f, s, ',');
        cells_text(f, s->id, ',');
        cells_text(f, s->sis_id, ',');
        cells_login(f, s, ',');
        cells_text(f, s->section, ',');
        cells_number(f, r->has_score, r->final, r->excused ? "EX" : "", '\n');
    }
    return export_close(e, f);
}

int export_moodle(const struct export *e)
{
    FILE *const f = export_file(e);
    char title[300];
    if (!f)
        return -1;
    fprintf(f, "Email address,ID number,Username,");
    snprintf(title, sizeof title, "%s (points)", e->title);
    cells_text(f, title, ',');
    snprintf(title, sizeof title, "%s feedback", e->title);
    cells_text(f, title, '\n');
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        char *const feedback = export_feedback(r);
        cells_text(f, r->student->email, ',');
        cells_text(f, r->student->sis_id, ',');
        cells_login(f, r->student, ',');
        cells_number(f, r->has_score, r->final, "-", ',');
        cells_text(f, feedback, '\n');
        free(feedback);
    }
    return export_close(e, f);
}
