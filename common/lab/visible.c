#define _GNU_SOURCE
#include "lab/visible.h"

#include <errno.h>  /* errno */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strerror */
#include <unistd.h> /* usleep */

#include "base/must.h"
#include "graph/hazard/hazard.h"
#include "judge/answers.h"
#include "judge/graph/spans.h"
#include "lab/kit.h"
#include "lab/results.h"
#include "lab/watch.h"

/*
 * Every rank has all verdicts, so any of them can report if the others are
 * lost.
 */
struct visible {
    const struct lab_run *r;
    struct results results;
    int now;                  /* the current case */
    struct watch *watch;      /* on rank 0, if the run has a graph */
    char *answers;            /* text of answers.txt, or NULL */
    struct hazard_past *past; /* what earlier cases wrote, on rank 0 */
    struct topo *topo;        /* machine on which rank 0 judges */
    char no_topo[256];        /* why it is NULL */
};

static struct progress_case *case_of(const struct visible *v, int i)
{
    return &v->results.progress->c[i];
}

/* ---- judging ------------------------------------------------------------- */

enum { POLL_US = 500, LONGEST_US = 50000, GROWTH = 8 };

/*
 * Wait for rank 0 without spinning. MPI's own waits spin, and if ranks
 * outnumber cores, that takes CPU time from the rank that judges. So would
 * polls of a hundred ranks at a steady pace: the pause between two of them
 * grows to a ninth of the wait so far. The polls use PMPI because their number,
 * which varies, must not be recorded.
 */
