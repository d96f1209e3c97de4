/*
 * run.c: running a submission's cases, and judging them
 *
 * For each rank count and machine, one mpirun runs all cases that ask for it. A
 * case that ends the run (a crash, a hang) has left its status unwritten; it alone
 * pays. The cases behind it are run again without it, and so are the timed ones
 * before it: a rank saves its execution graph when it ends well, not before.
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <inttypes.h> /* PRIx64 */
#include <jansson.h>  /* json_object */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* malloc */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* unlink */

#include "grade.h"
#include "graph/timeline.h"
#include "groups.h"
#include "judge/answers.h"
#include "judge/points.h"
#include "judge/spans.h"
#include "sandbox.h"
#include "topo/topo.h"

enum {
    ITERATIONS = 2,
    START_SEC = 20, /* of a run, on a busy machine; and of each case: */
    CASE_SEC = 20,
    MAX_CASES = 1024,
    MAX_RANKS = 64,
    EVIDENCE_CAP = 1 << 30, /* bytes that a rank may show */
    GRAPH_CAP = 1 << 30,    /* and of its execution graph */
};
static const long long SHOWN_CAP = 4LL << 30; /* all ranks together */

struct batch { /* cases that run together */
    int nranks;
    const char *topo; /* the machine that they are modelled on */
    int case_no[MAX_CASES];
    int n;
    uint64_t nonce;
    int number; /* of this run: names its folder */
};

/* The seed of one rank in one case: secret, unless it was asked for. */
static uint64_t seed_of(const struct grade *g, int case_no, int rank)
{
    return judge_seed(judge_case_seed(g->seed, g->plan->cases[case_no].name),
                      (uint64_t)rank);
}

static json_t *hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

static json_t *job_case(const struct grade *g, int case_no, int rank)
{
    const struct plan_case *const c = &g->plan->cases[case_no];
    json_t *const with = json_object();
    for (int i = 0; i < c->nwith; i++)
        json_object_set_new(with, c->with[i].key,
                            json_string(c->with[i].value));
    json_t *const j = json_object();
    json_object_set_new(j, "no", json_integer(case_no));
    json_object_set_new(j, "name", json_string(c->name));
    json_object_set_new(j, "kind", json_string(c->kind));
    json_object_set_new(j, "with", with);
    json_object_set_new(j, "iterations", json_integer(ITERATIONS));
    json_object_set_new(j, "warmup", json_integer(0));
    json_object_set_new(j, "seed", hex(seed_of(g, case_no, rank)));
    return j;
}

/* Write rank's job file and make its evidence file, in the folder dir that the
 * rank sees as `seen`. */
static int write_job(struct grade *g, const struct batch *b, const char *dir,
                     const char *seen, int rank)
{
    char path[PATH_MAX + 64], evidence[PATH_MAX + 64];
    snprintf(evidence, sizeof evidence, "%s/evidence-%d", seen, rank);
    json_t *const cases = json_array(), *const job = json_object();
    for (int i = 0; i < b->n; i++)
        json_array_append_new(cases, job_case(g, b->case_no[i], rank));
    json_object_set_new(job, "nonce", hex(b->nonce));
    json_object_set_new(job, "evidence", json_string(evidence));
    json_object_set_new(job, "cases", cases);
    snprintf(path, sizeof path, "%s/evidence-%d", dir, rank);
    FILE *const file = fopen(path, "wxe");
    int err = file ? fclose(file) : -1;
    snprintf(path, sizeof path, "%s/rank-%d.job", dir, rank);
    if (err == 0)
        err = json_dump_file(job, path, 0);
    json_decref(job);
    return err == 0 ? 0
                    : grade_stop(g, OUTCOME_INFRA, "cannot write %s: %s", path,
                                 strerror(errno));
}

