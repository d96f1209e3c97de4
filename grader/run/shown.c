/*
 * shown.c: the records of a run, and verdicts on them
 */
#define _GNU_SOURCE
#include "grader/run/shown.h"
#include "graph/replay/load.h"

#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strlen */
#include <sys/stat.h> /* lstat */
#include <unistd.h>   /* link */

#include "judge/answers.h"
#include "judge/graph/spans.h"
#include "judge/words.h"
#include "topo/topo.h"

static unsigned case_of(const struct shown *s, int i)
{
    return (unsigned)s->batch->case_no[i];
}

int shown_finished(const struct shown *s, int i)
{
    for (int r = 0; r < s->batch->nranks; r++)
        if (evidence_status(s->evidence, r, case_of(s, i)) == RUN_MISSING)
            return 0;
    return 1;
}

int shown_left(const struct shown *s, int i, enum run_status how)
{
    for (int r = 0; r < s->batch->nranks; r++)
        if (evidence_status(s->evidence, r, case_of(s, i)) == how)
            return 1;
    return 0;
}

/* True if the case has to be judged by how the run ended. An error that a rank
 * returned may be the consequence of something that simgpu reported. */
static int is_lost(const struct shown *s, int i)
{
    char words[64];
    if (shown_finished(s, i) || shown_left(s, i, RUN_NOT_IMPLEMENTED))
        return 0;
    return !shown_left(s, i, RUN_ERROR) ||
           words_find(s->run->end.log.head, words, sizeof words) != NULL;
}

int shown_began(const struct shown *s, int i)
{
    for (int r = 0; r < s->batch->nranks; r++)
        if (evidence_began(s->evidence, r, case_of(s, i)))
            return 1;
    return 0;
}

/* True if every rank's graph is a file that is not too large. Files in that
 * folder were written next to the student's code. */
static int graphs_are_files(const char *dir, int nranks)
{
    for (int r = 0; r < nranks; r++) {
        char path[PATH_MAX + 64];
        struct stat st;
        snprintf(path, sizeof path, "%s/rank-%d.graph", dir, r);
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
            st.st_size > RECORDER_GRAPH_CAP)
            return 0;
    }
    return 1;
}

const struct replay_options shown_unfinished = {.unfinished = 1};

/* Load what was recorded of a run that ended early. Verdicts don't use it,
 * because a rank could have ended early on purpose. */
static void load_early(struct shown *s)
{
    const char *const dir = s->run->dir;
    char early[PATH_MAX + 64], from[PATH_MAX + 96], to[PATH_MAX + 128];
    char err[384];
    snprintf(early, sizeof early, "%s/" RECORDER_EARLY, dir);
    for (int r = 0; r < s->batch->nranks; r++) { // some may be complete
        snprintf(from, sizeof from, "%s/rank-%d.graph", dir, r);
        snprintf(to, sizeof to, "%s/rank-%d.graph", early, r);
        if (link(from, to) != 0 && access(to, R_OK) != 0)
            return;
    }
    if (!graphs_are_files(early, s->batch->nranks))
        return;
    s->graph = graph_load(early, err, sizeof err);
    if (s->graph && s->graph->nranks == (uint32_t)s->batch->nranks && s->topo)
        s->early =
            replay_run(s->graph, s->topo, &shown_unfinished, err, sizeof err);
}

void shown_load(struct shown *s, const struct request *q, const struct place *p,
                const struct run_batch *b, const struct run *run)
{
    const char *const dir = run->dir;
    char path[PATH_MAX + 32], format[PATH_MAX + 64],
        err[384] = "the run did not end well";
    snprintf(format, sizeof format, "%s/evidence-%%d", dir);
    *s = (struct shown){.request = q,
                        .place = p,
                        .batch = b,
                        .run = run,
                        .evidence = evidence_load(format, b->nranks, run->nonce,
                                                  RECORDER_EVIDENCE_CAP)};
    if (snprintf(path, sizeof path, "%s/src/answers.txt", p->work) <
        (int)sizeof path)
        s->answers = answers_load(path);
    if (p->machine.measured)
        return;
    s->topo = topo_load(b->topo, err, sizeof err);
    if (s->topo && graphs_are_files(dir, b->nranks))
        s->graph = graph_load(dir, err, sizeof err);
    if (s->graph && s->graph->nranks != (uint32_t)b->nranks)
        snprintf(err, sizeof err, "it is of %u ranks", s->graph->nranks);
    else if (s->graph)
        s->spans = spans_new(s->graph, s->topo, err, sizeof err);
    if (!s->spans)
        snprintf(s->problem, sizeof s->problem,
                 "there is no execution graph to replay: %s", err);
    if (!s->graph && q->timeline)
        load_early(s);
}

void shown_release(struct shown *s)
{
    replay_free(s->early);
    spans_free(s->spans);
    topo_free(s->topo);
    graph_free(s->graph);
    evidence_free(s->evidence);
    free(s->answers);
}

/* A run in which a rank sent something that the kit would not is worth no
 * points: such data is noticed only if it collides with the kit's own. */
static void refuse_forged(const struct shown *s, struct judge_verdict *v)
{
    if (!s->run->recorded.forged[0])
        return;
    const struct judge_verdict trusted = *v;
    *v = JUDGE_VERDICT_NONE;
    judge_suspect(v, "%s: a person will look at it", s->run->recorded.forged);
    judge_beneath(v, &trusted);
    v->graders_only = 1;
}

/* Say of a case that ran into a limit twice that neither other cases nor other
 * programs are the reason. */
static void add_alone(const struct shown *s, struct judge_verdict *v)
{
    const size_t n = strlen(v->message);
    if (s->batch->alone && s->run->end.timed_out)
        snprintf(v->message + n, sizeof v->message - n,
                 "\nIt was run twice, the second time alone.");
}

void shown_judge(const struct shown *s, int i, struct judge_verdict *v)
{
    const struct run_batch *const b = s->batch;
    const struct place *const p = s->place;
    const int case_no = b->case_no[i];
    uint64_t seed[RUN_MAX_RANKS];
    for (int r = 0; r < b->nranks; r++)
        seed[r] = run_seed(s->request, p, b, case_no, r);
    const struct judge_task t = {.c = &p->plan->cases[case_no],
                                 .plan = p->plan,
                                 .case_no = case_of(s, i),
                                 .nranks = b->nranks,
                                 .iterations = b->iterations,
                                 .seed = seed,
                                 .evidence = s->evidence,
                                 .graph = s->spans ? s->graph : NULL,
                                 .spans = s->spans,
                                 .graph_problem =
                                     s->problem[0] ? s->problem : NULL,
                                 .answers = s->answers,
                                 .clocked = machine_is_real(&p->machine)};
    *v = JUDGE_VERDICT_NONE;
    v->unfinished = is_lost(s, i);
    if (v->unfinished) {
        run_last_words(p, s->run, v->message, sizeof v->message);
        add_alone(s, v);
        v->graders_only = s->run->end.out_of_memory || s->run->end.flooded ||
                          s->run->end.crowded;
    } else {
        judge_case(p->judge, &t, v);
    }
    if (v->pass && s->problem[0]) { // the origin of its bytes is unknown
        judge_fail(v, "cannot be judged: %s", s->problem);
        v->graders_only = 1;
    }
    refuse_forged(s, v);
}