static void wait_asleep(MPI_Request *request)
{
    useconds_t us = POLL_US;
    for (int done = 0;;) {
        MPI_MUST(PMPI_Test(request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        usleep(us);
        us = us < LONGEST_US ? us + us / GROWTH : us;
    }
}

struct parcel { /* a rank's evidence, on its way to rank 0 */
    char *data;
    uint64_t nbytes;
    MPI_Request request;
};

static struct parcel expect_from(const struct lab_run *r, int from)
{
    struct parcel p = {0};
    MPI_MUST(PMPI_Recv(&p.nbytes, 1, MPI_UINT64_T, from, 0, r->mpi_comm,
                       MPI_STATUS_IGNORE));
    p.data = malloc(p.nbytes);
    if (!p.data)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    MPI_MUST(PMPI_Irecv(p.data, (int)p.nbytes, MPI_BYTE, from, 0, r->mpi_comm,
                        &p.request));
    return p;
}

static void send_off(const struct lab_run *r, char *data, uint64_t nbytes)
{
    MPI_Request sent;
    MPI_MUST(PMPI_Send(&nbytes, 1, MPI_UINT64_T, 0, 0, r->mpi_comm));
    MPI_MUST(PMPI_Isend(data, (int)nbytes, MPI_BYTE, 0, 0, r->mpi_comm, &sent));
    wait_asleep(&sent);
    free(data);
}

/* Gather all ranks' evidence on rank 0, and free the ranks' copies. NULL on
 * other ranks. They send all at once: one that has to wake up for its message
 * delays no other. */
static struct evidence *collect(const struct lab_run *r, char *data,
                                size_t nbytes, uint64_t nonce)
{
    if (r->rank != 0) {
        send_off(r, data, nbytes);
        return NULL;
    }
    struct evidence *const e = evidence_new(r->nranks, nonce);
    struct parcel *const p = calloc((size_t)r->nranks, sizeof *p);
    if (!p)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    for (int from = 1; from < r->nranks; from++)
        p[from] = expect_from(r, from);
    for (int from = 1; from < r->nranks; from++) {
        MPI_MUST(PMPI_Wait(&p[from].request, MPI_STATUS_IGNORE));
        evidence_give(e, from, p[from].data, p[from].nbytes);
    }
    evidence_give(e, 0, data, nbytes);
    free(p);
    return e;
}

/* The seed of a rank in a case. */
static uint64_t seed_of(const struct lab_options *o, const struct plan_case *c,
                        int rank)
{
    return o->has_key
               ? judge_key_seed(o->key, rank)
               : judge_seed(judge_case_seed(o->seed, c->name), (uint64_t)rank);
}

/* Judge a case by rank 0's evidence and graph. */
static void judge(const struct visible *v, int i, const struct evidence *e,
                  const struct graph *g, const char *graph_problem)
{
    char err[256];
    const struct plan_case *const c = &v->results.p->cases[i];
    uint64_t *const seeds = calloc((size_t)v->r->nranks, sizeof *seeds);
    if (!seeds)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    for (int k = 0; k < v->r->nranks; k++)
        seeds[k] = seed_of(v->results.o, c, k);
    struct spans *const spans =
        g && v->topo ? spans_new(g, v->topo, err, sizeof err) : NULL;
    if (g && !spans)
        graph_problem = v->topo ? err : v->no_topo;
    if (spans)
        spans_after(spans, v->past);
    const struct judge_task t = {.c = c,
                                 .plan = v->results.p,
                                 .case_no = (unsigned)i,
                                 .nranks = v->r->nranks,
                                 .iterations = v->results.o->iterations,
                                 .seed = seeds,
                                 .evidence = e,
                                 .graph = spans ? g : NULL,
                                 .spans = spans,
                                 .graph_problem = graph_problem,
                                 .answers = v->answers};
    judge_case(judge_labs[0], &t, &case_of(v, i)->verdict);
    size_t nmore;
    spans_hazard(&t, &nmore); // later cases need what this one wrote
    spans_free(spans);
    free(seeds);
}

/* ---- running ------------------------------------------------------------- */

/* Only this rank has left the case: report for all ranks how it did. A
 * supervisor prints the report and runs the other cases. */
static void lost(void *arg, enum run_status status, const char *text)
{
    struct visible *const v = arg;
    struct progress_case *const c = case_of(v, v->now);
    if (atomic_load(&c->state) != PROGRESS_OPEN)
        return;
    c->verdict = JUDGE_VERDICT_NONE;
    c->verdict.not_implemented = status == RUN_NOT_IMPLEMENTED;
    c->verdict.unfinished = !c->verdict.not_implemented;
    snprintf(c->verdict.message, sizeof c->verdict.message, "rank %d: %s",
             v->r->rank, text);
    atomic_store(&c->state, PROGRESS_JUDGED);
    if (v->results.progress->is_shared)
        return;
    results_row(&v->results, v->now);
    if (!v->results.o->json)
        printf(
            "\nRank %d has left this case (%s).\nOther ranks are waiting for "
            "it, so the run ends here.\n",
            v->r->rank, text);
    results_end(&v->results);
}

/* Run and judge one case. True if another case can follow. */
static int do_case(struct visible *v, struct lab_run *r, int i)
{
    const struct plan_case *const c = &v->results.p->cases[i];
    const uint64_t nonce = v->results.o->seed;
    char *data, err[256] = "";
    size_t nbytes;
    v->now = i;
    if (r->rank == 0)
        atomic_store(&v->results.progress->now, i);
    watch_begin(v->watch, r);
    r->evidence = evidence_memory(&data, &nbytes, nonce);
    if (!r->evidence)
        must_stop(__FILE__, __LINE__, "evidence_memory", strerror(errno));
    const int go_on =
        run_case(r, c, (unsigned)i, seed_of(v->results.o, c, r->rank),
                 v->results.o->iterations, v->results.o->warmup, lost, v);
    struct graph *const g =
        go_on ? watch_end(v->watch, r, err, sizeof err) : NULL;
    if (evidence_finish(r->evidence) != 0)
        must_stop(__FILE__, __LINE__, "evidence_finish", strerror(errno));
    struct evidence *const e = collect(r, data, nbytes, nonce);
    if (e)
        judge(v, i, e, g, err[0] ? err : NULL);
    evidence_free(e);
    graph_free(g);
    MPI_Request told;
    struct judge_verdict verdict = case_of(v, i)->verdict;
    MPI_MUST(
        PMPI_Ibcast(&verdict, sizeof verdict, MPI_BYTE, 0, r->mpi_comm, &told));
    wait_asleep(&told);
    if (!v->results.progress->is_shared)
        case_of(v, i)->verdict = verdict;
    uint32_t open = PROGRESS_OPEN;
    atomic_compare_exchange_strong(&case_of(v, i)->state, &open,
                                   PROGRESS_JUDGED);
    if (r->rank == 0)
        atomic_store(&v->results.progress->now, -1);
    return go_on;
}

enum visible_end visible_run(struct lab_run *r, const struct lab_options *o,
                             const struct plan *p)
{
    struct visible v = {
        .r = r,
        .results = {.o = o,
                    .p = p,
                    .progress = progress_open(p->ncases),
                    .machine = watch_machine(),
                    .place = judge_place_of(watch_machine(), r->nranks),
                    .nranks = r->nranks,
                    .device = r->device}};
    double points, most;
    char path[2 * PATH_MAX];
    int go_on = 1, nrun = 0;
    v.watch = watch_new(r);
    v.past = hazard_past_new();
    if (!v.past)
        must_stop(__FILE__, __LINE__, "hazard_past_new", "out of memory");
    if (v.results.machine)
        lab_leave_times_to_judge();
    if (r->rank == 0 && v.results.machine)
        v.topo = topo_load(v.results.machine, v.no_topo, sizeof v.no_topo);
    kit_answers(path, sizeof path);
    v.answers = answers_load(path);
    if (r->rank == 0)
        results_head(&v.results);
    for (int i = 0; i < p->ncases && go_on; i++) {
        if (results_place(&v.results, i) != RESULTS_HERE)
            continue;
        nrun++;
        if (atomic_load(&case_of(&v, i)->state) != PROGRESS_OPEN)
            continue; // an earlier run has judged it
        go_on = do_case(&v, r, i);
        if (r->rank == 0)
            results_row(&v.results, i);
    }
    if (r->rank == 0 && (go_on || !v.results.progress->is_shared))
        results_end(&v.results);
    results_points(&v.results, &points, &most);
    progress_free(v.results.progress);
    watch_free(v.watch);
    hazard_past_free(v.past);
    topo_free(v.topo);
    free(v.answers);
    return nrun > 0 && points >= most ? VISIBLE_FULL
           : go_on                    ? VISIBLE_PARTIAL
                                      : VISIBLE_STUCK;
}
