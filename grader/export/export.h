/*
 * export.h: grades in the formats of other systems
 *
 * There is a row for each student of the roster, sorted, with the grading that
 * counts: that of the latest attempt, or of the best, with people's changes
 * applied (change.h). An attempt that is infra, suspected and not cleared,
 * excused, pending or missing has no score: it is never a zero. Nothing in an
 * export depends on when, or in which order, submissions were graded.
 */
#ifndef GRADER_EXPORT_H
#define GRADER_EXPORT_H

#include <stdio.h>

#include "grader/intake/roster.h"
#include "grader/ledger/grading.h"
#include "grader/ledger/ledger.h"

struct attempt {      /* an attempt of the student or of the student's group */
    int number;       /* 1, 2 ... */
    int64_t id;       /* number of the ledger's entry */
    char student[96]; /* the student who handed it in */
    char digest[LEDGER_DIGEST];
    struct grading g; /* with changes applied */
    int changed;      /* 1 if a person set its points */
    int joined;       /* 1 if the student has joined the group since */
    int has_score, days_late;
    int64_t submitted;
    double final; /* score minus the cost of being late */
};

struct row {
    const struct student *student;
    struct attempt *attempts; /* by number */
    int nattempts;
    int64_t deadline;   /* the student's own, including extensions */
    int excused;        /* no score is required */
    int pending;        /* the attempt that a batch has taken in and not graded
                           yet; 0: none */
    int given;          /* a person gave points although nothing was handed
                           in; they count until a submission is graded */
    double given_score; /* those points */
    json_t *notes;      /* people's changes and comments, as lines of text */

    /* The attempt that counts: */
    const struct attempt *counts; /* NULL if nothing was graded */
    const struct attempt *before; /* the last graded one before it; may be
                                     NULL */
    int attempt;                  /* 0 if nothing was graded */
    int has_score, days_late;
    double final;
    char digest[LEDGER_DIGEST];
    struct grading g; /* a copy of counts->g that owns nothing */
};

struct export
{
    const char *lab, *title, *out; /* out: a file, "-", or a folder */
    const char *verb;              /* that messages begin with; NULL: export */
    const char *assignment;        /* Canvas' number; may be NULL */
    const char *timezone;          /* zone of times; NULL: the batch's */
    double late_percent;           /* part of the score lost per day */
    struct ledger *ledger;
    const struct ledger_entry *more; /* gradings that count as if they were
                                        appended to the ledger */
    int nmore;
    struct roster *roster;
    struct row *row;
    int nrows;
    double max_score; /* the lab's points */
    int grace;        /* minutes after a deadline that are not late */
    int nplans;       /* number of versions of the lab's plan among the rows */
};

/* Each function writes e->out. Returns 0, or -1 after printing why. */
int export_csv(const struct export *e);
int export_canvas(const struct export *e);
int export_moodle(const struct export *e);
int export_leaderboard(const struct export *e);
int export_junit(const struct export *e);
int export_gradescope(const struct export *e);
int export_classroom(const struct export *e);
int export_autolab(const struct export *e);
int export_html(const struct export *e);
int export_moss(const struct export *e);

/* ---- helpers of the formats ---------------------------------------------- */

/* "pass", "partial" ..., "excused", "given" (points without a submission),
 * "pending" (taken in by a batch that was interrupted) or "missing". */
const char *export_outcome(const struct row *r);

/*
 * The cases that a student may see: the visible ones, and a single one that
 * counts the hidden ones. The caller frees the array; its texts live as long as
 * the row and `hidden`.
 */
struct grading_case *export_cases(const struct row *r, char hidden[64], int *n);

/* True if a person gave points without a submission, and a grading that came
 * later took their place. */
int export_lost_points(const struct row *r);

/* Warn on stderr of what a reader of these grades should know and no format
 * says: students whose submission is not graded yet, points that no longer
 * count, and days late by the time of a download. */
void export_warn(const struct export *e, const char *verb);

/* One line on how it went, for a gradebook's feedback. The caller frees it. */
char *export_feedback(const struct row *r);

/* Write "2026-03-01T23:59:00+0100", in the course's zone, or ""
 * for ROSTER_NEVER. */
void export_when(int64_t t, char out[32]);

/* Open e->out, or a file in the folder e->out, which is created if necessary;
 * format and arguments give its name. NULL after printing why. */
FILE *export_file(const struct export *e);
FILE *export_file_in(const struct export *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Close the file. Returns -1 after printing why if anything could
 * not be written. */
int export_close(const struct export *e, FILE *f);

/* Print that a path could not be written, and errno's reason. Returns -1. */
int export_failed(const struct export *e, const char *path);

#endif
