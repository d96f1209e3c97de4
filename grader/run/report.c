/*
 * report.c: a grading as text and as JSON
 */
#include <ctype.h>    /* isspace */
#include <errno.h>    /* errno */
#include <inttypes.h> /* PRIx64 */
#include <jansson.h>  /* json_dump_file */
#include <math.h>     /* isnan */
#include <stdio.h>    /* printf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strerror, strcspn */
#include <unistd.h>   /* unlink, isatty */

#include "grader/base/text.h"
#include "grader/intake/submission.h"
#include "grader/run/grade.h"
#include "grader/run/run.h"
#include "judge/answers.h"
#include "judge/points.h"
#include "judge/prediction.h"
#include "judge/report.h"
#include "judge/table.h"

enum { WORDS = 2000 }; /* characters of an answer in words that are kept */

/* The command that reruns only that case, for a student: with the same inputs,
 * unless they are secret. */
static void rerun_of(const struct request *q, const struct place *p,
                     const struct result *r, int i, char *out, size_t nbytes)
{
    const struct plan_case *const c = &p->plan->cases[i];
    const int elsewhere = strcmp(c->topo, PLAN_TOPO) != 0;
    const int other = q->schedule && strcmp(q->schedule, PLAN_SCHEDULE) != 0;
    char key[40] = "";
    if (!c->hidden && strcmp(c->kind, JUDGE_ANSWER) != 0)
        snprintf(key, sizeof key, " --key 0x%016" PRIx64, run_key(q, c, 0));
    snprintf(out, nbytes, "%s%s%s%s%s%smpirun -n %d build/%.*s --case %s%s",
             elsewhere ? "SIMGPU_TOPO=" : "", elsewhere ? c->topo : "",
             elsewhere ? " " : "", other ? "SIMGPU_SCHEDULE=" : "",
             other ? q->schedule : "", other ? " " : "", r->cases[i].ranks,
             (int)strcspn(p->lab, "-"), p->lab, c->name, key);
}

/* Say why a grade with skipped cases is not a grade. */
static void skipped_text(const struct place *p, const struct result *r,
                         char *out, size_t nbytes)
{
    const int ngpus = p->machine.ngpus;
    snprintf(out, nbytes,
             "%d case%s skipped, since this machine has %d GPU%s: grade it "
             "where there are more",
             r->nskipped, r->nskipped == 1 ? "" : "s", ngpus,
             ngpus == 1 ? "" : "s");
}

/* Print a row for each visible case, and one for all hidden ones. */
static void print_cases(const struct request *q, const struct place *p,
                        const struct result *r)
{
    char rerun[300];
    int hidden = 0, hidden_passed = 0;
    double hidden_points = 0, hidden_most = 0;
    for (int i = 0; i < p->plan->ncases; i++) {
        const struct plan_case *const c = &p->plan->cases[i];
        const struct case_result *const of = &r->cases[i];
        if (c->hidden && of->judged) {
            hidden++;
            hidden_passed += of->verdict.pass;
            hidden_points += of->score;
            hidden_most += c->points;
        } else if (of->judged) {
            rerun_of(q, p, r, i, rerun, sizeof rerun);
            table_row(stdout, c, &of->verdict, rerun);
        }
    }
    if (hidden)
        printf("   -  %d hidden cases, %d pass %46g/%g\n", hidden,
               hidden_passed, hidden_points, hidden_most);
}

/* Print whose numbers the questions had, if there were any. */
static void print_student(const struct place *p, const struct result *r)
{
    for (int i = 0; i < p->plan->ncases; i++)
        if (r->cases[i].judged &&
            strcmp(p->plan->cases[i].kind, JUDGE_ANSWER) == 0) {
            printf("\nThe questions have the numbers of %s (--student or "
                   "COMMLAB_STUDENT).\n",
                   p->plan->student);
            return;
        }
}

/* ---- a prediction, next to what was measured ---------------------------- */

/* A case's time in this grading; NaN if it has no points or did not run. */
static double time_of(const struct plan *p, const struct result *r,
                      const char *name)
{
    const struct case_result *const of =
        &r->cases[plan_find(p, name) - p->cases];
    return of->judged && of->score > 0 ? of->verdict.time_us : NAN;
}

