/*
 * cases.c: which cases run together, and their verdicts
 *
 * For each rank count and machine, one mpirun runs all cases that ask for it. A
 * case that ends the run (a crash, a hang) leaves its status unwritten, and
 * only this case fails. The others are run again without it, including those
 * before it: a rank saves its execution graph only when it ends well, and
 * without a graph the origin of results is unknown.
 *
 * A case that runs into a limit on time is run once more, alone, before it
 * costs points: the cases before it, or a neighbour, may have been the reason.
 *
 * A machine that is measured has a fixed number of GPUs. Cases that need more
 * are skipped, by name, and a grade with skipped cases is never final.
 */
#include "grader/run/cases.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "grader/run/picture.h"
#include "grader/run/rounds.h"

/* Say why a case may count as not written: its file does not compile. */
static void add_broken(const struct result *r, struct judge_verdict *v)
{
    const size_t n = strlen(v->message);
    if (v->not_implemented && r->broken[0])
        snprintf(v->message + n, sizeof v->message - n, "%s%s", n ? "\n" : "",
                 r->broken);
}

/*
 * Keep a verdict. Returns 0, or -1 with the outcome set if something is missing
 * from a run that other programs may have kept from starting threads.
 */
static int keep(const struct shown *s, int case_no,
                const struct judge_verdict *v, struct result *r)
{
    char why[256];
    if (!v->pass && !v->not_implemented &&
        sandbox_was_crowded(&s->run->end, why, sizeof why))
        return result_stop(r, OUTCOME_INFRA, "%s", why);
    result_keep(r, case_no, s->batch->nranks, v);
    return 0;
}

/*
 * Judge what the run of a batch has shown. Cases that have to be run again go
 * to `again`: those after the one that ended the run, and, if the graph is
 * lost, those before it. A run may also end between two cases, if no other case
 * can follow the first. Cases that are still to be measured go to `later`,
 * those that are to be run alone to `alone`. Returns 0, or -1 with the outcome
 * set.
 */
static int judge_batch(const struct shown *s, struct run_batch *again,
                       struct run_batch *later, struct run_batch *alone,
                       struct result *r)
{
    const struct place *const p = s->place;
    const struct run_batch *const b = s->batch;
    const int measured = p->machine.measured,
              timing = measured && rounds_possible(p);
    int last = 0; // the case that ended the run, or else the batch's last
    while (last < b->n - 1 && shown_finished(s, last) &&
           shown_began(s, last + 1))
        last++;
    const int early = last < b->n - 1 || !shown_finished(s, last);
    const int lost = early && !s->spans && !measured;
    if (early)
        picture_keep_end(s, last, r);
    again->n = 0;
    for (int i = 0; i < b->n; i++) {
        const int case_no = b->case_no[i];
        const int timed = p->plan->cases[case_no].timed;
        struct judge_verdict v;
        if (i > last || (i < last && lost)) {
            again->case_no[again->n++] = case_no;
            continue;
        }
        if (i == last && early && s->run->end.timed_out && !b->alone) {
            alone->case_no[alone->n++] = case_no;
            continue;
        }
        shown_judge(s, i, &v);
        add_broken(r, &v);
        if (timed && timing && v.pass)
            later->case_no[later->n++] = case_no;
        else if (keep(s, case_no, &v, r) != 0)
            return -1;
    }
    return 0;
}

/* Run a batch until each of its cases has been judged or is in `later` or
 * `alone`. */
static int run_among(const struct request *q, const struct place *p,
                     struct run_batch b, struct run_batch *later,
                     struct run_batch *alone, struct result *r)
{
    struct run_batch again = b;
    struct run run;
    struct shown s;
    for (; b.n > 0; b = again) {
        if (run_make(q, p, &b, &run, r) != 0)
            return -1;
        shown_load(&s, q, p, &b, &run);
        if (q->timeline)
            picture_keep(&s, r);
        const int err = judge_batch(&s, &again, later, alone, r);
        shown_release(&s);
        if (err)
            return err;
    }
    return 0;
}

