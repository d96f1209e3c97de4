/*
 * export_json.c: Gradescope, GitHub Classroom, Autolab: a file for each student
 */
#define _GNU_SOURCE
#include <math.h>   /* isnan */
#include <sodium.h> /* sodium_bin2base64 */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "grader/base/text.h"
#include "grader/export/export.h"

static json_t *clean(const char *text, size_t most)
{
    char *const copy = text_clean(text, most);
    json_t *const j = json_string(copy);
    free(copy);
    return j;
}

/* Two decimals, so that sums agree with what people see. */
static json_t *points(double value)
{
    return json_real(round(value * 100) / 100);
}

/* ---- Gradescope ---------------------------------------------------------- */

static json_t *gradescope_test(const struct grading_case *c, int number)
{
    char text[32];
    const int pass = c->outcome == OUTCOME_PASS;
    json_t *const j = json_object();
    snprintf(text, sizeof text, "%d.%d", c->part, number);
    json_object_set_new(j, "name", clean(c->name, TEXT_NAME));
    json_object_set_new(j, "number", json_string(text));
    json_object_set_new(j, "score", points(c->score));
    json_object_set_new(j, "max_score", points(c->max_score));
    json_object_set_new(j, "status", json_string(pass ? "passed" : "failed"));
    json_object_set_new(j, "output", clean(c->message, TEXT_MESSAGE));
    json_object_set_new(j, "output_format", json_string("text"));
    json_object_set_new(j, "visibility", json_string("visible"));
    return j;
}

/* Results without a score for infra and missing attempts, which are not
 * zeros. */
static json_t *gradescope(const struct row *r)
{
    char hidden[64];
    int n, number = 0, part = 0;
    char *const feedback = export_feedback(r);
    struct grading_case *const c = export_cases(r, hidden, &n);
    json_t *const j = json_object(), *const tests = json_array();
    for (int i = 0; i < n; i++) {
        number = c[i].part == part ? number + 1 : 1;
        part = c[i].part;
        json_array_append_new(tests, gradescope_test(&c[i], number));
    }
    if (r->has_score)
        json_object_set_new(j, "score", points(r->final));
    json_object_set_new(j, "output", json_string(feedback));
    json_object_set_new(j, "output_format", json_string("text"));
    json_object_set_new(j, "test_output_format", json_string("text"));
    json_object_set_new(j, "test_name_format", json_string("text"));
    json_object_set_new(j, "visibility", json_string("visible"));
    json_object_set_new(j, "stdout_visibility", json_string("hidden"));
    json_object_set_new(j, "extra_data",
                        json_pack("{s:s, s:i, s:i}", "outcome",
                                  export_outcome(r), "attempt", r->attempt,
                                  "days_late", r->days_late));
    json_object_set_new(j, "tests", tests);
    free(feedback);
    free(c);
    return j;
}

int export_gradescope(const struct export *e)
{
    int err = 0;
    for (int i = 0; i < e->nrows && !err; i++) {
        FILE *const f =
            export_file_in(e, "%s/results.json", e->row[i].student->key);
        json_t *const j = gradescope(&e->row[i]);
        err = f ? json_dumpf(j, f, JSON_INDENT(2)) : -1;
        json_decref(j);
        if (f && export_close(e, f) != 0)
            err = -1;
    }
    return err;
}

/* ---- GitHub Classroom ---------------------------------------------------- */

static json_t *classroom_test(const struct grading_case *c)
{
    char time[32];
    const int pass = c->outcome == OUTCOME_PASS;
    snprintf(time, sizeof time, "%.9fs",
             isnan(c->time_us) ? 0 : c->time_us * 1e-6);
    json_t *const j = json_object();
    json_object_set_new(j, "name", clean(c->name, TEXT_NAME));
    json_object_set_new(j, "status", json_string(pass ? "pass" : "fail"));
    json_object_set_new(j, "message", clean(c->message, TEXT_MESSAGE));
    json_object_set_new(j, "test_code", clean(c->rerun, TEXT_MESSAGE));
    json_object_set_new(j, "filename", json_string(""));
    json_object_set_new(j, "line_no", json_integer(0));
    json_object_set_new(j, "execution_time", json_string(time));
    json_object_set_new(j, "score", points(c->score));
    return j;
}

/*
 * Add a test for what isn't in the cases. The reporter adds up the tests'
 * points, so the cost of being late, and staff's changes to the whole, have to
 * be a test, which says so.
 */
static void add_rest(json_t *tests, const struct row *r,
                     const struct grading_case *c, int n)
{
    double rest = r->final;
    for (int i = 0; i < n; i++)
        rest -= c[i].score;
    if (!r->has_score || (fabs(rest) < 0.005 && !json_array_size(r->notes)))
        return;
    char *const feedback = export_feedback(r);
    const struct grading_case sum = {.name = "late days and changes by staff",
                                     .outcome = OUTCOME_PASS,
                                     .message = feedback,
                                     .rerun = "",
                                     .score = rest,
                                     .time_us = NAN};
    json_array_append_new(tests, classroom_test(&sum));
    free(feedback);
}

static char *classroom(const struct export *e, const struct row *r)
{
    char hidden[64];
    int n;
    struct grading_case *const c = export_cases(r, hidden, &n);
    json_t *const tests = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(tests, classroom_test(&c[i]));
    add_rest(tests, r, c, n);
    json_t *const j =
        json_pack("{s:i, s:s, s:o, s:o}", "version", 1, "status",
                  !r->has_score                  ? "error"
                  : r->g.outcome == OUTCOME_PASS ? "pass"
                                                 : "fail",
                  "max_score", points(e->max_score), "tests", tests);
    char *const text = json_dumps(j, JSON_COMPACT);
    json_decref(j);
    free(c);
    return text;
}

int export_classroom(const struct export *e)
{
    int err = 0;
    for (int i = 0; i < e->nrows && !err; i++) {
        const int variant = sodium_base64_VARIANT_ORIGINAL;
        char *const text = classroom(e, &e->row[i]);
        const size_t n = strlen(text);
        const size_t room = sodium_base64_encoded_len(n, variant);
        char *const base64 = malloc(room);
        FILE *const f = export_file_in(e, "%s.txt", e->row[i].student->key);
        if (!base64)
            abort();
        sodium_bin2base64(base64, room, (const unsigned char *)text, n,
                          variant);
        if (f)
            fprintf(f, "result=%s\n", base64);
        err = f ? export_close(e, f) : -1;
        free(base64);
        free(text);
    }
    return err;
}

/* ---- Autolab ------------------------------------------------------------- */

/* The autograder's output ends with this line. */
int export_autolab(const struct export *e)
{
    int err = 0;
    for (int i = 0; i < e->nrows && !err; i++) {
        const struct row *const r = &e->row[i];
        if (!r->has_score)
            continue; // without a line there is no score
        FILE *const f = export_file_in(e, "%s.txt", r->student->key);
        char *const feedback = export_feedback(r);
        if (f)
            fprintf(f, "%s\n{\"scores\":{\"%s\":%.2f},\"scoreboard\":[%.2f]}\n",
                    feedback, e->lab, r->final, r->final);
        free(feedback);
        err = f ? export_close(e, f) : -1;
    }
    return err;
}