/* What the prediction is compared with; NaN if it can't be yet. */
static double measured(const struct plan *p, const struct result *r)
{
    const double us = time_of(p, r, p->predict[0]);
    return p->predict[1] ? us / time_of(p, r, p->predict[1]) : us;
}

static void print_outcome(const struct plan *p, const struct result *r,
                          const struct prediction *made)
{
    const double found = measured(p, r);
    const char *const over = p->predict[1];
    if (isnan(found)) {
        printf(
            "You predicted %g on %s.\nTo compare: %s%s%s must earn points.\n",
            made->number, made->when, p->predict[0], over ? " and " : "",
            over ? over : "");
        return;
    }
    printf("You predicted %g on %s.\nMeasured: %.4g, the time of %s%s%s.\n",
           made->number, made->when, found, p->predict[0],
           over ? " divided by that of " : " in us", over ? over : "");
}

static void print_prediction(const struct request *q, const struct place *p,
                             const struct result *r)
{
    struct prediction made;
    const int lab = (int)strcspn(p->lab, "-");
    if (!p->plan->predict[0] || r->message[0])
        return;
    prediction_read(r->answers, &made);
    if (made.state == PREDICTION_NONE && q->cases)
        return; // a look at some cases: not the time to ask
    putchar('\n');
    if (made.state == PREDICTION_NONE)
        printf("You made no prediction: make predict-%.*s asks for one.\n", lab,
               p->lab);
    else if (made.state == PREDICTION_UNSEALED)
        printf("The prediction in answers.txt is not as make predict-%.*s "
               "wrote it:\nit was changed or written by hand, so it isn't "
               "compared.\n",
               lab, p->lab);
    else
        print_outcome(p->plan, r, &made);
}

void grade_print(const struct request *q, const struct place *p,
                 const struct result *r)
{
    char line[256];
    if (r->message[0]) {
        printf("%s: ", outcome_name[r->outcome]);
        table_text(stdout, r->message, sizeof r->message);
        putchar('\n');
    }
    if (r->notes[0])
        printf("note: %s\n", r->notes);
    if (r->nskipped) {
        skipped_text(p, r, line, sizeof line);
        printf("infra: %s\n", line);
    }
    if (r->message[0] && r->outcome == OUTCOME_INFRA)
        return; // nothing was graded, and a total of 0 would look like a grade
    snprintf(line, sizeof line, "%s (%s)", p->plan->title, p->lab);
    table_head(stdout, line);
    print_cases(q, p, r);
    print_student(p, r);
    print_prediction(q, p, r);
    if (r->worklog)
        printf("\nworklog.txt is kept with the grade, for people to read.\n");
    table_total(stdout, r->score, r->max_score, r->nanswered);
    if (r->memory && isatty(STDOUT_FILENO)) // it depends on who grades
        printf("isolation %d, %s: memory limited by a %s, processes by a %s\n",
               q->isolation, r->limits, r->memory, r->processes);
}

static json_t *test_of(const struct request *q, const struct place *p,
                       const struct result *r, int i)
{
    const struct case_result *const of = &r->cases[i];
    char rerun[300];
    rerun_of(q, p, r, i, rerun, sizeof rerun);
    json_t *const j = report_case(&p->plan->cases[i], &of->verdict, of->outcome,
                                  of->score, of->ranks, rerun);
    if (of->outcome == OUTCOME_SUSPECTED) { // what grade clear restores
        const struct judge_verdict beneath = {.score = of->beneath};
        const double score = points_earned(&p->plan->cases[i], &beneath);
        json_object_set_new(j, "beneath",
                            json_pack("{s:f, s:o}", "score", score, "message",
                                      report_text(of->beneath_message)));
    }
    return j;
}

static json_t *clean(const char *text)
{
    char *const copy = text_clean(text, LOG_HEAD);
    json_t *const j = json_string(copy);
    free(copy);
    return j;
}

/* The kept output: its first part and its last. */
static json_t *log_of(const struct log *l)
{
    json_t *const j = json_object();
    json_object_set_new(j, "head", clean(l->head));
    json_object_set_new(j, "tail", clean(l->tail));
    json_object_set_new(j, "dropped", json_integer((json_int_t)l->dropped));
    return j;
}

