/*
 * run.c: one run of a program, in the sandbox
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <inttypes.h> /* PRIx64 */
#include <jansson.h>  /* json_object */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strerror */
#include <sys/stat.h> /* mkdir */

#include "groups.h"
#include "run.h"
#include "topo/topo.h"

enum {
    START_SEC = 20,         /* of a run, on a busy machine; and of each case: */
    GPU_MEMORY_MIB = 65536, /* a CUDA context for each rank, pinned buffers */
};
static const long long SHOWN_CAP = 4LL << 30; /* all ranks together */

/* The seed of one rank in one case: secret, unless it was asked for. */
uint64_t run_seed(const struct grade *g, const struct batch *b, int case_no,
                  int rank)
{
    const uint64_t seed =
        judge_case_seed(g->seed, g->plan->cases[case_no].name);
    return judge_seed(b->round ? judge_seed(seed, (uint64_t)b->round << 32)
                               : seed,
                      (uint64_t)rank);
}

static json_t *hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

static json_t *job_case(const struct grade *g, const struct batch *b,
                        int case_no, int rank)
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
    json_object_set_new(j, "iterations", json_integer(b->iterations));
    json_object_set_new(j, "warmup", json_integer(b->warmup));
    json_object_set_new(j, "seed", hex(run_seed(g, b, case_no, rank)));
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
        json_array_append_new(cases, job_case(g, b, b->case_no[i], rank));
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

/* By name, or a file, which has to be seen inside. NULL: simgpu's own choice. */
static void set_topology(struct sandbox *s, const char *topo)
{
    static const char seen[] = "/topology.xml";
    static char path[PATH_MAX];
    if (!topo)
        return;
    if (!strchr(topo, '/') || !realpath(topo, path)) {
        sandbox_env(s, "SIMGPU_TOPO", topo);
        return;
    }
    s->bind[s->nbinds].from = path;
    s->bind[s->nbinds++].to = seen;
    sandbox_env(s, "SIMGPU_TOPO", sandbox_path(s, seen));
}

/* What simgpu is told. A machine that is measured is what it is. */
static void set_simgpu(struct sandbox *s, const struct grade *g,
                       const struct batch *b, const char *job)
{
    if (machine_is_real(&g->machine))
        return;
    set_topology(s, b->topo ? b->topo : getenv("SIMGPU_TOPO"));
    // who forgot to wait fails every time, not when unlucky
    sandbox_env(s, "SIMGPU_SCHEDULE", g->schedule ? g->schedule : "late");
    // a rank that waits its turn on a busy machine does not hang
    sandbox_env(s, "SIMGPU_HANG_SEC", "10");
    if (!g->machine.measured)
        sandbox_env(s, "SIMGPU_GRAPH", job);
}

static int memory_mib(const struct grade *g)
{
    return g->machine.measured ? GPU_MEMORY_MIB : GROUPS_MEMORY_MIB;
}

/* Where the program is, and what it is called: the submission's, or the
 * reference's. */
static void find_program(const struct grade *g, const struct batch *b,
                         char folder[PATH_MAX + 16], char name[64])
{
    if (b->of_reference) {
        snprintf(folder, PATH_MAX + 16, "%s/solutions", g->build);
        snprintf(name, 64, "%.*s", (int)strcspn(g->lab, "-"), g->lab);
    } else {
        snprintf(folder, PATH_MAX + 16, "%s/out", g->work);
        snprintf(name, 64, "program");
    }
}

int run_batch(struct grade *g, struct batch *b, char dir[RUN_FOLDER],
              struct sandbox_end *end)
{
    static uint64_t number; // of this run
    char out[PATH_MAX + 16], program[PATH_MAX + 128], name[64], n[16];
    char me[TOPO_ME];
    snprintf(dir, RUN_FOLDER, "%s/run-%" PRIu64, g->work, number++);
    b->nonce = judge_seed(g->seed, number);
    find_program(g, b, out, name);
    snprintf(n, sizeof n, "%d", b->nranks);
    struct sandbox s = {
        .level = g->isolation,
        .tmp = g->tmp,
        .bind = {{out, "/out", 0},
                 {g->machine.home, g->machine.seen, 0},
                 {dir, "/job", 1}},
        .nbinds = 3,
        .limit_sec = START_SEC + RUN_CASE_SEC * b->n,
        .watch = dir,
        .idle_sec = RUN_CASE_SEC,
        .most_bytes = SHOWN_CAP,
        .memory_mib = memory_mib(g),
    };
    const char *const job = sandbox_path(&s, "/job");
    sandbox_env(&s, "COMMLAB_JOB", job);
    sandbox_env(&s, "COMMLAB_STUDENT", topo_me(me));
    set_simgpu(&s, g, b, job);
    if (mkdir(dir, 0700) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %s", dir,
                          strerror(errno));
    for (int r = 0; r < b->nranks; r++)
        if (write_job(g, b, dir, job, r) != 0)
            return -1;
    snprintf(program, sizeof program, "%s/%s", sandbox_path(&s, "/out"), name);
    const char *const argv[] = {"mpirun", "-n", n, program, NULL};
    sandbox_run(&s, argv, end);
    return grade_ran(g, b->of_reference ? "run the reference" : "run", end);
}

/*
 * What simgpu said of the end, or NULL. Which of several ranks says it first is
 * chance, as are addresses, and a grade has to read the same twice: so without
 * "rank 1: ", " on device 1", " of rank 1", " at 0x7f...".
 */
static const char *simgpu_words(const char *log, char *out, size_t nbytes)
{
    static const char *const chance[] = {" on device ", " of rank ", " at 0x"};
    const char *said = strstr(log, "simgpu: ");
    size_t n = 0;
    if (!said)
        return NULL;
    said += strlen("simgpu: ");
    if (strncmp(said, "rank ", 5) == 0) {
        const char *const rest = said + 5 + strspn(said + 5, "0123456789");
        said = strncmp(rest, ": ", 2) == 0 ? rest + 2 : said;
    }
    while (*said && *said != '\n' && n < nbytes - 1) {
        for (size_t i = 0; i < sizeof chance / sizeof *chance; i++)
            if (strncmp(said, chance[i], strlen(chance[i])) == 0)
                said += strlen(chance[i]) +
                        strspn(said + strlen(chance[i]), "0123456789abcdef");
        out[n++] = *said;
        said += *said != 0;
    }
    out[n] = 0;
    return out;
}

/* How a run that did not get to its end ended, for the message. */
void run_last_words(const struct grade *g, const struct sandbox_end *end,
                    char *out, size_t nbytes)
{
    out[0] = 0;
    if (end->timed_out)
        snprintf(out, nbytes,
                 "the run hangs: stopped after %d s without progress",
                 RUN_CASE_SEC);
    else if (end->out_of_memory)
        snprintf(out, nbytes, "the run took more than %d MiB of memory",
                 memory_mib(g));
    else if (end->flooded)
        snprintf(out, nbytes, "the run wrote more than %lld bytes", SHOWN_CAP);
    else if (!simgpu_words(end->log.head, out, nbytes))
        snprintf(out, nbytes, "the run ended early, with status %d%s",
                 end->status,
                 end->log.dropped ? ", after a flood of output" : "");
}
