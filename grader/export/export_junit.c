/*
 * export_junit.c: JUnit XML
 *
 * There is a suite for each student and a test for each case. A wrong answer is
 * a `failure`; a run that never got to an answer (a crash, a hang, this
 * machine) is an `error`; a missing submission is `skipped`. Times are
 * modelled.
 */
#define _GNU_SOURCE
#include <math.h>   /* isnan */
#include <stdlib.h> /* free */

#include "grader/base/text.h"
#include "grader/export/export.h"

static void attribute(FILE *f, const char *name, const char *value)
{
    char *const clean = text_clean(value, TEXT_NAME);
    fprintf(f, " %s=\"", name);
    text_xml(f, clean);
    fputc('"', f);
    free(clean);
}

static void text(FILE *f, const char *value)
{
    char *const clean = text_clean(value, TEXT_MESSAGE);
    text_xml(f, clean);
    free(clean);
}

/* True if there was no answer that could be wrong. */
static int is_error(const struct grading_case *c)
{
    return c->outcome == OUTCOME_INFRA || c->unfinished;
}

static int has_failed(const struct grading_case *c)
{
    return c->outcome != OUTCOME_PASS;
}

static void test(FILE *f, const struct row *r, const struct grading_case *c)
{
    fprintf(f, "    <testcase");
    attribute(f, "name", c->name);
    fprintf(f, " classname=\"%s\" time=\"%.9f\"", r->student->key,
            isnan(c->time_us) ? 0 : c->time_us * 1e-6);
    if (!has_failed(c)) {
        fprintf(f, "/>\n");
        return;
    }
    const char *const tag = is_error(c) ? "error" : "failure";
    fprintf(f, ">\n      <%s", tag);
    attribute(f, "message", c->message);
    attribute(f, "type", outcome_name[c->outcome]);
    fputc('>', f);
    text(f, c->message);
    fprintf(f, "</%s>\n    </testcase>\n", tag);
}

/* For a student without cases, write one test that says why. */
static void only_test(FILE *f, const struct row *r)
{
    const char *const tag = !r->attempt                     ? "skipped"
                            : r->g.outcome == OUTCOME_INFRA ? "error"
                                                            : "failure";
    fprintf(f,
            "    <testcase name=\"submission\" classname=\"%s\" time=\"0\">\n"
            "      <%s",
            r->student->key, tag);
    attribute(f, "message", r->attempt ? r->g.message : "nothing handed in");
    fprintf(f, "/>\n    </testcase>\n");
}

static void suite(FILE *f, const struct export *e, const struct row *r)
{
    int failures = 0, errors = 0;
    for (int i = 0; i < r->g.ncases; i++)
        *(is_error(&r->g.cases[i]) ? &errors : &failures) +=
            has_failed(&r->g.cases[i]);
    if (r->g.ncases == 0 && r->attempt)
        *(r->g.outcome == OUTCOME_INFRA ? &errors : &failures) = 1;
    fprintf(f, "  <testsuite");
    attribute(f, "name", r->student->key);
    fprintf(f,
            " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" "
            "time=\"0\">\n    <properties>\n      <property name=\"lab\" "
            "value=\"%s\"/>\n",
            r->g.ncases ? r->g.ncases : 1, failures, errors, !r->attempt,
            e->lab);
    if (r->has_score)
        fprintf(f, "      <property name=\"score\" value=\"%.2f\"/>\n",
                r->final);
    fprintf(f, "    </properties>\n");
    for (int i = 0; i < r->g.ncases; i++)
        test(f, r, &r->g.cases[i]);
    if (r->g.ncases == 0)
        only_test(f, r);
    fprintf(f, "  </testsuite>\n");
}

int export_junit(const struct export *e)
{
    FILE *const f = export_file(e);
    if (!f)
        return -1;
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < e->nrows; i++)
        suite(f, e, &e->row[i]);
    fprintf(f, "</testsuites>\n");
    return export_close(e, f);
}
