/*
 * run.c: one run of a program, in the sandbox
 */
#define _GNU_SOURCE
#include "grader/run/run.h"

#include <errno.h>    /* errno */
#include <inttypes.h> /* PRIx64 */
#include <jansson.h>  /* json_object */
#include <sodium.h>   /* crypto_generichash */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strerror */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* rmdir */

#include "grader/run/last_call.h"
#include "grader/run/wardens.h"
#include "grader/sandbox/groups.h"
#include "judge/chain.h"
#include "judge/words.h"
#include "topo/topo.h"

enum {
    START_SEC = 20,         /* to start a run on a busy machine; also added for
                               each case */
    GPU_MEMORY_MIB = 65536, /* CUDA contexts of all ranks, pinned buffers */
};
static const long long SHOWN_CAP = 4LL << 30; /* all ranks together */

/*
 * The secret number (round, rank) that belongs to a name in a grading. It is a
 * keyed hash, so what a rank is given allows no conclusion about the grading's
 * seed, nor about what another rank, case or run is given.
 */
static uint64_t secret(const struct request *q, const char *name, int round,
                       int rank)
{
    unsigned char key[crypto_generichash_KEYBYTES] = {0};
    const uint64_t number[2] = {(uint64_t)round, (uint64_t)rank};
    unsigned char hash[crypto_generichash_BYTES];
    crypto_generichash_state s;
    uint64_t value;
    memcpy(key, &q->seed, sizeof q->seed);
    crypto_generichash_init(&s, key, sizeof key, sizeof hash);
    crypto_generichash_update(&s, (const unsigned char *)number, sizeof number);
    crypto_generichash_update(&s, (const unsigned char *)name, strlen(name));
    crypto_generichash_final(&s, hash, sizeof hash);
    memcpy(&value, hash, sizeof value);
    return value;
}

uint64_t run_key(const struct request *q, const struct plan_case *c, int round)
{
    return secret(q, c->name, round, -4); // no rank has this number
}

uint64_t run_seed(const struct request *q, const struct place *p,
                  const struct run_batch *b, int case_no, int rank)
{
    const struct plan_case *const c = &p->plan->cases[case_no];
    return c->hidden ? secret(q, c->name, b->round, rank)
                     : judge_key_seed(run_key(q, c, b->round), rank);
}

static json_t *hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    return json_string(text);
}

struct cases { /* what the recorder gives to ranks */
    const struct request *request;
    const struct place *place;
    const struct run_batch *batch;
    uint64_t nonce;
};

/* A case as it is sent to a rank. */
static json_t *job_case(const struct cases *all, int case_no)
{
    const struct run_batch *const b = all->batch;
    const struct plan_case *const c = &all->place->plan->cases[case_no];
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
    json_object_set_new(j, "modelled",
                        json_boolean(!all->place->machine.measured));
    return j;
}

/* The text of case i for a rank, or after the last one, the key of
 * its final record. */
static char *case_text(const void *arg, int rank, int i)
{
    const struct cases *const all = arg;
    (void)rank;
    json_t *const j = i < all->batch->n ? job_case(all, all->batch->case_no[i])
                                        : json_object();
    if (i == all->batch->n)
        json_object_set_new(j, "nonce", hex(all->nonce));
    char *const text = json_dumps(j, 0);
    json_decref(j);
    if (!text)
        abort();
    return text;
}

/* Draw the values that a rank requests, having no seed. */
static int draw(const void *arg, int rank, int i, int iteration,
                uint64_t digest, const struct draw_ask *d, void *out,
                size_t nbytes)
{
    const struct cases *const all = arg;
    const int case_no = all->batch->case_no[i];
    const uint64_t seed =
        run_seed(all->request, all->place, all->batch, case_no, rank);
    const struct draw_from from = {
        .c = &all->place->plan->cases[case_no],
        .rank = rank,
        .nranks = all->batch->nranks,
        .seed = chain_seed(seed, iteration, digest),
    };
    return draw_make(all->place->judge, from, d, out, nbytes);
}

/* Make the folder for evidence and graphs, which no rank sees, and the folder
 * that ranks see. */
static int make_folders(const struct run *run, const char *seen,
                        struct result *r)
{
    if (mkdir(run->dir, 0700) == 0 && mkdir(seen, 0755) == 0 &&
        chmod(seen, 0755) == 0)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "cannot make %s or %s: %s", run->dir,
                       seen, strerror(errno));
}

