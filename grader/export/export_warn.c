/*
 * export_warn.c: what an export prints besides the grades
 */
#include "grader/export/export.h"

enum { NAMED = 10 };

/* Students that a warning is about, by name up to a point. */
struct list {
    FILE *f;
    int n;
};

static void add(struct list *l, const char *key)
{
    if (l->n++ < NAMED)
        fprintf(l->f, " %s", key);
}

static void end(const struct list *l)
{
    if (l->n > NAMED)
        fprintf(l->f, " and %d more", l->n - NAMED);
    fprintf(l->f, "\n");
}

static void warn_pending(const struct export *e, const char *verb)
{
    struct list l = {stderr, 0};
    for (int i = 0; i < e->nrows; i++) {
        if (!e->row[i].pending)
            continue;
        if (l.n == 0)
            fprintf(stderr, "grade %s: %s: handed in and not graded yet:", verb,
                    e->lab);
        add(&l, e->row[i].student->key);
    }
    if (l.n == 0)
        return;
    end(&l);
    fprintf(stderr, "  a batch was interrupted: the same grade batch command "
                    "grades the rest\n");
}

/* A grading takes the place of points without a submission. */
static void warn_given(const struct export *e, const char *verb)
{
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const r = &e->row[i];
        if (export_lost_points(r))
            fprintf(stderr,
                    "grade %s: %s: the %g points that %s was given no longer "
                    "count: attempt %d was graded\n  (grade override --score "
                    "%g sets its points)\n",
                    verb, e->lab, r->given_score, r->student->key, r->attempt,
                    r->given_score);
    }
}

static int is_file_time(const struct row *r)
{
    return r->attempt &&
           roster_submitted(r->student, r->attempt) == ROSTER_NEVER;
}

/* The number of rows whose files were written within a minute of this row's.
 * Downloads give all files the time of the download. */
static int count_alike(const struct export *e, const struct row *r)
{
    enum { WITHIN_SEC = 60 };
    int n = 0;
    for (int i = 0; i < e->nrows; i++) {
        const struct row *const other = &e->row[i];
        if (!is_file_time(other))
            continue;
        const int64_t apart = other->counts->submitted - r->counts->submitted;
        n += apart >= -WITHIN_SEC && apart <= WITHIN_SEC;
    }
    return n;
}

static void warn_late(const struct export *e, const char *verb)
{
    enum { LEAST = 3 };
    int nlate = 0, ngraded = 0;
    for (int i = 0; i < e->nrows; i++)
        ngraded += e->row[i].attempt > 0;
    for (int i = 0; i < e->nrows && e->late_percent > 0; i++) {
        const struct row *const r = &e->row[i];
        const int alike =
            r->days_late && is_file_time(r) ? count_alike(e, r) : 0;
        nlate += alike >= LEAST && 2 * alike > ngraded;
    }
    if (nlate)
        fprintf(stderr,
                "grade %s: %s: %d lose points for lateness by the times of "
                "their files, which are those of\n  a download: put the times "
                "of submission into the roster's column submitted\n",
                verb, e->lab, nlate);
}

void export_warn(const struct export *e, const char *verb)
{
    warn_pending(e, verb);
    warn_given(e, verb);
    warn_late(e, verb);
}
