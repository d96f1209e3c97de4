/*
 * export.h: grades as other systems want them
 *
 * A row for each student of the roster, sorted, with the grading that counts:
 * of the latest attempt, or of the best, as changed by people (change.h). What
 * is infra, suspected and not cleared, excused, or was not handed in, has no
 * score: it is never a zero. Nothing in an export depends on when, or in which
 * order, submissions were graded.
 */
#ifndef GRADER_EXPORT_H
#define GRADER_EXPORT_H

#include <stdio.h>

#include "grading.h"
#include "ledger.h"
#include "roster.h"

struct attempt {      /* of a student, or of the student's group */
    int number;       /* 1, 2 ... */
    int64_t id;       /* of the ledger's entry */
    char student[96]; /* who handed it in */
    char digest[LEDGER_DIGEST];
    struct grading g; /* as changed */
    int changed;      /* a person gave its points */
    int has_score, days_late;
    int64_t submitted;
    double final; /* score, less what being late costs */
};

struct row {
    const struct student *student;
    struct attempt *attempts; /* by number */
    int nattempts;
    int64_t deadline;   /* the student's own, extensions included */
    int excused;        /* no score is asked for */
    int given;          /* a person gave points for nothing handed in ... */
    double given_score; /* ... these */
    json_t *notes;      /* what people changed, and say: lines of text */

    /* of the attempt that counts: */
    const struct attempt *counts; /* NULL: nothing was graded */
    const struct attempt *before; /* the last graded one before it, or NULL */
    int attempt;                  /* 0: nothing was graded */
    int has_score, days_late;
    double final;
    char digest[LEDGER_DIGEST];
    struct grading g; /* counts->g; it owns nothing */
};

struct export
{
    const char *lab, *title, *out; /* out: a file, "-", or a folder */
    const char *assignment;        /* Canvas' number, or NULL */
    const char *timezone;          /* of times; NULL: the batch's */
    double late_percent;           /* of the score, for each day */
    struct ledger *ledger;
    struct roster *roster;
    struct row *row;
    int nrows;
    double max_score; /* of the lab */
    int nplans;       /* versions of the lab's plan among the rows */
};

/* Each writes e->out; 0, or -1 having said why. */
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

/* "pass" ..., "excused", "given" (points without a submission) or "missing". */
const char *export_outcome(const struct row *r);

/*
 * What a student may see: the visible cases, and the hidden ones as one,
 * counted. For the caller to free; texts in it live as long as the row, and
 * `hidden`.
 */
struct grading_case *export_cases(const struct row *r, char hidden[64], int *n);

/* One line on how it went, for a gradebook's feedback: for the caller to
 * free. */
char *export_feedback(const struct row *r);

/* "2026-03-01T23:59:00+0100", in the course's zone; "" of ROSTER_NEVER. */
void export_when(int64_t t, char out[32]);

/* Open e->out, or a file in the folder e->out (made if need be): format and
 * what follows give its name. NULL having said why. */
FILE *export_file(const struct export *e);
FILE *export_file_in(const struct export *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Close it; -1 having said why if anything failed to be written. */
int export_close(const struct export *e, FILE *f);

#endif
