#define _GNU_SOURCE
#include "lab/visible.h"

#include <errno.h>   /* program_invocation_name */
#include <jansson.h> /* json_dump_file */
#include <limits.h>  /* PATH_MAX */
#include <stdio.h>   /* printf */
#include <stdlib.h>  /* calloc, getenv */
#include <string.h>  /* strcmp */
#include <unistd.h>  /* usleep */

#include "base/must.h"
#include "judge/answers.h"
#include "judge/points.h"
#include "judge/report.h"
#include "judge/spans.h"
#include "judge/table.h"
#include "lab/kit.h"
#include "lab/watch.h"

/*
 * Every rank has all verdicts, so that any of them can report if the others are
 * lost.
 */
struct visible {
    const struct lab_run *r;
    const struct options *o;
    const struct plan *p;
    struct judge_verdict *verdict; /* of each case of the plan */
    int ndone;                     /* cases done so far */
    int now;                       /* the current case */
    const char *machine;           /* modelled machine; NULL: real GPUs */
    struct watch *watch;           /* on rank 0, if there is a graph */
    char *answers;                 /* text of answers.txt, or NULL */
};

enum place { NOWHERE, HERE, ELSEWHERE };

/* True if case i is requested and this job can run it. */
static enum place place_of(const struct visible *v, int i)
{
    const struct plan_case *const c = &v->p->cases[i];
    if (!options_want(v->o, c->name))
        return NOWHERE;
    if (v->o->times && (!c->timed || c->hidden != v->o->hidden))
        return NOWHERE;
    return plan_fits(c, v->r->nranks, v->machine) ? HERE : ELSEWHERE;
}

/* The command that runs one case (again), with ranks and a machine that fit. */
static void rerun_of(const struct visible *v, int i, char *out, size_t nbytes)
{
    const struct plan_case *const c = &v->p->cases[i];
    const int here = place_of(v, i) == HERE;
    const char *const topo = here ? getenv("SIMGPU_TOPO") : c->topo;
    snprintf(out, nbytes, "%s%s%smpirun -n %d %s --case %s --seed %llu",
             topo ? "SIMGPU_TOPO=" : "", topo ? topo : "", topo ? " " : "",
             here ? v->r->nranks : c->ranks[0], program_invocation_name,
             c->name, (unsigned long long)v->o->seed);
}

/* ---- printing ------------------------------------------------------------ */

static void print_row(const struct visible *v, int i)
{
    char rerun[512];
    rerun_of(v, i, rerun, sizeof rerun);
    if (v->o->times && v->verdict[i].pass)
        printf("  - {case: %s, ranks: %d, us: %.6f}\n", v->p->cases[i].name,
               v->r->nranks, v->verdict[i].time_us);
    else if (v->o->times)
        fprintf(stderr, "%s: %s\n", v->p->cases[i].name, v->verdict[i].message);
    else if (!v->o->json)
        table_row(stdout, &v->p->cases[i], &v->verdict[i], rerun);
    fflush(stdout);
}

static void sum_points(const struct visible *v, double *points, double *most)
{
    *points = *most = 0;
    for (int i = 0; i < v->p->ncases; i++) {
        if (place_of(v, i) != HERE)
            continue;
        *most += v->p->cases[i].points;
        if (i < v->ndone)
            *points += points_earned(&v->p->cases[i], &v->verdict[i]);
    }
}

/* List the cases that need other ranks or another machine. */
static void print_elsewhere(const struct visible *v)
{
    char rerun[512];
    const char *before = "\nNot run, because they need other ranks or another "
                         "machine:\n";
    for (int i = 0; i < v->p->ncases; i++) {
        if (place_of(v, i) != ELSEWHERE)
            continue;
        rerun_of(v, i, rerun, sizeof rerun);
        printf("%s    %s\n", before, rerun);
        before = "";
    }
}

