/*
 * export.c: which grading counts, and functions that formats share
 */
#define _GNU_SOURCE
#include "grader/export/export.h"

#include <errno.h>  /* errno */
#include <limits.h> /* PATH_MAX */
#include <math.h>   /* NAN */
#include <stdarg.h> /* va_list */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */
#include <time.h>   /* strftime */

#include "grader/base/folder.h"
#include "grader/base/text.h"
#include "grader/base/verb.h"

struct grading_case *export_cases(const struct row *r, char hidden[64], int *n)
{
    struct grading_case *const shown =
        calloc((size_t)r->g.ncases + 1, sizeof *shown);
    struct grading_case sum = {.name = "hidden cases",
                               .rerun = "",
                               .outcome = OUTCOME_PASS,
                               .message = hidden,
                               .hidden = 1,
                               .time_us = NAN};
    int nhidden = 0, passed = 0;
    if (!shown)
        abort();
    *n = 0;
    for (int i = 0; i < r->g.ncases; i++) {
        const struct grading_case *const c = &r->g.cases[i];
        if (!c->hidden) {
            shown[(*n)++] = *c;
            continue;
        }
        const int pass = c->outcome == OUTCOME_PASS;
        nhidden++;
        passed += pass;
        sum.score += c->score;
        sum.max_score += c->max_score;
        sum.part = c->part > sum.part ? c->part : sum.part;
        if (!pass)
            sum.outcome = OUTCOME_FAIL;
    }
    snprintf(hidden, 64, "%d of %d pass", passed, nhidden);
    if (nhidden)
        shown[(*n)++] = sum;
    return shown;
}

const char *export_outcome(const struct row *r)
{
    if (r->excused)
        return "excused";
    if (r->attempt)
        return outcome_word(r->g.outcome, r->g.score);
    return r->has_score ? "given" : r->pending ? "pending" : "missing";
}

static const char *says(const struct row *r)
{
    if (r->excused)
        return "excused";
    if (!r->attempt)
        return r->has_score ? "points without a submission"
               : r->pending ? "not graded yet"
                            : "nothing handed in";
    if (r->g.outcome == OUTCOME_INFRA)
        return "not graded yet";
    return r->g.outcome == OUTCOME_SUSPECTED ? "a person will look at it" : "";
}

int export_lost_points(const struct row *r)
{
    return r->given && r->attempt && !r->counts->changed && !r->excused;
}

static void put_notes(FILE *f, const struct row *r)
{
    size_t i;
    const json_t *note;
    json_array_foreach(r->notes, i, note)
        fprintf(text_next(f), "%s", json_string_value(note));
}

char *export_feedback(const struct row *r)
{
    char *text = NULL;
    size_t nbytes;
    int passed = 0;
    FILE *const f = open_memstream(&text, &nbytes);
    for (int i = 0; i < r->g.ncases; i++)
        passed += r->g.cases[i].outcome == OUTCOME_PASS;
    fprintf(f, "%s", says(r));
    if (r->has_score && r->g.ncases)
        fprintf(text_next(f), "%d of %d cases pass", passed, r->g.ncases);
    if (r->has_score && r->attempt && r->g.message[0])
        fprintf(text_next(f), "%s", r->g.message);
    if (r->attempt && r->g.notes[0])
        fprintf(text_next(f), "%s", r->g.notes);
    if (r->has_score && r->days_late)
        fprintf(text_next(f), "%d %s late", r->days_late,
                r->days_late == 1 ? "day" : "days");
    put_notes(f, r);
    fclose(f);
    char *const clean = text_clean(text, TEXT_MESSAGE);
    free(text);
    for (char *p = clean; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    return clean;
}

void export_when(int64_t t, char out[32])
{
    struct tm tm;
    const time_t when = (time_t)t;
    out[0] = 0;
    if (t != ROSTER_NEVER && localtime_r(&when, &tm))
        strftime(out, 32, "%Y-%m-%dT%H:%M:%S%z", &tm);
}

/* ---- files --------------------------------------------------------------- */

static FILE *cannot(const struct export *e, const char *path)
{
    verb_wrong(e->verb ? e->verb : "export", "%s: %s", path, strerror(errno));
    return NULL;
}

int export_failed(const struct export *e, const char *path)
{
    cannot(e, path);
    return -1;
}

FILE *export_file(const struct export *e)
{
    if (strcmp(e->out, "-") == 0)
        return stdout;
    FILE *const f = fopen(e->out, "we");
    if (!f)
        return cannot(e, e->out);
    return f;
}

/* Make the folders above the last part of a path, but not within its
 * first `keep` bytes. */
static int make_above(char *path, size_t keep)
{
    for (char *p = path + keep; (p = strchr(p, '/')) != NULL; p++) {
        *p = 0;
        const int err = folder_make(path);
        *p = '/';
        if (err)
            return -1;
    }
    return 0;
}

FILE *export_file_in(const struct export *e, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;
    const size_t n = strlen(e->out);
    snprintf(path, sizeof path, "%s/", e->out);
    va_start(args, format);
    if (n + 1 < sizeof path)
        vsnprintf(path + n + 1, sizeof path - n - 1, format, args);
    va_end(args);
    FILE *const f = make_above(path, n) == 0 ? fopen(path, "we") : NULL;
    return f ? f : cannot(e, path);
}

int export_close(const struct export *e, FILE *f)
{
    int failed = ferror(f);
    failed |= f == stdout ? fflush(f) : fclose(f);
    if (failed)
        cannot(e, e->out);
    return failed ? -1 : 0;
}