static int run_batch(struct grade *g, const struct batch *b, const char *dir,
                     struct sandbox_end *end)
{
    char out[PATH_MAX + 16], program[PATH_MAX + 32], n[16];
    char me[TOPO_ME];
    snprintf(out, sizeof out, "%s/out", g->work);
    snprintf(n, sizeof n, "%d", b->nranks);
    struct sandbox s = {
        .level = g->isolation,
        .tmp = g->tmp,
        .bind = {{out, "/out", 0}, {g->simgpu, "/simgpu", 0}, {dir, "/job", 1}},
        .nbinds = 3,
        .env = {{"SIMGPU_TOPO", b->topo},
                // who forgot to wait fails every time, not when unlucky
                {"SIMGPU_SCHEDULE", g->schedule ? g->schedule : "late"},
                // a rank that waits its turn on a busy machine does not hang
                {"SIMGPU_HANG_SEC", "10"}},
        .limit_sec = START_SEC + CASE_SEC * b->n,
        .watch = dir,
        .idle_sec = CASE_SEC,
        .most_bytes = SHOWN_CAP,
    };
    const char *const job = sandbox_path(&s, "/job");
    s.env[3][0] = "COMMLAB_JOB", s.env[3][1] = job;
    s.env[4][0] = "SIMGPU_GRAPH", s.env[4][1] = job;
    s.env[5][0] = "COMMLAB_STUDENT", s.env[5][1] = topo_me(me);
    if (mkdir(dir, 0700) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %s", dir,
                          strerror(errno));
    for (int r = 0; r < b->nranks; r++)
        if (write_job(g, b, dir, job, r) != 0)
            return -1;
    snprintf(program, sizeof program, "%s/program", sandbox_path(&s, "/out"));
    const char *const argv[] = {"mpirun", "-n", n, program, NULL};
    sandbox_run(&s, argv, end);
    return grade_ran(g, "run", end);
}

/*
 * What simgpu said of the end, without the number of the rank that said it: which
 * of several comes first is chance, and a grade has to read the same twice.
 */
static const char *simgpu_words(const char *log)
{
    const char *said = strstr(log, "simgpu: ");
    if (!said)
        return NULL;
    said += strlen("simgpu: ");
    if (strncmp(said, "rank ", 5) == 0) {
        const char *const rest = said + 5 + strspn(said + 5, "0123456789");
        said = strncmp(rest, ": ", 2) == 0 ? rest + 2 : said;
    }
    return said;
}

/* How a run that did not get to its end ended, for the message. */
static void last_words(const struct sandbox_end *end, char *out, size_t nbytes)
{
    const char *const said = simgpu_words(end->log.head);
    out[0] = 0;
    if (end->timed_out)
        snprintf(out, nbytes,
                 "the run hangs: stopped after %d s without "
                 "progress",
                 CASE_SEC);
    else if (end->out_of_memory)
        snprintf(out, nbytes, "the run took more than %d MiB of memory",
                 GROUPS_MEMORY_MIB);
    else if (end->flooded)
        snprintf(out, nbytes, "the run wrote more than %lld bytes", SHOWN_CAP);
    else if (said)
        snprintf(out, nbytes, "%.*s", (int)strcspn(said, "\n"), said);
    else
        snprintf(out, nbytes, "the run ended early, with status %d%s",
                 end->status,
                 end->log.dropped ? ", after a flood of output" : "");
}

static int finished(const struct evidence *e, int nranks, int case_no)
{
    for (int r = 0; r < nranks; r++)
        if (evidence_status(e, r, (unsigned)case_no) == RUN_MISSING)
            return 0;
    return 1;
}

/* A rank that reached a hole has said so, even if the others wait for it. */
static int has_hole(const struct evidence *e, int nranks, int case_no)
{
    for (int r = 0; r < nranks; r++)
        if (evidence_status(e, r, (unsigned)case_no) == RUN_NOT_IMPLEMENTED)
            return 1;
    return 0;
}

static int began(const struct evidence *e, int nranks, int case_no)
{
    for (int r = 0; r < nranks; r++)
        if (evidence_began(e, r, (unsigned)case_no))
            return 1;
    return 0;
}

/* Keep a case's verdict: over its rank counts the first of the lowest score. */
static void keep(struct grade *g, int case_no, int nranks,
                 const struct judge_verdict *v)
{
    struct result *const r = &g->result[case_no];
    if (r->judged && (r->verdict.suspected ||
                      (!v->suspected && r->verdict.score <= v->score)))
        return;
    r->judged = 1;
    r->verdict = *v;
    r->ranks = nranks;
}

/* ---- judging ---------------------------------------------------------------- */