/*
 * simgpu's machine: a name or a file. A file must be visible inside and is
 * given by its real path; what precedes and follows it ("2x:", "@ndr") stays.
 * NULL: simgpu chooses.
 */
struct topology {
    char path[PATH_MAX], name[2 * PATH_MAX];
};
static void set_topology(struct sandbox *s, const char *topo,
                         struct topology *keep)
{
    static const char seen[] = "/topology.xml";
    char file[PATH_MAX];
    if (!topo)
        return;
    const char *const colon = strrchr(topo, ':');
    const int before = colon ? (int)(colon + 1 - topo) : 0;
    const int length = (int)strcspn(topo + before, "@");
    snprintf(file, sizeof file, "%.*s", length, topo + before);
    if (!strchr(file, '/') || !realpath(file, keep->path)) {
        sandbox_env(s, "SIMGPU_TOPO", topo);
        return;
    }
    s->bind[s->nbinds].from = keep->path;
    s->bind[s->nbinds++].to = seen;
    snprintf(keep->name, sizeof keep->name, "%.*s%s%s", before, topo,
             sandbox_path(s, seen), topo + before + length);
    sandbox_env(s, "SIMGPU_TOPO", keep->name);
}

/* Set simgpu's environment variables, unless the machine is a real one. */
static void set_simgpu(struct sandbox *s, const struct request *q, int measured,
                       const char *job)
{
    // code that forgot to wait fails every time, not only sometimes
    sandbox_env(s, "SIMGPU_SCHEDULE",
                q->schedule ? q->schedule : PLAN_SCHEDULE);
    // a rank that waits for its turn on a busy machine is not a hang
    sandbox_env(s, "SIMGPU_HANG_SEC", "10");
    // UCX reads these before main(). Without a network it needs no modules for
    // one, nor the hooks on freed memory that they use, which would take half
    // of MPI_Init.
    sandbox_env(s, "UCX_MODULES", "cma");
    sandbox_env(s, "UCX_MEM_EVENTS", "no");
    // other versions don't know all of them
    sandbox_env(s, "UCX_WARN_UNUSED_ENV_VARS", "no");
    if (!measured)
        sandbox_env(s, "SIMGPU_GRAPH", job);
}

static int memory_mib(const struct machine *m)
{
    return m->measured ? GPU_MEMORY_MIB : GROUPS_MEMORY_MIB;
}

/* Find folder and name of the program: the submission's, or the reference's. */
static void find_program(const struct place *p, int of_reference,
                         char folder[PATH_MAX + 16], char name[64])
{
    if (of_reference) {
        snprintf(folder, PATH_MAX + 16, "%s/solutions", p->build);
        snprintf(name, 64, "%.*s", (int)strcspn(p->lab, "-"), p->lab);
    } else {
        snprintf(folder, PATH_MAX + 16, "%s/out", p->work);
        snprintf(name, 64, "program");
    }
}

/* Start the program under mpirun in a sandbox with these limits. */
static void start(const struct sandbox *s, const char *name, int nranks,
                  struct sandbox_end *end)
{
    char program[PATH_MAX + 128], n[16];
    snprintf(n, sizeof n, "%d", nranks);
    snprintf(program, sizeof program, "%s/%s", sandbox_path(s, "/out"), name);
    const char *const argv[] = {"mpirun", "-n", n, program, NULL};
    sandbox_run(s, argv, end);
}

/* Find the rank that ended first, and its last call. Returns 1 if something
 * from outside ended the run. */
static int find_first(const struct sandbox *s, const char *name, int wardens,
                      int nranks, struct run *run)
{
    char program[PATH_MAX + 128];
    int first;
    const int outside = wardens_find(wardens, nranks, &run->end, &first,
                                     run->left, sizeof run->left);
    const size_t n = strlen(run->left);
    snprintf(program, sizeof program, "%s/%s", sandbox_path(s, "/out"), name);
    if (first >= 0)
        last_call_text(run->dir, first, nranks, s, program, run->left + n,
                       sizeof run->left - n);
    return outside;
}

