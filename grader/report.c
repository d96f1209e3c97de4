/*
 * report.c: a grading, for people and for programs
 */
#include <errno.h>   /* errno */
#include <jansson.h> /* json_dump_file */
#include <stdio.h>   /* printf */
#include <stdlib.h>  /* free */
#include <string.h>  /* strerror */
#include <unistd.h>  /* unlink */

#include "grade.h"
#include "judge/report.h"
#include "judge/table.h"
#include "text.h"

/* The line that runs just that case again, as a student would. */
static void rerun_of(const struct grade *g, int i, char *out, size_t nbytes)
{
    const struct plan_case *const c = &g->plan->cases[i];
    const int elsewhere = strcmp(c->topo, PLAN_TOPO) != 0;
    snprintf(out, nbytes, "%s%s%smpirun -n %d build/%.*s --case %s",
             elsewhere ? "SIMGPU_TOPO=" : "", elsewhere ? c->topo : "",
             elsewhere ? " " : "", g->result[i].ranks,
             (int)strcspn(g->lab, "-"), g->lab, c->name);
}

/* Why a grade with skipped cases is none. */
static void skipped_text(const struct grade *g, char *out, size_t nbytes)
{
    snprintf(out, nbytes,
             "%d case%s skipped, since this machine has %d GPU%s: grade it "
             "where there are more",
             g->nskipped, g->nskipped == 1 ? "" : "s", g->machine.ngpus,
             g->machine.ngpus == 1 ? "" : "s");
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
    if (g->nskipped) {
        skipped_text(g, title, sizeof title);
        printf("infra: %s\n", title);
    }
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
    char rerun[300];
    rerun_of(g, i, rerun, sizeof rerun);
    return report_case(&g->plan->cases[i], &r->verdict,
                       outcome_name[r->outcome], r->score, r->ranks, rerun);
}

/* Kept apart how well, and what this machine could not limit. */
static json_t *isolation_of(const struct grade *g)
{
    return json_pack("{s:i, s:s}", "level", g->isolation, "missing",
                     g->missing);
}

static json_t *clean(const char *text)
{
    char *const copy = text_clean(text, LOG_HEAD);
    json_t *const j = json_string(copy);
    free(copy);
    return j;
}

/* What printed text there was, its first part and its last. */
static json_t *log_of(const struct grade *g)
{
    json_t *const j = json_object();
    json_object_set_new(j, "head", clean(g->log.head));
    json_object_set_new(j, "tail", clean(g->log.tail));
    json_object_set_new(j, "dropped", json_integer((json_int_t)g->log.dropped));
    return j;
}

/* Under another name first: who reads it finds all of it or nothing. */
static int dump(const json_t *j, const char *path)
{
    char fresh[PATH_MAX];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (json_dump_file(j, fresh, JSON_INDENT(2)) == 0 &&
        rename(fresh, path) == 0)
        return 0;
    unlink(fresh);
    return -1;
}

/* What it ran on. */
static void set_machine(json_t *j, const struct grade *g)
{
    const struct machine *const m = &g->machine;
    json_object_set_new(j, "backend", json_string(m->backend->name));
    json_object_set_new(j, "measured", json_boolean(m->measured));
    json_object_set_new(j, "topology",
                        json_string(m->measured ? "this machine" : PLAN_TOPO));
    if (m->gpus)
        json_object_set(j, "gpus", m->gpus);
    if (g->clocks[0])
        json_object_set_new(j, "clocks",
                            json_pack("{s:O, s:O}", "before", g->clocks[0],
                                      "after", g->clocks[1]));
}

int grade_write_json(const struct grade *g)
{
    char seed[32], message[sizeof g->message];
    snprintf(message, sizeof message, "%s", g->message);
    if (g->nskipped)
        skipped_text(g, message, sizeof message);
    json_t *const tests = json_array(), *const j = json_object();
    for (int i = 0; g->plan && i < g->plan->ncases; i++)
        if (g->result[i].judged && !g->message[0])
            json_array_append_new(tests, test_of(g, i));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)g->seed);
    json_object_set_new(j, "lab", json_string(g->lab));
    json_object_set_new(j, "title", json_string(g->plan->title));
    json_object_set_new(j, "score", json_real(g->score));
    json_object_set_new(j, "max_score", json_real(g->max_score));
    json_object_set_new(j, "outcome", json_string(outcome_name[g->outcome]));
    json_object_set_new(j, "message", clean(message));
    set_machine(j, g);
    json_object_set_new(j, "seed", json_string(seed));
    json_object_set_new(j, "isolation", isolation_of(g));
    json_object_set_new(j, "sec", json_real(g->sec));
    json_object_set_new(j, "log", log_of(g));
    json_object_set_new(j, "tests", tests);
    if (g->svg)
        json_object_set_new(j, "timeline", json_string(g->svg));
    const int err = dump(j, g->json);
    if (err)
        fprintf(stderr, "grade: cannot write %s: %s\n", g->json,
                strerror(errno));
    json_decref(j);
    return err;
}