static json_t *prediction_of(const struct plan *p, const struct result *r)
{
    static const char *const states[] = {"none", "made", "changed"};
    struct prediction made;
    prediction_read(r->answers, &made);
    return json_pack("{s:s, s:o, s:s, s:o}", "state", states[made.state],
                     "predicted", report_number(made.number), "when", made.when,
                     "measured", report_number(measured(p, r)));
}

/* The answer in words, without blanks around it. */
static json_t *words_of(const struct result *r)
{
    const char *at =
        r->answers ? answers_after(r->answers, ANSWERS_IN_WORDS) : NULL;
    at = at ? at : "";
    while (isspace((unsigned char)*at))
        at++;
    char *const text = text_clean(at, WORDS);
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
        text[--n] = 0;
    json_t *const j = json_string(text);
    free(text);
    return j;
}

/* Add the prediction and the answer in words, if the plan asks for them, and
 * the work log, if there is one. */
static void set_asked(json_t *j, const struct place *p, const struct result *r)
{
    if (p->plan->predict[0] && !r->message[0])
        json_object_set_new(j, "prediction", prediction_of(p->plan, r));
    if (p->plan->rubric[0] && !r->message[0])
        json_object_set_new(j, "in_words", words_of(r));
    if (r->worklog) {
        char *const log = text_clean(r->worklog, SUBMISSION_MAX_WORKLOG);
        json_object_set_new(j, "worklog", json_string(log));
        free(log);
    }
}

/* Write the file under another name first, so that a reader finds all of
 * it or nothing. */
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

/* Say what it ran on, how well it was isolated, and which limits were
 * missing. */
static void set_machine(json_t *j, const struct request *q,
                        const struct machine *m, const struct result *r)
{
    json_object_set_new(j, "backend", json_string(m->backend->name));
    json_object_set_new(j, "measured", json_boolean(m->measured));
    json_object_set_new(j, "topology",
                        json_string(m->measured ? "this machine" : PLAN_TOPO));
    if (m->gpus)
        json_object_set(j, "gpus", m->gpus);
    if (r->clocks[0])
        json_object_set_new(j, "clocks",
                            json_pack("{s:O, s:O}", "before", r->clocks[0],
                                      "after", r->clocks[1]));
    json_object_set_new(j, "isolation",
                        json_pack("{s:i, s:s, s:s*, s:s*, s:s*}", "level",
                                  q->isolation, "missing", r->missing, "memory",
                                  r->memory, "processes", r->processes,
                                  "limits", r->limits));
    if (r->refused)
        json_object_set_new(json_object_get(j, "isolation"), "refused",
                            json_integer(r->refused));
}

int grade_write_json(const char *path, const struct request *q,
                     const struct place *p, const struct result *r)
{
    char seed[32], message[sizeof r->message];
    snprintf(message, sizeof message, "%s", r->message);
    if (r->nskipped)
        skipped_text(p, r, message, sizeof message);
    json_t *const tests = json_array(), *const j = json_object();
    for (int i = 0; i < p->plan->ncases; i++)
        if (r->cases[i].judged && !r->message[0])
            json_array_append_new(tests, test_of(q, p, r, i));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)q->seed);
    json_object_set_new(j, "lab", json_string(p->lab));
    json_object_set_new(j, "title", json_string(p->plan->title));
    json_object_set_new(j, "score", json_real(r->score));
    json_object_set_new(j, "max_score", json_real(r->max_score));
    json_object_set_new(j, "outcome", json_string(outcome_name[r->outcome]));
    json_object_set_new(j, "message", clean(message));
    json_object_set_new(j, "notes", clean(r->notes));
    json_object_set_new(j, "seed", json_string(seed));
    set_machine(j, q, &p->machine, r);
    json_object_set_new(j, "sec", json_real(r->sec));
    json_object_set_new(j, "log", log_of(&r->log));
    json_object_set_new(j, "tests", tests);
    set_asked(j, p, r);
    if (r->svg)
        json_object_set_new(j, "timeline", json_string(r->svg));
    if (r->view)
        json_object_set_new(j, "view", json_string(r->view));
    const int err = dump(j, path);
    if (err)
        fprintf(stderr, "grade: cannot write %s: %s\n", path, strerror(errno));
    json_decref(j);
    return err;
}