struct shown { /* by a run that is over */
    struct evidence *evidence;
    struct graph *graph; /* NULL: problem says why */
    struct spans *spans;
    char problem[512];
    char *answers; /* text of answers.txt, or NULL */
};

/* Is every rank's graph a file, and not too large a one? What lies there was
 * written next to the student's code. */
static int graphs_are_files(const struct batch *b, const char *dir)
{
    for (int r = 0; r < b->nranks; r++) {
        char path[PATH_MAX + 64];
        struct stat st;
        snprintf(path, sizeof path, "%s/rank-%d.graph", dir, r);
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
            st.st_size > GRAPH_CAP)
            return 0;
    }
    return 1;
}

static void load_shown(struct shown *s, const struct grade *g,
                       const struct batch *b, const char *dir)
{
    char path[PATH_MAX + 32], format[PATH_MAX + 64],
        err[384] = "the run did not end well";
    snprintf(format, sizeof format, "%s/evidence-%%d", dir);
    *s = (struct shown){
        .evidence = evidence_load(format, b->nranks, b->nonce, EVIDENCE_CAP)};
    if (snprintf(path, sizeof path, "%s/src/answers.txt", g->work) <
        (int)sizeof path)
        s->answers = answers_load(path);
    if (graphs_are_files(b, dir))
        s->graph = graph_load(dir, err, sizeof err);
    if (s->graph && s->graph->nranks != (uint32_t)b->nranks)
        snprintf(err, sizeof err, "it is of %u ranks", s->graph->nranks);
    else if (s->graph)
        s->spans = spans_new(s->graph, b->topo, err, sizeof err);
    if (!s->spans)
        snprintf(s->problem, sizeof s->problem,
                 "there is no execution graph to replay: %s", err);
}

static void shown_release(struct shown *s)
{
    spans_free(s->spans);
    graph_free(s->graph);
    evidence_free(s->evidence);
    free(s->answers);
}

/* A picture of the run for the student's page: of those that the submission
 * makes, the smallest, since one of dozens of cases shows nothing. */
static void keep_timeline(struct grade *g, const struct batch *b,
                          const struct shown *s)
{
    enum { MOST = 512 << 10 };
    char title[512], *svg = NULL;
    size_t nbytes = 0;
    int visible = 0;
    int n =
        snprintf(title, sizeof title, "%d ranks on %s:", b->nranks, b->topo);
    for (int i = 0; i < b->n && n < 200; i++) {
        const struct plan_case *const c = &g->plan->cases[b->case_no[i]];
        if (!c->hidden)
            n += snprintf(title + n, sizeof title - (size_t)n, " %.100s",
                          c->name);
        visible += !c->hidden;
    }
    if (!visible)
        return;
    const struct timeline t = {.graph = s->graph,
                               .time = spans_times(s->spans),
                               .topo = spans_topo(s->spans),
                               .title = title};
    FILE *const f = open_memstream(&svg, &nbytes);
    const int err = timeline_svg(f, &t);
    if (fclose(f) != 0 || err || nbytes > MOST ||
        (g->svg && strlen(g->svg) <= nbytes)) {
        free(svg);
        return;
    }
    free(g->svg);
    g->svg = svg;
}

/* Judge case i of the batch. Has it ended the run? */
static int judge_one(struct grade *g, const struct batch *b, int i,
                     const struct shown *s, const struct sandbox_end *end)
{
    const int case_no = b->case_no[i];
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    const int ended = !finished(s->evidence, b->nranks, case_no);
    uint64_t seed[MAX_RANKS];
    for (int r = 0; r < b->nranks; r++)
        seed[r] = seed_of(g, case_no, r);
    const struct judge_task t = {.c = &g->plan->cases[case_no],
                                 .case_no = (unsigned)case_no,
                                 .nranks = b->nranks,
                                 .iterations = ITERATIONS,
                                 .seed = seed,
                                 .evidence = s->evidence,
                                 .graph = s->spans ? s->graph : NULL,
                                 .spans = s->spans,
                                 .graph_problem = s->spans ? NULL : s->problem,
                                 .answers = s->answers};
    if (ended && !has_hole(s->evidence, b->nranks, case_no))
        last_words(end, v.message, sizeof v.message);
    else
        judge_case(g->judge, &t, &v);
    keep(g, case_no, b->nranks, &v);
    return ended;
}