/* Run a batch until each of its cases has been judged or is in `later`. */
static int run_batch(const struct request *q, const struct place *p,
                     struct run_batch b, struct run_batch *later,
                     struct result *r)
{
    struct run_batch alone = b, one = b;
    alone.n = 0;
    int err = run_among(q, p, b, later, &alone, r);
    one.alone = one.n = 1;
    for (int i = 0; i < alone.n && !err; i++) {
        one.case_no[0] = alone.case_no[i];
        err = run_among(q, p, one, later, NULL, r);
    }
    return err;
}

/* ---- which cases run together -------------------------------------------- */

/*
 * True if no further rank count can change a case's points: it is worth what
 * its worst rank count earns, which is nothing already. For a picture, all are
 * run.
 */
static int is_lost(const struct request *q, const struct case_result *c)
{
    return c->judged && c->verdict.score == 0 && !q->timeline;
}

/* True if the case is to be run on nranks ranks of this machine. A NULL topo is
 * the real machine. */
static int is_wanted(const struct request *q, const struct plan_case *c,
                     int nranks, const char *topo)
{
    if (!request_has_case(q, c->name) || (topo && strcmp(c->topo, topo) != 0))
        return 0;
    for (int i = 0; i < c->nranks; i++)
        if (c->ranks[i] == nranks)
            return 1;
    return 0;
}

/* The number of GPUs that nranks ranks need. */
static int needs(const struct judge_lab *lab, int nranks)
{
    const int ranks = lab->shares_gpus ? 1 : nranks;
    return ranks > lab->least_gpus ? ranks : lab->least_gpus;
}

static void skip(const struct run_batch *b, int nneeded, int ngpus,
                 struct result *r)
{
    for (int i = 0; i < b->n; i++) {
        struct judge_verdict v = JUDGE_VERDICT_NONE;
        v.skipped = 1;
        judge_fail(&v, "skipped: it needs %d GPUs, and this machine has %d",
                   nneeded, ngpus);
        result_keep(r, b->case_no[i], b->nranks, &v);
    }
}

/* Run all cases that ask for nranks ranks on this machine. */
static int run_ranks(const struct request *q, const struct place *p, int nranks,
                     const char *topo, struct result *r)
{
    const struct machine *const m = &p->machine;
    const int nneeded = needs(p->judge, nranks);
    struct run_batch b = {
        .nranks = nranks, .topo = topo, .iterations = RUN_ITERATIONS};
    struct run_batch later = b;
    for (int i = 0; i < p->plan->ncases && b.n < RUN_MAX_CASES; i++)
        if (is_wanted(q, &p->plan->cases[i], nranks, topo) &&
            !is_lost(q, &r->cases[i]))
            b.case_no[b.n++] = i;
    if (m->measured && m->ngpus < nneeded) {
        skip(&b, nneeded, m->ngpus, r);
        return 0;
    }
    if (run_batch(q, p, b, &later, r) != 0)
        return -1;
    return later.n > 0 ? rounds_run(q, p, &later, r) : 0;
}

static int run_all(const struct request *q, const struct place *p,
                   const char *topo, struct result *r)
{
    for (int n = 1; n <= RUN_MAX_RANKS; n++)
        if (run_ranks(q, p, n, topo, r) != 0)
            return -1;
    return 0;
}

/* True if no earlier case of the plan names the same machine as case i. */
static int names_machine_first(const struct plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(p->cases[k].topo, p->cases[i].topo) == 0)
            return 0;
    return 1;
}

/* Run on the machines that cases name. */
static int run_modelled(const struct request *q, const struct place *p,
                        struct result *r)
{
    int err = 0;
    for (int i = 0; i < p->plan->ncases && !err; i++)
        if (names_machine_first(p->plan, i))
            err = run_all(q, p, p->plan->cases[i].topo, r);
    return err;
}

/* Run on this machine, while no other grading measures on it. */
static int run_measured(const struct request *q, const struct place *p,
                        struct result *r)
{
    const int lock = machine_lock(&p->machine);
    r->clocks[0] = machine_clocks(&p->machine);
    const int err = run_all(q, p, NULL, r);
    r->clocks[1] = machine_clocks(&p->machine);
    machine_unlock(lock);
    return err;
}

int cases_run(const struct request *q, const struct place *p, struct result *r)
{
    return p->machine.measured ? run_measured(q, p, r) : run_modelled(q, p, r);
}
