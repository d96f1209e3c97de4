/*
 * export_csv.c: tables: CSV, Canvas, Moodle
 *
 * Canvas wants `Student,ID,SIS User ID,SIS Login ID,Section,TITLE (NUMBER)`, a
 * second row that may begin with `Points Possible`, and blanks where there is
 * no score, EX for the excused. Moodle wants a grade and a feedback, and stops
 * at anything that is no number: `-` stands for none.
 */
#define _GNU_SOURCE
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "export.h"
#include "text.h"

static void cell(FILE *f, const char *text, char end)
{
    text_csv(f, text);
    fputc(end, f);
}

static void number(FILE *f, int known, double value, char end)
{
    if (known)
        fprintf(f, "%.2f", value);
    fputc(end, f);
}

/* The case of that name; NULL if it wasn't judged. */
static const struct grading_case *find(const struct row *r, const char *name)
{
    for (int i = 0; i < r->g.ncases; i++)
        if (strcmp(r->g.cases[i].name, name) == 0)
            return &r->g.cases[i];
    return NULL;
}

/* A grading that has all cases: its columns are the table's. */
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
    cell(f, s->key, ',');
    cell(f, s->name, ',');
    cell(f, s->email, ',');
    cell(f, s->section, ',');
    export_when(r->counts ? r->counts->submitted : ROSTER_NEVER, when);
    fprintf(f, "%d,%s,", r->attempt, export_outcome(r));
    number(f, r->has_score, r->attempt ? r->g.score : r->final, ',');
    number(f, r->has_score && r->attempt, r->g.max_score, ',');
    fprintf(f, "%s,%d,", when, r->days_late);
    number(f, r->has_score, r->final, ',');
    cell(f, feedback, columns && columns->g.ncases ? ',' : '\n');
    for (int i = 0; columns && i < columns->g.ncases; i++) {
        const struct grading_case *const c = find(r, columns->g.cases[i].name);
        number(f, c && r->has_score, c ? c->score : 0,
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
    char title[300];
    if (!f)
        return -1;
    snprintf(title, sizeof title, "%s%s%s%s", e->title,
             e->assignment ? " (" : "", e->assignment ? e->assignment : "",
             e->assignment ? ")" : "");
    fprintf(f, "Student,ID,SIS User ID,SIS Login ID,Section,");
    cell(f, title, '\n');
    fprintf(f, "Points Possible,,,,,%.2f\n", e->max_score);
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        const struct student *const s = r->student;
        cell(f, s->name[0] ? s->name : s->key, ',');
        cell(f, s->id, ',');
        cell(f, s->sis_id, ',');
        cell(f, s->key, ',');
        cell(f, s->section, ',');
        if (r->excused)
            fprintf(f, "EX");
        number(f, r->has_score, r->final, '\n');
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
    cell(f, title, ',');
    snprintf(title, sizeof title, "%s feedback", e->title);
    cell(f, title, '\n');
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        char *const feedback = export_feedback(r);
        cell(f, r->student->email, ',');
        cell(f, r->student->sis_id, ',');
        cell(f, r->student->key, ',');
        if (!r->has_score)
            fputc('-', f);
        number(f, r->has_score, r->final, ',');
        cell(f, feedback, '\n');
        free(feedback);
    }
    return export_close(e, f);
}