/* Run the sandbox while the recorder takes what the ranks send. */
static int record(const struct cases *all, const struct sandbox *s,
                  const char *name, const char *seen, struct run *run,
                  struct result *r)
{
    const struct run_batch *const b = all->batch;
    const struct request *const q = all->request;
    const struct recorder_job job = {
        .seen = seen,
        .kept = run->dir,
        .nranks = b->nranks,
        .ncases = b->n,
        .case_no = b->case_no,
        .graphs = !all->place->machine.measured,
        .nonce = run->nonce,
        .where = {secret(q, "", r->nruns, -2), secret(q, "", r->nruns, -3)},
        .text = case_text,
        .draw = draw,
        .arg = all};
    struct recorder *const recorder = recorder_start(&job);
    if (!recorder)
        return result_stop(r, OUTCOME_INFRA, "cannot record in %s: %s",
                           run->dir, strerror(errno));
    const int wardens = wardens_listen(seen);
    start(s, name, b->nranks, &run->end);
    recorder_stop(recorder, &run->recorded);
    const int outside = find_first(s, name, wardens, b->nranks, run);
    wardens_close(wardens, seen);
    rmdir(seen);
    const int err =
        result_log(r, b->of_reference ? "run the reference" : "run", &run->end);
    if (!err && outside)
        return result_stop(r, OUTCOME_INFRA, "%s", run->left);
    if (!err && run->recorded.failed[0])
        return result_stop(r, OUTCOME_INFRA, "cannot record %s",
                           run->recorded.failed);
    return err;
}

int run_make(const struct request *q, const struct place *p,
             const struct run_batch *b, struct run *run, struct result *r)
{
    char out[PATH_MAX + 16], name[64], me[TOPO_ME], seen[PATH_MAX + 32];
    struct topology topology;
    snprintf(run->dir, sizeof run->dir, "%s/run-%d", p->work, r->nruns);
    snprintf(seen, sizeof seen, "%s/job-%d", p->work, r->nruns++);
    run->nonce = secret(q, "", r->nruns, -1); // no case has this name
    find_program(p, b->of_reference, out, name);
    struct sandbox s = {
        .level = q->isolation,
        .tmp = p->tmp,
        .bind = {{out, "/out", 0},
                 {p->machine.home, p->machine.seen, 0},
                 {seen, "/job", 0}},
        .nbinds = 3,
        .limit_sec = START_SEC + RUN_CASE_SEC * b->n,
        .watch = run->dir,
        .idle_sec = RUN_CASE_SEC,
        .most_bytes = SHOWN_CAP,
        .memory_mib = memory_mib(&p->machine),
        .keeps_modes = 1,
        .no_input = 1,
    };
    const char *const job = sandbox_path(&s, "/job");
    sandbox_env(&s, "COMMLAB_JOB", job);
    sandbox_env(&s, "COMMLAB_STUDENT", topo_me(me));
    if (!machine_is_real(&p->machine)) {
        set_topology(&s, b->topo ? b->topo : getenv("SIMGPU_TOPO"), &topology);
        set_simgpu(&s, q, p->machine.measured, job);
    }
    if (make_folders(run, seen, r) != 0)
        return -1;
    const struct cases all = {q, p, b, run->nonce};
    return record(&all, &s, name, seen, run, r);
}

void run_last_words(const struct place *p, const struct run *run, char *out,
                    size_t nbytes)
{
    const struct sandbox_end *const end = &run->end;
    out[0] = 0;
    if (end->loud)
        snprintf(out, nbytes,
                 "it prints more than %d MiB: a loop that prints? Print on one "
                 "rank, and not in loops.",
                 SANDBOX_LOUD >> 20);
    else if (end->overlong)
        snprintf(
            out, nbytes,
            "the run takes too long: stopped after %d s, and %d s for each "
            "case, which don't count\nthe time that other programs took. "
            "Look for a loop that doesn't end.",
            START_SEC, RUN_CASE_SEC);
    else if (end->timed_out)
        snprintf(out, nbytes,
                 "the run hangs: stopped after %d s without progress. Look for "
                 "a wait or a loop\nthat doesn't end.",
                 RUN_CASE_SEC);
    else if (end->crowded || end->refused)
        snprintf(out, nbytes,
                 "the run started more than %d processes and threads: a loop "
                 "that starts them?",
                 GROUPS_PROCESSES);
    else if (end->out_of_memory)
        snprintf(out, nbytes, "the run took more than %d MiB of memory",
                 memory_mib(&p->machine));
    else if (end->flooded)
        snprintf(out, nbytes, "the run wrote more than %lld bytes", SHOWN_CAP);
    else if (words_find(end->log.head, out, nbytes))
        return;
    else if (run->left[0])
        snprintf(out, nbytes, "%s", run->left);
    else
        snprintf(out, nbytes, "the run ended early, with status %d%s",
                 end->status,
                 end->log.dropped ? ", after a flood of output" : "");
}
