#define _GNU_SOURCE
#include "lab/results.h"

#include <errno.h>   /* errno */
#include <jansson.h> /* json_dump_file */
#include <stdio.h>   /* printf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */

#include "judge/points.h"
#include "judge/report.h"
#include "judge/table.h"
#include "lab/lab.h"
#include "lab/rerun.h"

enum { NEEDS = 200 }; /* bytes of a reason */

static int is_judged(const struct results *v, int i)
{
    return atomic_load(&v->progress->c[i].state) != PROGRESS_OPEN;
}

/* True if this job runs what case i is pinned to, but the case's parameters ask
 * for other ranks: `text` says for which. */
static int is_unmet(const struct results *v, int i, char text[NEEDS])
{
    const struct plan_case *const c = &v->p->cases[i];
    text[0] = 0;
    return plan_fits(c, v->nranks, v->machine) &&
           judge_needs(judge_labs[0], c, &v->place, text, NEEDS);
}

enum results_place results_place(const struct results *v, int i)
{
    const struct plan_case *const c = &v->p->cases[i];
    char text[NEEDS];
    if (!options_want(v->o, c->name))
        return RESULTS_NOWHERE;
    if (v->o->times && (!c->timed || c->hidden != v->o->hidden))
        return RESULTS_NOWHERE;
    return plan_fits(c, v->nranks, v->machine) && !is_unmet(v, i, text)
               ? RESULTS_HERE
               : RESULTS_ELSEWHERE;
}

/* The command that reruns one case, with ranks and a machine that fit it. */
static void rerun_of(const struct results *v, int i, char out[RERUN_NBYTES])
{
    const struct plan_case *const c = &v->p->cases[i];
    const int here = results_place(v, i) == RESULTS_HERE;
    rerun_text(c, v->o, here ? getenv("SIMGPU_TOPO") : c->topo,
               here ? v->nranks : c->ranks[0], out);
}

/* ---- printing ------------------------------------------------------------ */

void results_row(const struct results *v, int i)
{
    char rerun[RERUN_NBYTES];
    rerun_of(v, i, rerun);
    if (v->o->times && v->progress->c[i].verdict.pass)
        printf("  - {case: %s, ranks: %d, us: %.6f}\n", v->p->cases[i].name,
               v->nranks, v->progress->c[i].verdict.time_us);
    else if (v->o->times)
        fprintf(stderr, "%s: %s\n", v->p->cases[i].name,
                v->progress->c[i].verdict.message);
    else if (!v->o->json)
        table_row(stdout, &v->p->cases[i], &v->progress->c[i].verdict, rerun);
    fflush(stdout);
    atomic_store(&v->progress->c[i].state, PROGRESS_PRINTED);
}

void results_head(const struct results *v)
{
    char title[256];
    if (v->o->json || v->o->times || atomic_exchange(&v->progress->titled, 1))
        return;
    snprintf(title, sizeof title, "%s (%s), %d rank%s%s%.100s, seed %llu",
             v->p->title, lab.name, v->nranks, v->nranks == 1 ? "" : "s",
             v->machine ? " on " : "", v->machine ? v->machine : "",
             (unsigned long long)v->o->seed);
    table_head(stdout, title);
    fflush(stdout);
}

int results_points(const struct results *v, double *points, double *most)
{
    int nanswered = 0;
    *points = *most = 0;
    for (int i = 0; i < v->p->ncases; i++) {
        const struct judge_verdict *const verdict = &v->progress->c[i].verdict;
        if (results_place(v, i) != RESULTS_HERE)
            continue;
        if (is_judged(v, i) && verdict->answered) {
            nanswered++;
            continue;
        }
        *most += v->p->cases[i].points;
        if (is_judged(v, i))
            *points += points_earned(&v->p->cases[i], verdict);
    }
    return nanswered;
}

/* List the cases that need other ranks or another machine. */
static void print_elsewhere(const struct results *v)
{
    char rerun[RERUN_NBYTES], text[NEEDS];
    const char *before = "\nNot run, because they need other ranks or another "
                         "machine:\n";
    for (int i = 0; i < v->p->ncases; i++) {
        if (results_place(v, i) != RESULTS_ELSEWHERE)
            continue;
        rerun_of(v, i, rerun);
        printf("%s    %s%s%s\n", before, rerun,
               is_unmet(v, i, text) ? "  # needs " : "", text);
        before = "";
    }
}

/* List the cases that were not run because the run had to end. */
static void print_rest(const struct results *v)
{
    const char *before = "\nThe run ended there; not run: ";
    for (int i = 0; i < v->p->ncases; i++) {
        if (is_judged(v, i) || results_place(v, i) != RESULTS_HERE)
            continue;
        printf("%s%s", before, v->p->cases[i].name);
        before = ", ";
    }
    if (before[0] == ',')
        printf("\nRun others with --case NAME[,NAME...].\n");
}

static json_t *json_of(const struct results *v)
{
    double points, most;
    char seed[32], rerun[RERUN_NBYTES];
    struct cudaDeviceProp device;
    json_t *const tests = json_array(), *const elsewhere = json_array();
    json_t *const j = json_object();
    results_points(v, &points, &most);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)v->o->seed);
    if (cudaGetDeviceProperties(&device, v->device) != cudaSuccess)
        device.name[0] = 0;
    for (int i = 0; i < v->p->ncases; i++) {
        const struct plan_case *const c = &v->p->cases[i];
        const struct judge_verdict *const verdict = &v->progress->c[i].verdict;
        if (!is_judged(v, i) || results_place(v, i) != RESULTS_HERE)
            continue;
        rerun_of(v, i, rerun);
        json_array_append_new(
            tests, report_case(c, verdict, points_outcome(verdict),
                               points_earned(c, verdict), v->nranks, rerun));
    }
    for (int i = 0; i < v->p->ncases; i++) {
        if (results_place(v, i) != RESULTS_ELSEWHERE)
            continue;
        rerun_of(v, i, rerun);
        json_array_append_new(elsewhere, json_string(rerun));
    }
    json_object_set_new(j, "lab", json_string(lab.name));
    json_object_set_new(j, "score", json_real(points));
    json_object_set_new(j, "max_score", json_real(most));
    json_object_set_new(j, "outcome",
                        json_string(points < most ? "fail" : "pass"));
    json_object_set_new(j, "device", json_string(device.name));
    json_object_set_new(j, "seed", json_string(seed));
    json_object_set_new(j, "tests", tests);
    json_object_set_new(j, "not_run_here", elsewhere);
    return j;
}

void results_end(const struct results *v)
{
    double points, most;
    const int nanswered = results_points(v, &points, &most);
    atomic_store(&v->progress->ended, 1);
    if (v->o->times)
        return;
    if (!v->o->json) {
        print_rest(v);
        print_elsewhere(v);
        table_total(stdout, points, most, nanswered);
        fflush(stdout);
        return;
    }
    json_t *const j = json_of(v);
    const int err =
        strcmp(v->o->json, "-") == 0
            ? json_dumpf(j, stdout, JSON_INDENT(2)) | (putchar('\n') == EOF)
            : json_dump_file(j, v->o->json, JSON_INDENT(2));
    if (err)
        fprintf(stderr, "%s: cannot write %s: %s\n", lab.name, v->o->json,
                strerror(errno));
    fflush(stdout);
    json_decref(j);
}