/* List the cases that were not run because the run had to end. */
static void print_rest(const struct visible *v)
{
    const char *before = "\nThe run ended there; not run: ";
    for (int i = v->ndone; i < v->p->ncases; i++) {
        if (place_of(v, i) != HERE)
            continue;
        printf("%s%s", before, v->p->cases[i].name);
        before = ", ";
    }
    if (before[0] == ',')
        printf("\nRun others with --case NAME[,NAME...].\n");
}

static json_t *json_of(const struct visible *v)
{
    double points, most;
    char seed[32], rerun[512];
    struct cudaDeviceProp device;
    json_t *const tests = json_array(), *const elsewhere = json_array();
    json_t *const j = json_object();
    sum_points(v, &points, &most);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)v->o->seed);
    if (cudaGetDeviceProperties(&device, v->r->device) != cudaSuccess)
        device.name[0] = 0;
    for (int i = 0; i < v->ndone; i++) {
        const struct plan_case *const c = &v->p->cases[i];
        const struct judge_verdict *const verdict = &v->verdict[i];
        if (place_of(v, i) != HERE)
            continue;
        rerun_of(v, i, rerun, sizeof rerun);
        json_array_append_new(
            tests, report_case(c, verdict, points_outcome(verdict),
                               points_earned(c, verdict), v->r->nranks, rerun));
    }
    for (int i = 0; i < v->p->ncases; i++) {
        if (place_of(v, i) != ELSEWHERE)
            continue;
        rerun_of(v, i, rerun, sizeof rerun);
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

/* Print the total, or everything as JSON. */
static void print_end(const struct visible *v)
{
    double points, most;
    if (v->o->times)
        return;
    sum_points(v, &points, &most);
    if (!v->o->json) {
        print_rest(v);
        print_elsewhere(v);
        table_total(stdout, points, most);
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

/* ---- judging ------------------------------------------------------------- */

/*
 * Wait for rank 0 without spinning: MPI's own waits spin, and if ranks
 * outnumber cores, that takes CPU time from the rank that judges. PMPI, because
 * the number of polls must not be recorded.
 */
static void wait_asleep(MPI_Request *request)
{
    for (int done = 0; !done; usleep(done ? 0 : 500))
        MPI_MUST(PMPI_Test(request, &done, MPI_STATUS_IGNORE));
}

/* Gather all ranks' evidence on rank 0, and free each rank's. NULL on
 * others. */
static struct evidence *collect(const struct lab_run *r, char *data,
                                size_t nbytes, uint64_t nonce)
{
    struct evidence *const e =
        r->rank == 0 ? evidence_new(r->nranks, nonce) : NULL;
    for (int from = 1; from < r->nranks; from++) {
        uint64_t n = nbytes;
        if (r->rank == from) {
            MPI_MUST(PMPI_Send(&n, 1, MPI_UINT64_T, 0, 0, r->mpi_comm));
            MPI_Request sent;
            MPI_MUST(
                PMPI_Isend(data, (int)n, MPI_BYTE, 0, 0, r->mpi_comm, &sent));
            wait_asleep(&sent);
        } else if (r->rank == 0) {
            MPI_MUST(PMPI_Recv(&n, 1, MPI_UINT64_T, from, 0, r->mpi_comm,
                               MPI_STATUS_IGNORE));
            char *const copy = malloc(n);
            if (!copy)
                must_stop(__FILE__, __LINE__, "malloc", "out of memory");
            MPI_MUST(PMPI_Recv(copy, (int)n, MPI_BYTE, from, 0, r->mpi_comm,
                               MPI_STATUS_IGNORE));
            evidence_give(e, from, copy, n);
        }
    }
    if (r->rank == 0)
        evidence_give(e, 0, data, nbytes);
    else
        free(data);
    return e;
}

/* The verdict on a case, from rank 0's evidence and graph. */
static void judge(const struct visible *v, int i, const struct evidence *e,
                  const struct graph *g, const char *graph_problem)
{
    char err[256];
    const struct plan_case *const c = &v->p->cases[i];
    const uint64_t seed = judge_case_seed(v->o->seed, c->name);
    uint64_t *const seeds = calloc((size_t)v->r->nranks, sizeof *seeds);
    if (!seeds)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    for (int k = 0; k < v->r->nranks; k++)
        seeds[k] = judge_seed(seed, (uint64_t)k);
    struct spans *const spans =
        g ? spans_new(g, v->machine, err, sizeof err) : NULL;
    if (g && !spans)
        graph_problem = err;
    const struct judge_task t = {.c = c,
                                 .case_no = (unsigned)i,
                                 .nranks = v->r->nranks,
                                 .iterations = v->o->iterations,
                                 .seed = seeds,
                                 .evidence = e,
                                 .graph = spans ? g : NULL,
                                 .spans = spans,
                                 .graph_problem = graph_problem,
                                 .answers = v->answers};
    judge_case(judge_labs[0], &t, &v->verdict[i]);
    spans_free(spans);
    free(seeds);
}

/* ---- running ------------------------------------------------------------- */

/* Only this rank has left the case: report how, for all. */
static void lost(void *arg, enum run_status status, const char *text)
{
    struct visible *const v = arg;
    struct judge_verdict *const verdict = &v->verdict[v->now];
    *verdict = JUDGE_VERDICT_NONE;
    verdict->not_implemented = status == RUN_NOT_IMPLEMENTED;
    snprintf(verdict->message, sizeof verdict->message, "rank %d: %s",
             v->r->rank, text);
    v->ndone = v->now + 1;
    print_row(v, v->now);
    if (!v->o->json)
        printf(
            "\nRank %d has left this case (%s).\nOther ranks are waiting for "
            "it, so the run ends here.\n",
            v->r->rank, text);
    print_end(v);
}

/* Run and judge one case. True if another can follow. */
static int do_case(struct visible *v, struct lab_run *r, int i)
{
    const struct plan_case *const c = &v->p->cases[i];
    const uint64_t nonce = v->o->seed;
    const uint64_t seed = judge_case_seed(v->o->seed, c->name);
    char *data, err[256] = "";
    size_t nbytes;
    v->now = i;
    watch_begin(v->watch, r);
    r->evidence = evidence_memory(&data, &nbytes, nonce);
    if (!r->evidence)
        must_stop(__FILE__, __LINE__, "evidence_memory", strerror(errno));
    const int go_on =
        run_case(r, c, (unsigned)i, judge_seed(seed, (uint64_t)r->rank),
                 v->o->iterations, v->o->warmup, lost, v);
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
    MPI_MUST(PMPI_Ibcast(&v->verdict[i], sizeof v->verdict[i], MPI_BYTE, 0,
                         r->mpi_comm, &told));
    wait_asleep(&told);
    return go_on;
}

enum visible_end visible_run(struct lab_run *r, const struct options *o,
                             const struct plan *p)
{
    struct visible v = {.r = r, .o = o, .p = p, .machine = watch_machine()};
    double points, most;
    char title[256], path[2 * PATH_MAX];
    int go_on = 1, nrun = 0;
    v.verdict = calloc((size_t)p->ncases, sizeof *v.verdict);
    if (!v.verdict)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    v.watch = watch_new(r);
    kit_answers(path, sizeof path);
    v.answers = answers_load(path);
    snprintf(title, sizeof title, "%s (%s), %d rank%s%s%.100s, seed %llu",
             p->title, lab.name, r->nranks, r->nranks == 1 ? "" : "s",
             v.machine ? " on " : "", v.machine ? v.machine : "",
             (unsigned long long)o->seed);
    if (r->rank == 0 && !o->json && !o->times)
        table_head(stdout, title);
    for (; v.ndone < p->ncases && go_on; v.ndone++) {
        if (place_of(&v, v.ndone) != HERE)
            continue;
        nrun++;
        go_on = do_case(&v, r, v.ndone);
        if (r->rank == 0)
            print_row(&v, v.ndone);
    }
    if (r->rank == 0)
        print_end(&v);
    sum_points(&v, &points, &most);
    free(v.verdict);
    watch_free(v.watch);
    free(v.answers);
    return nrun > 0 && points >= most ? VISIBLE_FULL
           : go_on                    ? VISIBLE_PARTIAL
                                      : VISIBLE_STUCK;
}
