/*
 * report.c: a grading, for people and for programs
 */
#include <errno.h>   /* errno */
#include <jansson.h> /* json_dump_file */
#include <math.h>    /* isnan */
#include <stdio.h>   /* printf */
#include <string.h>  /* strerror */

#include "grade.h"
#include "judge/table.h"

/* The line that runs just that case again, as a student would. */
static void rerun_of(const struct grade *g, int i, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "mpirun -n %d build/%.*s --case %s",
             g->result[i].ranks, (int)strcspn(g->lab, "-"), g->lab,
             g->plan->cases[i].name);
}

void grade_report(const struct grade *g)
{
    char title[256], rerun[300];
    if (g->message[0]) {
        printf("%s: ", outcome_name[g->outcome]);
        table_text(stdout, g->message, 1000);
        putchar('\n');
    }
    if (!g->plan)
        return;
    snprintf(title, sizeof title, "%s (%s)", g->plan->title, g->lab);
    table_head(stdout, title);
    int hidden = 0, hidden_passed = 0;
    double hidden_points = 0, hidden_most = 0;
    for (int i = 0; i < g->plan->ncases; i++) {
        const struct plan_case *const c = &g->plan->cases[i];
        const struct result *const r = &g->result[i];
        if (c->hidden && r->judged) {
            hidden++;
            hidden_passed += r->verdict.pass;
            hidden_points += r->score;
            hidden_most += c->points;
        } else if (r->judged) {
            rerun_of(g, i, rerun, sizeof rerun);
            table_row(stdout, c, &r->verdict, rerun);
        }
    }
    if (hidden)
        printf("   -  %d hidden cases, %d pass %46g/%g\n", hidden,
               hidden_passed, hidden_points, hidden_most);
    table_total(stdout, g->score, g->max_score);
}

static json_t *test_of(const struct grade *g, int i)
{
    const struct result *const r = &g->result[i];
    const struct plan_case *const c = &g->plan->cases[i];
    char rerun[300];
    rerun_of(g, i, rerun, sizeof rerun);
    json_t *const j = json_object();
    json_object_set_new(j, "name", json_string(c->name));
    json_object_set_new(j, "part", json_integer(c->part));
    json_object_set_new(j, "score", json_real(r->score));
    json_object_set_new(j, "max_score", json_real(c->points));
    json_object_set_new(j, "outcome", json_string(outcome_name[r->outcome]));
    // invalid UTF-8 comes from students' text: it must not lose the report
    json_t *const message = json_string(r->verdict.message);
    json_object_set_new(j, "message",
                        message ? message : json_string("(not text)"));
    json_object_set_new(j, "time_us",
                        isnan(r->verdict.time_us)
                            ? json_null()
                            : json_real(r->verdict.time_us));
    json_object_set_new(j, "ranks", json_integer(r->ranks));
    json_object_set_new(j, "rerun", json_string(rerun));
    json_object_set_new(j, "hidden", json_boolean(c->hidden));
    return j;
}

int grade_write_json(const struct grade *g)
{
    char seed[32];
    json_t *const tests = json_array(), *const j = json_object();
    for (int i = 0; g->plan && i < g->plan->ncases; i++)
        if (g->result[i].judged)
            json_array_append_new(tests, test_of(g, i));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)g->seed);
    json_object_set_new(j, "lab", json_string(g->lab));
    json_object_set_new(j, "score", json_real(g->score));
    json_object_set_new(j, "max_score", json_real(g->max_score));
    json_object_set_new(j, "outcome", json_string(outcome_name[g->outcome]));
    json_t *const message = json_string(g->message);
    json_object_set_new(j, "message",
                        message ? message : json_string("(not text)"));
    json_object_set_new(j, "backend", json_string("sim"));
    json_object_set_new(j, "topology", json_string("dgx-h100"));
    json_object_set_new(j, "seed", json_string(seed));
    json_object_set_new(j, "tests", tests);
    const int err = json_dump_file(j, g->json, JSON_INDENT(2));
    if (err)
        fprintf(stderr, "grade: cannot write %s: %s\n", g->json,
                strerror(errno));
    json_decref(j);
    return err;
}