/*
 * Judge what the batch has shown, and leave in it the cases that have to be run
 * again: those behind the one that ended the run, and timed ones before it, whose
 * graph is lost. A run may also end between two cases, since no other can follow
 * the first.
 */
static void judge_batch(struct grade *g, struct batch *b, const char *dir,
                        const struct sandbox_end *end)
{
    struct shown s;
    load_shown(&s, g, b, dir);
    int last = 0; // the case that ended the run, or the batch's last
    while (last < b->n - 1 &&
           finished(s.evidence, b->nranks, b->case_no[last]) &&
           began(s.evidence, b->nranks, b->case_no[last + 1]))
        last++;
    const int early =
        last < b->n - 1 || !finished(s.evidence, b->nranks, b->case_no[last]);
    if (g->timeline && s.spans)
        keep_timeline(g, b, &s);
    int left = 0;
    for (int i = 0; i < b->n; i++) {
        const int case_no = b->case_no[i];
        const int timed = g->plan->cases[case_no].timed;
        if (i > last || (i < last && early && timed && !s.spans))
            b->case_no[left++] = case_no;
        else
            judge_one(g, b, i, &s, end);
    }
    b->n = left;
    shown_release(&s);
}

/* ---- which cases run together ------------------------------------------------- */

static int is_listed(const char *list, const char *name)
{
    char listed[GRADE_NAME];
    while (grade_next_name(&list, listed))
        if (strcmp(listed, name) == 0)
            return 1;
    return 0;
}

static int wanted(const struct grade *g, const struct plan_case *c, int nranks,
                  const char *topo)
{
    if (g->only_case && !is_listed(g->only_case, c->name))
        return 0;
    if (strcmp(c->topo, topo) != 0)
        return 0;
    for (int i = 0; i < c->nranks; i++)
        if (c->ranks[i] == nranks)
            return 1;
    return 0;
}

/* All cases that ask for nranks ranks on this machine. */
static int run_ranks(struct grade *g, int nranks, const char *topo, int *number)
{
    static struct sandbox_end end;
    static struct batch b;
    b.nranks = nranks;
    b.topo = topo;
    b.n = 0;
    for (int i = 0; i < g->plan->ncases && b.n < MAX_CASES; i++)
        if (wanted(g, &g->plan->cases[i], nranks, topo))
            b.case_no[b.n++] = i;
    while (b.n > 0) {
        char dir[PATH_MAX + 32];
        snprintf(dir, sizeof dir, "%s/run-%d", g->work, (*number)++);
        b.nonce = judge_seed(g->seed, (uint64_t)*number);
        if (run_batch(g, &b, dir, &end) != 0)
            return -1;
        judge_batch(g, &b, dir, &end);
    }
    return 0;
}

/* Is case i the first of the plan that names its machine? */
static int names_machine(const struct plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(p->cases[k].topo, p->cases[i].topo) == 0)
            return 0;
    return 1;
}

static void total(struct grade *g)
{
    g->outcome = OUTCOME_PASS;
    for (int i = 0; i < g->plan->ncases; i++) {
        struct result *const r = &g->result[i];
        if (!r->judged)
            continue;
        r->outcome = r->verdict.pass        ? OUTCOME_PASS
                     : r->verdict.suspected ? OUTCOME_SUSPECTED
                                            : OUTCOME_FAIL;
        r->score = points_earned(&g->plan->cases[i], &r->verdict);
        g->score += r->score;
        g->max_score += g->plan->cases[i].points;
        if (r->outcome == OUTCOME_SUSPECTED ||
            (r->outcome == OUTCOME_FAIL && g->outcome == OUTCOME_PASS))
            g->outcome = r->outcome;
    }
}

int grade_run(struct grade *g)
{
    int number = 0;
    for (int i = 0; i < g->plan->ncases; i++) {
        const char *const topo = g->plan->cases[i].topo;
        for (int n = 1; n <= MAX_RANKS && names_machine(g->plan, i); n++)
            if (run_ranks(g, n, topo, &number) != 0)
                return -1;
    }
    total(g);
    return 0;
}
